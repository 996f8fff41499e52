"""The values that the paper prints: what a reproduction is compared with.

Y. Cai et al., "Fully Linear Graph Convolutional Networks for Semi-Supervised Learning
and Clustering"
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

import pandas as pd

from flgc.datasets import UnknownDataset, resolve
from flgc.noise import SHARED

if TYPE_CHECKING:
    from tasks.declared.types import Experiment

TABLES = {
    "citation_accuracy": "accuracy on the citation graphs, public and random splits",
    "citation_datasets": "sizes of the citation graphs",
    "clustering_small": "clustering accuracy and NMI on the small sets",
    "robustness_extended_yale_b": "clustering of Extended Yale B under noise",
    "uci_accuracy": "accuracy on 24 regular tables, 11 methods, and their average",
    "uci_bold": "which of these accuracies the paper's source marks as bold",
    "uci_datasets": "sizes of the regular tables",
    "wilcoxon_ranks": "signed-rank sums of every pair of methods on the regular tables",
}
COLUMNS = ["dataset", "noise", "intensity", "noise_pattern", "method", "metric", "value", "std"]
# What a table does not print.
EMPTY: dict[str, Any] = {"noise": "", "intensity": 0.0, "noise_pattern": "", "std": float("nan")}
# The pattern of noise with which the paper's values are reached; its text does not name it.
REACHED_WITH = SHARED
LITERATURE = "literature"
AVERAGE = "Average"  # a row of the paper's table of accuracies, and no dataset
PERCENT = ("citation_accuracy", "uci_accuracy")
# Of tables in percent; where the paper prints shares, it gives three, which is one in points.
DECIMALS = {"citation_accuracy": 1, "uci_accuracy": 2}


def published(table: str) -> pd.DataFrame:
    """One published table, one row per printed value."""
    if table not in TABLES:
        raise ValueError(f"unknown published table {table!r}; choose from {', '.join(TABLES)}")
    source = resources.files("tasks.declared.printed").joinpath(f"{table}.csv")
    with source.open(encoding="utf-8") as lines:
        return pd.read_csv(lines)


def published_cells(experiment: Experiment, origin: str = "") -> pd.DataFrame:
    """One row per printed value, in `COLUMNS`.

    What the paper took from the literature is left out unless that is the `origin` asked for.
    """
    rows = published(experiment.published) if experiment.published else pd.DataFrame()
    if rows.empty or (origin and "origin" not in rows):
        return pd.DataFrame(columns=COLUMNS)
    if "split" in rows:
        rows = rows[rows["split"] == experiment.split]
        rows = rows[(rows["origin"] == LITERATURE) == (origin == LITERATURE)]
    if experiment.published in PERCENT:
        rows = rows.assign(metric="accuracy", value=rows["mean"] / 100, std=rows["std"] / 100)
    if "dataset" not in rows:
        rows = rows.assign(dataset=experiment.datasets[0])
    names = {name: _declared(name, experiment) for name in rows["dataset"].unique()}
    rows = rows.assign(dataset=rows["dataset"].map(names))
    rows = rows[rows["dataset"].isin(experiment.datasets)]
    if "noise" in rows:
        rows = rows.assign(noise_pattern=REACHED_WITH)
    for name, empty in EMPTY.items():
        if name not in rows:
            rows = rows.assign(**{name: empty})
    return rows[COLUMNS].reset_index(drop=True)


def published_in(table: str, experiment: Experiment) -> pd.DataFrame:
    """A published table with the names that datasets have here; empty without a name.

    One that compares methods over datasets is empty where some of those are left out.
    """
    rows = published(table) if table else pd.DataFrame()
    if "dataset" in rows:
        return rows.assign(dataset=[_declared(name, experiment) for name in rows["dataset"]])
    whole = published(experiment.published)["dataset"] if len(rows) else ()
    used = {_declared(name, experiment) for name in whole} - {AVERAGE}
    return rows if used <= set(experiment.datasets) else pd.DataFrame()


def _declared(name: str, experiment: Experiment) -> str:
    """The paper's spelling in ours: `Iris` is `iris`, `austra` is `australian`."""
    if name in experiment.datasets:
        return name
    try:
        return resolve(name)
    except UnknownDataset:
        return name

"""The paper's values in the words and units of our results, to stand beside them."""

import pandas as pd

from flgc.datasets import UnknownDataset, resolve
from tasks.declared.experiments import Experiment
from tasks.declared.printed_tables import published

COLUMNS = ["dataset", "noise", "intensity", "method", "metric", "value", "std"]
LITERATURE = "literature"
PERCENT = ("citation_accuracy", "uci_accuracy")


def published_cells(experiment: Experiment, origin: str = "") -> pd.DataFrame:
    """One row per printed value: dataset, noise, intensity, method, metric, value, std.

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
    for name, empty in (("noise", ""), ("intensity", 0.0), ("std", float("nan"))):
        if name not in rows:
            rows = rows.assign(**{name: empty})
    return rows[COLUMNS].reset_index(drop=True)


def _declared(name: str, experiment: Experiment) -> str:
    """The paper's spelling in ours: `Iris` is `iris`, `austra` is `australian`."""
    if name in experiment.datasets:
        return name
    try:
        return resolve(name)
    except UnknownDataset:
        return name

"""What fills a cell of a table: one row per run and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from flgc.device import resolve_device
from flgc.methods.base import Method, axes_of
from flgc.methods.judging import HIDDEN, posed
from flgc.methods.picking import is_pick

# What the judge says of test nodes is the accuracy.
METRICS = {"test": "accuracy", "ACC": "ACC", "NMI": "NMI"}


def fit_cell(
    data: Any,
    graph: Any,
    splits: Sequence[Any] | None,
    picks: pd.DataFrame,
    method: Method,
    seeds: Sequence[int],
    cell: Mapping[str, Any],
    without: Sequence[str] = (),
    refit: bool = False,
    device: str = "cpu",
    kept: Any = None,
) -> pd.DataFrame:
    """The rows of a cell: what is said of it, its settings, and the value of each metric.

    What was picked was fitted when the settings were scored, so its value is read off, unless
    `refit` asks for a fit, from features that are kept. An average is computed here.
    """
    values: Any = picks
    if refit or not is_pick(picks):
        values = _fitted(data, graph, splits, picks, method, seeds, without, device, kept)
    shared = {
        **{name: value for name, value in cell.items() if name != "first_run"},
        "marks": ", ".join(data.provenance["marks"]),
        "changed": data.provenance.get("changed"),
        "device": str(resolve_device(device) or "cpu"),
    }
    of_runs = picks.drop_duplicates("run")
    settings = axes_of(picks) if is_pick(picks) else []
    rows = [
        {
            **shared,
            "criterion": run["criterion"],
            "tried": run["tried"],
            "run": cell["first_run"] + run["run"],
            "seed": str(seeds[run["run"]]),  # 64 bits without a sign, which a spreadsheet rounds
            "metric": METRICS[column],
            "value": value,
            **{name: run[name] for name in settings},
        }
        for column in HIDDEN
        if column in values
        for run, value in zip(of_runs.to_dict("records"), values[column], strict=True)
    ]
    return pd.DataFrame(rows)


def _fitted(
    data: Any,
    graph: Any,
    splits: Sequence[Any] | None,
    picks: pd.DataFrame,
    method: Method,
    seeds: Sequence[int],
    without: Sequence[str],
    device: str,
    kept: Any,
) -> dict[str, Any]:
    """What the judge says of the weighted settings."""
    problem, judge = posed(data.without(without), graph, splits, seeds, method, device, kept)
    own = [f"p_{name}" for name in method.axes]
    outputs = method.combined(problem, picks[["run", *own, "weight"]])
    judged = judge(range(problem.n_runs), outputs.classes)
    return {name: judged[name] for name in HIDDEN if name in judged}

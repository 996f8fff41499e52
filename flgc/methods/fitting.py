"""The rows of a cell: what was picked, read from its scores, fitted anew or averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from flgc.device import resolve_device
from flgc.methods.base import Judge, Method, Problem, answers_for, axes_of
from flgc.methods.judging import ACCURACY, HIDDEN, posed
from flgc.methods.picking import is_pick

# From columns of the judge to names of metrics; "test" is another metric where one is given.
METRICS = {"test": ACCURACY, "ACC": "ACC", "NMI": "NMI"}


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
    metric: str = ACCURACY,
) -> pd.DataFrame:
    """The rows of a cell: its description, its settings, and the value of each metric.

    Picked settings were fitted when they were scored, so their values are read from `picks`, unless
    `refit` asks for a fit from kept features. An average is computed here.
    """
    values: Any = picks
    if refit or not is_pick(picks):
        posing = (data.without(without), graph, splits, seeds, method, device, kept, metric)
        problem, judge = posed(*posing)
        values = _judged(method, problem, judge, picks)
    changed = data.provenance.get("changed")
    shared = {
        **{name: value for name, value in cell.items() if name != "first_run"},
        "marks": ", ".join(data.provenance["marks"]),
        "changed": changed,
        "changed_share": float("nan") if changed is None else changed / data.features.size,
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
            "metric": metric if column == "test" else METRICS[column],
            "value": value,
            **{name: run[name] for name in settings},
        }
        for column in HIDDEN
        if column in values
        for run, value in zip(of_runs.to_dict("records"), values[column], strict=True)
    ]
    return pd.DataFrame(rows)


def _judged(method: Method, problem: Problem, judge: Judge, picks: pd.DataFrame) -> dict[str, Any]:
    """The hidden columns of the weighted settings, computed anew."""
    own = [f"p_{name}" for name in method.axes]
    graphs = ["p_graph"] if "p_graph" in picks and problem.graphs else []
    outputs = method.combined(problem, picks[["run", *graphs, *own, "weight"]])
    outputs = outputs.checked(method, problem)
    judged = judge(range(problem.n_runs), answers_for(judge, outputs))
    return {name: judged[name] for name in HIDDEN if name in judged}

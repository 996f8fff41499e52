"""A method at one setting while one thing varies: the curves of the paper's Figures 4 to 6 and 10.

Points are judged as cells are: classifications by the accuracy on test nodes, clusterings by ACC
and NMI.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pandas as pd

from flgc.methods.base import AXIS, Method, Setting, as_columns
from flgc.methods.fitting import METRICS
from flgc.methods.judging import posed
from flgc.methods.scoring import scores_of_runs

SPLITS, GRAPHS = "splits", "graphs"


def vary_method(
    data: Any,
    graphs: Sequence[Any],
    splits: Sequence[Any] | None,
    method: Method,
    setting: Setting,
    along: str,
    values: Sequence[Any],
    seeds: Sequence[int],
    without: Sequence[str] = (),
    device: str = "cpu",
) -> pd.DataFrame:
    """One row per value and run: x, run, the dataset's marks, the setting as p_<axis>, the metrics.

    `along` says what varies: "splits", with those of all runs for the first value, then for the
    second; "graphs", one for each value; or an axis of the method, which `setting` may leave out.
    Everything on one graph is one problem, so a batched method takes the runs of all values at
    once. Without splits it is a clustering, with a run for each seed.
    """
    own = {axis: (value,) for axis, value in setting.items()}
    choices = (*((SPLITS,) if splits is not None else ()), GRAPHS, *method.axes)
    if along not in choices:
        raise ValueError(
            f"{method.name} cannot vary along {along!r}; choose from {', '.join(choices)}"
        )
    if along not in (SPLITS, GRAPHS):
        own[along] = tuple(values)
    grid = {axis: own[axis] for axis in method.axes}
    n_runs = len(seeds if splits is None else splits)
    started = seeds
    if along == SPLITS:
        n_runs //= len(values)
        started = [*seeds[:n_runs]] * len(values)
    data, tables = data.without(without), []
    for P, value in zip(graphs, values if along == GRAPHS else [None], strict=True):
        problem, judge = posed(data, P, splits, started, method, device)
        problem = dataclasses.replace(problem, folds=None)  # nothing is picked
        tables.append(scores_of_runs(method, problem, judge, grid).assign(x=value))
    table = pd.concat(tables, ignore_index=True)
    if along == SPLITS:
        table["x"] = [values[run // n_runs] for run in table["run"]]
        table["run"] %= n_runs
    elif along != GRAPHS:
        table["x"] = table[f"{AXIS}{along}"]
    table["marks"] = ", ".join(data.provenance.get("marks", ()))
    metrics = [column for column in METRICS if column in table]
    return table[["x", "run", "marks", *as_columns(grid), *metrics]].rename(columns=METRICS)

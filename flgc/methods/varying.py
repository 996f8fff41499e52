"""A method at one setting while one thing varies: the curves of the paper's Figures 4, 5 and 6."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pandas as pd

from flgc.methods.base import AXIS, Method, Setting, as_columns
from flgc.methods.judging import posed
from flgc.methods.scoring import scores_of_runs

SPLITS, GRAPHS = "splits", "graphs"


def vary_method(
    data: Any,
    graphs: Sequence[Any],
    splits: Sequence[Any],
    method: Method,
    setting: Setting,
    along: str,
    values: Sequence[Any],
    seeds: Sequence[int],
    without: Sequence[str] = (),
    device: str = "cpu",
) -> pd.DataFrame:
    """One row per value and run: x, run, the setting as p_<axis>, and the test accuracy.

    `along` says what the values are of: "splits", which then has those of all runs for the first
    value, then for the second; "graphs", one for each value; or an axis of the method, which the
    setting need not have. What does not vary is the same for all values. All that shares a graph
    is one problem: a method that takes many runs at once has those of all values.
    """
    own = {axis: (value,) for axis, value in setting.items()}
    if along not in (SPLITS, GRAPHS):
        if along not in method.axes:
            known = ", ".join((SPLITS, GRAPHS, *method.axes))
            raise ValueError(f"{method.name} cannot vary along {along!r}; choose from {known}")
        own[along] = tuple(values)
    grid = {axis: own[axis] for axis in method.axes}
    n_splits = len(splits) // len(values) if along == SPLITS else len(splits)
    started = [*seeds[:n_splits]] * len(values) if along == SPLITS else seeds
    data, tables = data.without(without), []
    for P, value in zip(graphs, values if along == GRAPHS else [None], strict=True):
        problem, judge = posed(data, P, splits, started, method, device)
        problem = dataclasses.replace(problem, folds=None)  # nothing is picked
        tables.append(scores_of_runs(method, problem, judge, grid).assign(x=value))
    found = pd.concat(tables, ignore_index=True)
    if along == SPLITS:
        found["x"] = [values[run // n_splits] for run in found["run"]]
        found["run"] %= n_splits
    elif along != GRAPHS:
        found["x"] = found[f"{AXIS}{along}"]
    columns = ["x", "run", *as_columns(grid), "test"]
    return found[columns].rename(columns={"test": "accuracy"})

"""Every setting of a method's grid in every run: the table from which both protocols pick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from flgc.methods.base import Grid, Judge, Method, Problem, axes_of
from flgc.methods.judging import Labels, posed


def score_settings(
    data: Any,
    graph: Any,
    splits: Sequence[Any] | None,
    method: Method,
    grid: Grid,
    seeds: Sequence[int],
    without: Sequence[str] = (),
    device: str = "cpu",
    kept: Any = None,
) -> pd.DataFrame:
    """The scores of a method on a dataset, see `score_table`; without splits, of clusterings."""
    problem, judge = posed(data.without(without), graph, splits, seeds, method, device, kept)
    return score_table(method, problem, judge, grid)


def score_table(method: Method, problem: Problem, judge: Any, grid: Grid) -> pd.DataFrame:
    """One row per run and setting: run, p_<axis>, what the method saw, what the judge says.

    A method that cannot say how it does on nodes that it left out is run on folds too, where
    nobody validates: `hits` are then its labelled nodes that were right when their fold was out.
    """
    folds = problem.folds
    if method.leaves_out or folds is None:
        return _scores(method, problem, judge, grid)
    more, owners = problem.with_folds()
    further = [{"hits": nodes} for nodes in more.asked[problem.n_runs :]]
    found = _scores(method, more, Labels(judge.truth, [*judge.roles, *further]), grid)
    left_out = found["run"] >= problem.n_runs
    axes = axes_of(found)
    hits = found[left_out].assign(run=owners[found.loc[left_out, "run"].to_numpy()])
    counted = hits.groupby(["run", *axes], sort=False, dropna=False)["hits"].sum().reset_index()
    return found[~left_out].drop(columns="hits").merge(counted, on=["run", *axes], how="left")


def _scores(method: Method, problem: Problem, judge: Judge, grid: Grid) -> pd.DataFrame:
    """All runs at once, or each by itself, so that none can see another's labels."""
    if method.batched:
        return method.scores(problem, grid, judge)
    parts = [
        method.scores(problem.only([run]), grid, _of_run(judge, run)).assign(run=run)
        for run in range(problem.n_runs)
    ]
    return pd.concat(parts, ignore_index=True)


def _of_run(judge: Judge, run: int) -> Judge:
    return lambda _, classes: judge([run], classes)

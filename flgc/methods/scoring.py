"""Scores of every setting in every run, as a table from which both protocols pick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from flgc.methods.base import Grid, Judge, Method, Problem, axes_of, ranks
from flgc.methods.judging import ACCURACY, Labels, posed


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
    metric: str = ACCURACY,
) -> pd.DataFrame:
    """`score_table` of a method on a dataset; without splits, of a clustering."""
    posing = (data.without(without), graph, splits, seeds, method, device, kept, metric)
    problem, judge = posed(*posing)
    return score_table(method, problem, judge, grid)


def score_table(method: Method, problem: Problem, judge: Any, grid: Grid) -> pd.DataFrame:
    """One row per run and setting: run, p_<axis>, the criteria of the method and of the judge.

    Without validation nodes, a method that does not compute leave-one-out also runs on folds:
    `hits` are then its labelled nodes that were right when their fold was left out.
    """
    if method.leaves_out or problem.folds is None:
        return scores_of_runs(method, problem, judge, grid)
    more, owners = problem.with_folds()
    further = [{"hits": nodes} for nodes in more.asked[problem.n_runs :]]
    folded = Labels(judge.truth, [*judge.roles, *further], judge.ranks)
    table = scores_of_runs(method, more, folded, grid)
    left_out = table["run"] >= problem.n_runs
    axes = axes_of(table)
    hits = table[left_out].assign(run=owners[table.loc[left_out, "run"].to_numpy()])
    counted = hits.groupby(["run", *axes], sort=False, dropna=False)["hits"].sum().reset_index()
    return table[~left_out].drop(columns="hits").merge(counted, on=["run", *axes], how="left")


def scores_of_runs(method: Method, problem: Problem, judge: Judge, grid: Grid) -> pd.DataFrame:
    """All runs at once, or each by itself, so that no run sees another's labels."""
    if method.batched:
        return method.scores(problem, grid, judge)
    parts = [
        method.scores(problem.only([run]), grid, _OfRun(judge, run)).assign(run=run)
        for run in range(problem.n_runs)
    ]
    return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True)
class _OfRun:
    """A judge of one run, which is asked as if it were the first."""

    judge: Judge
    run: int

    @property
    def ranks(self) -> bool:
        return ranks(self.judge)

    def __call__(self, _: Sequence[int], classes: Any) -> dict[str, Any]:
        return self.judge([self.run], classes)

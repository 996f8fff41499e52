"""What the judge says, as tables: of every setting in every run, and of what was picked.

The first is the one from which both protocols pick, the second fills a cell of a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from flgc.device import resolve_device
from flgc.methods.base import Grid, Judge, Method, Problem, answers_for, axes_of, ranks
from flgc.methods.judging import ACCURACY, HIDDEN, Labels, posed
from flgc.methods.picking import is_pick

# What the judge says of test nodes is the accuracy, or the metric that was asked for.
METRICS = {"test": ACCURACY, "ACC": "ACC", "NMI": "NMI"}


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
    """The scores of a method on a dataset, see `score_table`; without splits, of clusterings."""
    given = (data.without(without), graph, splits, seeds, method, device, kept, metric)
    problem, judge = posed(*given)
    return score_table(method, problem, judge, grid)


def score_table(method: Method, problem: Problem, judge: Any, grid: Grid) -> pd.DataFrame:
    """One row per run and setting: run, p_<axis>, what the method saw, what the judge says.

    A method that cannot say how it does on nodes that it left out is run on folds too, where
    nobody validates: `hits` are then its labelled nodes that were right when their fold was out.
    """
    if method.leaves_out or problem.folds is None:
        return scores_of_runs(method, problem, judge, grid)
    more, owners = problem.with_folds()
    further = [{"hits": nodes} for nodes in more.asked[problem.n_runs :]]
    whole = Labels(judge.truth, [*judge.roles, *further], judge.ranks)
    found = scores_of_runs(method, more, whole, grid)
    left_out = found["run"] >= problem.n_runs
    axes = axes_of(found)
    hits = found[left_out].assign(run=owners[found.loc[left_out, "run"].to_numpy()])
    counted = hits.groupby(["run", *axes], sort=False, dropna=False)["hits"].sum().reset_index()
    return found[~left_out].drop(columns="hits").merge(counted, on=["run", *axes], how="left")


def scores_of_runs(method: Method, problem: Problem, judge: Judge, grid: Grid) -> pd.DataFrame:
    """All runs at once, or each by itself, so that none can see another's labels."""
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

    def __call__(self, runs: Sequence[int], classes: Any) -> dict[str, Any]:
        return self.judge([self.run], classes)


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
    """The rows of a cell: what is said of it, its settings, and the value of each metric.

    What was picked was fitted when the settings were scored, so its value is read off, unless
    `refit` asks for a fit, from features that are kept. An average is computed here.
    """
    values: Any = picks
    if refit or not is_pick(picks):
        values = _fitted(data, graph, splits, picks, method, seeds, without, device, kept, metric)
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
    metric: str,
) -> dict[str, Any]:
    """What the judge says of the weighted settings."""
    given = (data.without(without), graph, splits, seeds, method, device, kept, metric)
    problem, judge = posed(*given)
    own = [f"p_{name}" for name in method.axes]
    graphs = ["p_graph"] if "p_graph" in picks and problem.graphs else []
    outputs = method.combined(problem, picks[["run", *graphs, *own, "weight"]])
    outputs = outputs.checked(method, problem)
    judged = judge(range(problem.n_runs), answers_for(judge, outputs))
    return {name: judged[name] for name in HIDDEN if name in judged}

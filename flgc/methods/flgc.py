"""FLGC itself: the whole grid from one pass over the graph, and its average as one filter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from array_api_compat import array_namespace

from flgc.averaging import average_grid, filtered, with_constant
from flgc.classifier import fit_weights
from flgc.device import resolve_device, to_device, to_numpy
from flgc.grid import ranks_from_usual, score_grid
from flgc.learnt_filter import NO_TELEPORT, POLYNOMIAL
from flgc.methods.base import (
    Grid,
    Judge,
    Method,
    Outputs,
    Problem,
    Setting,
    ranks,
    settings_of,
)
from flgc.progress import tracked
from flgc.ridge import one_hot, ridge_weights
from flgc.scaling import scaled

# Axes of which a grid is one pass; the others say what is propagated, and on which graph.
IN_ONE_PASS = ("hops", "teleport", "regularization")
PAPER = "Cai, Zhang, Cai, Liu, Ding, Ghamisi: Fully Linear Graph Convolutional Networks"


class FLGC(Method):
    """H = p(P) X (Eq. 10), W = (H'H + r I)^-1 H'Y on the labelled nodes (Eq. 16).

    `constant` adds a column of ones to X.
    """

    name = "FLGC*"
    axes = MappingProxyType(
        {
            "scaling": ("raw",),
            "constant": (False,),
            "hops": tuple(range(21)),
            "teleport": tuple(step / 10 for step in range(11)),
            "regularization": tuple(2.0**exponent for exponent in range(-8, 9)),
        }
    )
    reference = PAPER
    batched = True
    leaves_out = True
    closed_form = True
    own = True
    filter = POLYNOMIAL

    def view_axes(self) -> list[str]:
        """The axes of what is propagated."""
        return [name for name in self.axes if name not in IN_ONE_PASS]

    def features(self, problem: Problem, view: Setting, where: Any) -> Any:
        """What is propagated, where the arithmetic runs."""
        X = scaled(problem.X, view["scaling"])
        X = X.toarray() if sp.issparse(X) and where is not None else X
        return to_device(with_constant(X) if view["constant"] else X, where)

    def graph(self, problem: Problem, view: Setting) -> sp.csr_array:
        """The matrix that propagates it."""
        return problem.P

    def scores(self, problem: Problem, grid: Grid, judge: Judge) -> pd.DataFrame:
        """All settings of a view in one pass; leave-one-out comes with each fit.

        If a class has a single label, leave-one-out cannot judge, and `from_usual` ranks settings.
        """
        where, tables = resolve_device(problem.device), []
        axes = [grid.get(name, NO_TELEPORT) for name in IN_ONE_PASS]
        views = list(settings_of({name: grid[name] for name in self.view_axes()}))
        for view in tracked(views, len(views)):
            P = to_device(self.graph(problem, view), where)
            X = self.features(problem, view, where)
            values = [[view[name]] if name in view else grid[name] for name in self.axes]
            names = ["run", *(f"p_{name}" for name in self.axes)]
            for runs in problem.alike():
                labelled = np.stack([problem.labelled(run) for run in runs])
                scores = score_grid(
                    P,
                    X,
                    to_device(problem.labels[runs].max(axis=0), where),
                    to_device(labelled, where),
                    n_classes=problem.n_classes,
                    hops=axes[0],
                    teleports=axes[1],
                    regularizations=axes[2],
                    asked=np.stack([problem.asked[run] for run in runs]),
                    judge=partial(_of_some, judge, runs),
                    filter=self.filter,
                    ranked=ranks(judge),
                )
                assert scores.loo_accuracy is not None
                columns = {
                    "error": scores.loo_squared_error,
                    "size": scores.loo_size,
                    **scores.judged,
                    "hits": scores.loo_accuracy * labelled.shape[1],
                }
                alone = np.array([_has_single(problem, run) for run in runs])
                if alone.any():
                    columns["from_usual"] = np.full(scores.loo_accuracy.shape, np.nan)
                    nodes = to_device(labelled[alone], where)
                    usual = ranks_from_usual(P, X, nodes, *axes, filter=self.filter)
                    columns["from_usual"][alone] = usual
                table = {name: np.ravel(value) for name, value in columns.items()}
                index = pd.MultiIndex.from_product([runs, *values], names=names)
                tables.append(pd.DataFrame(table, index=index).reset_index())
        return pd.concat(tables, ignore_index=True)

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """Setting by setting, each propagated anew: for timing one, not for a search."""
        where = resolve_device(problem.device)
        for setting in settings_of(grid):
            P = to_device(self.graph(problem, setting), where)
            X = self.features(problem, setting, where)
            scores = []
            for run, asked in enumerate(problem.asked):
                nodes, Y = _targets(problem, run, where, X.dtype)
                _, of_run = fit_weights(
                    P,
                    X,
                    nodes,
                    Y,
                    hops=setting["hops"],
                    teleport=setting["teleport"],
                    regularization=setting["regularization"],
                )
                scores.append(to_numpy(of_run)[asked])
            yield setting, _outputs(scores)

    def combined(self, problem: Problem, weights: pd.DataFrame) -> Outputs:
        """One filter per hop for each run (flgc.averaging); a setting that all share is fitted."""
        settings = weights.drop(columns=["run", "weight"]).drop_duplicates()
        if self.closed_form and len(settings) == 1 and not settings["p_constant"].item():
            return _outputs(_fitted(problem, settings.iloc[0]))
        where = resolve_device(problem.device)
        sums: list[Any] = [0.0] * problem.n_runs
        own = self.view_axes()
        views: Any = weights.groupby([f"p_{name}" for name in own], sort=False)
        for values, rows in tracked(views, views.ngroups):
            view = dict(zip(own, values, strict=True))
            P = to_device(self.graph(problem, view), where)
            X = self.features(problem, view, where)
            path = [name for name in self.axes if name in IN_ONE_PASS]
            axes = {name: sorted(rows[f"p_{name}"].unique()) for name in path}
            for runs in problem.alike():
                shares = _as_array(rows, runs, axes)
                average = average_grid(
                    P,
                    X,
                    to_device(problem.labels[runs].max(axis=0), where),
                    to_device(np.stack([problem.labelled(run) for run in runs]), where),
                    shares,
                    n_classes=problem.n_classes,
                    hops=axes["hops"],
                    teleports=axes.get("teleport", NO_TELEPORT),
                    regularizations=axes["regularization"],
                    leave_one_out=False,
                    filter=self.filter,
                )
                for run, scores in zip(runs, filtered(P, X, average.filters), strict=True):
                    sums[run] = sums[run] + to_numpy(scores)[problem.asked[run]]
        return _outputs(sums)


def _has_single(problem: Problem, run: int) -> bool:
    """Whether a class has a single label in a run: a fit without it has not seen the class."""
    return bool((np.bincount(problem.labels[run][problem.labelled(run)]) == 1).any())


def _of_some(judge: Judge, runs: np.ndarray, some: list[int], classes: Any) -> Any:
    return judge(runs[some].tolist(), classes)


def _fitted(problem: Problem, setting: pd.Series) -> list[np.ndarray]:
    """The closed-form fits of a setting that all runs share, on features read once."""
    where = resolve_device(problem.device)
    kept = problem.propagated(setting["p_scaling"], setting["p_hops"], setting["p_teleport"])
    H = to_device(kept, where)
    weights = []
    for run in range(problem.n_runs):
        nodes, Y = _targets(problem, run, where, H.dtype)
        weights.append(ridge_weights(H[nodes], Y, setting["p_regularization"]))
    scores = to_numpy(H @ array_namespace(H).concat(weights, axis=1))
    of_runs = np.split(scores, problem.n_runs, axis=1)
    return [of_run[asked] for of_run, asked in zip(of_runs, problem.asked, strict=True)]


def _targets(problem: Problem, run: int, where: Any, dtype: Any) -> tuple[Any, Any]:
    """The nodes that a run fits, and their classes as columns of 0 and 1."""
    nodes = problem.labelled(run)
    codes = to_device(problem.labels[run][nodes], where)
    return to_device(nodes, where), one_hot(codes, problem.n_classes, dtype)


def _as_array(rows: pd.DataFrame, runs: np.ndarray, axes: Grid) -> np.ndarray:
    """Weights by (run, axes); 0 for settings without a row."""
    index = pd.MultiIndex.from_product([runs, *axes.values()])
    shares = rows.set_index(["run", *(f"p_{name}" for name in axes)])["weight"]
    shape = (len(runs), *(len(values) for values in axes.values()))
    return shares.reindex(index, fill_value=0.0).to_numpy().reshape(shape)


def _outputs(scores: list[np.ndarray]) -> Outputs:
    return Outputs([of_run.argmax(axis=1) for of_run in scores], scores)

"""Ridges in a kernel: every regularization and leave-one-out from one decomposition per run.

f = G_:l a,   a = (G_ll + r S^-2)^-1 Y,   S^2 the weights of the labelled rows, 1 by default
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from flgc.methods.base import (
    Grid,
    Judge,
    Method,
    Outputs,
    Problem,
    Setting,
    as_columns,
    decisions,
    ranks,
)
from flgc.ridge import RidgePath, one_hot


@dataclass(frozen=True, eq=False)
class Path:
    """Scores of some runs for all values of the last axis.

    `scores` has the shape (runs, asked, values, classes), `seen` the shape (runs, values).
    """

    runs: np.ndarray
    scores: np.ndarray
    seen: Mapping[str, np.ndarray]


class PathMethod(Method):
    """Base of methods whose last axis comes in one path; a subclass has `axes` and `paths`."""

    leaves_out = True

    def paths(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, list[Path]]]:
        """The paths of all runs, for each setting of the other axes."""
        raise NotImplementedError(f"{self.name} has no paths")

    def scores(self, problem: Problem, grid: Grid, judge: Judge) -> pd.DataFrame:
        """One row per run and setting, judged a path at a time."""
        last, tables = list(self.axes)[-1], []
        for setting, paths in self.paths(problem, grid):
            for path in paths:
                answers = decisions(path.scores) if ranks(judge) else path.scores.argmax(axis=-1)
                judged = judge(path.runs.tolist(), answers)
                columns = {name: values.ravel() for name, values in {**judged, **path.seen}.items()}
                places = {
                    "run": np.repeat(path.runs, len(grid[last])),
                    **as_columns(setting),
                    **as_columns({last: np.tile(grid[last], len(path.runs))}),
                }
                tables.append(pd.DataFrame({**places, **columns}))
        return pd.concat(tables, ignore_index=True)

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """Setting by setting, from the same paths."""
        last = list(self.axes)[-1]
        for setting, paths in self.paths(problem, grid):
            for i, value in enumerate(grid[last]):
                scores: list[Any] = [None] * problem.n_runs
                seen = {name: np.empty(problem.n_runs) for name in paths[0].seen}
                for path in paths:
                    for run, of_run in zip(path.runs, path.scores, strict=True):
                        scores[run] = of_run[:, i]
                    for name, values in path.seen.items():
                        seen[name][path.runs] = values[:, i]
                classes = [of_run.argmax(axis=1) for of_run in scores]
                yield {**setting, last: value}, Outputs(classes, scores, seen)


def solved(
    gram: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    regularizations: Sequence[float],
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Solutions a of shape (..., l, R, C), and their leave-one-out criteria, (..., R).

    `gram` is G_ll, (..., l, l), and `codes` are the classes, (..., l). With S on both sides the
    weighted fit is a plain fit of the targets S Y, whose residuals are S times as large. When a
    node is left out, the others keep their `weights`.
    """
    Y = one_hot(codes, n_classes, gram.dtype)
    root = np.ones(codes.shape) if weights is None else np.sqrt(weights)
    path = RidgePath(root[..., :, None] * gram * root[..., None, :], root[..., None] * Y)
    solutions = path.solutions(regularizations)
    residuals = path.leave_one_out_residuals(regularizations, solutions) / root[..., None, None]
    left_out = Y[..., None, :] - residuals
    seen = {
        "error": np.mean(np.sum(residuals**2, axis=-1), axis=-2),
        "size": np.mean(np.abs(left_out), axis=(-3, -1)),
        "hits": np.sum(left_out.argmax(axis=-1) == codes[..., None], axis=-2).astype(float),
    }
    return root[..., None, None] * solutions, seen

"""Laplacian regularised least squares: a kernel ridge that is smooth on the graph.

    f = argmin  sum_l ||y_i - f(x_i)||^2 + ambient (||f||_K^2 + ratio f'Lf),   L = I - P

    f = K alpha,   alpha = (J K + ambient I + ambient ratio L K)^-1 Y,   J = 1 at labelled rows

The two penalties are one, in the kernel K~ that the graph deforms (Sindhwani, Niyogi, Belkin 2005):

    K~ = (I + ratio K L)^-1 K,   f = K~_:l a,   a = (K~_ll + ambient I)^-1 Y_l

K~ uses no label, so all runs share it, and one decomposition of K~_ll serves every `ambient`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from flgc.checks import check_positive, check_weight
from flgc.classifier import PartlyLabelled
from flgc.device import n_threads, side_by_side
from flgc.graph import graph_for, propagation_matrix
from flgc.inputs import read_features
from flgc.kernels import gaussian, median_distance
from flgc.methods.base import Grid, Problem, Setting
from flgc.methods.tables.path import Path, PathMethod, solved
from flgc.progress import tracked
from flgc.ridge import one_hot, times_paths
from flgc.scaling import dense, scaled

REFERENCE = "Belkin, Niyogi, Sindhwani: Manifold Regularization, JMLR 7 (2006)"


def smoothed(K: np.ndarray, P: sp.csr_array, ratio: float) -> np.ndarray:
    """I + ratio L K, L = I - P; its transpose is I + ratio K L."""
    system = ratio * (K - P @ K)
    system[np.diag_indices_from(system)] += 1.0
    return system


def deformed(K: np.ndarray, P: sp.csr_array, ratio: float) -> np.ndarray:
    """K~ = (I + ratio K L)^-1 K."""
    kernel = np.linalg.solve(smoothed(K, P, ratio).T, K)
    return (kernel + kernel.T) / 2


class LapRLS(PathMethod):
    """All runs share a deformed kernel for each `width` and `ratio`."""

    name = "LapRLS"
    axes = MappingProxyType(
        {
            "scaling": ("raw",),
            "width": (0.25, 0.5, 1.0, 2.0, 4.0),
            "ratio": (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0),
            "ambient": tuple(10.0**exponent for exponent in range(-6, 2)),
        }
    )
    reference = REFERENCE
    batched = True

    def paths(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, list[Path]]]:
        """One kernel for all runs, one decomposition for each; kernels side by side."""
        groups = [(runs, *_nodes(problem, runs)) for runs in problem.alike()]

        def solve(setting_and_kernel: tuple[Setting, np.ndarray]) -> tuple[Setting, list[Path]]:
            setting, K = setting_and_kernel
            kernel = deformed(K, problem.P, setting["ratio"])
            return setting, [_path(problem, kernel, *nodes, grid["ambient"]) for nodes in groups]

        total = math.prod(len(of_axis) for of_axis in grid.values()) // len(grid["ambient"])
        kernels = self.kernels(problem, grid)
        yield from tracked(side_by_side(solve, kernels, n_threads()), total)

    def kernels(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, np.ndarray]]:
        """The kernel of each width, for every ratio."""
        for scaling in grid["scaling"]:
            X = dense(scaled(problem.X, scaling)).astype(np.float64, copy=False)
            median = median_distance(X)
            for width in grid["width"]:
                K = gaussian(X, X, width * median)
                for ratio in grid["ratio"]:
                    yield {"scaling": scaling, "width": width, "ratio": ratio}, K


class LinearLapRLS(LapRLS):
    """The same with K = XX' + 11', the kernel of linear functions with a constant."""

    name = "LapRLS, linear"
    axes = MappingProxyType({name: of for name, of in LapRLS.axes.items() if name != "width"})

    def kernels(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, np.ndarray]]:
        """One kernel, for every ratio."""
        for scaling in grid["scaling"]:
            X = dense(scaled(problem.X, scaling)).astype(np.float64, copy=False)
            K = X @ X.T + 1.0
            for ratio in grid["ratio"]:
                yield {"scaling": scaling, "ratio": ratio}, K


def _path(
    problem: Problem,
    kernel: np.ndarray,
    runs: np.ndarray,
    labelled: np.ndarray,
    asked: np.ndarray,
    ambients: Sequence[float],
) -> Path:
    """The path of runs with equally many nodes in a kernel."""
    solutions, seen = solved(
        kernel[labelled[:, :, None], labelled[:, None, :]],
        np.take_along_axis(problem.labels[runs], labelled, axis=1),
        problem.n_classes,
        ambients,
    )
    scores = [
        times_paths(kernel[np.ix_(nodes, own)], of_run)
        for nodes, own, of_run in zip(asked, labelled, solutions, strict=True)
    ]
    return Path(runs, np.stack(scores), seen)


def _nodes(problem: Problem, runs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labelled and asked nodes of runs with equally many."""
    labelled = np.stack([problem.labelled(run) for run in runs])
    return labelled, np.stack([problem.asked[run] for run in runs])


class LapRLSClassifier(PartlyLabelled):
    """Laplacian regularised least squares with a Gaussian kernel.

    Time grows with N^3 and memory with N^2: for some thousands of rows.

    Parameters
    ----------
    width : float > 0, default=1.0
        Width of the kernel, in median distances between rows.
    ratio : float >= 0, default=0.1
        Weight of the graph's penalty f'Lf over that of ||f||^2. 0 is the kernel ridge.
    ambient : float > 0, default=0.01
        Weight of ||f||^2 in the kernel's space.
    n_neighbors : int, optional
        Neighbours of a row in the kNN graph; floor(N / 5C) by default. 0 is no graph.

    Attributes
    ----------
    transduction_ : array of shape (n_nodes,)
        The class of every fitted row.
    label_scores_ : array of shape (n_nodes, n_classes)
        K alpha; the largest score of a row is its class.
    classes_ : array of shape (n_classes,)
    dual_coef_ : array of shape (n_nodes, n_classes)
        alpha.
    adjacency_ : sparse array of shape (n_nodes, n_nodes)

    References
    ----------
    M. Belkin, P. Niyogi, V. Sindhwani. Manifold Regularization: A Geometric Framework for Learning
    from Labeled and Unlabeled Examples. JMLR 7, 2006.
    """

    def __init__(
        self,
        *,
        width: float = 1.0,
        ratio: float = 0.1,
        ambient: float = 0.01,
        n_neighbors: int | None = None,
    ):
        self.width = width
        self.ratio = ratio
        self.ambient = ambient
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any = None, adjacency: Any = None) -> Self:
        """Fit on the labelled rows, smooth on all; inputs are as in `FLGCClassifier.fit`."""
        width, ambient = (
            check_positive("width", self.width),
            check_positive("ambient", self.ambient),
        )
        ratio = check_weight("ratio", self.ratio)
        self.X_fit_, codes, adjacency = self._read_graph(X, y, adjacency, np.float64)
        self.adjacency_ = graph_for(self.X_fit_, adjacency, self.n_neighbors_, len(self.classes_))
        self.radius_ = width * median_distance(self.X_fit_)
        K = gaussian(self.X_fit_, self.X_fit_, self.radius_)
        labelled = np.flatnonzero(codes >= 0)
        system = smoothed(K, propagation_matrix(self.adjacency_, np.float64), ratio)
        expansion = np.linalg.solve(system, np.eye(len(K))[:, labelled])
        gram = K[labelled] @ expansion
        gram = (gram + gram.T) / 2 + ambient * np.eye(len(labelled))
        Y = one_hot(codes[labelled], len(self.classes_), np.float64)
        self.dual_coef_ = expansion @ np.linalg.solve(gram, Y)
        self.label_scores_ = K @ self.dual_coef_
        self.transduction_ = self.classes_[self.label_scores_.argmax(axis=1)]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of new rows, shape (n, C), or (n,) for two classes: positive is `classes_[1]`."""
        check_is_fitted(self)
        X = read_features(self, X, fitting=False, dtype=np.float64)
        return self._as_decision(gaussian(X, self.X_fit_, self.radius_) @ self.dual_coef_)

    def predict(self, X: Any) -> np.ndarray:
        """Classes of new rows; those of the fitted rows are in `transduction_`."""
        return self._winners(self.decision_function(X))

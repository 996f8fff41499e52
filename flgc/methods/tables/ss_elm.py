"""Semi-supervised extreme learning machine: a ridge on a random layer, smooth on the graph.

    H = sigmoid(X W + b), W and b drawn once,   beta = argmin ||beta||^2
        + sum_l C_i ||y_i - h_i beta||^2 + smoothness tr(F'LF),   F = H beta,   L = I - P

    beta = (I + H'CH + smoothness H'LH)^-1 H'C Y,   C_i = cost / labelled rows of the class of i

With H'LH = V D V' and Z = H V the graph is a weight 1 / (1 + smoothness D) of each column of Z, and
the rest is a weighted ridge of l unknowns:

    G = Z (I + smoothness D)^-1 Z',   F = G_:l a,   a = (G_ll + C^-1)^-1 Y_l

So one decomposition of a layer serves every `smoothness`, and one of G_ll every `cost`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.utils import check_random_state as as_random_state
from sklearn.utils.validation import check_is_fitted

from flgc.checks import check_positive, check_random_state, check_weight, check_whole
from flgc.classifier import PartlyLabelled
from flgc.device import one_blas_thread
from flgc.graph import graph_for, propagation_matrix
from flgc.inputs import read_features
from flgc.methods.base import Grid, Problem, Setting
from flgc.methods.tables.path import Path, PathMethod, solved
from flgc.ridge import one_hot, times_paths
from flgc.scaling import dense, scaled

REFERENCE = (
    "Huang, Song, Gupta, Wu: Semi-Supervised and Unsupervised Extreme Learning Machines, "
    "IEEE Transactions on Cybernetics 44 (2014)"
)


def drawn_layer(n_features: int, hidden: int, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
    """W (d x hidden) and b (hidden), uniform in [-1, 1]."""
    drawn = as_random_state(random_state).uniform(-1.0, 1.0, (n_features + 1, hidden))
    return drawn[:-1], drawn[-1]


def class_weights(codes: np.ndarray) -> np.ndarray:
    """1 / labelled rows of its class, for each labelled row, so that classes weigh the same."""
    return 1.0 / np.bincount(codes)[codes]


@dataclass(frozen=True, eq=False)
class Layer:
    """Z and D of the decomposition of H'LH."""

    Z: np.ndarray
    D: np.ndarray

    @classmethod
    def decomposed(cls, H: np.ndarray, P: sp.csr_array) -> Layer:
        """From the hidden layer H; with fewer rows than columns, from R'.

        H = R'Q' with orthonormal Q: a ridge on H and one on R' are the same.
        """
        if H.shape[0] < H.shape[1]:
            H = np.asarray(np.linalg.qr(H.T, mode="r")).T
        D, V = np.linalg.eigh(H.T @ (H - P @ H))
        return cls(H @ V, np.clip(D, 0.0, None))


class SSELM(PathMethod):
    """Every run draws its own layers."""

    name = "SS-ELM"
    axes = MappingProxyType(
        {
            "scaling": ("raw",),
            "hidden": (100, 500),
            "smoothness": tuple(10.0**exponent for exponent in range(-4, 4)),
            "cost": tuple(10.0**exponent for exponent in range(-1, 7)),
        }
    )
    reference = REFERENCE
    seeded = True

    def paths(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, list[Path]]]:
        """One decomposition for each run and layer, too small to gain from threads."""
        with one_blas_thread():
            for scaling, hidden in product(grid["scaling"], grid["hidden"]):
                X = dense(scaled(problem.X, scaling)).astype(np.float64, copy=False)
                layers = [_layer(problem, X, hidden, seed) for seed in problem.seeds]
                for smoothness in grid["smoothness"]:
                    paths = [
                        _path(problem, run, layer, smoothness, grid["cost"])
                        for run, layer in enumerate(layers)
                    ]
                    setting = {"scaling": scaling, "hidden": hidden, "smoothness": smoothness}
                    yield setting, paths


def _layer(problem: Problem, X: np.ndarray, hidden: int, seed: int) -> Layer:
    W, b = drawn_layer(X.shape[1], hidden, seed % 2**32)
    return Layer.decomposed(expit(X @ W + b), problem.P)


def _path(
    problem: Problem, run: int, layer: Layer, smoothness: float, costs: Sequence[float]
) -> Path:
    """The path of a run over the costs."""
    labelled, asked = problem.labelled(run), problem.asked[run]
    rows, codes = layer.Z[labelled], problem.labels[run][labelled]
    shrunk = rows / (1.0 + smoothness * layer.D)
    solutions, seen = solved(
        shrunk @ rows.T,
        codes,
        problem.n_classes,
        [1.0 / cost for cost in costs],
        class_weights(codes),
    )
    scores = times_paths(layer.Z[asked], times_paths(shrunk.T, solutions))
    of_run = {name: values[None] for name, values in seen.items()}
    return Path(np.array([run]), scores[None], of_run)


class SSELMClassifier(PartlyLabelled):
    """Semi-supervised extreme learning machine.

    Parameters
    ----------
    hidden : int, default=500
        Width of the random layer.
    smoothness : float >= 0, default=0.1
        Weight of the graph's penalty tr(F'LF). 0 is the plain extreme learning machine.
    cost : float > 0, default=1000.0
        Weight of the labelled rows of each class together, against ||beta||^2.
    n_neighbors : int, optional
        Neighbours of a row in the kNN graph; floor(N / 5C) by default. 0 is no graph.
    random_state : int, RandomState or None, default=None
        Draws the layer.

    Attributes
    ----------
    transduction_ : array of shape (n_nodes,)
        The class of every fitted row.
    label_scores_ : array of shape (n_nodes, n_classes)
        H beta; the largest score of a row is its class.
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (hidden, n_classes)
        beta.
    adjacency_ : sparse array of shape (n_nodes, n_nodes)

    References
    ----------
    G. Huang, S. Song, J. N. D. Gupta, C. Wu. Semi-Supervised and Unsupervised Extreme Learning
    Machines. IEEE Transactions on Cybernetics 44, 2014.
    """

    def __init__(
        self,
        *,
        hidden: int = 500,
        smoothness: float = 0.1,
        cost: float = 1000.0,
        n_neighbors: int | None = None,
        random_state: Any = None,
    ):
        self.hidden = hidden
        self.smoothness = smoothness
        self.cost = cost
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, adjacency: Any = None) -> Self:
        """Fit on the labelled rows, smooth on all; inputs are as in `FLGCClassifier.fit`."""
        hidden, cost = check_whole("hidden", self.hidden, 1), check_positive("cost", self.cost)
        smoothness = check_weight("smoothness", self.smoothness)
        check_random_state(self.random_state)
        X, codes, adjacency = self._read_graph(X, y, adjacency, np.float64)
        self.adjacency_ = graph_for(X, adjacency, self.n_neighbors_, len(self.classes_))
        self.layer_ = drawn_layer(X.shape[1], hidden, self.random_state)
        H = self._hidden(X)
        P = propagation_matrix(self.adjacency_, np.float64)
        system = smoothness * (H.T @ (H - P @ H)) + np.eye(hidden)
        labelled = np.flatnonzero(codes >= 0)
        rows = H[labelled]
        # (system + H'CH)^-1 H'C Y = system^-1 H' (H system^-1 H' + C^-1)^-1 Y
        spread = np.linalg.solve(system, rows.T)
        inverse_weights = 1.0 / (cost * class_weights(codes[labelled]))
        Y = one_hot(codes[labelled], len(self.classes_), np.float64)
        self.coef_ = spread @ np.linalg.solve(rows @ spread + np.diag(inverse_weights), Y)
        self.label_scores_ = H @ self.coef_
        self.transduction_ = self.classes_[self.label_scores_.argmax(axis=1)]
        return self

    def _hidden(self, X: Any) -> np.ndarray:
        W, b = self.layer_
        return expit(X @ W + b)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of new rows, shape (n, C), or (n,) for two classes: positive is `classes_[1]`."""
        check_is_fitted(self)
        X = read_features(self, X, fitting=False, dtype=np.float64)
        return self._as_decision(self._hidden(X) @ self.coef_)

    def predict(self, X: Any) -> np.ndarray:
        """Classes of new rows; those of the fitted rows are in `transduction_`."""
        return self._winners(self.decision_function(X))

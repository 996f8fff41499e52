"""FLGC for clustering, as a scikit-learn estimator.

H = p(P) X (Eq. 10),   Z = (HH' + rI)^-1 H X' (Eq. 20),   clusters = spectral clustering of Z
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_array

from flgc.checks import (
    check_choice,
    check_hops,
    check_n_clusters,
    check_n_neighbors,
    check_positive,
    check_power,
    check_random_state,
    check_regularization,
    check_teleport,
    check_threshold,
    check_whole,
)
from flgc.device import resolve_device, to_device, to_numpy
from flgc.eigenpairs import operator
from flgc.graph import graph_for, propagation_matrix
from flgc.inputs import as_array, is_pyg, read_features, refusing, unpack_pyg
from flgc.low_rank_expression import low_rank_expression
from flgc.propagation import propagate
from flgc.self_expression import (
    self_expression,
    self_expression_factors,
    self_expressions,
)
from flgc.sparse_expression import Spectrum, sparse_expression
from flgc.spectral import (
    block_affinity,
    by_means,
    quadratic_embedding,
    spectral_clusters,
    subspace_rows,
)

SOLVERS = ("auto", "exact", "lowrank")
NORMS = ("fro", "l1", "nuclear")
# Above this, the affinity matrix and its decomposition take more than a few seconds.
LARGEST_EXACT = 5_000


def expressed(
    H: np.ndarray, X: np.ndarray, norm: str, regularizations: Sequence[float]
) -> Iterator[tuple[float, np.ndarray]]:
    """(r, Z) for each regularization r: Z = argmin 1/2 ||H'Z - X'||^2 + r N(Z), N by its name.

    "fro" is ||Z||_F^2 / 2, with one decomposition for all r; "l1" the sum of |entries|, with a
    diagonal of 0, so that no node expresses itself; "nuclear" the sum of singular values.
    """
    if norm == "fro":
        yield from zip(regularizations, self_expressions(H, X, regularizations), strict=True)
    elif norm == "l1":
        spectrum = Spectrum.of_features(H, X)
        for r in regularizations:
            yield r, sparse_expression(spectrum, r, without_own=True).Z
    else:
        for r in regularizations:
            yield r, low_rank_expression(H, X, r).matrix


class FLGCClustering(ClusterMixin, BaseEstimator):
    """Fully linear graph convolution for clustering.

    Nodes are propagated as in `FLGCClassifier`, each is expressed by the others in closed form,
    and spectral clustering finds the blocks of that matrix.

    Parameters
    ----------
    n_clusters : int, default=8
    hops : int, default=10
        Steps of propagation, the paper's K; at most 10,000.
    teleport : float in [0, 1], default=0.1
        Share of the node's own features in each step, the paper's alpha.
    regularization : float >= 0, default=10.0
        Weight of the norm of Z, the paper's lambda; above 0 unless `norm` is "fro".
    norm : {"fro", "l1", "nuclear"}, default="fro"
        The norm of Z that is kept small: the sum of squares, in closed form, as in the paper's
        experiments; the sum of |entries|, for a sparse Z; the sum of singular values, for a Z of
        low rank. The last two are iterated and need the exact solver.
    n_neighbors : int, optional
        Neighbours in the kNN graph; floor(N / 5C) by default. 0 is no graph.
    threshold : float in (0, 1], optional
        Share of each column's L1 norm that is kept of Z. 0.8 by default with the exact solver;
        the low-rank solver never forms Z, so it has only 1.
    subspace_dim : int, default=4
        Assumed dimension of a cluster's subspace: subspace_dim * n_clusters + 1 eigenvectors of
        Z + Z' are kept.
    power : float, optional
        Exponent of the affinity. 4 by default with the exact solver; the low-rank solver has 2.
    solver : {"auto", "exact", "lowrank"}, default="auto"
        "exact" forms the N x N affinity. "lowrank" works with N x d factors only. "auto" is
        "exact" up to 5,000 rows.
    device : {"auto", "cpu", "cuda", "cuda:N"}, default="auto"
        Where the propagation runs.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_nodes,)
    solver_ : str
        The solver used.
    affinity_matrix_ : array of shape (n_nodes, n_nodes)
        With the exact solver.
    embedding_ : array of shape (n_nodes, n_clusters)
        With the low-rank solver, the spectral embedding.
    adjacency_ : sparse array of shape (n_nodes, n_nodes)

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from flgc import FLGCClustering
    >>> from flgc.metrics import clustering_accuracy
    >>> X, truth = load_wine(return_X_y=True)
    >>> model = FLGCClustering(n_clusters=3, n_neighbors=10, hops=20, teleport=0.001)
    >>> labels = model.set_params(random_state=0).fit_predict(StandardScaler().fit_transform(X))
    >>> round(clustering_accuracy(truth, labels), 3)
    0.983
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        hops: int = 10,
        teleport: float = 0.1,
        regularization: float = 10.0,
        norm: str = "fro",
        n_neighbors: int | None = None,
        threshold: float | None = None,
        subspace_dim: int = 4,
        power: float | None = None,
        solver: str = "auto",
        device: str = "auto",
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.hops = hops
        self.teleport = teleport
        self.regularization = regularization
        self.norm = norm
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.subspace_dim = subspace_dim
        self.power = power
        self.solver = solver
        self.device = device
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None, adjacency: Any = None) -> Self:
        """Cluster the rows of X (array, sparse matrix, or PyG `Data`); y is ignored."""
        if is_pyg(X):
            X, adjacency = unpack_pyg(X, adjacency)
        X = read_features(self, X, dtype=[np.float64, np.float32])
        self._check(X.shape[0])
        self.adjacency_ = graph_for(X, adjacency, self.n_neighbors, int(self.n_clusters))
        device = resolve_device(self.device)
        P = to_device(propagation_matrix(self.adjacency_, X.dtype), device)
        X = X.toarray() if sp.issparse(X) else X
        H = to_numpy(propagate(P, to_device(X, device), self.hops, float(self.teleport)))
        return self._cluster(H, X)

    def fit_embedding(self, H: Any, X: Any) -> Self:
        """Cluster nodes from an embedding H: no graph is used, nor `hops` and `teleport`.

        A grid over regularizations propagates once and calls this for each of them.
        """
        X = read_features(self, X, dtype=[np.float64, np.float32])
        X = X.toarray() if sp.issparse(X) else X
        self._check(X.shape[0])
        H = as_array(H, "H")
        with refusing("H", H):
            H = H.toarray() if sp.issparse(H) else H
            H = check_array(H, dtype=[np.float64, np.float32], input_name="H")
        if H.shape != X.shape:
            raise ValueError(f"H has shape {H.shape} and X {X.shape}: they must be equal.")
        return self._cluster(H, X)

    def _cluster(self, H: np.ndarray, X: np.ndarray) -> Self:
        if self.solver_ == "exact":
            self._fit_exact(H, X)
        else:
            self._fit_lowrank(H, X)
        return self

    def _fit_exact(self, H: np.ndarray, X: np.ndarray) -> None:
        if self.norm == "fro":  # a single regularization needs no decomposition
            Z = self_expression(H, X, float(self.regularization))
        else:
            [(_, Z)] = expressed(H, X, self.norm, [float(self.regularization)])
        self.affinity_matrix_ = block_affinity(
            Z,
            int(self.n_clusters),
            threshold=0.8 if self.threshold is None else float(self.threshold),
            subspace_dim=int(self.subspace_dim),
            power=4 if self.power is None else self.power,
        )
        self.labels_ = self.clusters(self.random_state)

    def _fit_lowrank(self, H: np.ndarray, X: np.ndarray) -> None:
        L, R = self_expression_factors(H, X, float(self.regularization))

        def apply(V: np.ndarray) -> np.ndarray:
            return (L @ (R.T @ V) + R @ (L.T @ V)) / 2

        F = subspace_rows(operator(apply, len(L), L.dtype), self._rank())
        self.embedding_ = quadratic_embedding(F, int(self.n_clusters))
        self.labels_ = self.clusters(self.random_state)

    def clusters(self, random_state: Any) -> np.ndarray:
        """The clusters of the fitted affinity or embedding, for another random start."""
        if self.solver_ == "exact":
            return spectral_clusters(self.affinity_matrix_, int(self.n_clusters), random_state)
        return by_means(self.embedding_, random_state)

    def _rank(self) -> int:
        return int(self.subspace_dim) * int(self.n_clusters) + 1

    def _check(self, n_samples: int) -> None:
        """Check all parameters before any work is done."""
        check_n_clusters(self.n_clusters, n_samples)
        check_hops(self.hops)
        check_teleport(self.teleport)
        check_regularization(self.regularization)
        check_random_state(self.random_state)
        resolve_device(self.device)
        check_choice("solver", self.solver, SOLVERS)
        check_choice("norm", self.norm, NORMS)
        if self.norm != "fro":
            check_positive("regularization", self.regularization)
        check_whole("subspace_dim", self.subspace_dim, 1)
        if self.n_neighbors is not None:
            check_n_neighbors(self.n_neighbors, n_samples)
        if self.threshold is not None:
            check_threshold(self.threshold)
        if self.power is not None:
            check_power(self.power)
        self.solver_ = self.solver
        if self.solver == "auto":
            small = n_samples <= LARGEST_EXACT or self.norm != "fro"
            self.solver_ = "exact" if small else "lowrank"
        if self.solver_ == "lowrank" and self.norm != "fro":
            raise ValueError(
                f"norm={self.norm!r} is not possible with solver='lowrank', which has the closed "
                f"form of 'fro' alone: use solver='exact'."
            )
        if self.solver_ == "lowrank" and (
            self.threshold not in (None, 1) or self.power not in (None, 2)
        ):
            raise ValueError(
                f"the low-rank solver never forms Z: it has threshold=1 and power=2, found "
                f"threshold={self.threshold} and power={self.power}. Leave both unset, or use "
                f"solver='exact'."
            )

"""FLGC for clustering, as a scikit-learn estimator.

H = p(P) X (Eq. 10),   Z = (HH' + rI)^-1 H X' (Eq. 20),   clusters = spectral clustering of Z
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.utils import check_array

from flgc.checks import (
    check_choice,
    check_hops,
    check_n_clusters,
    check_n_neighbors,
    check_power,
    check_random_state,
    check_regularization,
    check_subspace_dim,
    check_teleport,
    check_threshold,
)
from flgc.device import resolve_device, to_device, to_numpy
from flgc.graph import graph_for, propagation_matrix
from flgc.inputs import as_array, is_pyg, read_features, refusing, unpack_pyg
from flgc.propagation import propagate
from flgc.self_expression import prune_columns, self_expression, self_expression_factors
from flgc.spectral import dense_affinity, quadratic_embedding, subspace_rows

SOLVERS = ("auto", "exact", "lowrank")
# Above this, the affinity matrix and its decomposition take more than a few seconds.
LARGEST_EXACT = 5_000


class FLGCClustering(ClusterMixin, BaseEstimator):
    """Fully linear graph convolution for clustering.

    Nodes are propagated as in `FLGCClassifier`, each is expressed by the others in closed form,
    and the blocks of that matrix are found by spectral clustering.

    Parameters
    ----------
    n_clusters : int, default=8
    hops : int, default=10
        Steps of propagation, the paper's K; at most 10,000.
    teleport : float in [0, 1], default=0.1
        Share of the node's own features in each step, the paper's alpha.
    regularization : float >= 0, default=10.0
        Weight of ||Z||^2, the paper's lambda.
    n_neighbors : int, optional
        Neighbours in the kNN graph; floor(N / 5C) by default. 0 is no graph.
    threshold : float in (0, 1], optional
        Share of each column's L1 norm that is kept of Z. 0.8 by default with the exact solver;
        the low-rank solver never forms Z and knows only 1.
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
        """Cluster nodes whose embedding H is there already: no graph, `hops` and `teleport` idle.

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
        threshold = 0.8 if self.threshold is None else self.threshold
        Z = prune_columns(self_expression(H, X, float(self.regularization)), threshold)
        C = (Z + Z.T) / 2
        F = subspace_rows(lambda V: C @ V, len(C), self._rank(), C.dtype)
        self.affinity_matrix_ = dense_affinity(F, 4 if self.power is None else self.power)
        spectral = SpectralClustering(
            self.n_clusters,
            affinity="precomputed",
            assign_labels="discretize",
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # Clusters that do not touch are what the heuristic hopes for.
            warnings.filterwarnings("ignore", message="Graph is not fully connected")
            self.labels_ = spectral.fit_predict(self.affinity_matrix_)

    def _fit_lowrank(self, H: np.ndarray, X: np.ndarray) -> None:
        L, R = self_expression_factors(H, X, float(self.regularization))

        def apply(V: np.ndarray) -> np.ndarray:
            return (L @ (R.T @ V) + R @ (L.T @ V)) / 2

        F = subspace_rows(apply, len(L), self._rank(), L.dtype)
        self.embedding_ = quadratic_embedding(F, self.n_clusters)
        kmeans = KMeans(self.n_clusters, n_init=10, random_state=self.random_state)
        self.labels_ = kmeans.fit_predict(self.embedding_)

    def _rank(self) -> int:
        return int(self.subspace_dim) * int(self.n_clusters) + 1

    def _check(self, n_samples: int) -> None:
        """Refuse what cannot work, before any work is done."""
        check_n_clusters(self.n_clusters, n_samples)
        check_hops(self.hops)
        check_teleport(self.teleport)
        check_regularization(self.regularization)
        check_random_state(self.random_state)
        resolve_device(self.device)
        check_choice("solver", self.solver, SOLVERS)
        check_subspace_dim(self.subspace_dim)
        if self.n_neighbors is not None:
            check_n_neighbors(self.n_neighbors, n_samples)
        if self.threshold is not None:
            check_threshold(self.threshold)
        if self.power is not None:
            check_power(self.power)
        self.solver_ = self.solver
        if self.solver == "auto":
            self.solver_ = "exact" if n_samples <= LARGEST_EXACT else "lowrank"
        if self.solver_ == "lowrank" and (
            self.threshold not in (None, 1) or self.power not in (None, 2)
        ):
            raise ValueError(
                f"the low-rank solver never forms Z: it has threshold=1 and power=2, found "
                f"threshold={self.threshold} and power={self.power}. Leave both unset, or use "
                f"solver='exact'."
            )

"""KMM: several means per cluster; samples and means are the two sides of one graph.

    min  sum_ij ||x_i - m_j||^2 s_ij + gamma s_ij^2,   rows of S (n x m) on the simplex,
         the graph [0 S; S' 0] has c components
    m_j = sum_i s_ij x_i / sum_i s_ij

S and the means are computed in turn; the first means are random samples.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state as as_random_state

from flgc.checks import check_n_clusters, check_positive, check_random_state, check_whole
from flgc.inputs import read_features
from flgc.methods.affinities import projected
from flgc.methods.estimators import Estimator
from flgc.methods.learned_graphs.can import AdaptiveNeighbors
from flgc.methods.learned_graphs.distances import squared_distances
from flgc.methods.learned_graphs.rank import NOTHING, ConstrainedGraph, rank_constrained
from flgc.methods.learned_graphs.simplex import k_neighbor_weights
from flgc.scaling import dense
from flgc.spectral import spectral_clusters

# Singular values below this count as 0.
_NO_DIRECTION = 1e-12


class Bipartite(AdaptiveNeighbors):
    """Adaptive neighbours of samples among means, with the normalised Laplacian of both sides."""

    def distances(self, S: np.ndarray, n_clusters: int) -> np.ndarray:
        """Between samples and means: F is [U; V D^-1/2] of the singular vectors of S D^-1/2."""
        scale = _one_over(np.sqrt(S.sum(axis=0)))
        T = S * scale
        n_means = T.shape[1]
        leading = (n_means - n_clusters, n_means - 1)
        squares, V = eigh(T.T @ T, subset_by_index=leading, check_finite=False)
        U = T @ V * _one_over(np.sqrt(np.maximum(squares, 0.0)))
        return squared_distances(U, V * scale[:, None]) / 2

    def components(self, S: np.ndarray) -> tuple[int, np.ndarray]:
        """The components with a sample: a mean without samples is not one."""
        n_samples, n_means = S.shape
        samples, means = np.nonzero(S > NOTHING)
        size = n_samples + n_means
        joined = csr_array((np.ones(len(samples)), (samples, means + n_samples)), (size, size))
        _, parts = connected_components(joined, directed=False)
        used, parts = np.unique(parts[:n_samples], return_inverse=True)
        return len(used), parts


def _one_over(values: np.ndarray) -> np.ndarray:
    """1 / values, and 0 for values of 0."""
    nonzero = values > _NO_DIRECTION
    return np.where(nonzero, 1.0 / np.where(nonzero, values, 1.0), 0.0)


def means_of(S: np.ndarray, X: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The weighted means; a mean without samples stays."""
    weights = S.sum(axis=0)[:, None]
    return np.where(weights > 0, S.T @ X / np.where(weights > 0, weights, 1.0), before)


class KMMClustering(ClusterMixin, BaseEstimator):
    """Clustering by k multiple means.

    Parameters
    ----------
    n_clusters : int, default=8
    means_ratio : float > 0, default=1.0
        Number of means over sqrt(n_samples * n_clusters); there are at least `n_clusters` of them
        and at most `n_samples`.
    n_neighbors : int, default=5
        Means of a sample before the rank is constrained; fewer than there are means.
    pca : int, optional
        Work on `pca * n_clusters` principal components.
    max_iter : int, default=30
        The most strengths of the penalty to try for one set of means.
    max_rounds : int, default=30
        The most sets of means to try.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    means_ : array of shape (n_means, n_features)
    weights_ : array of shape (n_samples, n_means)
        S.
    n_components_ : int
        Components of the graph; if not `n_clusters`, the labels are the spectral clustering of
        S D^-1 S'.
    n_iter_ : int
        The number of sets of means.

    References
    ----------
    F. Nie, C.-L. Wang, X. Li. K-Multiple-Means: A Multiple-Means Clustering Method with Specified
    K Clusters. KDD 2019.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        means_ratio: float = 1.0,
        n_neighbors: int = 5,
        pca: int | None = None,
        max_iter: int = 30,
        max_rounds: int = 30,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.means_ratio = means_ratio
        self.n_neighbors = n_neighbors
        self.pca = pca
        self.max_iter = max_iter
        self.max_rounds = max_rounds
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X; y is ignored."""
        X = dense(read_features(self, X, dtype=np.float64))
        n_clusters = check_n_clusters(self.n_clusters, len(X))
        check_random_state(self.random_state)
        random = as_random_state(self.random_state)
        max_rounds = check_whole("max_rounds", self.max_rounds, 1)
        if self.pca is not None:
            X = projected(X, check_whole("pca", self.pca, 1) * n_clusters)
        means = X[random.permutation(len(X))[: self._n_means(len(X), n_clusters)]]
        last = None
        for self.n_iter_ in range(1, max_rounds + 1):
            graph = self._learnt(X, means, n_clusters)
            means = means_of(graph.S, X, means)
            if last is not None and np.array_equal(last, graph.parts):
                break
            last = graph.parts
        else:
            self._warn(f"clusters still change after {max_rounds} sets of means: raise max_rounds")
        self.means_, self.weights_, self.n_components_ = means, graph.S, graph.n_components
        self.labels_ = graph.parts
        if graph.n_components != n_clusters:
            self._warn(
                f"the graph has {graph.n_components} components, not {n_clusters}: its spectral "
                "clustering is taken; try another n_neighbors"
            )
            affinity = graph.S * _one_over(graph.S.sum(axis=0)) @ graph.S.T
            self.labels_ = spectral_clusters(affinity, n_clusters, random)
        return self

    def _n_means(self, n_samples: int, n_clusters: int) -> int:
        ratio = check_positive("means_ratio", self.means_ratio)
        wanted = math.ceil(ratio * math.sqrt(n_samples * n_clusters))
        return min(max(wanted, n_clusters), n_samples)

    def _learnt(self, X: np.ndarray, means: np.ndarray, n_clusters: int) -> ConstrainedGraph:
        where = f" with {len(means)} means"
        k = check_whole("n_neighbors", self.n_neighbors, 1, len(means) - 1, where)
        squares = squared_distances(X, means)
        S, gammas = k_neighbor_weights(squares, k)
        gamma = float(gammas.mean()) or 1.0
        max_iter = check_whole("max_iter", self.max_iter, 1)
        return rank_constrained(Bipartite(squares, gamma), S, n_clusters, gamma, max_iter)

    def _warn(self, text: str) -> None:
        warnings.warn(f"{text}.", ConvergenceWarning, stacklevel=3)


KMM = Estimator(
    "KMM",
    KMMClustering,
    scaling=("min-max", "standardised", "unit-length"),
    means_ratio=(1.0, 1.6),
    n_neighbors=(5, 9),
    pca=(1,),
    reference="Nie, Wang, Li: K-Multiple-Means, KDD 2019",
)

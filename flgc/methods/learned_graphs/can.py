"""CAN: each sample has neighbours with probabilities, larger for nearer ones.

    min  sum_ij ||x_i - x_j||^2 s_ij + gamma s_ij^2,   rows of S on the simplex, rank(L) = n - c

gamma is the mean over the samples of the value with which a sample has `n_neighbors` neighbours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flgc.methods.estimators import Estimator
from flgc.methods.learned_graphs.distances import neighbor_graph
from flgc.methods.learned_graphs.rank import Graph, RankConstrainedClustering
from flgc.methods.learned_graphs.simplex import nearest_on_simplex


class AdaptiveNeighbors(Graph):
    """Near samples are joined; samples at an infinite distance never."""

    def __init__(self, squares: np.ndarray, gamma: float) -> None:
        self.squares, self.gamma = squares, gamma

    def learn(self, S: np.ndarray, distances: np.ndarray, strength: float) -> np.ndarray:
        """The minimum, in closed form."""
        return nearest_on_simplex(-(self.squares + strength * distances) / (2 * self.gamma))

    def cost(self, S: np.ndarray) -> float:
        """Distances and gamma ||S||^2."""
        joined = S > 0
        return float(self.squares[joined] @ S[joined] + self.gamma * np.vdot(S, S))


class CANClustering(RankConstrainedClustering):
    """Clustering with adaptive neighbours.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=15
        Neighbours that a sample has on average before the rank is constrained; at most the number
        of samples less 2.
    pca : int, optional
        Work on `pca * n_clusters` principal components.
    max_iter : int, default=50
        The most strengths of the penalty to try.
    random_state : int, RandomState or None, default=None
        Used only if the graph does not reach `n_clusters` components.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)
        (S + S') / 2.
    n_components_ : int
        Components of the graph; unless `n_clusters`, the labels are its spectral clustering.
    n_iter_ : int
    objective_, strength_ : arrays
        The objective after each alternation, and the strength of the penalty in it.

    References
    ----------
    F. Nie, X. Wang, H. Huang. Clustering and Projected Clustering with Adaptive Neighbors.
    KDD 2014.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 15,
        pca: int | None = None,
        max_iter: int = 50,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.pca = pca
        self.max_iter = max_iter
        self.random_state = random_state

    def _graph(self, X: np.ndarray) -> tuple[Graph, np.ndarray, float]:
        squares, S, gamma = neighbor_graph(X, self.n_neighbors)
        return AdaptiveNeighbors(squares, gamma), S, gamma


CAN = Estimator(
    "CAN",
    CANClustering,
    scaling=("raw", "min-max", "standardised", "unit-length"),
    n_neighbors=(5, 7, 10, 20, 30),
    pca=(None, 1),
    reference="Nie, Wang, Huang: Clustering and Projected Clustering with Adaptive Neighbors, "
    "KDD 2014",
)

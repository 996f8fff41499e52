"""Graphs with exactly c components: rank(L) = n - c, by a penalty of growing strength.

    min over S, F'F = I   cost(S) + strength sum_ij ||f_i - f_j||^2 s_ij

    F  the c eigenvectors of L's smallest eigenvalues (Ky Fan: their sum is 0 at c components)
    S  learnt from the distances between rows of F

At a fixed strength the objective falls in every alternation. The strength is doubled if the graph
has fewer components than c, and halved if it has more, which also restores the S before.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning

from flgc.checks import check_whole
from flgc.methods.affinities import AffinityClustering
from flgc.methods.learned_graphs.distances import squared_distances

# Weights below this, in rows that sum to 1, are rounding and no edges.
NOTHING = 1e-10


class Graph:
    """A graph to learn, rows of S on the simplex. A subclass defines `learn` and `cost`."""

    def learn(self, S: np.ndarray, distances: np.ndarray, strength: float) -> np.ndarray:
        """An S that minimises, or at least lowers, the objective with these distances of F."""
        raise NotImplementedError

    def cost(self, S: np.ndarray) -> float:
        """The objective without its penalty."""
        raise NotImplementedError

    def distances(self, S: np.ndarray, n_clusters: int) -> np.ndarray:
        """||f_i - f_j||^2 of the best F of a graph."""
        W = (S + S.T) / 2
        laplacian = np.diag(W.sum(axis=1)) - W
        _, F = eigh(laplacian, subset_by_index=(0, n_clusters - 1), check_finite=False)
        return squared_distances(F, F)

    def components(self, S: np.ndarray) -> tuple[int, np.ndarray]:
        """The number of components, and the component of each sample."""
        return connected_components(csr_array(S > NOTHING), directed=False)


@dataclass(frozen=True)
class ConstrainedGraph:
    """A graph, with the objective and the strength in each alternation."""

    S: np.ndarray
    n_components: int
    parts: np.ndarray
    objective: np.ndarray
    strength: np.ndarray


def alternated(
    graph: Graph, S: np.ndarray, distances: np.ndarray, n_clusters: int, strength: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """S from F, then F from S: the new S, the distances of its F, and the objective of both."""
    S = graph.learn(S, distances, strength)
    distances = graph.distances(S, n_clusters)
    return S, distances, graph.cost(S) + strength * float(np.vdot(distances, S))


def rank_constrained(
    graph: Graph, S: np.ndarray, n_clusters: int, strength: float, max_iter: int
) -> ConstrainedGraph:
    """The graph with exactly `n_clusters` components, or the last with fewer.

    If even the first has more, it is the first.
    """
    distances = graph.distances(S, n_clusters)
    history = []
    for _ in range(max_iter):
        learnt, between, objective = alternated(graph, S, distances, n_clusters, strength)
        history.append((objective, strength))
        count, _ = graph.components(learnt)
        if count <= n_clusters:
            S, distances = learnt, between
        if count == n_clusters:
            break
        strength *= 2.0 if count < n_clusters else 0.5
    objectives, strengths = np.array(history).T
    return ConstrainedGraph(S, *graph.components(S), objectives, strengths)


class RankConstrainedClustering(AffinityClustering):
    """Clusters as the components of a learnt graph. A subclass defines `_graph`."""

    max_iter: int

    def _graph(self, X: np.ndarray) -> tuple[Graph, np.ndarray, float]:
        """(graph to learn, first S, first strength of the penalty)."""
        raise NotImplementedError

    def _affinity(self, X: np.ndarray) -> np.ndarray:
        max_iter = check_whole("max_iter", self.max_iter, 1)
        n_clusters = int(self.n_clusters)
        graph, S, strength = self._graph(X.astype(np.float64, copy=False))
        result = rank_constrained(graph, S, n_clusters, strength, max_iter)
        self.n_iter_ = len(result.objective)
        self.n_components_ = result.n_components
        self.objective_, self.strength_ = result.objective, result.strength
        self._parts = result.parts
        if result.n_components != n_clusters:
            warnings.warn(
                f"the graph has {result.n_components} components after {max_iter} iterations, not "
                f"{n_clusters}: its spectral clustering is taken; try another n_neighbors.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return (result.S + result.S.T) / 2

    def clusters(self, random_state: Any) -> np.ndarray:
        """The components if they are `n_clusters`, else the spectral clustering."""
        if self.n_components_ == self.n_clusters:
            return self._parts
        return super().clusters(random_state)

"""CLR: the graph with c components that is nearest to a given one.

    min ||S - A||_F^2  or  ||S - A||_1,   rows of S on the simplex, rank(L) = n - c

A is the graph of k neighbours in closed form. The l1 norm is a sequence of weighted squares:
|e| <= (e^2 + e0^2) / 2 |e0|, with equality at the last e0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flgc.checks import check_choice
from flgc.methods.estimators import Estimator
from flgc.methods.learned_graphs.distances import neighbor_graph
from flgc.methods.learned_graphs.rank import Graph, RankConstrainedClustering
from flgc.methods.learned_graphs.simplex import nearest_on_simplex

NORMS = ("l2", "l1")
# |e| is sqrt(e^2 + this), so that an entry with e = 0 can still move.
_SMOOTH = 1e-12
# Weighted squares for one F; each costs as much as the only step of the l2 norm.
_REWEIGHTINGS = 5
# Rows of A sum to 1, so one scale serves all data.
_STRENGTH = 0.1


class NearestInL2(Graph):
    """Squared differences to A."""

    def __init__(self, A: np.ndarray) -> None:
        self.A = A
        self.no_loops = np.where(np.eye(len(A), dtype=bool), -np.inf, 0.0)

    def learn(self, S: np.ndarray, distances: np.ndarray, strength: float) -> np.ndarray:
        """The minimum, in closed form."""
        return nearest_on_simplex(self.A - strength / 2 * distances + self.no_loops)

    def cost(self, S: np.ndarray) -> float:
        """||S - A||^2."""
        return float(np.sum((S - self.A) ** 2))


class NearestInL1(NearestInL2):
    """Absolute differences to A: a few edges change a lot."""

    def learn(self, S: np.ndarray, distances: np.ndarray, strength: float) -> np.ndarray:
        """A few weighted squares, each of which lowers the objective."""
        for _ in range(_REWEIGHTINGS):
            W = 2 * np.sqrt((S - self.A) ** 2 + _SMOOTH)
            S = nearest_on_simplex(self.A - strength / 2 * distances * W + self.no_loops, W)
        return S

    def cost(self, S: np.ndarray) -> float:
        """||S - A||_1."""
        return float(np.sum(np.sqrt((S - self.A) ** 2 + _SMOOTH)))


class CLRClustering(RankConstrainedClustering):
    """Clustering by the constrained Laplacian rank.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=10
        Neighbours of a sample in A; at most the number of samples less 2.
    norm : {"l2", "l1"}, default="l2"
        How the distance to A is measured.
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
    F. Nie, X. Wang, M. Jordan, H. Huang. The Constrained Laplacian Rank Algorithm for Graph-Based
    Clustering. AAAI 2016.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        norm: str = "l2",
        pca: int | None = None,
        max_iter: int = 50,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.norm = norm
        self.pca = pca
        self.max_iter = max_iter
        self.random_state = random_state

    def _graph(self, X: np.ndarray) -> tuple[Graph, np.ndarray, float]:
        check_choice("norm", self.norm, NORMS)
        _, A, _ = neighbor_graph(X, self.n_neighbors)
        nearest = NearestInL2 if self.norm == "l2" else NearestInL1
        return nearest(A), A, _STRENGTH


CLR = Estimator(
    "CLR",
    CLRClustering,
    scaling=("raw", "min-max", "standardised", "unit-length"),
    n_neighbors=(5, 10, 15, 20),
    norm=NORMS,
    reference="Nie, Wang, Jordan, Huang: The Constrained Laplacian Rank Algorithm for Graph-Based "
    "Clustering, AAAI 2016",
)

"""RRCSL in our reading: a robust convex representation near a given graph, with c components.

    min  sum_i ||x_i - s_i X|| + pull ||S - A||_F^2,   rows of S on the simplex, rank(L) = n - c

The l2,1 norm of the fit is a sequence of weighted squares: the weight of a sample is one over its
last error, so samples that the others cannot express count little.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flgc.checks import check_positive
from flgc.methods.estimators import Estimator
from flgc.methods.learned_graphs.convex import ConvexCombinations
from flgc.methods.learned_graphs.distances import neighbor_graph
from flgc.methods.learned_graphs.rank import Graph, RankConstrainedClustering

# An error is sqrt(error^2 + this share of the mean square): weights stay finite.
_SMOOTH = 1e-8
# Steps of projected gradient for one F; more before the next F and strength do not pay.
_STEPS = 20
_GAP = 1e-3


class RobustRepresentation(Graph):
    """Norms of errors, and squared differences to A."""

    def __init__(self, X: np.ndarray, A: np.ndarray, pull: float) -> None:
        self.samples, self.A = ConvexCombinations(X), A
        self.pull = pull * np.sqrt(self.samples.mean_square)

    def learn(self, S: np.ndarray, distances: np.ndarray, strength: float) -> np.ndarray:
        """A few steps on the weighted squares, divided by the weights 1 / (2 error)."""
        errors = self._errors(S)[:, None]
        return self.samples.solved(
            S,
            pull=2 * self.pull * errors,
            target=self.A,
            slope=strength * distances * errors,
            max_iter=_STEPS,
            tol=_GAP,
        )[0]

    def cost(self, S: np.ndarray) -> float:
        """The fit, and the distance to A."""
        return float(self._errors(S).sum() + self.pull * np.sum((S - self.A) ** 2))

    def _errors(self, S: np.ndarray) -> np.ndarray:
        return np.sqrt(self.samples.errors(S) + _SMOOTH * self.samples.mean_square)


class RRCSLClustering(RankConstrainedClustering):
    """Clustering by robust rank-constrained sparse learning, in our reading.

    The paper leaves open the initial graph, the solver for S and the scale of the weight. Here A is
    the graph of k neighbours in closed form, as in CLR, S comes from accelerated projected
    gradient, and the weight is relative to the size of the samples.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=10
        Neighbours of a sample in A; at most the number of samples less 2.
    pull : float > 0, default=1.0
        Weight of ||S - A||^2, in root mean squares of the centred samples. Large is CLR.
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
    Q. Wang, R. Liu, M. Chen, X. Li. Robust Rank-Constrained Sparse Learning: A Graph-Based
    Framework for Single View and Multiview Clustering. IEEE Transactions on Cybernetics, 2021.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        pull: float = 1.0,
        pca: int | None = None,
        max_iter: int = 50,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.pull = pull
        self.pca = pca
        self.max_iter = max_iter
        self.random_state = random_state

    def _graph(self, X: np.ndarray) -> tuple[Graph, np.ndarray, float]:
        pull = check_positive("pull", self.pull)
        _, A, _ = neighbor_graph(X, self.n_neighbors)
        graph = RobustRepresentation(X, A, pull)
        return graph, A, 0.1 * graph.pull


RRCSL = Estimator(
    "RRCSL",
    RRCSLClustering,
    scaling=("min-max", "standardised", "unit-length"),
    n_neighbors=(15, 20),
    pull=(0.3, 5.0),
    pca=(None, 1),
    reference="Wang, Liu, Chen, Li: Robust Rank-Constrained Sparse Learning, IEEE Transactions on "
    "Cybernetics, 2021; our reading, since the paper leaves details open",
)

"""Low-rank subspace clustering: a clean dictionary and its self-expression, in closed form.

    min_{A,Z}  ||Z||_* + tau/2 ||A' - A'Z||^2 + alpha/2 ||X - A||^2,   X' = U diag(s) V'

    A' = U diag(a) V',   Z = V diag(max(1 - 1 / (tau a^2), 0)) V',   affinity = |Z| + |Z'|

Given a, the first two terms cost tau/2 a^2 up to a = tau^-1/2 and 1 - 1 / (2 tau a^2) beyond. So
each a is the better of alpha s / (alpha + tau) below, and the largest root of
a^4 - s a^3 + 1 / (alpha tau) above. Without noise (`alpha` None) a = s.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Self

import numpy as np

from flgc.checks import check_positive
from flgc.low_rank_expression import row_space
from flgc.methods.affinities import AffinityClustering, projected
from flgc.methods.base import Grid, Outputs, Problem, Setting, settings_of
from flgc.methods.estimators import Estimator
from flgc.scaling import dense, scaled

REFERENCE = (
    "Vidal, Favaro: Low Rank Subspace Clustering (LRSC), Pattern Recognition Letters 43 (2014)"
)


def cleaned(S: np.ndarray, tau: float, alpha: float) -> np.ndarray:
    """The singular values of the clean dictionary: polynomial thresholding of those of X."""
    knee = tau**-0.5
    below = np.minimum(S * (alpha / (alpha + tau)), knee)
    above = S.copy()
    for _ in range(100):  # Newton's method from the right of a convex branch: no step overshoots
        value = above**4 - S * above**3 + 1 / (alpha * tau)
        slope = 4 * above**3 - 3 * S * above**2
        step = np.where((value > 0) & (slope > 0), value / np.where(slope > 0, slope, 1), 0)
        above = above - step
        if not step.any():
            break
    cost_below = alpha / 2 * (S - below) ** 2 + tau / 2 * below**2
    cost_above = alpha / 2 * (S - above) ** 2 + 1 - 1 / (2 * tau * np.maximum(above, knee) ** 2)
    # Without a root the cost only rises, and `below` is better.
    return np.where((above > knee) & (cost_above < cost_below), above, below)


class LRSCClustering(AffinityClustering):
    """Low-rank subspace clustering with noise.

    Parameters
    ----------
    n_clusters : int, default=8
    tau : float > 0, default=100.0
        Weight of the misfit of the self-expression: singular values below tau^-1/2 are dropped.
    alpha : float > 0, optional
        Weight of the noise. By default there is none, and the samples express themselves.
    pca : int, optional
        Project to `pca * n_clusters` principal components first.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)
    rank_ : int
        Rank of Z.

    References
    ----------
    R. Vidal, P. Favaro. Low Rank Subspace Clustering (LRSC). Pattern Recognition Letters 43, 2014.
    """

    by_means = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        tau: float = 100.0,
        alpha: float | None = None,
        pca: int | None = None,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.tau = tau
        self.alpha = alpha
        self.pca = pca
        self.random_state = random_state

    def _affinity(self, X: np.ndarray) -> np.ndarray:
        self._weights()
        _, S, V = row_space(X)
        return self._affinity_of(S, V)

    def fit_decomposed(self, S: np.ndarray, V: np.ndarray) -> Self:
        """Cluster rows from their decomposition X' = U diag(S) V'; `pca` is not used.

        A grid over `tau` and `alpha` decomposes once and calls this for each of them.
        """
        self.affinity_matrix_ = self._affinity_of(S, V)
        self.labels_ = self.clusters(self.random_state)
        return self

    def _affinity_of(self, S: np.ndarray, V: np.ndarray) -> np.ndarray:
        tau, alpha = self._weights()
        a = S if alpha is None else cleaned(S, tau, alpha)
        kept = tau * a**2 > 1
        self.rank_ = int(np.count_nonzero(kept))
        V, shrunk = V[:, kept], 1 - 1 / (tau * a[kept] ** 2)
        Z = (V * np.sqrt(shrunk)) @ (V * np.sqrt(shrunk)).T
        return 2 * np.abs(Z)

    def _weights(self) -> tuple[float, float | None]:
        alpha = None if self.alpha is None else check_positive("alpha", self.alpha)
        return check_positive("tau", self.tau), alpha


class LRSC(Estimator):
    """All thresholds of a scaling and a projection share one decomposition."""

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """One affinity for each setting, for all runs."""
        for scaling, pca in product(grid["scaling"], grid["pca"]):
            X = dense(scaled(problem.X, scaling))
            if pca is not None:
                X = projected(X, pca * problem.n_classes)
            _, S, V = row_space(X)
            for setting in settings_of({**grid, "scaling": (scaling,), "pca": (pca,)}):
                yield setting, self._decomposed(problem, S, V, setting)

    def _decomposed(
        self, problem: Problem, S: np.ndarray, V: np.ndarray, setting: Setting
    ) -> Outputs:
        own = {name: value for name, value in setting.items() if name != "scaling"}
        made = [self._made(own, seed, n_clusters=problem.n_classes) for seed in problem.seeds]
        first = made[0].fit_decomposed(S, V)
        later = [first.clusters(model.random_state) for model in made[1:]]
        extras = {"affinity": [first.affinity_matrix_] * len(made)}
        return Outputs([first.labels_, *later], extras=extras)


lrsc = LRSC(
    "LRSC",
    LRSCClustering,
    scaling=("unit-length",),
    reference=REFERENCE,
    tau=(1.0, 10.0, 30.0, 100.0, 300.0),
    alpha=(None, 30.0),
    pca=(None, 6),
)

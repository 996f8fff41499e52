"""Low-rank representation: errors count once per sample, so outliers stay outliers.

Z = argmin ||Z||_* + weight sum_i ||x_i - sum_j z_ji x_j||

Z = U S V' (thin),   M = U S^1/2, rows at unit length,   affinity = |MM'|^power
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flgc.checks import check_positive, check_power, check_whole
from flgc.low_rank_expression import robust_low_rank_expression
from flgc.methods.affinities import AffinityClustering
from flgc.methods.estimators import Estimator

REFERENCE = (
    "Liu, Lin, Yan, Sun, Yu, Ma: Robust Recovery of Subspace Structures by Low-Rank "
    "Representation, TPAMI 35 (2013)"
)


class LRRClustering(AffinityClustering):
    """Clustering by low-rank representation with column-sparse noise.

    Parameters
    ----------
    n_clusters : int, default=8
    weight : float > 0, default=1.0
        Weight of the samples' errors, the paper's lambda: in units of 1 / the length of a sample.
    power : float > 0, default=2
        Exponent of the affinity; 2 in the paper.
    pca : int, optional
        Project to `pca * n_clusters` principal components first.
    tol : float > 0, default=1e-4
        Relative primal and dual residuals that end the iteration.
    max_iter : int, default=1000
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)
    rank_ : int
        Rank of Z; 0 if `weight` is too small for any coefficient.
    n_iter_ : int
    residual_ : float
        The larger of the two residuals at the end.

    References
    ----------
    G. Liu, Z. Lin, S. Yan, J. Sun, Y. Yu, Y. Ma. Robust Recovery of Subspace Structures by Low-Rank
    Representation. IEEE Transactions on Pattern Analysis and Machine Intelligence 35, 2013.
    """

    by_means = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        weight: float = 1.0,
        power: float = 2,
        pca: int | None = None,
        tol: float = 1e-4,
        max_iter: int = 1000,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.weight = weight
        self.power = power
        self.pca = pca
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _affinity(self, X: np.ndarray) -> np.ndarray:
        weight, power = check_positive("weight", self.weight), check_power(self.power)
        tol, max_iter = check_positive("tol", self.tol), check_whole("max_iter", self.max_iter, 1)
        Z = robust_low_rank_expression(X, X, weight, tol=tol, max_iter=max_iter)
        self.rank_, self.n_iter_, self.residual_ = len(Z.values), Z.n_iter, Z.residual
        M = Z.left * np.sqrt(Z.values)
        length = np.linalg.norm(M, axis=1, keepdims=True)
        M /= np.where(length > 0, length, 1)  # a row of 0 stays 0
        return np.abs(M @ M.T) ** power


lrr = Estimator(
    "LRR",
    LRRClustering,
    scaling=("unit-length",),
    reference=REFERENCE,
    weight=(0.3, 0.5, 1.0, 2.0, 4.0),
    power=(2, 8),
    pca=(6,),
)

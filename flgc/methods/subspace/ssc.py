"""Sparse subspace clustering: each sample as a sparse combination of the others.

    C = argmin ||C||_1 + fit / 2 ||X' - X'C - E||^2 + gross ||E||_1,   diag(C) = 0,   1'C = 1'

    fit = alpha / min_j max_(i != j) |x_i'x_j|,   gross = outliers / min_j max_(i != j) ||x_i||_1

The term with E and the constraint on the sums are optional. E is not a further unknown: errors of
single features are combinations of rows of I / gross, so that

    [C; gross E] = argmin 1/2 ||[X; I / gross]'Z - X'||^2 + 1 / fit ||Z||_1
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flgc.checks import check_positive, check_threshold
from flgc.methods.affinities import AffinityClustering
from flgc.methods.estimators import Estimator
from flgc.methods.subspace.coefficients import affinity_of
from flgc.scaling import unit_length
from flgc.sparse_expression import Spectrum, sparse_expression

REFERENCE = "Elhamifar, Vidal: Sparse Subspace Clustering, TPAMI 35 (2013)"


def least_best(sizes: np.ndarray) -> float:
    """min_j max_(i != j) of sizes (i, j), without columns of rounding size.

    The weights divide by it, so samples without similar ones, such as a black image, do not count.
    """
    others = np.array(sizes)
    np.fill_diagonal(others, 0)
    best = others.max(axis=0)
    helped = best[best > np.finfo(best.dtype).eps * best.max()]
    return float(helped.min()) if helped.size else 1.0


class SparseClustering(AffinityClustering):
    """Base of SSC and its kernel form: the sparse fit of samples by the others."""

    by_means = True
    alpha: float
    affine: bool
    threshold: float
    tolerance: float
    max_iter: int

    def _fit_sparse(self, X: np.ndarray, outliers: float | None = None) -> np.ndarray:
        """The affinity, in float32: the tolerance is far above its rounding."""
        alpha, threshold = check_positive("alpha", self.alpha), check_threshold(self.threshold)
        # Unit length would bend affine subspaces.
        X = (X if self.affine else unit_length(X)).astype(np.float32, copy=False)
        n, H = len(X), X
        if outliers is not None:
            lengths = np.broadcast_to(np.abs(X).sum(axis=1, keepdims=True), (n, n))
            gross = check_positive("outliers", outliers) / least_best(lengths)
            H = np.vstack([X, np.eye(X.shape[1], dtype=X.dtype) / X.dtype.type(gross)])
        solution = sparse_expression(
            Spectrum.of_features(H, X),
            least_best(np.abs(X @ X.T)) / alpha,
            without_own=True,
            sums=(np.arange(len(H)) < n).astype(X.dtype) if self.affine else None,
            tolerance=self.tolerance,
            max_iter=self.max_iter,
        )
        self.coefficients_, self.outliers_ = solution.Z[:n], solution.Z[n:]
        self.n_iter_, self.residuals_ = solution.n_iter, solution.residuals
        self.n_unfinished_ = solution.n_unfinished
        return affinity_of(self.coefficients_, threshold)


class SSC(SparseClustering):
    """Sparse subspace clustering, by ADMM.

    Samples are scaled to unit length, so that one weight fits all of them, unless `affine`. Time
    grows with N^2 min(N, d) and memory with N^2.

    Parameters
    ----------
    n_clusters : int, default=8
    alpha : float > 0, default=20.0
        Weight of the fit, in units of the least weight at which every sample has a coefficient.
    outliers : float > 0, optional
        Weight of ||E||_1 in similar units; no E by default. For samples in which some features
        are wrong, such as faces with shadows.
    affine : bool, default=False
        Whether the coefficients of a sample sum to 1, up to the tolerance: for subspaces that do
        not contain the origin.
    threshold : float in (0, 1], default=1.0
        Share of each sample's L1 norm that is kept of its coefficients, largest first.
    pca : int, optional
        Project to pca * n_clusters dimensions first.
    tolerance : float > 0, default=0.01
        Residuals at which a sample is done, in units of its largest coefficient and of the weight.
    max_iter : int, default=1000
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)
    coefficients_ : array of shape (n_samples, n_samples)
        Column j has the coefficients of sample j.
    outliers_ : array of shape (n_features or 0, n_samples)
        E' in units of 1 / gross.
    n_iter_ : int
        The most iterations of a sample.
    residuals_ : tuple of float
        The largest primal and dual residual of any sample.
    n_unfinished_ : int
        Samples whose residuals stayed above the tolerance.

    References
    ----------
    E. Elhamifar, R. Vidal. Sparse Subspace Clustering: Algorithm, Theory, and Applications.
    IEEE TPAMI 35(11), 2013.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float = 20.0,
        outliers: float | None = None,
        affine: bool = False,
        threshold: float = 1.0,
        pca: int | None = None,
        tolerance: float = 0.01,
        max_iter: int = 1000,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.outliers = outliers
        self.affine = affine
        self.threshold = threshold
        self.pca = pca
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.random_state = random_state

    def _affinity(self, X: np.ndarray) -> np.ndarray:
        return self._fit_sparse(X, self.outliers)


ssc = Estimator(
    "SSC", SSC, reference=REFERENCE, pca=(6, 12), alpha=(5.0, 20.0), threshold=(0.9, 1.0)
)

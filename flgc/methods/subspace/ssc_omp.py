"""Sparse subspace clustering by orthogonal matching pursuit: a few others span each sample.

    c_j = argmin ||x_j - X'c||   with c_jj = 0 and at most n_nonzero entries, greedily:
    the sample with the largest |x_i'(x_j - X'c)| joins, then all coefficients are fitted again

    W = |C| + |C|'

All samples take their step at once. G = XX' has every product, and the inverse of the Cholesky
factor of G at the chosen ones grows by a row:

    L^-1 <- [L^-1  0; -w'L^-1 / l  1 / l],   w = L^-1 g,   l^2 = ||x_new||^2 - w'w
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from flgc.checks import check_threshold, check_weight, check_whole
from flgc.methods.affinities import AffinityClustering
from flgc.methods.estimators import Estimator
from flgc.methods.subspace.coefficients import affinity_of
from flgc.scaling import unit_length

REFERENCE = "You, Robinson, Vidal: Scalable Sparse Subspace Clustering by OMP, CVPR 2016"


def matching_pursuit(G: np.ndarray, n_nonzero: int, tolerance: float) -> sp.csr_array:
    """Row j: the coefficients of sample j in the others, from the Gram matrix of all.

    A sample is done when its residual has at most `tolerance` of its length, or when no other
    sample helps.
    """
    n, tiny = len(G), 100 * np.finfo(G.dtype).eps
    squares = G.diagonal()
    chosen = np.zeros((n, n_nonzero), dtype=np.intp)
    coefficients = np.zeros((n, n_nonzero), dtype=G.dtype)
    fitted = np.zeros((n, n_nonzero), dtype=G.dtype)  # L^-1 G at the chosen, of the sample itself
    inverse = np.zeros((n, n_nonzero, n_nonzero), dtype=G.dtype)
    left = squares.copy()
    going = np.flatnonzero(squares > 0)
    for step in range(min(n_nonzero, n - 1)):
        products = G[going] - _expanded(coefficients[going, :step], chosen[going, :step], n) @ G
        np.abs(products, out=products)
        rows = np.arange(len(going))
        products[rows, going] = -1
        products[rows[:, None], chosen[going, :step]] = -1
        new = products.argmax(axis=1)
        before = inverse[going, :step, :step]
        w = np.einsum("nij,nj->ni", before, G[chosen[going, :step], new[:, None]])
        gap = squares[new] - np.einsum("ni,ni->n", w, w)
        best = products[rows, new]
        helps = (gap > tiny * squares[new]) & (best > tiny * np.sqrt(squares[going] * squares[new]))
        going, new, before, w = going[helps], new[helps], before[helps], w[helps]
        diagonal = np.sqrt(gap[helps])
        chosen[going, step] = new
        inverse[going, step, :step] = -np.einsum("ni,nij->nj", w, before) / diagonal[:, None]
        inverse[going, step, step] = 1 / diagonal
        grown = inverse[going, : step + 1, : step + 1]
        products = G[going[:, None], chosen[going, : step + 1]]
        fitted[going, step] = np.einsum("nj,nj->n", grown[:, -1], products)
        coefficients[going, : step + 1] = np.einsum("nij,ni->nj", grown, fitted[going, : step + 1])
        left[going] -= fitted[going, step] ** 2
        going = going[left[going] > tolerance**2 * squares[going]]
    return _expanded(coefficients, chosen, n)


def _expanded(coefficients: np.ndarray, chosen: np.ndarray, n: int) -> sp.csr_array:
    """The coefficients as a sparse matrix with n columns."""
    rows, step = chosen.shape
    pointers = np.arange(rows + 1) * step
    return sp.csr_array((coefficients.ravel(), chosen.ravel(), pointers), shape=(rows, n))


class SSCOMP(AffinityClustering):
    """Sparse subspace clustering by orthogonal matching pursuit.

    Samples are scaled to unit length. Time and memory grow with N^2.

    Parameters
    ----------
    n_clusters : int, default=8
    n_nonzero : int, default=10
        The most samples that may express another.
    tolerance : float >= 0, default=1e-3
        A sample is done when its residual has at most this share of its length.
    threshold : float in (0, 1], default=1.0
        Share of each sample's L1 norm that is kept of its coefficients.
    pca : int, optional
        Project to pca * n_clusters dimensions first.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)
    coefficients_ : sparse array of shape (n_samples, n_samples)
        Column j has the coefficients of sample j.

    References
    ----------
    C. You, D. P. Robinson, R. Vidal. Scalable Sparse Subspace Clustering by Orthogonal Matching
    Pursuit. CVPR 2016.
    """

    by_means = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_nonzero: int = 10,
        tolerance: float = 1e-3,
        threshold: float = 1.0,
        pca: int | None = None,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.n_nonzero = n_nonzero
        self.tolerance = tolerance
        self.threshold = threshold
        self.pca = pca
        self.random_state = random_state

    def _affinity(self, X: np.ndarray) -> np.ndarray:
        n_nonzero = check_whole("n_nonzero", self.n_nonzero, 1)
        tolerance = check_weight("tolerance", self.tolerance)
        threshold = check_threshold(self.threshold)
        X = unit_length(X)
        self.coefficients_ = matching_pursuit(X @ X.T, n_nonzero, tolerance).T.tocsc()
        return affinity_of(self.coefficients_.toarray(), threshold)


ssc_omp = Estimator(
    "SSC-OMP",
    SSCOMP,
    reference=REFERENCE,
    scaling=("raw", "standardised"),
    n_nonzero=(2, 3, 5, 10),
    threshold=(0.8, 1.0),
)

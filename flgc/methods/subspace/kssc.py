"""Kernel sparse subspace clustering: SSC in a space where curved clusters are flat.

    C = argmin ||C||_1 + fit / 2 tr(K - 2 KC + C'KC),   diag(C) = 0,   1'C = 1'

    polynomial   k(x, z) = (x'z + offset)^degree,   x and z at unit length
    gaussian     k(x, z) = exp(-||x - z||^2 / 2 (width m)^2),   m = median distance

The samples are given by the Gram matrix K = V diag(s) V'. SSC of F = V diag(s)^1/2 is SSC in the
kernel's space; the leading columns of F are the principal components of that space.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from flgc.checks import check_choice, check_positive, check_weight, check_whole
from flgc.kernels import gaussian, median_distance
from flgc.methods.estimators import Estimator
from flgc.methods.subspace.ssc import SparseClustering
from flgc.scaling import unit_length

REFERENCE = "Patel, Vidal: Kernel Sparse Subspace Clustering, ICIP 2014"
KERNELS = ("polynomial", "gaussian")


def kernel_features(K: np.ndarray, n_components: int | None = None) -> np.ndarray:
    """F with FF' = K, or the nearest F with `n_components` columns."""
    n = len(K)
    first = 0 if n_components is None else max(n - n_components, 0)
    s, V = scipy.linalg.eigh(K, subset_by_index=(first, n - 1), check_finite=False)
    kept = s > n * np.finfo(s.dtype).eps * max(s[-1], 0.0)
    return V[:, kept] * np.sqrt(s[kept])


class KSSC(SparseClustering):
    """Kernel sparse subspace clustering, by ADMM.

    Samples have unit length in the kernel's space, unless `affine`.

    Parameters
    ----------
    n_clusters : int, default=8
    kernel : {"polynomial", "gaussian"}, default="polynomial"
    degree : int >= 1, default=2
        Of the polynomial kernel.
    offset : float >= 0, default=0.0
        Of the polynomial kernel.
    width : float > 0, default=1.0
        Of the gaussian kernel, in median distances between samples.
    kernel_pca : int, optional
        Keep the leading kernel_pca * n_clusters principal components of the kernel's space.
    alpha, affine, threshold, pca, tolerance, max_iter, random_state :
        As in `SSC`.

    Attributes
    ----------
    labels_, affinity_matrix_, coefficients_, n_iter_, residuals_, n_unfinished_ :
        As in `SSC`.

    References
    ----------
    V. M. Patel, R. Vidal. Kernel Sparse Subspace Clustering. ICIP 2014.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: str = "polynomial",
        degree: int = 2,
        offset: float = 0.0,
        width: float = 1.0,
        kernel_pca: int | None = None,
        alpha: float = 20.0,
        affine: bool = False,
        threshold: float = 1.0,
        pca: int | None = None,
        tolerance: float = 0.01,
        max_iter: int = 1000,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.width = width
        self.kernel_pca = kernel_pca
        self.alpha = alpha
        self.affine = affine
        self.threshold = threshold
        self.pca = pca
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.random_state = random_state

    def _affinity(self, X: np.ndarray) -> np.ndarray:
        n_components = None
        if self.kernel_pca is not None:
            n_components = check_whole("kernel_pca", self.kernel_pca, 1) * int(self.n_clusters)
        return self._fit_sparse(kernel_features(self._gram(X), n_components))

    def _gram(self, X: np.ndarray) -> np.ndarray:
        check_choice("kernel", self.kernel, KERNELS)
        degree, offset = check_whole("degree", self.degree, 1), check_weight("offset", self.offset)
        width = check_positive("width", self.width)
        if self.kernel == "gaussian":
            return gaussian(X, X, width * median_distance(X))
        X = unit_length(X)
        return (X @ X.T + offset) ** degree


kssc = Estimator(
    "KSSC",
    KSSC,
    reference=REFERENCE,
    kernel=("polynomial", "gaussian"),
    kernel_pca=(6, 12),
    alpha=(10.0, 50.0),
    threshold=(0.9,),
)

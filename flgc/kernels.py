"""Kernels, and their features: kernel FLGC is FLGC on features Phi with Phi Phi' = K.

    p(P) K p(P)' = (p(P) Phi) (p(P) Phi)'

so grids, leave-one-out, averages and prediction stay what they are. Phi is the factor of a Cholesky
decomposition with pivots: of the landmarks S, the rows that were pivots, it is lower triangular,

    K_:S = Phi Phi_S',   phi(x) = k(x, S) Phi_S'^-1

It stops where what is left of K is rounding, so Phi has the rank of K as columns, in a tenth of an
eigendecomposition's time. Stopped before, Phi Phi' is the Nystroem approximation with S, and the
part of K's trace that is lost is known. Landmarks are drawn in proportion to what is left of K's
diagonal (Chen, Epperly, Tropp, Webber: Randomly pivoted Cholesky, 2022), a block at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack, solve_triangular
from sklearn.metrics.pairwise import euclidean_distances

from flgc.checks import brief, check_choice, check_positive

KERNELS = ("linear", "rbf")
# Up to so many rows Phi is exact; 5,000 rows take seconds and half a gigabyte.
MOST_EXACT = 5_000
# Beyond, so many rows are landmarks, drawn so many at a time.
N_LANDMARKS, _BLOCK = 1_000, 200
# Distances below this share of the largest are rounding: the rows are the same.
_SAME = 1e-7
# Rows among which the median is taken, evenly over all of them.
_MOST_ROWS = 5_000


def median_distance(X: Any) -> float:
    """The median distance between rows that differ, or 1 where none do."""
    rows = np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _MOST_ROWS)).astype(int))
    distances = euclidean_distances(X[rows])[np.triu_indices(len(rows), 1)]
    apart = distances[distances > _SAME * distances.max(initial=0.0)]
    return float(np.median(apart)) if len(apart) else 1.0


def gaussian(X: Any, Z: Any, radius: float) -> np.ndarray:
    """exp(-||x - z||^2 / 2 radius^2) of all rows of X and Z."""
    squares = euclidean_distances(X, Z, squared=True)
    squares *= -0.5 / radius**2
    return np.exp(squares, out=squares)


def check_kernel(kernel: Any, gamma: Any) -> None:
    """A name or a function k(A, B), and a gamma > 0 or None."""
    if not callable(kernel):
        check_choice("kernel", kernel, KERNELS)
    if gamma is not None:
        check_positive("gamma", gamma)


class KernelFeatures:
    """Phi of rows: k(x, z) = phi(x)'phi(z), exactly or through landmarks. No label is in it.

    Parameters
    ----------
    kernel : {"rbf"} or callable, default="rbf"
        "rbf" is exp(-gamma ||x - z||^2). A function k(A, B) gives the kernel between the rows of A
        and those of B, as an array; it must be symmetric and positive semidefinite.
    gamma : float > 0, optional
        Of "rbf"; by default 1 / 2m^2 with m the median distance between rows.
    n_landmarks : int, optional
        The most columns that Phi may have; by default all rows up to 5,000, else 1,000.
    seed : int, default=0
        With which landmarks are drawn, where they are not all rows.

    Attributes
    ----------
    landmarks_ : array or sparse matrix of shape (n_columns, n_features)
        The rows that were pivots.
    gamma_ : float
    is_exact_ : bool
        Whether Phi Phi' is K up to rounding, and no approximation of it.
    lost_ : float
        The share of K's trace that Phi Phi' lacks.
    """

    landmarks_: Any
    gamma_: float | None
    is_exact_: bool
    lost_: float

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        gamma: float | None = None,
        n_landmarks: int | None = None,
        seed: int = 0,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.seed = seed

    def fit(self, X: Any) -> Self:
        """Choose landmarks and decompose."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any) -> np.ndarray:
        """Phi of the rows of X, (n, columns), in the precision of X."""
        check_kernel(self.kernel, self.gamma)
        self.gamma_ = self.gamma
        if self.gamma is None and self.kernel == "rbf":
            with np.errstate(over="ignore", invalid="ignore"):
                self.gamma_ = _gamma(median_distance(_in_float64(X)))
        n_rows = X.shape[0]
        most = self.n_landmarks
        if most is None:
            most = n_rows if n_rows <= MOST_EXACT else N_LANDMARKS
        Phi, pivots = self._factor(_in_float64(X), min(most, n_rows))
        self.landmarks_ = X[pivots]
        self._lower = np.tril(Phi[pivots])
        return Phi.astype(X.dtype, copy=False)

    def transform(self, X: Any) -> np.ndarray:
        """Phi of other rows."""
        K = self._kernel(_in_float64(X), _in_float64(self.landmarks_))
        Phi = solve_triangular(self._lower, K.T, lower=True, check_finite=False).T
        return np.ascontiguousarray(Phi).astype(X.dtype, copy=False)

    def _factor(self, X: Any, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Phi of at most so many columns, and the pivots in their order."""
        n_rows = X.shape[0]
        left = self._diagonal(X)
        trace, rounding = left.sum(), n_rows * np.finfo(np.float64).eps * left.max()
        Phi, pivots = np.empty((n_rows, most)), np.empty(most, dtype=int)
        # RandomState: its stream is the same with every version of numpy.
        random, n = np.random.RandomState(self.seed), 0
        while n < most and left.max() > rounding:
            drawn = np.arange(n_rows)
            if most < n_rows:
                size = min(_BLOCK, most - n, int(np.count_nonzero(left)))
                drawn = random.choice(n_rows, size, replace=False, p=left / left.sum())
            block = self._kernel(X, X[drawn]) - Phi[:, :n] @ Phi[drawn, :n].T
            factor, order, rank, _ = lapack.dpstrf(block[drawn], lower=1, tol=rounding)
            if not rank:
                left[drawn] = 0.0
                continue
            chosen = order[:rank] - 1
            lower = np.tril(factor[:rank, :rank])
            columns = solve_triangular(lower, block[:, chosen].T, lower=True).T
            Phi[:, n : n + rank] = columns
            pivots[n : n + rank] = drawn[chosen]
            n += rank
            left -= np.sum(columns**2, axis=1)
            _check_semidefinite(left, block, columns, rounding)
            left = np.where(left > rounding, left, 0.0)
            left[drawn] = 0.0  # what was not chosen is a sum of what was
        self.is_exact_ = bool(left.max() <= rounding)
        self.lost_ = float(left.sum() / trace) if trace > 0 else 0.0
        return Phi[:, :n], pivots[:n]

    def _diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) of each row."""
        if self.kernel == "rbf":
            return np.ones(X.shape[0])
        rows = [X[start : start + _BLOCK] for start in range(0, X.shape[0], _BLOCK)]
        diagonal = np.concatenate([np.diagonal(self._kernel(each, each)) for each in rows])
        if diagonal.min() < 0:
            raise ValueError(f"the kernel has k(x, x) = {diagonal.min():g} of a row: {_WANTED}")
        return diagonal

    def _kernel(self, A: Any, B: Any) -> np.ndarray:
        """k of all rows of A and B, checked."""
        if self.kernel == "rbf":
            assert self.gamma_ is not None
            with np.errstate(over="ignore", invalid="ignore"):
                K: Any = gaussian(A, B, math.sqrt(0.5 / self.gamma_))
        else:
            assert callable(self.kernel)
            K = self.kernel(A, B)
            K = K.toarray() if sp.issparse(K) else np.asarray(K)
            if K.shape != (A.shape[0], B.shape[0]) or K.dtype.kind not in "biuf":
                raise ValueError(
                    f"the kernel gave {brief(K)} of {K.dtype} for {A.shape[0]} and {B.shape[0]} "
                    f"rows: give an array of numbers of shape {(A.shape[0], B.shape[0])}."
                )
            K = K.astype(np.float64)
        if not np.isfinite(K).all():
            raise ValueError("the kernel is not finite for some rows of X: rescale X.")
        return K


_WANTED = "give a kernel that is symmetric and positive semidefinite."


def _check_semidefinite(
    left: np.ndarray, block: np.ndarray, columns: np.ndarray, rounding: float
) -> None:
    """Nothing below 0 is left; of a whole matrix nothing at all, as one random vector tells."""
    # Errors of a product add up like its terms.
    much = 1e3 * rounding
    if left.min() < -much:
        raise ValueError(f"the kernel leaves {left.min():g} on its diagonal: {_WANTED}")
    if block.shape[0] == block.shape[1]:
        v = np.random.RandomState(0).uniform(-1, 1, len(block))
        for K in (block, block.T):
            gap = np.abs(K @ v - columns @ (columns.T @ v)).max()
            if gap > much * math.sqrt(len(v)):
                raise ValueError(f"the kernel of the rows differs by {gap:g}: {_WANTED}")


def _gamma(median: float) -> float:
    """1 / 2m^2."""
    gamma = 0.5 / median**2 if 0 < median < math.inf else 0.0
    if not 0 < gamma < math.inf:
        raise ValueError(f"the median distance between rows is {median:g}: rescale X.")
    return gamma


def _in_float64(X: Any) -> Any:
    return X.astype(np.float64, copy=False)

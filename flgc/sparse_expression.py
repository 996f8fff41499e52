"""Each node as a sparse combination of the others: one Lasso per column, all by ADMM at once.

    Z = argmin 1/2 ||H'Z - X'||^2 + r ||Z||_1

The form alpha/2 ||H'Z - X'||^2 + ||Z||_1 has r = 1 / alpha. The columns of Z are independent and
share one decomposition, HH' = V diag(s) V', through the smaller of HH' and H'H:

    A <- v + V ((V'HX' - s V'v) / (s + penalty)),   v = Z - U      the ridge
    Z <- soft(A + U, r / penalty),   U <- U + A - Z                the shrinkage, and the dual

No step solves a system, so each column has its own penalty, which follows its residuals, and stops
when it has converged.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg
from sklearn.exceptions import ConvergenceWarning

from flgc.checks import check_positive, check_whole
from flgc.device import n_threads, one_blas_thread

# Columns that are iterated together: few enough to stay in the cache.
_BLOCK = 128
# Iterations between two checks of the residuals.
_LOOK = 10
# Over-relaxation, as is usual with ADMM, takes fewer iterations.
_RELAXATION = 1.6
# The penalty changes if one residual is this many times the other, by at most that factor. The
# second bounds all changes together: the penalty of a column of zeros would go to zero.
_BALANCE, _FURTHEST = 3.0, 1e6


class SparseExpression(NamedTuple):
    """Z, with the number of iterations.

    `residuals` are the largest of any column: primal, in units of its largest entry, and dual, in
    units of r. `n_unfinished` columns were above the tolerance after the last iteration.
    """

    Z: np.ndarray
    n_iter: int
    residuals: tuple[float, float]
    n_unfinished: int


@dataclass(frozen=True)
class Spectrum:
    """HH' = V diag(s) V' and the targets V'HX': all that the iteration needs of H and X."""

    s: np.ndarray
    V: np.ndarray
    targets: np.ndarray

    @classmethod
    def of_features(cls, H: np.ndarray, X: np.ndarray) -> Spectrum:
        """From the smaller of HH' and H'H; in float64, as squares lose half of the digits."""
        wide = H.astype(np.float64, copy=False)
        if len(H) <= H.shape[1]:
            s, V = _positive(wide @ wide.T)
        else:
            s, W = _positive(wide.T @ wide)
            V = wide @ (W / np.sqrt(s))
        return cls._as(X.dtype, s, V, (V.T @ wide) @ X.T)

    @classmethod
    def _as(cls, dtype: np.dtype, *arrays: np.ndarray) -> Spectrum:
        return cls(*(np.ascontiguousarray(array, dtype=dtype) for array in arrays))


def sparse_expression(
    spectrum: Spectrum,
    regularization: float,
    *,
    without_own: bool = False,
    sums: np.ndarray | None = None,
    tolerance: float = 1e-3,
    max_iter: int = 1000,
) -> SparseExpression:
    """Z, in the precision of the spectrum; warns if columns do not converge.

    `without_own` keeps the diagonal of Z at 0. `sums` has a 1 for each row of Z whose entries must
    sum to 1 in each column: the affine constraint.
    """
    r = check_positive("regularization", regularization)
    tolerance = check_positive("tolerance", tolerance)
    max_iter = check_whole("max_iter", max_iter, 1)
    ridge = Ridge(spectrum, sums)
    Z = np.zeros((len(spectrum.V), spectrum.targets.shape[1]), dtype=spectrum.V.dtype)

    def solve(columns: np.ndarray) -> tuple[int, float, float, int]:
        return _solve(ridge, r, Z, columns, without_own, tolerance, max_iter)

    with one_blas_thread(), ThreadPoolExecutor(n_threads()) as pool:
        solutions = list(pool.map(solve, _blocks(Z.shape[1])))
    n_iter, primal, dual, unfinished = zip(*solutions, strict=True)
    result = SparseExpression(Z, max(n_iter), (max(primal), max(dual)), sum(unfinished))
    if result.n_unfinished:
        warnings.warn(
            f"{result.n_unfinished} of {Z.shape[1]} columns have residuals above "
            f"tolerance={tolerance} (primal {result.residuals[0]:.1e}, dual "
            f"{result.residuals[1]:.1e}) after max_iter={max_iter}: raise one of them.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return result


class Ridge:
    """argmin 1/2 a'HH'a - a'Hx + penalty/2 ||a - v||^2 for many columns, each with its penalty.

    With `sums`, among the a whose marked entries sum to 1.
    """

    def __init__(self, spectrum: Spectrum, sums: np.ndarray | None) -> None:
        self.s, self.V, self.targets = spectrum.s[:, None], spectrum.V, spectrum.targets
        self.sums = None
        if sums is not None:
            inside = spectrum.V.T.astype(np.float64) @ sums
            # The part outside of V; the rest is a sum of positive terms, so that nothing cancels.
            self.outside = max(float(sums @ sums - inside @ inside), 0.0)
            self.sums = sums.astype(spectrum.V.dtype)[:, None]
            self.inside = inside.astype(spectrum.V.dtype)[:, None]

    def at(self, v: np.ndarray, targets: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """a, written over v."""
        damped = 1 / (self.s + penalty)
        rotated = self.V.T @ v
        rotated *= -self.s
        rotated += targets
        rotated *= damped
        if self.sums is not None:
            missing = 1 - self.sums.T @ v - self.inside.T @ rotated
            lift = missing / (self.outside + (self.inside**2).T @ (penalty * damped))
            v += self.sums * lift
            rotated -= self.inside * self.s * damped * lift
        v += self.V @ rotated
        return v


def _positive(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs of a Gram matrix, without eigenvalues of rounding size."""
    s, vectors = scipy.linalg.eigh(gram, check_finite=False, overwrite_a=True, driver="evd")
    kept = s > len(s) * np.finfo(s.dtype).eps * max(s[-1], 0.0)
    return s[kept], vectors[:, kept]


def _blocks(n: int) -> Iterator[np.ndarray]:
    return (np.arange(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))


def _solve(
    ridge: Ridge,
    r: float,
    out: np.ndarray,
    columns: np.ndarray,
    without_own: bool,
    tolerance: float,
    max_iter: int,
) -> tuple[int, float, float, int]:
    """Fill these columns of `out`; (iterations, primal, dual, number of unfinished columns)."""
    dtype = out.dtype
    Z = np.zeros((len(out), len(columns)), dtype=dtype)
    U, targets = np.zeros_like(Z), ridge.targets[:, columns]
    # The mean squared length of a row of H, the unit of the penalty. If it is 0, Z = 0 at once.
    start = float(ridge.s.sum()) / len(out) or 1.0
    penalty = np.full(len(columns), start, dtype=dtype)
    worst = np.zeros(2)
    for iteration in range(1, max_iter + 1):
        A = ridge.at(Z - U, targets, penalty)
        U += _RELAXATION * A
        U -= (_RELAXATION - 1) * Z
        last, Z = Z, U - np.clip(U, -r / penalty, r / penalty)
        if without_own:
            Z[columns, np.arange(len(columns))] = 0
        U -= Z
        if iteration % _LOOK and iteration < max_iter:
            continue
        primal = np.abs(A - Z).max(axis=0) / np.maximum(np.abs(Z).max(axis=0), r / penalty)
        dual = np.abs(Z - last).max(axis=0) * penalty / r
        done = np.maximum(primal, dual) <= tolerance
        leaving = done | (iteration == max_iter)
        worst = np.maximum(worst, [part[leaving].max(initial=0) for part in (primal, dual)])
        out[:, columns[leaving]] = Z[:, leaving]
        if leaving.all():
            break
        stay = ~leaving
        step = _balanced(primal[stay], dual[stay])
        moved = np.clip(penalty[stay] * step, start / _FURTHEST, start * _FURTHEST)
        columns, targets, Z = columns[stay], targets[:, stay], Z[:, stay]
        penalty, U = moved, U[:, stay] * (penalty[stay] / moved)
    return iteration, float(worst[0]), float(worst[1]), int(np.count_nonzero(leaving & ~done))


def _balanced(primal: np.ndarray, dual: np.ndarray) -> np.ndarray:
    """Factors for the penalties: larger ones hold A and Z together, smaller ones let them move."""
    ratio = np.sqrt(primal / np.maximum(dual, np.finfo(dual.dtype).tiny))
    near = (ratio < _BALANCE) & (ratio > 1 / _BALANCE)
    return np.where(near, 1, np.clip(ratio, 1 / _BALANCE, _BALANCE)).astype(dual.dtype)

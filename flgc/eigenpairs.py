"""Leading eigenpairs of a symmetric operator: densely, or by filtered subspace iteration.

    V <- orthonormal basis of T_d((A - c) / e) V,   V'AV = Q S Q',   until ||AVQ - VQS|| is small

T_d is the Chebyshev polynomial that damps the unwanted interval [c - e, c + e]. A block of vectors
at a time is one matrix product, which processors do fastest.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse.linalg import LinearOperator
from sklearn.exceptions import ConvergenceWarning

from flgc.lapack import symmetric_eigh

Symmetric: TypeAlias = np.ndarray | LinearOperator

# Up to this size, or if the block is a larger share of the matrix, LAPACK costs less.
DENSE_IS_FASTER, LARGEST_SHARE = 400, 1 / 8
# The same if the largest of a matrix are wanted, which LAPACK finds without the others.
LARGEST_ARE_FASTER = 2_500
# The largest operator that is made dense if the iteration does not converge.
LARGEST_DENSE = 10_000
DEGREE, MOST_ROUNDS = 5, 24


def operator(apply: Callable[[np.ndarray], np.ndarray], n: int, dtype: Any) -> LinearOperator:
    """An n x n operator from its product with a block of vectors."""
    return LinearOperator((n, n), matvec=apply, matmat=apply, dtype=dtype)


def leading_eigenpairs(A: Symmetric, n_pairs: int, which: str) -> tuple[np.ndarray, np.ndarray]:
    """The `n_pairs` leading eigenpairs of a symmetric matrix or operator, largest first.

    `which` is "LM" for the largest in magnitude, "LA" for the largest. An operator takes blocks of
    vectors. Small matrices, and spectra on which the iteration fails, are computed densely.
    """
    n = A.shape[0]
    n_pairs = min(n_pairs, n)
    is_matrix = isinstance(A, np.ndarray)
    small = LARGEST_ARE_FASTER if is_matrix and which == "LA" else DENSE_IS_FASTER
    if n > small and _block_size(n_pairs) <= LARGEST_SHARE * n:
        rounds = _most_rounds(n, _block_size(n_pairs))
        values, vectors, rest = iterated_eigenpairs(A, n_pairs, which, rounds)
        if rest <= 1:
            return values, vectors
        if n > LARGEST_DENSE:
            warnings.warn(
                f"{n_pairs} leading eigenvectors of {n} x {n} did not converge in {rounds} "
                f"rounds (residual {rest:.2g} times the tolerance): the spectrum is flat there.",
                ConvergenceWarning,
                stacklevel=2,
            )
            return values, vectors
    return dense_eigenpairs(A if is_matrix else A @ np.eye(n, dtype=A.dtype), n_pairs, which)


def dense_eigenpairs(A: np.ndarray, n_pairs: int, which: str) -> tuple[np.ndarray, np.ndarray]:
    """The leading eigenpairs of a matrix, by LAPACK."""
    values, vectors = symmetric_eigh(A, n_pairs if which == "LA" else None)
    order = _order(values, which)[:n_pairs]
    return values[order], vectors[:, order]


def iterated_eigenpairs(
    A: Symmetric, n_pairs: int, which: str, rounds: int = MOST_ROUNDS
) -> tuple[np.ndarray, np.ndarray, float]:
    """The leading eigenpairs by iteration, and the largest residual in units of the tolerance.

    The tolerance is 3 sqrt(eps), relative to the largest eigenvalue: eigenvalues then have nearly
    all their digits. A block as wide as the whole space converges at once.
    """
    n, dtype = A.shape[0], A.dtype
    tolerance = 3 * np.sqrt(np.finfo(dtype).eps)
    start = np.random.default_rng(0).standard_normal((n, min(n, _block_size(n_pairs))))
    V = A @ start.astype(dtype)  # brings `size` below near the largest eigenvalue
    for _ in range(rounds):
        V = _orthonormal(_orthonormal(V))
        AV = A @ V
        values, turn = np.linalg.eigh(V.T @ AV)
        order = _order(values, which)
        values, turn = values[order], turn[:, order]
        V, AV = V @ turn, AV @ turn
        size = max(np.abs(values).max(), np.finfo(dtype).tiny)
        residuals = np.linalg.norm(AV[:, :n_pairs] - V[:, :n_pairs] * values[:n_pairs], axis=0)
        rest = float(residuals.max() / (tolerance * size))
        if rest <= 1:
            break
        V = _filtered(A, V, AV, *_unwanted(values, n_pairs, which, size))
    return values[:n_pairs], V[:, :n_pairs], rest


def _block_size(n_pairs: int) -> int:
    """More columns than wanted pairs: the further down the block ends, the faster it converges."""
    return n_pairs + max(n_pairs // 2, 20)


def _most_rounds(n: int, block: int) -> int:
    """As many rounds as cost what LAPACK does, if it can take over: flat spectra never converge."""
    return MOST_ROUNDS if n > LARGEST_DENSE else min(MOST_ROUNDS, 1 + n // (2 * block))


def _order(values: np.ndarray, which: str) -> np.ndarray:
    return np.argsort(-(np.abs(values) if which == "LM" else values), kind="stable")


def _unwanted(values: np.ndarray, n_pairs: int, which: str, size: float) -> tuple[float, float]:
    """Middle and half width of the interval to damp, estimated from the block."""
    if which == "LM":
        low, high = -abs(values[-1]), abs(values[-1])
    else:
        high = max(values[-1], values[n_pairs - 1] / 2)
        low = min(values.min(), -0.1 * size)
    # With a narrower interval the wanted vectors would overflow.
    return (low + high) / 2, max((high - low) / 2, 0.1 * size)


def _orthonormal(V: np.ndarray) -> np.ndarray:
    """V turn / sqrt(values) with V'V = turn diag(values) turn': orthonormal after two calls.

    Only products: a QR decomposition would take most of the time, and scipy's BLAS is not numpy's,
    so their threads would wait for each other. Dependent columns are replaced by random ones.
    """
    V = V / np.maximum(np.linalg.norm(V, axis=0), np.finfo(V.dtype).tiny)
    values, turn = np.linalg.eigh(V.T @ V)
    kept = values > len(values) * np.finfo(V.dtype).eps
    basis = V @ (turn[:, kept] / np.sqrt(values[kept]))
    drawn = np.random.default_rng(1).standard_normal((len(V), np.count_nonzero(~kept)))
    return np.hstack([basis, (drawn / np.sqrt(len(V))).astype(V.dtype)])


def _filtered(
    A: Symmetric, V: np.ndarray, AV: np.ndarray, middle: float, width: float
) -> np.ndarray:
    """T_d((A - middle) / width) V by its recursion."""
    before, now = V, (AV - middle * V) / width
    for _ in range(DEGREE - 1):
        before, now = now, (A @ now - middle * now) * (2 / width) - before
    return now

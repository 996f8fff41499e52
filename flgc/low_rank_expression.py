"""Each node as a combination of the others, by a matrix of low rank.

    low_rank_expression          Z = argmin 1/2 ||H'Z - X'||^2 + r ||Z||_*
    robust_low_rank_expression   Z = argmin ||Z||_* + weight sum_i ||x_i - H'z_i||

Z is in the row space of the design: with H' = U S V', Z = V J and Y = U'X', the unknown is
J (rank x N), and the error of a node is

    ||x - H'z||^2 = ||y - S j||^2 + c^2,   c the part of x outside of the range of H'

ADMM alternates two proximal steps: one thresholds the singular values of a rank x N matrix, the
other solves a scalar equation for each node, however badly conditioned H is. If H = X, then
Y = S V', and the first problem has the closed form J = max(1 - r / S^2, 0) V'.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh, svd
from sklearn.exceptions import ConvergenceWarning

# Over-relaxation: any factor below 2 converges, this one faster than 1.
_RELAXATION = 1.6
# The penalty changes if the residuals differ by this factor; checked every so many iterations.
_UNBALANCED, _BALANCE_EVERY = 3.0, 5
# Share of the dual variable's norm below which J counts as 0.
_NEGLIGIBLE = 0.01


class LowRank(NamedTuple):
    """Z = left diag(values) right', its thin decomposition, with the number of iterations.

    `residual` is the larger of the relative primal and dual residuals.
    """

    left: np.ndarray
    values: np.ndarray
    right: np.ndarray
    n_iter: int = 0
    residual: float = 0.0

    @property
    def matrix(self) -> np.ndarray:
        """Z (N x N)."""
        return (self.left * self.values) @ self.right.T


def row_space(H: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U (d x rank), S and V (N x rank) of H' = U S V', without singular values of rounding size."""
    V, S, Ut = svd(H, full_matrices=False, check_finite=False)
    rank = np.count_nonzero(max(H.shape) * np.finfo(S.dtype).eps * S[0] < S)
    return Ut[:rank].T, S[:rank], V[:, :rank]


def low_rank_expression(
    H: np.ndarray,
    X: np.ndarray,
    regularization: float,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
) -> LowRank:
    """argmin 1/2 ||H'Z - X'||^2 + r ||Z||_* for r > 0; H and X are N x d."""
    U, S, V = row_space(H)
    if np.array_equal(H, X):
        kept = regularization < S**2
        return LowRank(V[:, kept], 1 - regularization / S[kept] ** 2, V[:, kept])
    Y, inverse = (X @ U).T, S[:, None] / regularization

    def fit_step(B: np.ndarray, penalty: float) -> np.ndarray:
        return (inverse * Y + penalty * B) / (inverse * S[:, None] + penalty)

    return _alternated(V, Y, fit_step, tol, max_iter)


def robust_low_rank_expression(
    H: np.ndarray,
    X: np.ndarray,
    weight: float,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
) -> LowRank:
    """argmin ||Z||_* + weight ||X' - H'Z||_2,1 for weight > 0; H and X are N x d."""
    U, S, V = row_space(H)
    beyond = np.zeros(len(X), X.dtype) if H is X else np.linalg.norm(X - (X @ U) @ U.T, axis=1)
    root, Y, stretch = np.zeros(len(X), X.dtype), (X @ U).T, S[:, None]

    def fit_step(B: np.ndarray, penalty: float) -> np.ndarray:
        nonlocal root  # the last root is a good start
        root = secular_roots(Y - stretch * B, S**2, beyond, weight / penalty, root)
        return (stretch * Y + root * B) / (stretch**2 + root)

    return _alternated(V, Y, fit_step, tol, max_iter)


def secular_roots(
    G: np.ndarray, poles: np.ndarray, c: np.ndarray, radius: float, start: np.ndarray
) -> np.ndarray:
    """For each column g of G the x >= 0 with sum_k (g_k / (x + poles_k))^2 + (c / x)^2 = radius^2.

    x = 0 where the sum at 0 is already less. The left side to the power -1/2 is concave and nearly
    a line: a step of Newton's method lands left of the root, and all further steps approach it.
    """
    least = c / radius
    x = np.maximum(start, least)
    squares, tiny = G**2, np.finfo(G.dtype).tiny
    for _ in range(50):
        inverse = 1 / (x + poles[:, None])
        terms = squares * inverse**2
        outside = (c / np.maximum(x, tiny)) ** 2
        total = terms.sum(axis=0) + outside
        slope = np.einsum("kn,kn->n", terms, inverse) + outside / np.maximum(x, tiny)
        stepped = x + total * (np.sqrt(total) / radius - 1) / np.maximum(slope, tiny)
        stepped = np.where(total > 0, np.maximum(stepped, least), least)
        moved, x = np.abs(stepped - x).max(), stepped
        if moved <= 10 * np.finfo(G.dtype).eps * x.max():
            break
    return x


def thresholded(B: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """max(S - threshold, 0) of B = U S V' (wide), without zeros, and its vectors: U, values, V.

    From the eigenvalues S^2 of BB' as long as `threshold` is far above their rounding, else from B.
    """
    gram = B @ B.T
    largest = np.linalg.norm(gram)
    if threshold**2 > np.sqrt(np.finfo(B.dtype).eps) * largest:
        # "evr", the default where a part is asked for, fails on clusters of eigenvalues.
        squares, left = eigh(gram, driver="evd", check_finite=False)
        kept = squares > threshold**2
        left, values = left[:, kept], np.sqrt(squares[kept])
        return left, values - threshold, (B.T @ left) / values
    left, values, right = svd(B, full_matrices=False, check_finite=False)
    kept = values > threshold
    return left[:, kept], values[kept] - threshold, right[kept].T


def _alternated(
    V: np.ndarray,
    Y: np.ndarray,
    fit_step: Callable[[np.ndarray, float], np.ndarray],
    tol: float,
    max_iter: int,
) -> LowRank:
    """min ||J||_* + f(K), J = K of the shape of Y; fit_step(B, p) = argmin f(K) + p/2 ||K - B||^2.

    The penalty follows the residuals in the first half of the iterations and is fixed after that,
    so that the rest converges.
    """
    if not Y.size:
        return LowRank(V, Y[:, 0], Y.T)
    dual, penalty, norm, tiny = np.zeros_like(Y), 1.0, np.linalg.norm, np.finfo(Y.dtype).tiny
    K = fit_step(dual, penalty)
    for n_iter in range(1, max_iter + 1):
        left, values, right = thresholded(K - dual, 1 / penalty)
        J = (left * values) @ right.T
        relaxed = _RELAXATION * J + (1 - _RELAXATION) * K
        before, K = K, fit_step(relaxed + dual, penalty)
        dual += relaxed - K
        primal = norm(J - K) / max(norm(J), norm(K), _NEGLIGIBLE * norm(dual), tiny)
        change = norm(K - before) / max(norm(dual), tiny)
        residual = float(max(primal, change))
        if residual <= tol:
            break
        if n_iter % _BALANCE_EVERY == 0 and n_iter < max_iter / 2:
            ratio = primal / max(change, tiny)
            factor = 2.0 if ratio > _UNBALANCED else 0.5 if ratio < 1 / _UNBALANCED else 1.0
            penalty *= factor
            dual /= factor
    else:
        warnings.warn(
            f"the residual is {residual:.1e} after {n_iter} iterations, above tol={tol:g}: "
            "raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return LowRank(V @ left, values, right, n_iter, residual)

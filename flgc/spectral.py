"""From a self-expression matrix to clusters: the block-structure heuristic, dense and low-rank.

    C = (Z + Z') / 2 ~ U S U' (the leading |eigenvalues|),   F = rows of U S^1/2 at unit length
    dense      affinity = max(FF', 0)^power
    low-rank   affinity = (FF')^2 = F2 F2', F2 the products of pairs of columns of F

The second is never negative by itself, and its product with a vector needs only F.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.preprocessing import normalize

# Up to this size all eigenvectors cost less than an iteration for some of them.
_DENSE_IS_FASTER = 400


def leading_eigenpairs(
    apply: Callable[[np.ndarray], np.ndarray], n: int, n_pairs: int, dtype: np.dtype, which: str
) -> tuple[np.ndarray, np.ndarray]:
    """The `n_pairs` leading eigenpairs of a symmetric operator, largest first.

    `which` is "LM" for the largest in magnitude, "LA" for the largest. What ARPACK does not
    resolve, or what is small anyway, is computed densely.
    """
    n_pairs = min(n_pairs, n)
    if n > _DENSE_IS_FASTER and 3 * n_pairs < n:
        operator = LinearOperator((n, n), matvec=lambda v: apply(v.reshape(n, 1)), dtype=dtype)
        try:
            start = np.ones(n, dtype=dtype)
            values, vectors = eigsh(operator, k=n_pairs, which=which, v0=start)
        except ArpackNoConvergence:
            if n > 20 * _DENSE_IS_FASTER:
                raise
            values, vectors = np.linalg.eigh(apply(np.eye(n, dtype=dtype)))
    else:
        values, vectors = np.linalg.eigh(apply(np.eye(n, dtype=dtype)))
    order = np.argsort(-(np.abs(values) if which == "LM" else values), kind="stable")[:n_pairs]
    return values[order], vectors[:, order]


def subspace_rows(
    apply: Callable[[np.ndarray], np.ndarray], n: int, rank: int, dtype: np.dtype
) -> np.ndarray:
    """F: rows of U |S|^1/2 at unit length; a node that expresses nothing keeps a zero row."""
    values, vectors = leading_eigenpairs(apply, n, rank, dtype, "LM")
    return normalize(vectors * np.sqrt(np.abs(values)))


def dense_affinity(F: np.ndarray, power: float) -> np.ndarray:
    """max(FF', 0)^power, at most 1."""
    affinity = np.clip(F @ F.T, 0, None) ** power
    return affinity / max(affinity.max(), np.finfo(F.dtype).tiny)


def quadratic_embedding(F: np.ndarray, n_components: int) -> np.ndarray:
    """Spectral embedding of the affinity (FF')^2, which is never formed.

    Rows of D^-1/2 V at unit length, V the leading eigenvectors of D^-1/2 (FF')^2 D^-1/2.
    """
    n = F.shape[0]

    def times_affinity(v: np.ndarray) -> np.ndarray:
        # ((FF') * (FF')) v = row sums of (F (F' diag(v) F)) * F
        return np.einsum("ij,ij->i", F @ (F.T @ (F * v)), F)[:, None]

    degree = np.maximum(times_affinity(np.ones((n, 1), dtype=F.dtype)), np.finfo(F.dtype).tiny)
    scale = 1.0 / np.sqrt(degree)

    def apply(V: np.ndarray) -> np.ndarray:
        return np.hstack([scale * times_affinity(scale * V[:, [j]]) for j in range(V.shape[1])])

    _, vectors = leading_eigenpairs(apply, n, n_components, F.dtype, "LA")
    return normalize(vectors * scale)

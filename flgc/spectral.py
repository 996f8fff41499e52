"""From a self-expression matrix to clusters: the block-structure heuristic, dense and low-rank.

    C = (Z + Z') / 2 ~ U S U' (the leading |eigenvalues|),   F = rows of U S^1/2 at unit length
    dense      affinity = max(FF', 0)^power
    low-rank   affinity = (FF')^2 = F2 F2', F2 the products of pairs of columns of F

The second is never negative, and its product with a vector needs only F. Spectral clustering of
either: rows of V at unit length, V the leading eigenvectors of D^-1/2 W D^-1/2, rotated towards the
axes (Yu, Shi 2003).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from flgc.eigenpairs import Symmetric, leading_eigenpairs, operator
from flgc.self_expression import prune_columns

MOST_TURNS = 30


def subspace_rows(C: Symmetric, rank: int) -> np.ndarray:
    """F: rows of U |S|^1/2 at unit length; a node that expresses nothing has a zero row.

    Without that, unit length would make affinity of rounding, in eigenvalues of 0 and in U. In CU
    the row of such a node is 0, whatever U is there.
    """
    values, vectors = leading_eigenpairs(C, rank, "LM")
    sizes = np.abs(values)
    rounding = len(vectors) * np.finfo(sizes.dtype).eps * sizes.max()
    silent = np.abs(C @ vectors).max(axis=1) <= rounding
    rows = vectors * np.sqrt(np.where(sizes > rounding, sizes, 0))
    rows[silent] = 0
    return normalize(rows)


def dense_affinity(F: np.ndarray, power: float) -> np.ndarray:
    """max(FF', 0)^power, at most 1."""
    affinity = F @ F.T
    np.maximum(affinity, 0, out=affinity)
    affinity = _powered(affinity, power)
    affinity /= max(affinity.max(), np.finfo(F.dtype).tiny)
    return affinity


def block_affinity(
    Z: np.ndarray, n_clusters: int, *, threshold: float, subspace_dim: int, power: float
) -> np.ndarray:
    """The block-structure heuristic: from the self-expression Z (N x N) to an affinity."""
    Z = prune_columns(Z, threshold)
    C = Z + Z.T
    C /= 2
    return dense_affinity(subspace_rows(C, subspace_dim * n_clusters + 1), power)


def spectral_embedding(affinity: np.ndarray, n_components: int) -> np.ndarray:
    """Rows of V at unit length, from a symmetric affinity, whose diagonal is not used.

    A node without any affinity has a zero row.
    """
    W, scale = _normalised(affinity)
    _, vectors = leading_eigenpairs(W, n_components, "LA")
    return normalize(vectors * (scale[:, None] > 0))


def _normalised(affinity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D^-1/2 W D^-1/2 of W without its diagonal, and the diagonal of D^-1/2."""
    W = affinity.copy()
    np.fill_diagonal(W, 0)
    scale = _inverse_root(W.sum(axis=1))
    W *= scale
    W *= scale[:, None]
    return W, scale


def spectral_clusters(affinity: np.ndarray, n_clusters: int, random_state: Any) -> np.ndarray:
    """Normalised spectral clustering of a symmetric affinity."""
    return discretized(spectral_embedding(affinity, n_clusters), random_state)


def by_means(rows: np.ndarray, random_state: Any) -> np.ndarray:
    """The clusters of an embedding by k-means, the best of ten starts."""
    kmeans = KMeans(rows.shape[1], n_init=10, random_state=random_state)
    return numbered(kmeans.fit_predict(rows))


def discretized(rows: np.ndarray, random_state: Any) -> np.ndarray:
    """The clusters of an embedding, by the rotation that brings its rows closest to unit vectors.

    It starts at random, from rows that are far apart. An empty cluster is not counted, so there may
    be fewer.
    """
    n, n_clusters = rows.shape
    turn, last = _far_apart(rows, check_random_state(random_state)), np.inf
    for _ in range(MOST_TURNS):
        labels = (rows @ turn).argmax(axis=1)
        sums = np.eye(n_clusters, dtype=rows.dtype)[labels].T @ rows
        left, fit, right = la.svd(sums, check_finite=False)
        cut = 2.0 * (n - fit.sum())
        if abs(last - cut) <= n * np.finfo(rows.dtype).eps:
            break
        turn, last = (left @ right).T, cut
    return numbered(labels)


def numbered(labels: np.ndarray) -> np.ndarray:
    """The same clusters, numbered by their first nodes, as a rotation numbers them arbitrarily."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return first.argsort().argsort()[codes]


def quadratic_embedding(F: np.ndarray, n_components: int) -> np.ndarray:
    """Spectral embedding of the affinity (FF')^2, which is never formed.

    V are the leading eigenvectors of D^-1/2 (FF')^2 D^-1/2.
    """
    n = len(F)

    def times_affinity(V: np.ndarray) -> np.ndarray:
        # ((FF') * (FF')) v = row sums of (F (F' diag(v) F)) * F
        columns = [np.einsum("ij,ij->i", F @ (F.T @ (F * v[:, None])), F) for v in V.T]
        return np.stack(columns, axis=1)

    scale = _inverse_root(times_affinity(np.ones((n, 1), dtype=F.dtype))[:, 0])[:, None]
    W = operator(lambda V: scale * times_affinity(scale * V), n, F.dtype)
    _, vectors = leading_eigenpairs(W, n_components, "LA")
    return normalize(vectors * (scale > 0))


def _inverse_root(degrees: np.ndarray) -> np.ndarray:
    """d^-1/2, and 0 where d is 0."""
    positive = degrees > 0
    return np.where(positive, 1 / np.sqrt(np.where(positive, degrees, 1)), 0).astype(degrees.dtype)


def _powered(A: np.ndarray, power: float) -> np.ndarray:
    """Entries to a power; whole powers by squaring in place, at a tenth of the cost."""
    if power != int(power):
        return A**power
    result, left = None, int(power)
    while left:
        if left % 2:
            result = A.copy() if result is None else np.multiply(result, A, out=result)
        left //= 2
        if left:
            A = np.multiply(A, A, out=A)
    return np.ones_like(A) if result is None else result


def _far_apart(rows: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Columns are rows of the embedding: one at random, each next one as far away as possible."""
    n, n_clusters = rows.shape
    chosen = [random.randint(n)]
    closeness = np.where(rows.any(axis=1), 0, np.inf)  # a zero row is far from nothing
    for _ in range(n_clusters - 1):
        closeness += np.abs(rows @ rows[chosen[-1]])
        chosen.append(int(closeness.argmin()))
    return rows[chosen].T

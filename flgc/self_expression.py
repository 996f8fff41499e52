"""Each node as a combination of the others, in closed form.

    Z = argmin ||H'Z - X'||^2 + r ||Z||^2 = (HH' + rI)^-1 H X' = H (H'H + rI)^-1 X'   (Eq. 20)

This is the ridge fit of the targets X' on the design H'. Z has rank <= d: with d features and N
nodes, the factors H and X (H'H + rI)^-1 are all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from flgc.device import n_threads
from flgc.lapack import symmetric_eigh
from flgc.ridge import is_within, most_condition, ridge_factors, ridge_weights

# Columns that stay in the cache while they are sorted.
COLUMNS_AT_ONCE = 64


def self_expression(H: np.ndarray, X: np.ndarray, regularization: float) -> np.ndarray:
    """Z (N x N), by the smaller of the N x N and d x d systems."""
    return ridge_weights(H.T, X.T, regularization)


def self_expressions(
    H: np.ndarray, X: np.ndarray, regularizations: Sequence[float]
) -> Iterator[np.ndarray]:
    """Z for each regularization, from one decomposition.

    With H'H = V L V', or HH' = U L U' where that is smaller,

        Z = (HV) (L + rI)^-1 (V'X')   or   U (L + rI)^-1 (U'HX')

    Small eigenvalues next to large ones need float64, unless r is large too; the products do not,
    as no terms cancel.
    """
    if not is_within(H, min(regularizations)):  # a Gram matrix has not enough digits for r
        yield from (self_expression(H, X, r) for r in regularizations)
        return
    thin = H.shape[1] < H.shape[0]
    gram = _gram(H, thin)
    if largest_eigenvalue(gram) > most_condition(gram.dtype, np) * min(regularizations):
        gram = _gram(H.astype(np.float64), thin)
    values, Q = symmetric_eigh(gram)
    Q = Q.astype(H.dtype)
    left, right = (H @ Q, Q.T @ X.T) if thin else (Q, (Q.T @ H) @ X.T)
    for r in regularizations:
        yield (left * (1 / (np.maximum(values, 0) + r)).astype(H.dtype)) @ right


def largest_eigenvalue(gram: np.ndarray) -> float:
    """Of a positive semidefinite matrix, to a few percent: for decisions on precision."""
    v = gram.sum(axis=1)
    for _ in range(8):
        v = gram @ (v / max(np.linalg.norm(v), np.finfo(v.dtype).tiny))
    return float(np.linalg.norm(v))


def _gram(H: np.ndarray, thin: bool) -> np.ndarray:
    return H.T @ H if thin else H @ H.T


def self_expression_factors(
    H: np.ndarray, X: np.ndarray, regularization: float
) -> tuple[np.ndarray, np.ndarray]:
    """L and R (both N x d) with Z = L R', without forming Z."""
    left, right = ridge_factors(H.T, X.T, regularization)
    return left, right.T


def prune_columns(Z: np.ndarray, threshold: float) -> np.ndarray:
    """Keep in each column the largest |entries|, up to a share `threshold` of its L1 norm.

    The entry that exceeds the share is kept too, with all of the same size. `threshold=1` keeps
    everything.
    """
    if threshold >= 1:
        return Z
    pruned = np.zeros_like(Z)

    def fill(first: int) -> None:
        part = np.s_[:, first : first + COLUMNS_AT_ONCE]
        sizes = np.abs(Z[part])
        largest_first = np.sort(sizes.T, axis=1)[:, ::-1]  # ten times as fast as an argsort
        mass = np.cumsum(largest_first, axis=1)
        last = np.count_nonzero(mass <= threshold * mass[:, -1:], axis=1)
        smallest = largest_first[np.arange(len(last)), np.minimum(last, len(Z) - 1)]
        np.copyto(pruned[part], Z[part], where=sizes >= smallest)

    with ThreadPoolExecutor(n_threads()) as pool:
        list(pool.map(fill, range(0, Z.shape[1], COLUMNS_AT_ONCE)))
    return pruned

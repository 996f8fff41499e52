"""Each node as a combination of the others, in closed form.

    Z = argmin ||H'Z - X'||^2 + r ||Z||^2 = (HH' + rI)^-1 H X' = H (H'H + rI)^-1 X'   (Eq. 20)

This is the ridge fit of the targets X' on the design H'. Z has rank <= d: with d features and N
nodes, the factors H and X (H'H + rI)^-1 say all of it.
"""

from __future__ import annotations

import numpy as np

from flgc.ridge import ridge_factors, ridge_weights


def self_expression(H: np.ndarray, X: np.ndarray, regularization: float) -> np.ndarray:
    """Z (N x N), by whichever of the N x N and d x d systems is smaller."""
    return ridge_weights(H.T, X.T, regularization)


def self_expression_factors(
    H: np.ndarray, X: np.ndarray, regularization: float
) -> tuple[np.ndarray, np.ndarray]:
    """L and R (both N x d) with Z = L R', without forming Z."""
    left, right = ridge_factors(H.T, X.T, regularization)
    return left, right.T


def prune_columns(Z: np.ndarray, threshold: float) -> np.ndarray:
    """Keep in each column the largest |entries|, up to a share `threshold` of its L1 norm.

    The entry that passes the share is kept too. `threshold=1` keeps everything.
    """
    if threshold >= 1:
        return Z
    order = np.argsort(-np.abs(Z), axis=0, kind="stable")
    mass = np.cumsum(np.take_along_axis(np.abs(Z), order, axis=0), axis=0)
    kept = np.count_nonzero(mass <= threshold * mass[-1], axis=0) + 1
    pruned = np.zeros_like(Z)
    top = np.arange(Z.shape[0])[:, None] < kept
    np.put_along_axis(pruned, order, np.where(top, np.take_along_axis(Z, order, axis=0), 0), axis=0)
    return pruned

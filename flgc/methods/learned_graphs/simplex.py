"""Rows on the simplex {s >= 0, sum s = 1}: the nearest point, and the closed form of k neighbours.

    argmin sum_j (s_j - p_j)^2 / w_j  =  max(p_j - t w_j, 0),   t such that the row sums to 1
    argmin sum_j d_j s_j + gamma_i s_j^2  =  (d_(k+1) - d_j)+ / (k d_(k+1) - sum of the k nearest)

where gamma_i = (k d_(k+1) - sum of the k nearest) / 2 is the largest that leaves k neighbours.
"""

from __future__ import annotations

import numpy as np


def nearest_on_simplex(P: np.ndarray, W: np.ndarray | None = None) -> np.ndarray:
    """The point of the simplex that is nearest to each row of P, exactly.

    Entries of -inf become 0. `W` are the weights w, positive and of P's shape; 1 by default.
    """
    if W is None:
        P = P - P.max(axis=1, keepdims=True)  # keeps digits of large entries; t shifts too
        ordered = -np.sort(-P, axis=1)
        total = np.cumsum(ordered, axis=1)
        t = (total - 1.0) / np.arange(1, P.shape[1] + 1)
        last = np.count_nonzero(ordered > t, axis=1) - 1
        return np.maximum(P - np.take_along_axis(t, last[:, None], axis=1), 0.0)
    ratio = P / W
    top = ratio.max(axis=1, keepdims=True)
    P, ratio = P - top * W, ratio - top
    order = np.argsort(-ratio, axis=1)
    total = np.cumsum(np.take_along_axis(P, order, axis=1), axis=1)
    t = (total - 1.0) / np.cumsum(np.take_along_axis(W, order, axis=1), axis=1)
    last = np.count_nonzero(np.take_along_axis(ratio, order, axis=1) > t, axis=1) - 1
    return np.maximum(P - np.take_along_axis(t, last[:, None], axis=1) * W, 0.0)


def k_neighbor_weights(distances: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the k nearest columns of each row, which sum to 1, and gamma of each row.

    `distances` are squared, inf for pairs that must not be joined; each row has more than k finite
    ones. If the k + 1 nearest are equally far, the first k share the weight.
    """
    rows = np.arange(len(distances))[:, None]
    nearest = np.argsort(distances, axis=1, kind="stable")[:, : k + 1]
    near = distances[rows, nearest]
    gaps = near[:, k:] - near[:, :k]
    total = gaps.sum(axis=1, keepdims=True)
    weights = np.where(total > 0, gaps / np.where(total > 0, total, 1.0), 1.0 / k)
    S = np.zeros_like(distances)
    S[rows, nearest[:, :k]] = weights
    return S, total[:, 0] / 2

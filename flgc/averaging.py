"""All models of a grid as one: the weighted sum of their scores is one linear filter again.

    sum_s w_s p_s(P) X W_s = sum_h P^h X B_h,   B_h = sum_s w_s c_(s,h) W_s

with c_(s,h) the coefficients of p_s. Models that differ in their regularization r alone share an
eigendecomposition, and their sum is one product: Q diag(sum_r w_r / (eigenvalue + r)) Q' Y.

The weight of a model comes from nodes that the run may see and the model did not fit:

    w_s = exp(hits_s) E_s^-4 / size_s

hits_s is how many of them it gets right, E_s its leave-one-out squared error, and size_s the mean
absolute score: a large regularization makes scores small, not wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, device

from flgc.device import in_float64, n_threads
from flgc.grid import check_grid, designs, parts_of_splits, solved
from flgc.learnt_filter import PER_HOP, POLYNOMIAL, hop_sizes, unstacked
from flgc.propagation import coefficients, iterate_filter
from flgc.ridge import RidgePath, is_within, one_hot

# How much one more hit and a smaller error count (docs/rules.md).
PER_HIT, ERROR_POWER = 1.0, 4.0


@dataclass(frozen=True)
class Average:
    """One filter in place of many models; for several splits, with an axis of splits in front.

    `filters` are B_0 .. B_hops, shape (hops + 1, d, C). `left_out` are the summed scores of each
    labelled node by fits without it, shape (l, C), or None without `leave_one_out`.
    """

    filters: Any
    left_out: Any


def average_grid(
    P: Any,
    X: Any,
    labels: Any,
    labelled: Any,
    weights: np.ndarray,
    *,
    n_classes: int,
    hops: Sequence[int],
    teleports: Sequence[float],
    regularizations: Sequence[float],
    leave_one_out: bool = True,
    filter: str = POLYNOMIAL,
) -> Average:
    """sum_s w_s p_s(P) X W_s over the models s of a grid; those of weight 0 are not solved.

    Parameters
    ----------
    P, X, labels, labelled, n_classes, hops, teleports, regularizations, filter
        As in `flgc.grid.score_grid`.
    weights : array of shape (hops, teleports, regularizations), or (splits, ...)
        A single pick has the weight 1.
    """
    hops, teleports, regularizations = check_grid(hops, teleports, regularizations)
    xp, dtype = array_namespace(labelled), X.dtype
    if not is_within(X, min(regularizations)):
        P, X = in_float64(P), in_float64(X)
    nodes = labelled[None] if labelled.ndim == 1 else labelled
    n_splits, n_labelled = nodes.shape
    weights = np.reshape(weights, (n_splits, len(hops), len(teleports), len(regularizations)))
    rows, place = xp.unique_inverse(nodes)
    place = xp.reshape(place, nodes.shape)
    Y = one_hot(labels[nodes], n_classes, xp.float64)
    sizes = hop_sizes(P, X, max(hops)) if filter == PER_HOP else []
    parts = parts_of_splits(n_splits, n_labelled, X.shape[1] * max(len(sizes), 1))

    def settings() -> Iterator[tuple[int, int, tuple[Any, Any]]]:
        for i, t, H in designs(P, X, rows, hops, teleports, filter):
            if weights[:, i, t].any():
                yield i, t, (H, xp.asarray(weights[:, i, t], dtype=xp.float64, device=device(Y)))

    def solve(setting: tuple[Any, Any]) -> tuple[Any, Any]:
        H, w = setting
        sums = [
            _summed(in_float64(H[place[part]]), Y[part], w[part], regularizations, leave_one_out)
            for part in parts
        ]
        return tuple(xp.concat(each) for each in zip(*sums, strict=True))

    shape = (n_splits, max(hops) + 1, X.shape[1], n_classes)
    filters = xp.zeros(shape, dtype=xp.float64, device=device(Y))
    left_out = xp.zeros_like(Y)
    threads = n_threads() if isinstance(labels, np.ndarray) else 1
    for i, t, (W, scores) in solved(solve, settings(), threads):
        if filter == PER_HOP:
            for h, B in enumerate(unstacked(W, sizes, X.shape[1])):
                filters[:, h] += B
        else:
            for h, c in enumerate(coefficients(hops[i], teleports[t])):
                if c:
                    filters[:, h] += c * W
        left_out += scores
    if labelled.ndim == 1:
        filters, left_out = filters[0], left_out[0]
    return Average(xp.astype(filters, dtype, copy=False), left_out if leave_one_out else None)


def _summed(
    H: Any, Y: Any, w: Any, regularizations: Sequence[float], leave_one_out: bool
) -> tuple[Any, Any]:
    """sum_r w_r W_r of one setting, (splits, d, C), and the same sum of left-out scores."""
    xp = array_namespace(H)
    path = RidgePath.from_features(H, Y, min(regularizations))
    summed = path.Q @ (path.rotated * (path.shrinkage(regularizations) @ w[..., None]))
    W = summed if path.H is not None else xp.matrix_transpose(H) @ summed
    if not leave_one_out:
        return W, xp.zeros_like(Y)
    residuals = path.leave_one_out_residuals(regularizations, path.solutions(regularizations))
    scores = Y[..., None, :] - residuals
    weighted = xp.where(w[:, None, :, None] > 0, w[:, None, :, None] * scores, 0.0)
    return W, xp.sum(weighted, axis=-2)


def log_weights(
    hits: np.ndarray,
    errors: np.ndarray,
    sizes: np.ndarray,
    per_hit: float = PER_HIT,
    power: float = ERROR_POWER,
) -> np.ndarray:
    """hits - 4 log E of each model; -inf where its scores are not finite or all 0.

    Hits are counted at nodes that the run may see and the model did not fit: labelled ones, each
    left out, and validation nodes.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = per_hit * hits - power * np.log(errors)
        usable = np.isfinite(logs) & np.isfinite(np.log(sizes))
    return np.where(usable, logs, -np.inf)


def of_one_size(shares: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Weights for `average_grid` that give each model's scores a mean size of 1 first."""
    return np.divide(shares, sizes, out=np.zeros_like(shares), where=shares > 0)


def with_constant(X: Any) -> Any:
    """X with a column of ones, propagated like any other: P X of a constant X is not constant."""
    if sp.issparse(X):
        return sp.csr_array(sp.hstack([X, np.ones((X.shape[0], 1), dtype=X.dtype)], format="csr"))
    xp = array_namespace(X)
    return xp.concat([X, xp.ones((X.shape[0], 1), dtype=X.dtype, device=device(X))], axis=1)


def filtered(P: Any, X: Any, filters: Any) -> Any:
    """sum_h P^h X B_h of all nodes, (..., N, C), in `hops` products of C columns."""
    xp = array_namespace(filters)
    *splits, n_terms, d, n_classes = filters.shape
    # Splits side by side, as further columns.
    columns = xp.moveaxis(xp.reshape(filters, (-1, n_terms, d, n_classes)), 0, 2)
    terms = (X @ xp.reshape(columns[h], (d, -1)) for h in reversed(range(n_terms)))
    for total in iterate_filter(P, terms):
        scores = total
    return xp.reshape(
        xp.moveaxis(xp.reshape(scores, (X.shape[0], -1, n_classes)), 1, 0),
        (*splits, X.shape[0], n_classes),
    )

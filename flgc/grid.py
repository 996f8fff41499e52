"""Every model of a grid hops x teleports x regularizations, scored in one pass.

What does not depend on a setting is done once: the powers of P serve all hops and teleports, one
eigendecomposition serves all regularizations. Settings are solved side by side, one per core.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace
from threadpoolctl import threadpool_limits

from flgc.device import n_threads, to_numpy
from flgc.propagation import check_hops, check_teleport, embedding_grid, kernel_grid
from flgc.ridge import RidgePath, check_regularization, one_hot

# The label side keeps hops^2 matrices; beyond this many numbers it gives way to the feature side.
_MOST_KERNEL_NUMBERS = 250_000_000
# A multiplication in a sparse product, in dense ones (measured on citation graphs).
_SPARSE_COSTS = 25


@dataclass(frozen=True)
class GridScores:
    """How each model of the grid did; arrays of shape (hops, teleports, regularizations)."""

    loo_squared_error: np.ndarray | None
    loo_accuracy: np.ndarray | None
    accuracy: Mapping[str, np.ndarray]


def score_grid(
    P: Any,
    X: Any,
    labels: Any,
    labelled: Any,
    *,
    n_classes: int,
    hops: Sequence[int],
    teleports: Sequence[float],
    regularizations: Sequence[float],
    evaluate: Mapping[str, Any] | None = None,
    leave_one_out: bool = True,
    side: str = "auto",
) -> GridScores:
    """Fit every model of the grid on the labelled nodes and score it.

    Parameters
    ----------
    P, X : propagation matrix and features, both scipy / numpy or both torch
    labels : integer array of shape (n_nodes,)
        Class of each node, 0 .. n_classes - 1; anything where it is not known.
    labelled : integer array
        The nodes whose labels the fit may see.
    evaluate : mapping of a name to an integer array
        Nodes on which to measure accuracy, e.g. {"validation": ..., "test": ...}.
    side : {"auto", "features", "labels"}
        What is propagated; the results are the same.
    """
    check_grid(hops, teleports, regularizations)
    xp = array_namespace(labels)
    evaluate = dict(evaluate or {})
    Y = one_hot(labels[labelled], n_classes, X.dtype)
    truths = {name: labels[nodes] for name, nodes in evaluate.items()}
    ends = np.cumsum([labelled.shape[0], *(nodes.shape[0] for nodes in evaluate.values())])
    rows = xp.concat([labelled, *evaluate.values()])
    shape = (len(hops), len(teleports), len(regularizations))
    results = {name: np.empty(shape) for name in [*evaluate, *(_LOO if leave_one_out else ())]}

    def solve(setting: tuple[int, int, Any]) -> None:
        i, t, matrix = setting  # rows of H, or of H H[labelled]': the labelled ones come first
        top = matrix[: ends[0]]
        path = RidgePath(top, Y) if on_label_side else RidgePath.from_features(top, Y)
        solutions = path.solutions(regularizations)
        flat = xp.reshape(solutions, (solutions.shape[0], -1))
        if not on_label_side and path.H is None:
            flat = top.T @ flat  # dual coefficients to weights
        for (name, truth), start, stop in zip(truths.items(), ends, ends[1:], strict=False):
            scores = xp.reshape(matrix[start:stop] @ flat, (-1, *solutions.shape[1:]))
            results[name][i, t] = _accuracy(scores, truth)
        if leave_one_out:
            residuals = path.leave_one_out_residuals(regularizations, solutions)
            squared = xp.mean(xp.sum(residuals**2, axis=2), axis=0)
            results["loo_squared_error"][i, t] = to_numpy(squared)
            held_out = Y[:, None, :] - residuals
            results["loo_accuracy"][i, t] = _accuracy(held_out, labels[labelled])

    if side == "auto":
        side = _choose_side(P, X, ends[-1], Y, hops, len(teleports), len(regularizations))
    on_label_side = side == "labels"
    if on_label_side:
        settings = kernel_grid(P, X, labelled, rows, hops, teleports)
    else:
        settings = embedding_grid(P, X, rows, hops, teleports)
    _consume(solve, settings, n_threads() if isinstance(labels, np.ndarray) else 1)
    loo = {name: results.pop(name, None) for name in _LOO}
    return GridScores(**loo, accuracy=results)


_LOO = ("loo_squared_error", "loo_accuracy")


def check_grid(
    hops: Sequence[int], teleports: Sequence[float], regularizations: Sequence[float]
) -> None:
    """Refuse an empty axis and values out of range, before any work is done."""
    for name, axis in (
        ("hops", hops),
        ("teleports", teleports),
        ("regularizations", regularizations),
    ):
        if len(axis) == 0:
            raise ValueError(f"the grid has no {name}: give at least one.")
    for n_hops in hops:
        check_hops(n_hops)
    for teleport in teleports:
        check_teleport(teleport)
    for regularization in regularizations:
        check_regularization(regularization)


def _accuracy(scores: Any, truth: Any) -> np.ndarray:
    """Share of nodes whose largest score is at their class; scores (n, R, C) give R shares."""
    xp = array_namespace(scores)
    hits = xp.argmax(scores, axis=2) == truth[:, None]
    return to_numpy(xp.mean(xp.astype(hits, scores.dtype), axis=0))


def _choose_side(
    P: Any, X: Any, n_rows: int, Y: Any, hops: Sequence[int], n_teleports: int, n_paths: int
) -> str:
    """The side with fewer multiplications, a sparse one counted as many dense ones."""
    (n_labelled, n_classes), d, last = Y.shape, X.shape[1], max(hops)
    if n_labelled >= d or (last + 1) ** 2 * n_rows * n_labelled > _MOST_KERNEL_NUMBERS:
        return "features"
    sparse = _SPARSE_COSTS * last * (P.nnz if isinstance(P, sp.csr_array) else P.values().shape[0])
    dense = len(hops) * n_teleports * n_rows * n_paths * n_classes
    by_labels = (sparse * (last + 1) + dense) * n_labelled
    return "labels" if by_labels < (sparse + dense) * d else "features"


def _consume(solve: Any, settings: Iterable[Any], threads: int) -> None:
    """Call `solve` on each setting, `threads` at a time, without piling settings up."""
    if threads == 1:
        for setting in settings:
            solve(setting)
        return
    pending: deque[Future] = deque()
    # One BLAS thread each: small decompositions gain more from standing side by side.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        for setting in settings:
            pending.append(pool.submit(solve, setting))
            if len(pending) > 2 * threads:
                pending.popleft().result()
        for future in pending:
            future.result()

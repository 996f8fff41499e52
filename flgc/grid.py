"""Every model of a grid hops x teleports x regularizations, scored in one pass.

Whatever settings share is computed once: the powers of P serve all hops and teleports, one
eigendecomposition serves all regularizations. Settings are solved side by side, one per core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, device

from flgc.checks import brief, check_hops, check_regularization, check_teleport
from flgc.device import in_float64, n_threads, side_by_side, to_numpy
from flgc.learnt_filter import PER_HOP, POLYNOMIAL, stacked_grid
from flgc.propagation import embedding_grid, kernel_grid
from flgc.ridge import RidgePath, is_within, most_condition, one_hot, times_paths

# The label side keeps hops^2 / 4 matrices; beyond this many numbers the feature side is taken.
_MOST_KERNEL_NUMBERS = 100_000_000
# Numbers in the labelled rows of H of splits that are solved together.
_MOST_LABELLED_NUMBERS = 500_000
# Numbers in the rows of H that are gathered and scored at once.
_MOST_SCORED_NUMBERS = 2_000_000
# Dense multiplications that cost as much as a sparse one (measured on citation graphs).
_SPARSE_COSTS = 25
# The setting where leave-one-out cannot pick; the regularization is this share of the summed
# variance of the labelled rows of H.
USUAL_HOPS, USUAL_TELEPORT, USUAL_SHARE = 10, 0.1, 0.01


class LostDigits(ValueError):
    """A regularization is too small for the requested side of the grid."""


@dataclass(frozen=True)
class GridScores:
    """The scores of each model of the grid.

    Arrays of shape (hops, teleports, regularizations), with an axis of splits in front if there
    are several.
    """

    loo_squared_error: np.ndarray | None
    loo_accuracy: np.ndarray | None
    loo_size: np.ndarray | None  # mean absolute score of left-out nodes
    judged: Mapping[str, np.ndarray]


# From numbers of splits and the classes predicted at their asked nodes, (splits, asked,
# regularizations), or decisions with `ranked`, to columns of shape (splits, regularizations).
Judge = Callable[[list[int], np.ndarray], Mapping[str, np.ndarray]]
# From the matrix of one setting, H or H H[labelled]', to columns of the same shape.
Solver = Callable[[Any], dict[str, np.ndarray]]


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
    asked: Any = None,
    judge: Judge | None = None,
    leave_one_out: bool = True,
    side: str = "auto",
    filter: str = POLYNOMIAL,
    ranked: bool = False,
) -> GridScores:
    """Fit every model of the grid on the labelled nodes and judge it at others.

    Parameters
    ----------
    P, X : propagation matrix and features, both scipy / numpy or both torch
    labels : integer array of shape (n_nodes,)
        Class of each labelled node, 0 .. n_classes - 1; other entries are not used.
    labelled : integer array of shape (l,), or (splits, l)
        The nodes whose labels the fit may see. Several splits share the propagation.
    asked, judge : integer array of shape (n,), or (splits, n), and a function
        Nodes whose classes are predicted, and a function that scores the predictions; `accuracies`
        gives both.
    side : {"auto", "features", "labels"}
        What is propagated; the results are the same. The label side has only products of rows of
        H: if they lose a regularization in rounding, "labels" raises `LostDigits`, and "auto" takes
        the features. float32 becomes float64 if its rounding would be fitted too.
    filter : {"polynomial", "per-hop"}
        "per-hop" learns it (`flgc.learnt_filter`), on the feature side, and has no use for
        teleports: give one.
    ranked : bool
        Whether the judge gets, for two classes, the score of the second minus that of the first.
    """
    hops, teleports, regularizations = check_grid(hops, teleports, regularizations)
    side = "features" if filter == PER_HOP else side
    if not is_within(X, min(regularizations)):
        P, X = in_float64(P), in_float64(X)
    nodes = labelled[None] if labelled.ndim == 1 else labelled
    xp = array_namespace(nodes)
    wanted = nodes[:, :0] if asked is None else xp.asarray(asked, device=device(nodes))
    wanted = wanted[None] if wanted.ndim == 1 else wanted
    n_splits = nodes.shape[0]
    shape = (n_splits, len(hops), len(teleports), len(regularizations))
    width = X.shape[1] * (max(hops) + 1 if filter == PER_HOP else 1)
    results: dict[str, np.ndarray] = {}

    def fill(side: str) -> None:
        # The label side propagates the indicators of one split; the feature side serves all.
        chunks = [slice(i, i + 1) for i in range(n_splits)] if side == "labels" else [slice(None)]
        for chunk in chunks:
            some, splits = nodes[chunk], range(n_splits)[chunk]
            settings, place = _settings(P, X, some, wanted[chunk], hops, teleports, side, filter)
            solvers = [
                _solver_of_some(
                    splits[part],
                    labels,
                    some[part],
                    place[part],
                    judge,
                    n_classes,
                    regularizations,
                    leave_one_out,
                    X.dtype,
                    width,
                    side,
                    ranked,
                )
                for part in parts_of_splits(len(splits), some.shape[1], width)
            ]
            solve = partial(_solved_together, solvers)
            threads = n_threads() if isinstance(labels, np.ndarray) else 1
            for i, t, columns in solved(solve, settings, threads):
                for name, values in columns.items():
                    results.setdefault(name, np.empty(shape))[chunk, i, t] = values

    chosen = side
    if side == "auto":
        n_labelled = nodes.shape[1]
        n_rows = n_labelled + wanted.shape[1]
        n_models = len(hops) * len(teleports) * len(regularizations)
        chosen = _choose_side(P, X, n_rows, n_labelled, max(hops), n_models * n_classes, n_splits)
    try:
        fill(chosen)
    except LostDigits:
        if side != "auto":
            raise
        fill("features")
    if labelled.ndim == 1:
        results = {name: values[0] for name, values in results.items()}
    loo = {name: results.pop(name, None) for name in _LOO}
    return GridScores(**loo, judged=results)


def accuracies(labels: np.ndarray, nodes: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """`asked` and `judge` of `score_grid`: accuracies at nodes by name, (n,) or (splits, n)."""
    several = {name: np.atleast_2d(of_name) for name, of_name in nodes.items()}
    ends = np.cumsum([0, *(nodes.shape[1] for nodes in several.values())])

    def judge(splits: list[int], classes: np.ndarray) -> dict[str, np.ndarray]:
        return {
            name: np.mean(classes[:, start:stop] == labels[of_name[splits]][..., None], axis=1)
            for (name, of_name), start, stop in zip(several.items(), ends, ends[1:], strict=False)
        }

    return {"asked": np.concatenate(list(nodes.values()), axis=-1), "judge": judge}


def ranks_from_usual(
    P: Any,
    X: Any,
    labelled: Any,
    hops: Sequence[int],
    teleports: Sequence[float],
    regularizations: Sequence[float],
    *,
    filter: str = POLYNOMIAL,
) -> np.ndarray:
    """Each model's rank by its distance from the usual setting, 0 the nearest; shaped as scores.

    Hops count first, then the teleport, then the regularization, whose usual value is a share of
    the summed variance of the labelled rows of H (docs/decisions.md). `labelled` has the shape
    (l,), or (splits, l).
    """
    xp = array_namespace(labelled)
    rows, place = xp.unique_inverse(labelled)
    places = np.atleast_2d(to_numpy(xp.reshape(place, labelled.shape)))
    wanted = np.empty((len(places), len(hops), len(teleports), 1))
    for i, t, H in designs(P, X, rows, hops, teleports, filter):
        on_host = to_numpy(H).astype(float)
        wanted[:, i, t, 0] = [on_host[nodes].var(axis=0).sum() for nodes in places]
    with np.errstate(divide="ignore"):  # a regularization of 0 is the farthest
        distances = (
            np.abs(np.log(regularizations) - np.log(np.maximum(USUAL_SHARE * wanted, 1e-300))),
            np.abs(np.asarray(teleports) - USUAL_TELEPORT)[:, None],
            np.abs(np.asarray(hops) - USUAL_HOPS)[:, None, None],
        )
    shape = np.broadcast_shapes(*(each.shape for each in distances))
    keys = [np.broadcast_to(each, shape).reshape(len(places), -1) for each in distances]
    ranks = np.argsort(np.lexsort(keys, axis=-1), axis=-1)
    return ranks.reshape((*labelled.shape[:-1], *shape[1:]))


def _settings(
    P: Any,
    X: Any,
    labelled: Any,
    asked: Any,
    hops: Sequence[int],
    teleports: Sequence[float],
    side: str,
    filter: str,
) -> tuple[Iterator[tuple[int, int, Any]], Any]:
    """(H or H H[labelled]' of each setting at the nodes that any split needs, positions).

    Positions have the shape (splits, labelled + asked) and count among those nodes.
    """
    xp = array_namespace(labelled)
    rows = xp.concat([labelled, asked], axis=1)
    wanted, place = xp.unique_inverse(rows)
    if side == "labels":
        settings = kernel_grid(P, X, labelled[0], wanted, hops, teleports)
    else:
        settings = designs(P, X, wanted, hops, teleports, filter)
    return settings, xp.reshape(place, rows.shape)


def designs(
    P: Any, X: Any, rows: Any, hops: Sequence[int], teleports: Sequence[float], filter: str
) -> Iterator[tuple[int, int, Any]]:
    """(index of hops, index of teleport, what the ridge is fitted on at the rows)."""
    if filter == PER_HOP:
        return stacked_grid(P, X, rows, hops)
    return embedding_grid(P, X, rows, hops, teleports)


def _solved_together(solvers: Sequence[Solver], matrix: Any) -> dict[str, np.ndarray]:
    """The columns of all parts of the splits, concatenated."""
    parts = [solve(matrix) for solve in solvers]
    return {name: np.concatenate([columns[name] for columns in parts]) for name in parts[0]}


def parts_of_splits(n_splits: int, n_labelled: int, n_features: int) -> list[slice]:
    """Slices of splits whose labelled rows fit into memory together."""
    at_once = max(1, _MOST_LABELLED_NUMBERS // (n_labelled * n_features))
    return [slice(start, start + at_once) for start in range(0, n_splits, at_once)]


def _solver_of_some(
    splits: Sequence[int],
    labels: Any,
    labelled: Any,
    place: Any,
    judge: Judge | None,
    n_classes: int,
    regularizations: Sequence[float],
    leave_one_out: bool,
    dtype: Any,
    width: int,
    side: str,
    ranked: bool,
) -> Solver:
    """The solver of these splits, with all their labelled rows at once, (splits, labelled, m)."""
    xp = array_namespace(labelled)
    n_splits, n_labelled = labelled.shape
    truth = labels[labelled]
    Y = one_hot(truth, n_classes, dtype)
    width = n_labelled if side == "labels" else width
    step = max(1, _MOST_SCORED_NUMBERS // (n_splits * width))
    asked = place[:, n_labelled:]
    blocks = [asked[:, start : start + step] for start in range(0, asked.shape[1], step)]

    def solve(matrix: Any) -> dict[str, np.ndarray]:
        top = matrix[place[:, :n_labelled]]
        smallest = min(regularizations)
        if side == "labels":
            most = most_condition(top.dtype, xp)
            finite = bool(xp.all(xp.isfinite(top)))
            if finite:
                path = RidgePath(top, Y)
            if not (finite and path.is_conditioned(smallest, most)):
                raise LostDigits(
                    f"regularization={smallest!r} is lost in the rounding of H H', and the label "
                    f"side of a grid never forms H: use side='features', or drop it from the grid."
                )
        else:
            top = in_float64(top)
            path = RidgePath.from_features(top, Y, smallest)
        solutions = path.solutions(regularizations)
        weights = solutions
        if side == "features" and path.H is None:
            weights = times_paths(xp.matrix_transpose(top), solutions)
        weights = xp.astype(weights, matrix.dtype, copy=False)
        columns: dict[str, np.ndarray] = {}
        if judge is not None and blocks:
            scores = (times_paths(matrix[rows], weights) for rows in blocks)
            answers = [
                of_block[..., 1] - of_block[..., 0] if ranked else xp.argmax(of_block, axis=-1)
                for of_block in scores
            ]
            columns |= judge(list(splits), to_numpy(xp.concat(answers, axis=1)))
        if leave_one_out:
            residuals = path.leave_one_out_residuals(regularizations, solutions)
            squared = xp.mean(xp.sum(residuals**2, axis=-1), axis=-2)
            columns["loo_squared_error"] = to_numpy(squared)
            left_out = Y[..., None, :] - residuals
            columns["loo_accuracy"] = _accuracy(xp.argmax(left_out, axis=-1), truth, dtype)
            columns["loo_size"] = to_numpy(xp.mean(xp.abs(left_out), axis=(-3, -1)))
        return columns

    return solve


_LOO = ("loo_squared_error", "loo_accuracy", "loo_size")


def check_grid(
    hops: Any, teleports: Any, regularizations: Any
) -> tuple[list[int], list[float], list[float]]:
    """The axes as lists of plain numbers; empty axes and values out of range are errors."""
    return (
        [check_hops(value) for value in _axis("hops", hops)],
        [check_teleport(value) for value in _axis("teleports", teleports)],
        [check_regularization(value) for value in _axis("regularizations", regularizations)],
    )


def _axis(name: str, values: Any) -> Any:
    is_list = isinstance(values, Sequence) and not isinstance(values, str | bytes)
    if not is_list and getattr(values, "ndim", 0) != 1:
        raise ValueError(
            f"{name}={brief(values)} is not possible: the grid needs a list or another sequence "
            f"of numbers, also for a single one."
        )
    if len(values) == 0:
        raise ValueError(f"the grid has no {name}: give at least one.")
    return values


def _accuracy(predicted: Any, truth: Any, dtype: Any) -> np.ndarray:
    """Share of nodes whose class is right; (..., n, R) give (..., R)."""
    xp = array_namespace(predicted)
    return to_numpy(xp.mean(xp.astype(predicted == truth[..., None], dtype), axis=-2))


def _choose_side(
    P: Any, X: Any, n_rows: int, n_labelled: int, last_hop: int, n_columns: int, n_splits: int
) -> str:
    """The side with fewer multiplications, each sparse one counted as several dense ones."""
    d = X.shape[1]
    if n_labelled >= d or (last_hop + 1) ** 2 / 4 * n_rows * n_labelled > _MOST_KERNEL_NUMBERS:
        return "features"
    nnz = P.nnz if isinstance(P, sp.csr_array) else P.values().shape[0]
    sparse = _SPARSE_COSTS * last_hop * nnz
    dense = n_splits * n_rows * n_columns
    by_labels = (sparse * n_splits * (last_hop + 1) + dense) * n_labelled
    return "labels" if by_labels < (sparse + dense) * d else "features"


def solved(
    solve: Callable[[Any], Any], settings: Iterable[tuple[int, int, Any]], threads: int
) -> Iterator[tuple[int, int, Any]]:
    """`solve` of each setting's rows, `threads` at a time."""

    def of_setting(setting: tuple[int, int, Any]) -> tuple[int, int, Any]:
        i, t, rows = setting
        return i, t, solve(rows)

    return side_by_side(of_setting, settings, threads)

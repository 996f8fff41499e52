"""Every model of a grid hops x teleports x regularizations, scored in one pass.

What does not depend on a setting is done once: the powers of P serve all hops and teleports, one
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

from flgc.checks import check_hops, check_regularization, check_teleport, shown
from flgc.device import in_float64, n_threads, side_by_side, to_numpy
from flgc.learnt_filter import PER_HOP, POLYNOMIAL, stacked_grid
from flgc.propagation import embedding_grid, kernel_grid
from flgc.ridge import RidgePath, is_within, most_condition, one_hot, times_paths

# The label side keeps hops^2 / 4 matrices; beyond this many numbers it gives way to the other.
_MOST_KERNEL_NUMBERS = 100_000_000
# Numbers in the rows of H that are labelled in the splits solved together.
_MOST_LABELLED_NUMBERS = 500_000
# Numbers in the rows of H that are gathered and scored at once.
_MOST_SCORED_NUMBERS = 2_000_000
# A multiplication in a sparse product, in dense ones (measured on citation graphs).
_SPARSE_COSTS = 25
# Where leave-one-out cannot pick: regularization is this share of the spread of the labelled rows.
USUAL_HOPS, USUAL_TELEPORT, USUAL_SHARE = 10, 0.1, 0.01


class LostDigits(ValueError):
    """A regularization is too small for the side of the grid that was asked for."""


@dataclass(frozen=True)
class GridScores:
    """How each model of the grid did.

    Arrays of shape (hops, teleports, regularizations), with an axis of splits in front if several
    were asked for.
    """

    loo_squared_error: np.ndarray | None
    loo_accuracy: np.ndarray | None
    loo_size: np.ndarray | None  # mean absolute score of left-out nodes
    judged: Mapping[str, np.ndarray]


# Takes numbers of splits and the classes that were found at their asked nodes, of shape (splits,
# asked, regularizations), and gives what is to be known of them, (splits, regularizations) each.
Judge = Callable[[list[int], np.ndarray], Mapping[str, np.ndarray]]


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
    """Fit every model of the grid on the labelled nodes and have it judged at others.

    Parameters
    ----------
    P, X : propagation matrix and features, both scipy / numpy or both torch
    labels : integer array of shape (n_nodes,)
        Class of each labelled node, 0 .. n_classes - 1; others are not looked at.
    labelled : integer array of shape (l,), or (splits, l)
        The nodes whose labels the fit may see. Several splits share the propagation.
    asked, judge : integer array of shape (n,), or (splits, n), and a function
        Nodes whose classes are predicted, and who says how good they are: `accuracies` does.
    side : {"auto", "features", "labels"}
        What is propagated; the results are the same. The label side knows H only by products of
        its rows: where these lose a regularization, "labels" is refused with `LostDigits`, and
        "auto" takes the features. float32 is left for float64 where it would be fitted too.
    filter : {"polynomial", "per-hop"}
        "per-hop" learns it (`flgc.learnt_filter`), on the feature side; one teleport stands for
        none.
    ranked : bool
        Whether the judge is given, of two classes, the score of the second less that of the first.
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
    results: dict[str, np.ndarray] = {}

    def fill(side: str) -> None:
        # The label side propagates the indicators of one split; the feature side serves all.
        chunks = [slice(i, i + 1) for i in range(n_splits)] if side == "labels" else [slice(None)]
        for chunk in chunks:
            some, tests = nodes[chunk], wanted[chunk]
            settings, place = _settings(P, X, some, tests, hops, teleports, side, filter)
            first = chunk.start or 0
            judged = None if judge is None else partial(_shifted, judge, first)
            width = X.shape[1] * (max(hops) + 1 if filter == PER_HOP else 1)
            given = (labels, some, judged, n_classes, regularizations, leave_one_out)
            solve = _solver(*given, X.dtype, width, side, place, ranked)
            threads = n_threads() if isinstance(labels, np.ndarray) else 1
            for i, t, found in solved(solve, settings, threads):
                for name, values in found.items():
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


def _shifted(judge: Judge, first: int, splits: list[int], classes: np.ndarray) -> Any:
    """The judge of all splits, for some that are counted from `first`."""
    return judge([first + split for split in splits], classes)


def accuracies(labels: np.ndarray, nodes: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """`asked` and `judge` for nodes by name, (n,) or (splits, n): the share that is right."""
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

    First hops count, then the teleport, then the regularization: its usual value is a share of the
    summed variance of the labelled rows of H (docs/decisions.md). `labelled` is of (l,), or
    (splits, l).
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
    """H, or H H[labelled]', of each setting at the nodes that any split needs; where theirs are.

    The second is of shape (splits, labelled + asked) and has positions among those nodes.
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


def _solver(
    labels: Any,
    labelled: Any,
    judge: Judge | None,
    n_classes: int,
    regularizations: Sequence[float],
    leave_one_out: bool,
    dtype: Any,
    width: int,
    side: str,
    place: Any,
    ranked: bool,
) -> Callable[[Any], dict[str, np.ndarray]]:
    """A function from the matrix of one setting to its scores, (splits, regularizations) each."""
    n_splits, n_labelled = labelled.shape
    solvers = [
        _solver_of_some(
            labels,
            labelled[part],
            None if judge is None else partial(_shifted, judge, part.start),
            n_classes,
            regularizations,
            leave_one_out,
            dtype,
            width,
            side,
            place[part],
            ranked,
        )
        for part in parts_of_splits(n_splits, n_labelled, width)
    ]

    def solve(matrix: Any) -> dict[str, np.ndarray]:
        found = [of_some(matrix) for of_some in solvers]
        return {name: np.concatenate([each[name] for each in found]) for name in found[0]}

    return solve


def parts_of_splits(n_splits: int, n_labelled: int, n_features: int) -> list[slice]:
    """Splits whose labelled rows fit into memory together."""
    at_once = max(1, _MOST_LABELLED_NUMBERS // (n_labelled * n_features))
    return [slice(start, start + at_once) for start in range(0, n_splits, at_once)]


def _solver_of_some(
    labels: Any,
    labelled: Any,
    judge: Judge | None,
    n_classes: int,
    regularizations: Sequence[float],
    leave_one_out: bool,
    dtype: Any,
    width: int,
    side: str,
    place: Any,
    ranked: bool,
) -> Callable[[Any], dict[str, np.ndarray]]:
    """The same for some splits, whose labelled rows, (splits, labelled, m), are taken at once."""
    xp = array_namespace(labelled)
    n_splits, n_labelled = labelled.shape
    seen = labels[labelled]
    Y = one_hot(seen, n_classes, dtype)
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
                    f"side of a grid never has H: use side='features', or drop it from the grid."
                )
        else:
            top = in_float64(top)
            path = RidgePath.from_features(top, Y, smallest)
        solutions = path.solutions(regularizations)
        weights = solutions
        if side == "features" and path.H is None:
            weights = times_paths(xp.matrix_transpose(top), solutions)
        weights = xp.astype(weights, matrix.dtype, copy=False)
        found: dict[str, np.ndarray] = {}
        if judge is not None and blocks:
            scores = (times_paths(matrix[rows], weights) for rows in blocks)
            winners = [
                of_block[..., 1] - of_block[..., 0] if ranked else xp.argmax(of_block, axis=-1)
                for of_block in scores
            ]
            found |= judge(list(range(n_splits)), to_numpy(xp.concat(winners, axis=1)))
        if leave_one_out:
            residuals = path.leave_one_out_residuals(regularizations, solutions)
            squared = xp.mean(xp.sum(residuals**2, axis=-1), axis=-2)
            found["loo_squared_error"] = to_numpy(squared)
            left_out = Y[..., None, :] - residuals
            found["loo_accuracy"] = _accuracy(xp.argmax(left_out, axis=-1), seen, dtype)
            found["loo_size"] = to_numpy(xp.mean(xp.abs(left_out), axis=(-3, -1)))
        return found

    return solve


_LOO = ("loo_squared_error", "loo_accuracy", "loo_size")


def check_grid(
    hops: Any, teleports: Any, regularizations: Any
) -> tuple[list[int], list[float], list[float]]:
    """The axes as lists of plain numbers; refuses empty ones and values out of range."""
    return (
        [check_hops(value) for value in _axis("hops", hops)],
        [check_teleport(value) for value in _axis("teleports", teleports)],
        [check_regularization(value) for value in _axis("regularizations", regularizations)],
    )


def _axis(name: str, values: Any) -> Any:
    is_list = isinstance(values, Sequence) and not isinstance(values, str | bytes)
    if not is_list and getattr(values, "ndim", 0) != 1:
        raise ValueError(
            f"{name}={shown(values)} is not possible: the grid needs a list or another sequence "
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
    """The side with fewer multiplications, a sparse one counted as many dense ones."""
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

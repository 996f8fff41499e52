"""Splits: which nodes are labelled, validate and are tested, from labels and a seed.

Seeds depend on (experiment, dataset, run), never on the method, so all methods see the same splits.
Nodes are drawn from the raw bits of PCG64, whose stream numpy never changes, so a split is the same
on every machine and with every version.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from flgc.datasets.dataset import Dataset

if TYPE_CHECKING:
    import pyarrow as pa

PER_CLASS = 20  # labelled nodes of each class in the public splits of the citation graphs
N_VALIDATION = 500
N_TEST = 1000
N_FOLDS = 3
ROLES = ("train", "val", "test")


@dataclasses.dataclass(frozen=True, eq=False)
class Split:
    """Sorted node numbers; nodes in none of the three are left out of the run.

    `folds` part the labelled nodes, in their order, for methods that need some of them to be picked
    by; -1 is in no fold.
    """

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray
    folds: np.ndarray | None = None


def derive_seed(experiment: str, dataset: str, run: int) -> int:
    """64 bits that depend only on these three."""
    text = json.dumps([experiment, dataset, run])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def seeds_of(experiment: str, dataset: str, n_runs: int) -> list[int]:
    """The seeds of an experiment's runs."""
    return [derive_seed(experiment, dataset, run) for run in range(n_runs)]


def mask_name(role: str, run: int) -> str:
    """What a mask is called in a dataset that comes with several splits."""
    return f"{role} {run}"


def given(masks: Mapping[str, np.ndarray] | None, run: int) -> Split:
    """One of several splits that come with the dataset; a further run begins with the first."""
    n_splits = sum(mask_name(ROLES[0], i) in (masks or {}) for i in range(len(masks or {})))
    if masks is None or not n_splits:
        raise ValueError("this dataset does not come with several splits; use another kind")
    of_run = run % n_splits
    return Split(*(np.flatnonzero(masks[mask_name(role, of_run)]) for role in ROLES))


def public(masks: Mapping[str, np.ndarray] | None) -> Split:
    """The split that comes with the dataset."""
    if masks is None or ROLES[0] not in masks:
        raise ValueError("this dataset has no public split; use another kind of split")
    return Split(*(np.flatnonzero(masks[role]) for role in ROLES))


def random_like_public(
    labels: np.ndarray,
    seed: int,
    *,
    per_class: int = PER_CLASS,
    n_validation: int = N_VALIDATION,
    n_test: int = N_TEST,
) -> Split:
    """The sizes of the public splits, other nodes: 20 of each class, then 500, then 1000."""
    order = _shuffled(len(labels), seed)
    train = _first_of_each_class(labels, order, lambda size: per_class)
    rest = order[~np.isin(order, train)]
    if len(rest) < n_validation + n_test:
        raise ValueError(
            f"{len(rest)} nodes are left for {n_validation} + {n_test} validation and test nodes"
        )
    val, test = rest[:n_validation], rest[n_validation : n_validation + n_test]
    return Split(np.sort(train), np.sort(val), np.sort(test))


def full(split: Split, n_nodes: int) -> Split:
    """The split with all nodes labelled that neither validate nor are tested."""
    held_out = np.concatenate([split.val, split.test])
    return Split(np.setdiff1d(np.arange(n_nodes), held_out), split.val, split.test)


def fraction_per_class(labels: np.ndarray, seed: int, fraction: float = 0.1) -> Split:
    """ceil(fraction * size) nodes of each class are labelled, all others are tested."""
    if not 0 < fraction < 1:
        raise ValueError(f"fraction must lie between 0 and 1, found {fraction}")
    # Rounded first: 0.07 * 100 is a little more than 7 in binary.
    return _rest_is_tested(labels, seed, lambda size: math.ceil(round(fraction * size, 9)))


def n_per_class(labels: np.ndarray, seed: int, n: int) -> Split:
    """`n` nodes of each class are labelled, all others are tested."""
    if n < 1:
        raise ValueError(f"n must be at least 1, found {n}")
    return _rest_is_tested(labels, seed, lambda size: n)


def make(dataset: Dataset, kind: str, seed: int = 0, run: int = 0) -> Split:
    """The split of a kind: public, random, full, random-full, 10%, 5-per-class, given, ...

    A drawn split depends on the seed, and one of several given ones on the number of the run.
    """
    if kind == "public":
        return public(dataset.masks)
    if kind == "given":
        return given(dataset.masks, run)
    if kind == "random":
        return random_like_public(dataset.labels, seed)
    if kind == "full":
        return full(public(dataset.masks), dataset.n_nodes)
    if kind == "random-full":
        return full(random_like_public(dataset.labels, seed), dataset.n_nodes)
    try:
        if kind.endswith("%"):
            return fraction_per_class(dataset.labels, seed, float(kind[:-1]) / 100)
        if kind.endswith("-per-class"):
            return n_per_class(dataset.labels, seed, int(kind.removesuffix("-per-class")))
    except ValueError as error:
        raise ValueError(f"split {kind!r}: {error}") from error
    raise ValueError(
        f"unknown split {kind!r}; choose public, random, full, random-full, given, a share such as "
        "10%, or a number such as 5-per-class"
    )


def runs(data: Dataset, split: str | Sequence[str], seeds: Sequence[int]) -> list[Split]:
    """The splits of the runs with these seeds, with folds if they have no validation nodes.

    Of several kinds of split, all runs of the first kind come first, then those of the second.
    """
    kinds = [split] if isinstance(split, str) else split
    drawn = [(make(data, kind, seed, i), seed) for kind in kinds for i, seed in enumerate(seeds)]
    return [each if len(each.val) else with_folds(each, data.labels, seed) for each, seed in drawn]


def with_folds(split: Split, labels: np.ndarray, seed: int, n_folds: int = N_FOLDS) -> Split:
    """The split with its labelled nodes divided into folds, each class as evenly as possible.

    A class with one labelled node is in no fold: a fit without it would not see the class.
    """
    folds = np.full(len(split.train), -1, dtype=np.int8)
    order = _shuffled(len(split.train), seed)
    n_placed = 0
    for label in np.unique(labels[split.train]):
        members = order[labels[split.train[order]] == label]
        if len(members) > 1:
            folds[members] = (n_placed + np.arange(len(members))) % n_folds
            n_placed += len(members)
    return dataclasses.replace(split, folds=folds)


def table(splits: Iterable[Split]) -> "pa.Table":
    """Many runs as one table (run, node, role, fold), ready for Parquet."""
    import pyarrow as pa

    runs, nodes, roles, folds = [], [], [], []
    for run, split in enumerate(splits):
        for role, members in enumerate((split.train, split.val, split.test)):
            runs.append(np.full(len(members), run, dtype=np.int32))
            nodes.append(members.astype(np.int64))
            roles.append(np.full(len(members), role, dtype=np.int8))
            known = split.folds if ROLES[role] == "train" else None
            folds.append(np.full(len(members), -1, dtype=np.int8) if known is None else known)
    if not runs:
        raise ValueError("no split to write")
    role = pa.DictionaryArray.from_arrays(pa.array(np.concatenate(roles)), pa.array(ROLES))
    columns = [pa.array(np.concatenate(column)) for column in (runs, nodes, folds)]
    return pa.table([*columns[:2], role, columns[2]], names=["run", "node", "role", "fold"])


def from_table(splits: "pa.Table") -> list[Split]:
    """The runs of a table, in order."""
    run, node, fold = (splits[name].to_numpy() for name in ("run", "node", "fold"))
    named = splits["role"].combine_chunks().dictionary_encode()
    role = np.array(named.dictionary.to_pylist())[named.indices.to_numpy()]
    order, of_runs = np.lexsort((node, run)), []
    for rows in np.split(order, np.flatnonzero(np.diff(run[order])) + 1):
        of_roles = [rows[role[rows] == name] for name in ROLES]
        train, val, test = (node[members] for members in of_roles)
        folds = fold[of_roles[0]]
        of_runs.append(Split(train, val, test, folds if (folds >= 0).any() else None))
    return of_runs


def _shuffled(n: int, seed: int) -> np.ndarray:
    return np.argsort(np.random.PCG64(seed).random_raw(n), kind="stable")


def _first_of_each_class(
    labels: np.ndarray, order: np.ndarray, how_many: Callable[[int], int]
) -> np.ndarray:
    chosen = []
    for label in np.unique(labels[labels >= 0]):
        members = order[labels[order] == label]
        wanted = how_many(len(members))
        if wanted > len(members):
            raise ValueError(f"class {label} has {len(members)} nodes, too few to label {wanted}")
        chosen.append(members[:wanted])
    return np.concatenate(chosen)


def _rest_is_tested(labels: np.ndarray, seed: int, how_many: Callable[[int], int]) -> Split:
    """Label so many nodes of each class and test the others; unknown ones (-1) are in neither."""
    train = np.sort(_first_of_each_class(labels, _shuffled(len(labels), seed), how_many))
    test = np.setdiff1d(np.flatnonzero(labels >= 0), train)
    return Split(train, np.array([], dtype=np.int64), test)

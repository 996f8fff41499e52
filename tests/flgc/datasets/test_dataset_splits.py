"""Splits: right sizes, the same for every method, another for every run, stored as a table."""

import dataclasses
import io

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flgc.datasets import Dataset, load, splits
from flgc.datasets.sizes import SIZES, sizes
from flgc.datasets.splits import runs

LABELS = np.repeat([0, 1, 2], [40, 31, 1000])


def disjoint(split: splits.Split) -> bool:
    together = np.concatenate([split.train, split.val, split.test])
    return len(np.unique(together)) == len(together)


def test_seeds_depend_on_experiment_dataset_and_run():
    seeds = {
        splits.derive_seed(experiment, dataset, run)
        for experiment in ("uci", "uci2")
        for dataset in ("iris", "2iris")
        for run in range(30)
    }
    assert len(seeds) == 120
    assert splits.derive_seed("uci", "iris", 0) == 9407709661181752800


@given(st.lists(st.integers(2, 60), min_size=1, max_size=5), st.integers(0, 2**64 - 1))
def test_a_tenth_of_each_class_is_labelled(sizes, seed):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    split = splits.fraction_per_class(labels, seed)
    assert disjoint(split)
    assert np.bincount(labels[split.train]).tolist() == [-(-size // 10) for size in sizes]
    assert len(split.train) + len(split.test) == len(labels)


def test_seven_percent_of_a_hundred_is_seven():
    """In binary 0.07 times 100 is a little more."""
    labels = np.repeat([0, 1], [100, 101])
    split = splits.fraction_per_class(labels, 0, 0.07)
    assert np.bincount(labels[split.train]).tolist() == [7, 8]


def test_n_per_class_and_its_limits():
    split = splits.n_per_class(LABELS, 5, n=7)
    assert np.bincount(LABELS[split.train]).tolist() == [7, 7, 7]
    with pytest.raises(ValueError, match="class 1 has 31 nodes, too few to label 32"):
        splits.n_per_class(LABELS, 5, n=32)
    with pytest.raises(ValueError, match="at least 1"):
        splits.n_per_class(LABELS, 5, n=0)


def test_random_like_public_and_full():
    sizes = {"n_validation": 300, "n_test": 400}
    split = splits.random_like_public(LABELS, 3, **sizes)
    assert disjoint(split)
    assert (len(split.train), len(split.val), len(split.test)) == (60, 300, 400)
    assert np.bincount(LABELS[split.train]).tolist() == [20, 20, 20]
    full = splits.full(split, len(LABELS))
    assert disjoint(full)
    assert len(full.train) == len(LABELS) - 700
    with pytest.raises(ValueError, match="1011 nodes are left"):
        splits.random_like_public(LABELS, 3)


def test_unlabelled_nodes_are_in_no_split():
    labels = np.array([0, 0, 0, 1, 1, -1])
    split = splits.n_per_class(labels, 0, n=1)
    assert 5 not in np.concatenate([split.train, split.test])


def test_a_split_is_the_same_everywhere():
    split = splits.n_per_class(np.repeat([0, 1], 10), seed=7, n=3)
    assert split.train.tolist() == [3, 4, 6, 10, 11, 12]


def drawn(n_runs):
    return splits.runs(load("iris"), "10%", splits.seeds_of("uci", "iris", n_runs))


def test_other_runs_other_nodes():
    trains = [tuple(split.train) for split in drawn(3)]
    assert len(set(trains)) == 3
    assert trains[:2] == [tuple(s.train) for s in drawn(2)]


def test_other_runs_other_folds_of_the_same_nodes():
    train = np.arange(150) % 5 == 0
    masks = {"train": train, "val": np.zeros(150, bool), "test": ~train}
    data = dataclasses.replace(load("iris"), masks=masks)
    runs = splits.runs(data, "public", splits.seeds_of("uci", "iris", 3))
    assert len({tuple(split.train) for split in runs}) == 1
    assert len({tuple(split.folds) for split in runs}) == 3


@pytest.mark.parametrize("kind", ["10%", "5-per-class"])
def test_make_by_name(kind):
    assert disjoint(splits.make(load("iris"), kind, seed=1))


@pytest.mark.parametrize("kind", ["public", "half", "x%", "0%", "0-per-class"])
def test_make_refuses(kind):
    with pytest.raises(ValueError, match="split"):
        splits.make(load("iris"), kind)


def test_many_runs_as_one_parquet_table():
    ours = [splits.fraction_per_class(LABELS, seed) for seed in range(4)]
    file = io.BytesIO()
    pq.write_table(splits.table(ours), file)
    theirs = splits.from_table(pq.read_table(file))
    assert len(theirs) == 4
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a.train, b.train)
        np.testing.assert_array_equal(a.test, b.test)
        assert len(b.val) == 0


def test_folds_part_each_class_and_never_leave_out_its_only_node():
    labels = np.repeat([0, 1, 2], [7, 1, 4])
    nobody = np.array([], dtype=int)
    split = splits.with_folds(splits.Split(np.arange(12), nobody, nobody), labels, seed=3)
    assert split.folds is not None
    assert split.folds[labels == 1].tolist() == [-1]
    for label in (0, 2):
        sizes = np.bincount(split.folds[labels == label], minlength=splits.N_FOLDS)
        assert sizes.max() - sizes.min() <= 1


def test_sizes_of_data_and_of_what_a_run_labels():
    labels = np.array([0] * 12 + [1] * 31 + [-1] * 2)
    data = Dataset(
        name="two",
        kind="table",
        features=np.zeros((45, 3)),
        labels=labels,
        class_names=("a", "b"),
        provenance={"marks": ["re-drawn"]},
    )
    found = sizes({"two": data}, {"two": runs(data, "10%", [1, 2])}).iloc[0]
    assert [found[size] for size in SIZES] == [2, 45, 3, 2 + 4, 43 - 6]
    assert (found["smallest class"], found["marks"]) == (12, "re-drawn")
    assert "train" not in sizes({"two": data})

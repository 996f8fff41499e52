"""The parsed form: what is written is read back, damage is noticed, killing does no harm."""

import json
import random
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from flgc.datasets import REGISTRY, load
from flgc.datasets.catalogue.entry import Url
from flgc.datasets.dataset import Dataset
from flgc.datasets.fetching import parsed
from flgc.datasets.readers.canonical import canonical_edges, canonical_rows


def small_graph() -> Dataset:
    features = sp.csr_array(np.array([[0, 1.5], [0, 0], [2, 0], [0, 0.1]]))
    edges = canonical_edges(np.array([0, 1, 1, 2]), np.array([1, 0, 1, 3]), 4)
    masks = {role: np.arange(4) == i for i, role in enumerate(("train", "val", "test"))}
    labels = np.array([0, 1, 1, -1])
    return Dataset("small", "graph", features, labels, ("a", "b"), ("u", "v"), edges, masks)


def test_canonical_rows_do_not_depend_on_the_order_of_the_source():
    rng = np.random.default_rng(0)
    features, labels = rng.integers(0, 3, (50, 4)) / 7, rng.integers(0, 2, 50)
    order = rng.permutation(50)
    ours = canonical_rows(features, labels)
    theirs = canonical_rows(features[order] * (1 + 1e-14), labels[order])
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(ours[1], theirs[1])


def test_canonical_edges_go_both_ways_once():
    edges = canonical_edges(np.array([2, 0, 0, 1]), np.array([0, 2, 1, 1]), 3)
    assert edges.tolist() == [[1, 2, 0, 0], [0, 0, 1, 2]]


def test_a_graph_comes_back_as_it_was(tmp_path):
    ours = small_graph()
    parsed.write(ours, tmp_path / "small.parquet")
    theirs = parsed.read(tmp_path / "small.parquet")
    assert theirs.digest == ours.digest
    np.testing.assert_array_equal(theirs.features.toarray(), ours.features.toarray())
    np.testing.assert_array_equal(theirs.edges, ours.edges)
    assert theirs.edges.dtype == np.int64
    for role in ours.masks:
        np.testing.assert_array_equal(theirs.masks[role], ours.masks[role])
    assert (theirs.class_names, theirs.feature_names) == (("a", "b"), ("u", "v"))


def test_the_schema_carries_the_provenance(toy, server, cache):
    toy(Url(f"{server.url}/good"))
    load("toy", cache=cache)
    metadata = json.loads(pq.read_schema(cache / "parsed" / "toy.parquet").metadata[b"flgc"])
    provenance = metadata["provenance"]
    assert provenance["sources"] == {"toy.csv": f"{server.url}/good"}
    assert provenance["digest"] == metadata["digest"] == REGISTRY["toy"].digest
    assert set(provenance) >= {"raw_sha256", "licence", "citation", "marks", "notes"}


def flipped(content, share):
    place = int(share * len(content))
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


DAMAGE = [partial(flipped, share=share) for share in (0.0, 0.3, 0.5, 0.9, 0.999)]


@pytest.mark.parametrize("damage", [*DAMAGE, lambda content: content[:100]])
def test_a_damaged_file_is_set_aside_and_made_again(toy, server, cache, damage):
    toy(Url(f"{server.url}/good"))
    right = load("toy", cache=cache).digest
    path = cache / "parsed" / "toy.parquet"
    path.write_bytes(damage(path.read_bytes()))
    assert load("toy", cache=cache).digest == right
    assert server.hits["good"] == 1  # from the raw file in the cache
    # The first two change bytes that nobody reads.
    assert path.with_name("toy.parquet.rejected").exists() or damage in DAMAGE[:2]


def test_a_changed_number_is_noticed(tmp_path):
    """In a file that is whole: Parquet itself sees nothing wrong with it."""
    path = tmp_path / "iris.parquet"
    parsed.write(load("iris"), path)
    table = pq.read_table(path)
    labels = table["label"].to_numpy().copy()
    labels[0] = 2
    changed = table.set_column(0, "label", [labels])
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(parsed.Damaged, match="expected content sha256"):
        parsed.read(path)


FETCH = """
import sys, pyarrow.parquet, scipy.io, scipy.sparse, flgc.datasets
flgc.datasets.load("x8d5k")
mirror, cache, names = sys.argv[1], sys.argv[2], sys.argv[3:]
print("ready", flush=True)
for name in names:
    flgc.datasets.fetch(name, mirror=mirror, cache=cache, offline=True)
print("done", flush=True)
"""


def mirror_of(names, real_data, shared_cache):
    """A folder with the raw files of these datasets, wherever they came from."""
    for name in names:
        real_data(name)
    return str(shared_cache / "raw")


def start_fetch(mirror, cache, *names):
    command = [sys.executable, "-c", FETCH, mirror, str(cache), *names]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.data
@pytest.mark.slow
def test_killed_at_twenty_random_moments(real_data, shared_cache, tmp_path):
    names, moments = ("ecoli", "Cora", "zoo", "ORL", "CAR"), random.Random(20)
    mirror = mirror_of(names, real_data, shared_cache)
    undisturbed = start_fetch(mirror, tmp_path / "whole", *names)
    start = time.monotonic()
    assert undisturbed.stdout.readline() == b"done\n"
    duration = time.monotonic() - start
    assert undisturbed.wait(60) == 0
    in_the_middle = 0
    for number in range(20):
        cache = tmp_path / str(number)
        process = start_fetch(mirror, cache, *names)
        time.sleep(moments.uniform(0, duration))
        process.send_signal(signal.SIGKILL)
        process.wait()
        done = len(list(cache.glob("parsed/*.parquet")))
        in_the_middle += cache.exists() and done < len(names)
        for name in names:
            dataset = load(name, mirror=mirror, cache=cache, offline=True)
            assert dataset.digest == REGISTRY[name].digest
        assert not list(cache.rglob("*.rejected"))
    assert in_the_middle  # or the test would show nothing


@pytest.mark.data
@pytest.mark.slow
def test_processes_that_fetch_the_same_do_not_disturb_each_other(real_data, shared_cache, tmp_path):
    mirror = mirror_of(("Cora", "zoo"), real_data, shared_cache)
    processes = [start_fetch(mirror, tmp_path, "Cora", "zoo") for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    for name in ("Cora", "zoo"):
        assert load(name, cache=tmp_path, offline=True).digest == REGISTRY[name].digest
    assert not list(tmp_path.rglob("*.tmp"))
    assert not list(tmp_path.rglob("*.rejected"))

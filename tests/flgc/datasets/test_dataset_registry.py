"""The registry, what is embedded, and what the paper says of each dataset."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import flgc
from flgc.datasets import REGISTRY, NotAvailable, UnknownDataset, load, resolve, state, verify
from flgc.datasets.catalogue.entry import RawFile, Url, Wheel, pinned
from flgc.datasets.errors import DatasetError
from flgc.datasets.library import identity, load_identical
from tests.conftest import IN_NO_INDEX
from tests.flgc.processes import naming, python

PACKAGE_FOLDER = Path(flgc.__file__).parent / "datasets" / "catalogue" / "packaged"


FILES = [(e, file) for e in REGISTRY.values() for route in e.routes for file in route.files]


def test_the_paper_has_three_graphs_24_tables_and_four_image_sets():
    kinds = [entry.kind for entry in REGISTRY.values() if entry.in_paper]
    assert {kind: kinds.count(kind) for kind in kinds} == {"graph": 3, "table": 24, "images": 4}


def test_aliases_and_names_in_any_case():
    known = ("austra australian", "wbc WBC", "WBC WBC", "Iris iris", "X8D5K x8d5k")
    known += ("citeseer CiteSeer", "car CAR", "coil-20 COIL20", "SPECTF spectf")
    for pair in known:
        alias, name = pair.split()
        assert resolve(alias) == name


def test_names_and_aliases_are_unambiguous():
    names = [n.lower() for e in REGISTRY.values() for n in (e.name, *e.aliases)]
    assert len(names) == len(set(names))


def test_an_unknown_name_lists_the_choices():
    with pytest.raises(UnknownDataset, match=r"Did you mean .*CiteSeer.*Known: Cora") as error:
        load("citeser")
    assert "flgc datasets add" in str(error.value)


@pytest.mark.parametrize("entry", REGISTRY.values(), ids=REGISTRY)
def test_every_entry_is_complete(entry):
    assert entry.licence
    assert entry.citation
    if not entry.routes:
        assert entry.name in ("air", "cotton")
        return
    assert len(entry.class_names) == entry.classes
    assert entry.digest


def test_every_pin_belongs_to_a_file_and_every_file_has_one():
    files = {f"{entry.name}/{file.name}" for entry, file in FILES}
    assert files - set(pinned("raw")) == {"dnatest/dna.scale.t"}
    assert set(pinned("raw")) <= files
    assert set(pinned("parsed")) <= set(REGISTRY)


def test_pickles_and_binary_files_are_used_with_their_pinned_bytes_only():
    for entry, file in FILES:
        if entry.kind == "graph" or file.name.endswith(".mat"):
            assert file.exact or entry.name == "ExtendedYaleB"


def test_a_package_index_gives_all_but_three_of_what_exists():
    def in_an_index(file: RawFile) -> bool:
        return file.packaged or any(isinstance(source, Wheel) for source in file.sources)

    missing = {
        entry.name
        for entry in REGISTRY.values()
        if not any(all(map(in_an_index, route.files)) for route in entry.routes)
    }
    assert missing == {"air", "cotton", *IN_NO_INDEX}


def test_upstream_comes_before_wheels():
    for _, file in FILES:
        kinds = [isinstance(source, Url) for source in file.sources]
        assert kinds == sorted(kinds, reverse=True)


PACKAGED = ("segmentation", "australian", "dnatest")


@pytest.mark.parametrize(
    "name",
    ["iris", "wine", "wdbc", "digits", "KarateClub", "x8d5k", "union-of-subspaces", *PACKAGED],
)
def test_embedded_datasets_need_neither_network_nor_cache(name, cache):
    dataset = load(name, cache=cache, offline=True)
    entry = REGISTRY[name]
    shape = (dataset.n_classes, dataset.n_nodes, dataset.n_features)
    assert shape == (entry.classes, entry.instances, entry.features)
    assert dataset.features.dtype == np.float64
    assert dataset.labels.dtype == np.int64
    assert dataset.digest == entry.digest
    assert state(name, cache=cache).status == "embedded"
    assert verify(name, cache=cache).status == "embedded"
    assert not cache.exists()


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_tables_are_the_pinned_bytes(name):
    entry = REGISTRY[name]
    (file,) = entry.routes[0].files
    provenance = load(name).provenance
    assert provenance["sources"] == {file.name: "the package flgc"}
    assert provenance["raw_sha256"] == {file.name: entry.sha256(file)}
    assert provenance["licence"] == "CC BY 4.0"


def test_packaged_files_are_small_credited_and_without_name_or_time():
    credits = (PACKAGE_FOLDER / "README.md").read_text()
    copies = list(PACKAGE_FOLDER.glob("*.gz"))
    assert {copy.stem for copy in copies} == {file.name for _, file in FILES if file.packaged}
    for copy in copies:
        assert f"`{copy.name}`" in credits
        assert copy.read_bytes()[3:8] == bytes(5)  # gzip's flags and time
    assert sum(copy.stat().st_size for copy in copies) < 60_000


def test_x8d5k_says_that_it_is_re_drawn():
    dataset = load("x8d5k")
    assert dataset.title == "x8d5k (re-drawn)"
    assert "re-drawn" in repr(dataset)
    assert dataset.provenance["marks"] == ["re-drawn"]
    assert dataset.class_counts == (200,) * 5


def test_the_drawn_subspaces_are_near_four_dimensions_each_and_not_of_the_paper():
    dataset = load("union-of-subspaces")
    assert not REGISTRY["union-of-subspaces"].in_paper
    assert dataset.title == "union-of-subspaces"
    assert dataset.class_counts == (30,) * 5
    for label in range(5):
        values = np.linalg.svd(dataset.features[dataset.labels == label], compute_uv=False)
        assert values[3] > 4 * values[4]
    values = np.linalg.svd(dataset.features, compute_uv=False)
    assert values[19] > 2 * values[20], "no subspace is in the sum of the others"


@pytest.mark.parametrize("name", ["air", "cotton"])
def test_what_nobody_has_says_so(name):
    assert state(name).status == "not available"
    with pytest.raises(NotAvailable, match=f"flgc datasets add {name}"):
        load(name)


def test_features_that_leak_the_label_can_be_left_out():
    iris = dataclasses.replace(load("iris"), feature_names=tuple("abcd"), leaking=("b",))
    honest = iris.without(iris.leaking)
    np.testing.assert_array_equal(iris.without(()).features, iris.features)
    np.testing.assert_array_equal(honest.features, iris.features[:, [0, 2, 3]])
    assert honest.feature_names == tuple("acd")
    np.testing.assert_array_equal(honest.labels, iris.labels)


def test_what_is_said_of_a_dataset_is_part_of_what_it_is(monkeypatch):
    before = identity("glass")
    assert before["content"] == REGISTRY["glass"].digest
    for change in ({"leaking": ()}, {"marks": ("odd",)}):
        entry = dataclasses.replace(REGISTRY["glass"], **change)
        with monkeypatch.context() as patch:
            patch.setitem(REGISTRY, "glass", entry)
            assert identity("glass") != before
    assert identity("glass") == before


def test_another_content_than_the_key_says_is_refused():
    assert load_identical(**identity("iris")).digest == REGISTRY["iris"].digest
    with pytest.raises(DatasetError, match="iris: expected digest 0, found"):
        load_identical(**{**identity("iris"), "content": "0"})


def test_unknown_features_are_refused():
    with pytest.raises(ValueError, match="iris has no features petals"):
        load("iris").without(["petals"])


def test_the_import_is_light():
    heavy = ["torch", "torch_geometric", "pandas", "sklearn", "pyarrow", "scipy", "requests"]
    done = python(naming(*heavy) + "import flgc.datasets.cli")
    assert (done.returncode, done.stderr.strip()) == (0, "")

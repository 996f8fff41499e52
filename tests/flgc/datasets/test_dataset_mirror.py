"""All datasets, by mirror or package index: the paper's numbers, PyG's tensors, no work twice."""

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch_geometric.datasets import Planetoid

from flgc.datasets import REGISTRY, DatasetError, fetch, library, load, splits, verify
from tests.conftest import IN_NO_INDEX, MIRROR
from tests.speeds import slow

pytestmark = pytest.mark.data

# Classes, instances, features, labelled, tested: as the paper's table prints them and, where that
# is wrong or CAR is left out, as they are; and class counts as the sources document them. Besides,
# the paper lists WBC twice. Diabetes has 500 + 268 rows: 50 + 27 labelled, not 78.
DOCUMENTED = pd.read_csv(Path(__file__).with_name("documented.csv"), dtype=str, index_col="dataset")
PRINTED, FOUND, CLASS_COUNTS = (
    {name: tuple(map(int, text.split())) for name, text in DOCUMENTED[column].dropna().items()}
    for column in DOCUMENTED
)


def test_29_of_31_arrive_and_a_second_call_does_no_work(real_data, shared_cache, monkeypatch):
    """Without a mirror three less: the tests below name them as they skip them."""
    beyond = IN_NO_INDEX if MIRROR is None else ()
    names = [e.name for e in REGISTRY.values() if e.in_paper and e.name not in beyond]
    arrived, refused = [], []
    for name in names:
        try:
            real_data(name)
            arrived.append(name)
        except DatasetError:
            refused.append(name)
    assert len(arrived) == 29 - len(beyond)
    assert refused == ["air", "cotton"]

    def work(*_):
        raise AssertionError("the second call built or wrote something")

    monkeypatch.setattr(library, "build", work)
    monkeypatch.setattr(library.parsed, "write", work)
    again = {fetch(name, cache=shared_cache).status for name in arrived}
    assert again == {"cached", "embedded"}
    assert all(
        verify(name, cache=shared_cache).status == "ok"
        for name in arrived
        if not REGISTRY[name].embedded
    )


@pytest.mark.parametrize("name", PRINTED | FOUND)
def test_tables_have_the_numbers_of_the_paper(name, real_data):
    dataset = real_data(name)
    split = splits.make(dataset, "10%", seed=1)
    found = (dataset.n_classes, dataset.n_nodes, dataset.n_features)
    found += (len(split.train), len(split.test))
    assert found == (PRINTED | FOUND)[name]
    assert (found == PRINTED.get(name)) == (name not in FOUND)


@pytest.mark.parametrize("name", CLASS_COUNTS)
def test_class_counts_and_types(name, real_data):
    dataset = real_data(name)
    assert dataset.class_counts == CLASS_COUNTS[name]
    assert dataset.features.dtype == np.float64
    assert dataset.labels.dtype == np.int64
    assert dataset.provenance["digest"] == REGISTRY[dataset.name].digest
    assert dataset.provenance["licence"]


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("Cora", (140, 500, 1000)),
        slow("CiteSeer", (120, 500, 1000)),
        slow("PubMed", (60, 500, 1000)),
    ],
)
def test_citation_graphs_equal_pyg_tensor_by_tensor(name, sizes, real_data, shared_cache, tmp_path):
    if MIRROR is None and name == "Cora":
        pytest.skip("Cora's files ind.cora.{y,ty,ally} are in no package index; set FLGC_MIRROR")
    ours = real_data(name)
    shutil.copytree(shared_cache / "raw" / name, tmp_path / name / "raw")
    theirs = Planetoid(str(tmp_path), name)[0]
    dense = torch.from_numpy(ours.features.toarray()).to(torch.float32)
    assert torch.equal(dense, theirs.x)
    assert torch.equal(torch.from_numpy(ours.labels), theirs.y)
    assert torch.equal(torch.from_numpy(ours.edges), theirs.edge_index)
    for role, size in zip(("train", "val", "test"), sizes, strict=True):
        assert torch.equal(torch.from_numpy(ours.masks[role]), theirs[f"{role}_mask"])
        assert ours.masks[role].sum() == size


def test_glass_loses_its_id_in_the_honest_protocol_only(real_data):
    glass = real_data("glass")
    honest = glass.without(glass.leaking)
    assert glass.n_features == 10
    assert honest.n_features == 9
    assert "Id" not in honest.feature_names
    np.testing.assert_array_equal(honest.features, glass.features[:, 1:])
    np.testing.assert_array_equal(honest.labels, glass.labels)
    assert honest.digest != glass.digest


@pytest.mark.parametrize("name", ["COIL20", "ORL", "Yale", "ExtendedYaleB"])
def test_images_stand_upright_in_zero_to_one(name, real_data):
    dataset = real_data(name)
    assert dataset.features.min() >= 0
    assert dataset.features.max() <= 1
    image = dataset.features[:10].mean(axis=0).reshape(dataset.image_shape)
    assert image.shape == REGISTRY[name].image_shape
    if name != "COIL20":
        # Faces are symmetric from left to right far more than from top to bottom.
        across = np.corrcoef(image.ravel(), image[:, ::-1].ravel())[0, 1]
        down = np.corrcoef(image.ravel(), image[::-1].ravel())[0, 1]
        assert across > down


def test_the_rebuilt_yale_b_says_so(real_data):
    assert real_data("ExtendedYaleB").title == "ExtendedYaleB (rebuilt)"


def test_yale_b_of_unknown_bytes_is_marked_or_refused(tmp_path, cache):
    import scipy.io

    def put(*shape):
        pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
        (tmp_path / "ExtendedYaleB").mkdir(exist_ok=True)
        scipy.io.savemat(tmp_path / "ExtendedYaleB" / "YaleBCrop025.mat", {"Y": pixels})

    put(2016, 64, 37)
    with pytest.raises(DatasetError, match="expected sha256"):
        load("ExtendedYaleB", mirror=tmp_path, cache=cache, offline=True)
    put(2016, 64, 38)
    dataset = load("ExtendedYaleB", mirror=tmp_path, cache=cache, offline=True)
    assert dataset.title == "ExtendedYaleB (unverified)"
    assert verify("ExtendedYaleB", cache=cache).status == "ok"


def test_libsvm_s_copy_of_dna_is_the_same_table(cache, tmp_path, monkeypatch):
    from sklearn.datasets import dump_svmlight_file

    ours, entry = load("dnatest"), REGISTRY["dnatest"]
    monkeypatch.setitem(
        REGISTRY, "dnatest", dataclasses.replace(entry, routes=entry.routes[1:])
    )  # without the table that the package carries
    path = tmp_path / "dnatest" / "dna.scale.t"
    path.parent.mkdir()
    dump_svmlight_file(ours.features[::-1], ours.labels[::-1] + 1, str(path), zero_based=False)
    theirs = load("dnatest", mirror=tmp_path, cache=cache, offline=True)
    assert set(theirs.provenance["sources"]) == {"dna.scale.t"}
    assert theirs.digest == ours.digest


def test_the_three_copies_of_cleve_are_one_table(cache, tmp_path):
    """UCI's other file; the mirror has it beside cleve.mod, a wheel has KEEL's copy."""
    file = Path(MIRROR or "") / "cleve" / "processed.cleveland.data"
    if not file.exists():
        pytest.skip(f"UCI's {file.name} is in no package index; set FLGC_MIRROR to a folder")
    (tmp_path / "cleve").mkdir()
    shutil.copy(file, tmp_path / "cleve")
    dataset = load("cleve", mirror=tmp_path, cache=cache, offline=True)
    assert set(dataset.provenance["sources"]) == {"processed.cleveland.data"}
    assert dataset.provenance["digest"] == REGISTRY["cleve"].digest

"""Archives of numpy arrays, and splits that come with the data."""

import io
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from flgc.datasets import REGISTRY, load, state
from flgc.datasets.dataset import Dataset
from flgc.datasets.readers.npz import read_npz
from flgc.datasets.splits import ROLES, given, make, public, runs
from tests.conftest import HETEROPHILOUS, MIRROR

N = 6
MASKS = {role: np.arange(3 * N).reshape(3, N) % 3 == i for i, role in enumerate(ROLES)}
MASKS["test"][1] = ~MASKS["train"][1]


def archive(**change: object) -> bytes:
    arrays = {
        "node_features": np.eye(N, 12, dtype=np.float32),
        "node_labels": np.arange(N) % 2,
        "edges": np.array([[0, 1], [1, 0], [2, 2], [4, 3]]),
        **{f"{role}_masks": masks for role, masks in MASKS.items()},
        **change,
    }
    content = io.BytesIO()
    np.savez(content, **{name: array for name, array in arrays.items() if array is not None})
    return content.getvalue()


def test_an_archive_becomes_a_graph_with_its_splits():
    parsed = read_npz({"x.npz": archive()}, ("0", "1"))
    assert isinstance(parsed.features, sp.csr_array)
    assert parsed.features.dtype == np.float64
    assert parsed.labels.tolist() == [0, 1, 0, 1, 0, 1]
    assert parsed.edges.tolist() == [[1, 0, 4, 3], [0, 1, 3, 4]]
    assert set(parsed.masks) == {f"{role} {run}" for role in ROLES for run in range(3)}
    data = Dataset("x", "graph", parsed.features, parsed.labels, ("0", "1"), masks=parsed.masks)
    drawn = runs(data, "given", seeds=[5, 6, 7, 8])
    for run, split in enumerate(drawn):
        for role in ROLES:
            expected = np.flatnonzero(MASKS[role][run % 3])
            np.testing.assert_array_equal(getattr(split, role), expected)
    np.testing.assert_array_equal(make(data, "given", run=2).train, drawn[2].train)
    with pytest.raises(ValueError, match="no public split"):
        public(data.masks)


@pytest.mark.parametrize("masks", [None, {"train": np.ones(3, dtype=bool)}])
def test_data_without_several_splits_are_refused(masks):
    with pytest.raises(ValueError, match="does not come with several splits"):
        given(masks, 0)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"node_features": np.array([[{}]])}, ValueError),  # a pickle
        ({"edges": None}, KeyError),
        ({"node_labels": np.arange(N)}, ValueError),
        ({"node_labels": -np.ones(N, dtype=int)}, ValueError),
    ],
)
def test_what_is_no_such_archive_is_refused(change, error):
    with pytest.raises(error):
        read_npz({"x.npz": archive(**change)}, ("0", "1"))


@pytest.mark.skipif(MIRROR is None, reason="needs the files of a mirror")
@pytest.mark.parametrize("name", HETEROPHILOUS)
def test_each_has_its_shape_and_ten_splits_that_part_its_nodes(name, real_data):
    data, entry = real_data(name), REGISTRY[name]
    shape = (entry.classes, entry.instances, entry.features)
    assert (data.n_classes, data.n_nodes, data.n_features) == shape
    for run in range(10):
        split = given(data.masks, run)
        nodes = np.concatenate([split.train, split.val, split.test])
        assert len(np.unique(nodes)) == len(nodes)
        assert min(map(len, (split.train, split.val, split.test))) > 0


@pytest.mark.parametrize("folder", ["texas", "heterophilous"])
def test_a_mirror_may_have_it_in_either_folder(folder, tmp_path, real_data):
    content = (Path(real_data("texas") and MIRROR) / "heterophilous" / "texas.npz").read_bytes()
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "texas.npz").write_bytes(content)
    found = state("texas", mirror=tmp_path, cache=tmp_path / "cache")
    assert (found.status, found.detail) == ("mirror", str(tmp_path / folder))
    data = load("texas", mirror=tmp_path, cache=tmp_path / "cache", offline=True)
    assert data.provenance["sources"]["texas.npz"].endswith(f"{folder}/texas.npz")

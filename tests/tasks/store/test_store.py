"""The store as its users see it: computed once, read back the same, damage noticed."""

import json
import logging
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.store.files import LocalFiles
from tasks.store.store import (
    DamagedArtifact,
    Store,
    artifact_key,
    content_digest,
    file_name,
)
from tests.tasks.store.kit import flip, path_of


class Counted:
    """A computation that knows how often it ran."""

    def __init__(self, values: list[float]) -> None:
        self.values = values
        self.calls = 0

    def __call__(self) -> pa.Table:
        self.calls += 1
        return pa.table({"value": self.values, "name": [f"row {v}" for v in self.values]})


def test_the_same_key_is_computed_once(store: Store) -> None:
    compute = Counted([1.0, 2.0])
    first = store.get_or_compute("fit", (), compute, parameters={"hops": 3})
    second = Store(store.url).get_or_compute("fit", (), compute, parameters={"hops": 3})
    assert compute.calls == 1
    assert (first.cached, second.cached) == (False, True)
    assert (first.key, first.digest, first.rows) == (second.key, second.digest, second.rows)
    assert store.read(first.key).equals(compute())


def test_a_changed_parameter_or_input_is_another_artifact(store: Store) -> None:
    compute = Counted([1.0])
    base = store.get_or_compute("fit", (), compute, parameters={"hops": 3}, inputs={"graph": "a"})
    store.get_or_compute("fit", (), compute, parameters={"hops": 4}, inputs={"graph": "a"})
    store.get_or_compute("fit", (), compute, parameters={"hops": 3}, inputs={"graph": "b"})
    store.get_or_compute("score", (), compute, parameters={"hops": 3}, inputs={"graph": "a"})
    assert compute.calls == 4
    assert store.get_or_compute(
        "fit", (), compute, parameters={"hops": 3}, inputs={"graph": "a"}
    ).cached
    assert len(list(store.files.entries())) == 4
    assert store.record(base.key)["inputs"] == {"graph": "a"}


def test_other_code_is_another_artifact(store: Store) -> None:
    compute = Counted([1.0])
    for code in ([file_name], [content_digest], [file_name, content_digest], [file_name]):
        store.get_or_compute("fit", code, compute)
    assert compute.calls == 3


def test_an_equal_input_recomputed_does_not_spread(store: Store) -> None:
    """Inputs count by content: other code with the same result leaves what follows in the store."""
    compute = Counted([1.0])
    for version in ("old", "new"):
        graph = store.get_or_compute("graph", (), Counted([5.0]), parameters={"version": version})
        store.get_or_compute("fit", (), compute, inputs={"graph": graph})
    assert compute.calls == 1


def test_lists_and_dictionaries_of_inputs_have_a_name_each(store: Store) -> None:
    one, two = (
        store.get_or_compute("fit", (), Counted([v]), parameters={"v": v}) for v in (1.0, 2.0)
    )
    given = {"results": [one, two], "scores": {"iris": two, "raw": ["ab"]}, "graph": "cd"}
    report = store.get_or_compute("report", (), Counted([3.0]), inputs=given)
    record = store.record(report.key)
    assert record["made_from"] == {
        "results/0000": one.key,
        "results/0001": two.key,
        "scores/iris": two.key,
    }
    others = {"scores/raw/0000": "ab", "graph": "cd"}
    assert record["inputs"] == others | {
        "results/0000": one.digest,
        "results/0001": two.digest,
        "scores/iris": two.digest,
    }
    turned = given | {"results": [two, one]}
    assert not store.get_or_compute("report", (), Counted([3.0]), inputs=turned).cached
    with pytest.raises(ValueError, match="two inputs have the same name"):
        store.get_or_compute("x", (), Counted([1.0]), inputs={"a/b": "c", "a": {"b": "d"}})
    with pytest.raises(TypeError, match="input 'a/0000' is a int"):
        store.get_or_compute("x", (), Counted([1.0]), inputs={"a": [3]})


def test_timings_are_kept_but_do_not_count(store: Store) -> None:
    slow, fast = (
        pa.table({"accuracy": [0.9], "seconds": [t], "device": [f"cuda:{t:.0f}"]})
        for t in (9.0, 1.0)
    )
    artifact = store.get_or_compute("fit", (), lambda: slow)
    assert artifact.digest == content_digest(fast)
    assert store.read(artifact.key)["seconds"].to_pylist() == [9.0]


def test_frames_are_tables(store: Store) -> None:
    frame = pd.DataFrame({"dataset": ["iris", None], "value": [0.5, np.nan], "run": [1, 2]})
    artifact = store.get_or_compute("scores", (), lambda: frame)
    pd.testing.assert_frame_equal(store.read(artifact.key).to_pandas(), frame, check_dtype=False)
    with pytest.raises(ValueError, match="reset_index"):
        store.get_or_compute("other", (), lambda: frame.set_index("dataset"))
    with pytest.raises(TypeError, match="found a list"):
        store.get_or_compute("third", (), lambda: [1])


def test_types_that_parquet_changes_are_refused(local: Store) -> None:
    seconds = pa.table({"when": pa.array([1], pa.timestamp("s"))})
    with pytest.raises(TypeError, match="convert it"):
        local.get_or_compute("dates", (), lambda: seconds)


def test_a_failing_computation_leaves_nothing(store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        store.get_or_compute("fit", (), lambda: 1 / 0)
    assert not list(store.files.entries())


def test_the_record_says_where_it_comes_from(local: Store) -> None:
    artifact = local.get_or_compute(
        "fit",
        (),
        Counted([1.0]),
        parameters={"hops": np.int64(3), "grid": (1, 2)},
        provenance={"run": "amber-fox"},
    )
    record = local.record(artifact.key)
    assert record["parameters"] == {"hops": 3, "grid": [1, 2]}
    assert record["provenance"] == {"run": "amber-fox"}
    assert {"python", "pyarrow", "numpy"} <= set(record["versions"])
    metadata = pq.read_schema(path_of(local, artifact)).metadata
    assert json.loads(metadata[b"flgc.artifact"])["digest"] == artifact.digest


def test_key_is_stable() -> None:
    """A changed key would orphan every artifact in the world: this one may never change."""
    parameters = {"hops": 3, "teleport": 0.1, "dataset": "cora", "grid": [1, None, True]}
    key = artifact_key("fit", parameters, {"graph": "ab" * 32}, "cd" * 32)
    assert key == "fit-a5470feab0059a7d824ae7da273d6efe56939999e47f254532d1320f7e185831"
    assert (
        artifact_key("fit", dict(reversed(parameters.items())), {"graph": "ab" * 32}, "cd" * 32)
        == key
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"x": float("nan")}, "parameters.*x is nan"),
        ({"x": [1, {2: 3}]}, "names must be strings"),
        ({"x": np.zeros(3)}, "ndarray"),
        ({"x": {1, 2}}, "set"),
    ],
)
def test_parameters_that_make_no_key(parameters: dict[str, object], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        artifact_key("fit", parameters, {}, "")


def test_names_that_would_leave_the_store_are_refused(local: Store) -> None:
    with pytest.raises(ValueError, match="stage"):
        artifact_key("../fit", {}, {}, "")
    with pytest.raises(ValueError, match="not a key"):
        local.read("../../etc/passwd")


def test_a_missing_artifact_is_a_key_error(store: Store) -> None:
    with pytest.raises(KeyError, match="has no artifact"):
        store.read(artifact_key("fit", {}, {}, ""))


def test_the_root_is_one_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FLGC_STORE", raising=False)
    assert Store().url == str(tmp_path / "artifacts" / "store")
    monkeypatch.setenv("FLGC_STORE", "memory://elsewhere")
    assert Store().url == "memory://elsewhere"
    assert Store("here").url == str(tmp_path / "here")
    assert isinstance(Store((tmp_path / "here").as_uri()).files, LocalFiles)


def test_every_cut_is_noticed(local: Store) -> None:
    artifact = local.get_or_compute("fit", (), Counted([1.0, 2.0, 3.0]))
    path = path_of(local, artifact)
    original = path.read_bytes()
    size = len(original)
    for length in [*range(0, size, max(1, size // 150)), *range(size - 16, size)]:
        path.write_bytes(original[:length])
        with pytest.raises(DamagedArtifact, match=artifact.key):
            local.read(artifact.key)


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_every_flipped_byte_is_noticed(local: Store, step: int) -> None:
    """Each byte of the file in turn, or each eleventh: data, headers, record, seal, footer."""
    artifact = local.get_or_compute("fit", (), Counted([1.0]))
    path = path_of(local, artifact)
    chance = random.Random(0)
    original = path.read_bytes()
    for position in range(0, len(original), step):
        broken = bytearray(original)
        broken[position] ^= 1 << chance.randrange(8)
        path.write_bytes(broken)
        with pytest.raises(DamagedArtifact):
            local.read(artifact.key)


def test_a_damaged_artifact_is_computed_again(
    local: Store, caplog: pytest.LogCaptureFixture
) -> None:
    compute = Counted([1.0, 2.0])
    first = local.get_or_compute("fit", (), compute)
    flip(local, first, 40)
    with caplog.at_level(logging.WARNING):
        second = local.get_or_compute("fit", (), compute)
    assert compute.calls == 2
    assert (second.cached, second.replaced_damaged) == (False, True)
    assert second.digest == first.digest
    assert first.key in caplog.text
    assert local.get_or_compute("fit", (), compute).cached


def test_a_name_that_is_taken_is_given_again_only_if_asked(store: Store) -> None:
    def renamed(content: bytes, replace: bool) -> bool:
        temporary = store.files.write("fit/one.parquet", pa.py_buffer(content))
        return store.files.rename(temporary, "fit/one.parquet", replace=replace)

    assert renamed(b"first", replace=False)
    assert not renamed(b"second", replace=False)
    assert store.files.read("fit/one.parquet") == pa.py_buffer(b"first")
    assert renamed(b"third", replace=True)
    assert store.files.read("fit/one.parquet") == pa.py_buffer(b"third")


def test_an_artifact_under_anothers_name_is_damaged(local: Store) -> None:
    one = local.get_or_compute("fit", (), Counted([1.0]), parameters={"run": 1})
    two = local.get_or_compute("fit", (), Counted([2.0]), parameters={"run": 2})
    path_of(local, one).replace(path_of(local, two))
    with pytest.raises(DamagedArtifact, match="it holds"):
        local.read(two.key)


def test_text_that_looks_like_a_seal(local: Store) -> None:
    text = "sha256 of this file with these digits as zeros: " + "0" * 64
    table = pa.table({text: [text]}).replace_schema_metadata({text: text})
    artifact = local.get_or_compute("fit", (), lambda: table, parameters={text: text})
    assert local.read(artifact.key).equals(table)

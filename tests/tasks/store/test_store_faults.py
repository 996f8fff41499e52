"""What happens to a store in real life: kills, full disks, two writers, closed doors."""

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tasks.store.store import Store, StoreError, artifact_key, code_digest, file_name
from tasks.store.upkeep import verify
from tests.tasks.store.kit import ordinary_user, prune, small_files


def test_threads_of_one_process_compute_once(tmp_path: Path) -> None:
    calls = []

    def compute() -> pa.Table:
        calls.append(1)
        time.sleep(0.1)
        return pa.table({"x": [1]})

    threads = [
        threading.Thread(target=lambda: Store(tmp_path).get_or_compute("fit", (), compute))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


def test_a_rival_that_left_rubbish_is_overruled(tmp_path: Path) -> None:
    """A damaged file that appears while we compute."""
    store = Store(tmp_path)

    def compute() -> pa.Table:
        path = tmp_path / file_name(artifact_key("fit", {}, {}, code_digest()))
        path.parent.mkdir()
        path.write_bytes(b"rubbish")
        return pa.table({"x": [1]})

    artifact = store.get_or_compute("fit", (), compute)
    assert artifact.replaced_damaged
    assert store.read(artifact.key).num_rows == 1


def large_table() -> pa.Table:
    return pa.table({"x": np.random.default_rng(0).normal(size=500_000)})


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if subprocess.run(["mount", *options], capture_output=True).returncode:
        pytest.skip("mounting a small tmpfs needs privileges")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("fault", [small_disk, lambda _: small_files(2**20)])
def test_no_space_is_an_error_that_says_so_and_does_no_harm(
    tmp_path: Path, fault: Callable[[Path], AbstractContextManager[None]]
) -> None:
    with fault(tmp_path / "disk"):
        store = Store(tmp_path / "disk" / "store")
        small = store.get_or_compute("graph", (), lambda: pa.table({"x": [1]}))
        no_space = rf"store {tmp_path}.*no space for an artifact of 4\.\d MB .*MB free"
        with pytest.raises(StoreError, match=no_space):
            store.get_or_compute("fit", (), large_table)
        assert [entry.name for entry in store.files.entries()] == [file_name(small.key)]
        assert store.read(small.key).num_rows == 1
    assert not store.get_or_compute("fit", (), large_table).cached


def test_a_read_only_store_can_be_read_but_not_written() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        there = store.get_or_compute("graph", (), lambda: pa.table({"x": [1]}))
        for place in (Path(folder) / "graph", Path(folder)):
            place.chmod(0o555)
        with ordinary_user():
            assert store.get_or_compute("graph", (), lambda: pa.table({"x": [1]})).cached
            assert store.read(there.key).num_rows == 1
            with pytest.raises(StoreError, match=r"cannot write it .*Permission denied"):
                store.get_or_compute("fit", (), lambda: pa.table({"x": [1]}))
        for place in (Path(folder), Path(folder) / "graph"):
            place.chmod(0o755)


def test_a_root_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=f"store {tmp_path}/file.*check that it is a directory"):
        Store(tmp_path / "file").get_or_compute("fit", (), large_table)


def test_filesystems_without_links_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    store = Store(tmp_path)
    artifact = store.get_or_compute("fit", (), lambda: pa.table({"x": [1]}))
    assert store.read(artifact.key).num_rows == 1
    assert len(list(store.files.entries())) == 1


def test_leftover_temporaries_are_harmless_and_pruned(tmp_path: Path) -> None:
    store = Store(tmp_path)
    artifact = store.get_or_compute("fit", (), lambda: pa.table({"x": [1]}))
    leftover = tmp_path / "fit" / ".tmp-0123"
    leftover.write_bytes(b"half an artif")
    assert set(dict(verify(store))) == {artifact.key}
    assert prune(store, delete=True) == []
    assert leftover.exists()
    tomorrow = time.time() + 86400
    assert [gone.name for gone in prune(store, delete=True, now=tomorrow)] == ["fit/.tmp-0123"]
    assert not leftover.exists()
    assert store.read(artifact.key).num_rows == 1

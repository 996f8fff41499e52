"""Two writers of one key end with the same artifact in hand: the one that stands in the store."""

import os
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec  # type: ignore[import-untyped]
import pyarrow as pa
import pytest
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

from tasks.store.files import temporary_name
from tasks.store.leases import TURNS
from tasks.store.store import Store, artifact_key, code_digest, file_name
from tasks.store.upkeep import verify
from tests.tasks.store.kit import forked

KEYS = 20
BEAT = 0.03


class Shelf(LocalFileSystem):
    """A directory that is used like any other filesystem of fsspec."""

    protocol = ("shelf",)

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return super()._strip_protocol(path.removeprefix("shelf://"))


fsspec.register_implementation("shelf", Shelf, clobber=True)


def never_the_same() -> pa.Table:
    """Ready on the beat, so that all writers come to publish at once."""
    table = pa.table({"noise": [os.urandom(8).hex()]})
    time.sleep(BEAT - time.time() % BEAT)
    return table


def write_all(url: str) -> Iterator[str]:
    for i in range(KEYS):
        yield Store(url).get_or_compute("fit", (), never_the_same, parameters={"i": i}).digest


def name_of(i: int) -> str:
    return file_name(artifact_key("fit", {"i": i}, {}, code_digest()))


def spoil(store: Store) -> None:
    for i in range(KEYS):
        store.files.note(name_of(i), "rubbish")


def assert_agreed(store: Store, writers: list[list[str]]) -> None:
    standing = [store.record(Path(name_of(i)).stem)["digest"] for i in range(KEYS)]
    assert [writer == standing for writer in writers] == [True] * len(writers)
    assert set(dict(verify(store)).values()) == {None}
    assert not [entry.name for entry in store.files.entries() if entry.temporary]


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.parametrize("scheme", ["", "shelf://"])
def test_processes_agree(tmp_path: Path, scheme: str, damaged: bool) -> None:
    url = f"{scheme}{tmp_path}/store"
    if damaged:
        spoil(Store(url))

    def write(place: Path) -> None:
        place.write_text("\n".join(write_all(url)))

    places = [tmp_path / name for name in ("one", "two")]
    writers = [forked(lambda place=place: write(place)) for place in places]
    assert [os.waitpid(writer, 0)[1] for writer in writers] == [0, 0]
    assert_agreed(Store(url), [place.read_text().split() for place in places])


@pytest.mark.parametrize("damaged", [False, True])
def test_threads_agree(damaged: bool) -> None:
    """Each spells the address in its own way, else they would compute one after the other."""
    place, digests = f"memory://{uuid.uuid4().hex}/store", {}
    if damaged:
        spoil(Store(place))

    def write(slashes: str) -> None:
        digests[slashes] = list(write_all(place + slashes))

    threads = [threading.Thread(target=write, args=("/" * n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_agreed(Store(place), list(digests.values()))


@pytest.mark.parametrize("earlier", [True, False])
def test_a_writer_that_was_killed_in_its_turn_is_waited_for_and_forgotten(
    tmp_path: Path, earlier: bool
) -> None:
    store = Store(f"shelf://{tmp_path}/store")
    store.files.patience = 0.3
    mark = temporary_name().replace(".tmp-", ".tmp-0" if earlier else ".tmp-9")
    left = f"fit/{TURNS}/{mark}-{Path(name_of(0)).stem}"
    store.files.note(left, "")
    started = time.monotonic()
    artifact = store.get_or_compute("fit", (), never_the_same, parameters={"i": 0})
    assert time.monotonic() - started > 0.3
    assert store.record(artifact.key)["digest"] == artifact.digest
    assert [entry.name for entry in store.files.entries()] == [name_of(0)]

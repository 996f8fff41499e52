"""Small stores and what can befall them, for all tests of the store."""

import json
import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from typer.testing import CliRunner, Result

from flows.cli.store import app
from tasks.store.store import Artifact, Store, file_name
from tasks.store.upkeep import Removal, carry_out, list_artifacts, plan_pruning


def one(value: int) -> pa.Table:
    return pa.table({"value": [value]})


def chain_in(store: Store) -> dict[str, Artifact]:
    """raw -> graph -> fit, a graph that nothing was made from, and a point of history."""
    raw = store.get_or_compute("dataset", (), lambda: one(1), inputs={"source": "f" * 64})
    graphs = [
        store.get_or_compute(
            "graph", (), lambda k=k: one(k), parameters={"k": k}, inputs={"raw": raw}
        )
        for k in (5, 9)
    ]
    fit = store.get_or_compute("fit", (), lambda: one(4), inputs={"graph": graphs[0]})
    history = store.get_or_compute("history", (), lambda: one(6), inputs={"0": fit})
    return {"raw": raw, "graph": graphs[0], "other": graphs[1], "fit": fit, "history": history}


def keys_in(store: Store) -> set[str]:
    return {item.key for item in list_artifacts(store)}


def keys(*artifacts: Artifact) -> set[str]:
    return {artifact.key for artifact in artifacts}


def path_of(store: Store, artifact: Artifact) -> Path:
    return Path(store.url) / file_name(artifact.key)


def overwrite(store: Store, name: str, data: bytes) -> None:
    written = store.files.write(name, pa.py_buffer(data))
    store.files.rename(written, name, replace=True)


def cut(store: Store, artifact: Artifact) -> None:
    name = file_name(artifact.key)
    overwrite(store, name, bytes(store.files.read(name))[:90])


def flip(store: Store, artifact: Artifact, position: int) -> None:
    name = file_name(artifact.key)
    data = bytearray(store.files.read(name))
    data[position] ^= 4
    overwrite(store, name, bytes(data))


def run(store: Store, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--store", store.url])


def run_json(store: Store, *arguments: str) -> Any:
    result = run(store, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Permissions mean nothing to root: be nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def small_files(size: int) -> Iterator[None]:
    """As on a full disk, without privileges: the kernel refuses the write in the middle."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def forked(work: Callable[[], object]) -> int:
    """A process that does this and ends with 0 if nothing was raised."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
        os._exit(0)
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(1)


def in_fork(work: Callable[[], object], kill_when: Callable[[], object] | None = None) -> None:
    """To its end, which must be a good one, or killed as soon as `kill_when` returns."""
    pid = forked(work)
    if kill_when is None:
        assert os.waitpid(pid, 0)[1] == 0
        return
    try:
        kill_when()
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def prune(store: Store, *, delete: bool = False, **which: Any) -> list[Removal]:
    """What can go; deleted only if `delete`."""
    pruning = plan_pruning(store, **which)
    return carry_out(store, pruning) if delete else pruning.removals

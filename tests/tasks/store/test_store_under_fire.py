"""500 artifacts under 200 faults: no good one is lost, no wrong one is served, no traceback."""

import json
import os
import random
import resource
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from flows.cli.store import app
from tasks.store.store import Artifact, DamagedArtifact, Store, StoreError, file_name

ARTIFACTS, FAULTS = 500, 200
STAGES = ("dataset", "graph", "fit", "history")
ROWS = ARTIFACTS // len(STAGES)
COMMANDS = (
    ["ls", "--json"],
    ["verify"],
    ["prune"],
    ["prune", "--delete"],
    ["prune", "--delete", "--older-than", "1"],
    ["prune", "--delete", "--keep"],
)


def values(i: int) -> pa.Table:
    return pa.table({"x": np.arange(i, i + 40)})


def make_all(store: Store) -> list[Artifact]:
    """Four stages, each artifact made from one of the stage before."""
    made: list[Artifact] = []
    for i in range(ARTIFACTS):
        stage, row = divmod(i, ROWS)
        inputs = {"before": made[i - ROWS]} if stage else {}
        parameters = {"row": row}
        made.append(
            store.get_or_compute(
                STAGES[stage], (), lambda i=i: values(i), parameters=parameters, inputs=inputs
            )
        )
    return made


def command(store: Store, *arguments: str) -> tuple[int, str]:
    """A command of `flgc store`; whatever happens, it ends with a word and with 0 or 1."""
    result = CliRunner().invoke(app, [*arguments, "--store", store.url])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    assert result.exit_code in (0, 1)
    assert result.output.strip()
    assert "Traceback" not in result.output
    return result.exit_code, result.output


class Siege:
    """The store, what must be in it, and what may be damaged by now."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.store, self.chance = Store(root), chance
        self.artifacts = make_all(self.store)
        self.hurt: set[str] = set()

    def path(self, i: int) -> Path:
        return Path(self.store.url) / file_name(self.artifacts[i].key)

    def damage(self, change: Callable[[bytearray], bytes | bytearray]) -> None:
        i = self.chance.randrange(ARTIFACTS)
        with suppress(FileNotFoundError):  # pruned, since it was damaged before
            self.path(i).write_bytes(change(bytearray(self.path(i).read_bytes())))
            self.hurt.add(self.artifacts[i].key)

    def flip(self) -> None:
        def change(data: bytearray) -> bytearray:
            if data:
                data[self.chance.randrange(len(data))] ^= 1 << self.chance.randrange(8)
            return data

        self.damage(change)

    def truncate(self) -> None:
        self.damage(lambda data: data[: self.chance.randrange(len(data) + 1)])

    def any_command(self) -> list[str]:
        """Those with --keep name the ends of all chains, so they may take none of the 500."""
        *others, last = self.chance.choice(COMMANDS)
        if last != "--keep":
            return [*others, last]
        ends = self.artifacts[-ROWS:]
        return [*others, *(word for end in ends for word in ("--keep", end.key))]

    def too_many_files(self) -> None:
        in_fork(lambda: self.with_few_files(self.any_command()))

    def with_few_files(self, arguments: list[str]) -> None:
        """A thread takes and gives back the last descriptors, so any open may fail or not."""
        limit = max(int(path.name) for path in Path("/proc/self/fd").iterdir()) + 3
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        ended = threading.Event()

        def hold() -> None:
            held: list[int] = []
            while not ended.is_set():
                with suppress(OSError):
                    held.extend(os.dup(2) for _ in range(9))
                time.sleep(0.002)
                while held:
                    os.close(held.pop())
                time.sleep(0.005)

        holder = threading.Thread(target=hold)
        holder.start()
        try:
            command(self.store, *arguments)
        finally:
            ended.set()
            holder.join()

    def no_space(self) -> None:
        """The kernel refuses the write in the middle, as test_store_faults does it."""
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        try:
            with pytest.raises(StoreError, match="no space for an artifact"):
                self.store.get_or_compute(
                    "fit", (), lambda: values(0), parameters={"full": self.chance.random()}
                )
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    def kill_a_prune(self) -> None:
        arguments = ["prune", "--delete"]
        in_fork(lambda: command(self.store, *arguments), kill_after=self.chance.uniform(0, 0.2))

    def kill_a_writer(self) -> None:
        number = self.chance.random()

        def write() -> None:
            for k in range(50):
                self.store.get_or_compute(
                    "extra", (), lambda: values(0), parameters={"k": number + k}
                )

        in_fork(write, kill_after=self.chance.uniform(0, 0.05))

    def two_writers(self) -> None:
        """Of work that never gives the same twice; both must end with what stands there."""
        number = self.chance.random()
        read, write = os.pipe()

        def compute() -> pa.Table:
            return pa.table({"x": [os.urandom(8).hex()]})

        def publish() -> None:
            got = self.store.get_or_compute("twin", (), compute, parameters={"n": number})
            os.write(write, f"{json.dumps([got.key, got.digest])}\n".encode())

        children = [forked(publish) for _ in range(2)]
        assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
        os.close(write)
        with os.fdopen(read) as pipe:
            told = {tuple(json.loads(line)) for line in pipe}
        ((key, digest),) = told
        assert self.store.record(key)["digest"] == digest

    def assert_whole(self) -> None:
        """What was not damaged is there; what is there is what was written, or is not served."""
        for i, artifact in enumerate(self.artifacts):
            try:
                assert self.store.read(artifact.key).equals(values(i))
            except (KeyError, DamagedArtifact):
                assert artifact.key in self.hurt


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


def in_fork(work: Callable[[], object], kill_after: float | None = None) -> None:
    pid = forked(work)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return
    assert os.waitpid(pid, 0)[1] == 0


def test_500_artifacts_under_200_faults(tmp_path: Path) -> None:
    chance = random.Random(20)
    siege = Siege(tmp_path / "store", chance)
    faults = {
        siege.flip: 85,
        siege.truncate: 55,
        siege.too_many_files: 10,
        siege.no_space: 15,
        siege.kill_a_prune: 10,
        siege.kill_a_writer: 12,
        siege.two_writers: 13,
    }
    assert sum(faults.values()) == FAULTS
    order = [fault for fault, times in faults.items() for _ in range(times)]
    chance.shuffle(order)
    for number, fault in enumerate(order, start=1):
        fault()
        if number % 50 == 0:
            command(siege.store, *siege.any_command())
            siege.assert_whole()
    again = make_all(siege.store)
    assert [a.digest for a in again] == [a.digest for a in siege.artifacts]
    assert {a.key for a in again if not a.cached} <= siege.hurt
    assert command(siege.store, "verify")[0] == 0

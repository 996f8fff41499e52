"""500 artifacts under 200 faults: no good one is lost, no wrong one is served, no traceback."""

import json
import os
import random
import resource
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tasks.store.store import Artifact, DamagedArtifact, Store, StoreError
from tests.tasks.store.kit import forked, in_fork, path_of, run

ARTIFACTS = 500
STAGES = ("dataset", "graph", "fit", "history")
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


def make_all(store: Store, number: int) -> list[Artifact]:
    """Four stages, each artifact made from one of the stage before."""
    made: list[Artifact] = []
    rows = ceil(number / len(STAGES))
    for i in range(number):
        stage, row = divmod(i, rows)
        inputs = {"before": made[i - rows]} if stage else {}
        parameters = {"row": row}
        made.append(
            store.get_or_compute(
                STAGES[stage], (), lambda i=i: values(i), parameters=parameters, inputs=inputs
            )
        )
    return made


def command(store: Store, *arguments: str) -> tuple[int, str]:
    """A command of `flgc store`; whatever happens, it ends with a word and with 0 or 1."""
    result = run(store, *arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    assert result.exit_code in (0, 1)
    assert result.output.strip()
    assert "Traceback" not in result.output
    return result.exit_code, result.output


class Siege:
    """The store, what must be in it, and what may be damaged by now."""

    def __init__(self, root: Path, chance: random.Random, number: int) -> None:
        self.store, self.chance = Store(root), chance
        self.artifacts = make_all(self.store, number)
        self.hurt: set[str] = set()

    def damage(self, change: Callable[[bytearray], bytes | bytearray]) -> None:
        artifact = self.chance.choice(self.artifacts)
        path = path_of(self.store, artifact)
        with suppress(FileNotFoundError):  # pruned, since it was damaged before
            path.write_bytes(change(bytearray(path.read_bytes())))
            self.hurt.add(artifact.key)

    def flip(self) -> None:
        def change(data: bytearray) -> bytearray:
            if data:
                data[self.chance.randrange(len(data))] ^= 1 << self.chance.randrange(8)
            return data

        self.damage(change)

    def truncate(self) -> None:
        self.damage(lambda data: data[: self.chance.randrange(len(data) + 1)])

    def any_command(self) -> list[str]:
        """Those with --keep name the ends of all chains, so they may take none of these."""
        *others, last = self.chance.choice(COMMANDS)
        if last != "--keep":
            return [*others, last]
        ends = self.artifacts[-ceil(len(self.artifacts) / len(STAGES)) :]
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
        moment = self.chance.uniform(0, 0.2)
        in_fork(lambda: command(self.store, "prune", "--delete"), lambda: time.sleep(moment))

    def kill_a_writer(self) -> None:
        number = self.chance.random()

        def write() -> None:
            for k in range(50):
                self.store.get_or_compute(
                    "extra", (), lambda: values(0), parameters={"k": number + k}
                )

        moment = self.chance.uniform(0, 0.05)
        in_fork(write, lambda: time.sleep(moment))

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
            answers = {tuple(json.loads(line)) for line in pipe}
        ((key, digest),) = answers
        assert self.store.record(key)["digest"] == digest

    def assert_whole(self) -> None:
        """What was not damaged is there; what is there is what was written, or is not served."""
        for i, artifact in enumerate(self.artifacts):
            try:
                assert self.store.read(artifact.key).equals(values(i))
            except (KeyError, DamagedArtifact):
                assert artifact.key in self.hurt


FAULTS = {
    "flip": 85,
    "truncate": 55,
    "too_many_files": 10,
    "no_space": 15,
    "kill_a_prune": 10,
    "kill_a_writer": 12,
    "two_writers": 13,
}


@pytest.mark.parametrize("share", [0.1, pytest.param(1, marks=pytest.mark.slow)])
def test_500_artifacts_under_200_faults(tmp_path: Path, share: float) -> None:
    """A tenth of it each time."""
    chance = random.Random(20)
    siege = Siege(tmp_path / "store", chance, int(share * ARTIFACTS))
    order = [getattr(siege, fault) for fault, n in FAULTS.items() for _ in range(ceil(share * n))]
    chance.shuffle(order)
    for number, fault in enumerate(order, start=1):
        fault()
        if number % 50 == 0 or number == len(order):
            command(siege.store, *siege.any_command())
            siege.assert_whole()
    again = make_all(siege.store, len(siege.artifacts))
    assert [a.digest for a in again] == [a.digest for a in siege.artifacts]
    assert {a.key for a in again if not a.cached} <= siege.hurt
    assert command(siege.store, "verify")[0] == 0

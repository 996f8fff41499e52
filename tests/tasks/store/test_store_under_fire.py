"""500 artifacts under 200 faults: no good one is lost, no wrong one is served, no traceback."""

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
from tests.tasks.store.kit import in_fork, path_of, run, small_files

ARTIFACTS = 500
LARGE = pa.table({"x": np.random.default_rng(0).normal(size=100_000)})
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
        self.store.files.patience = 0.3
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
        parameters = {"full": self.chance.random()}
        with small_files(1000), pytest.raises(StoreError, match="no space for an artifact"):
            self.store.get_or_compute("fit", (), lambda: values(0), parameters=parameters)

    def kill_a_prune(self) -> None:
        moment = self.chance.uniform(0, 0.2)
        in_fork(lambda: command(self.store, "prune", "--delete"), lambda: time.sleep(moment))

    def kill_a_writer(self) -> None:
        """Of a megabyte each: what is there afterwards is whole, and the rest can be written."""
        number = self.chance.random()

        def write() -> None:
            for k in range(8):
                parameters = {"k": number + k}
                made = self.store.get_or_compute("extra", (), lambda: LARGE, parameters=parameters)
                assert not made.replaced_damaged
                assert self.store.read(made.key).equals(LARGE)

        folder, wanted = Path(self.store.url) / "extra", self.chance.randrange(1, 7)
        before, moment = len([*folder.glob("*")]), self.chance.uniform(0, 0.004)

        def some_are_there() -> None:
            deadline = time.monotonic() + 60
            while len([*folder.glob("*")]) < before + wanted and time.monotonic() < deadline:
                time.sleep(0.0001)
            time.sleep(moment)

        in_fork(write, some_are_there)
        write()

    def assert_whole(self) -> None:
        """What was not damaged is there; what is there is what was written, or is not served."""
        for i, artifact in enumerate(self.artifacts):
            try:
                assert self.store.read(artifact.key).equals(values(i))
            except (KeyError, DamagedArtifact):
                assert artifact.key in self.hurt


FAULTS = {
    "flip": 90,
    "truncate": 63,
    "too_many_files": 10,
    "no_space": 15,
    "kill_a_prune": 10,
    "kill_a_writer": 12,
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

"""One writer of a name at a time, on any filesystem that lists what was written.

Burns and Lamport's one-bit algorithm, with a file for the bit: raise it; if one of a smaller name
is up, lower it and wait; else wait for the others that are up, which lower theirs or soon end.
"""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePosixPath

from tasks.store.files import Files, StoreError, temporary_name

TURNS = ".turns"


@contextmanager
def my_turn(files: Files, name: str) -> Iterator[None]:
    """Nobody else who asks for a turn at this name has one meanwhile.

    A writer that was killed in its turn is waited for as long as `files.patience` says.
    """
    path = PurePosixPath(name)
    folder = str(path.parent / TURNS)
    mine = f"{folder}/{temporary_name()}-{path.stem}"

    def up() -> set[str]:
        found = {entry.name for entry in files.entries(folder)}
        return {turn for turn in found if turn.endswith(f"-{path.stem}")} - {mine}

    def wait_for(others: Collection[str]) -> None:
        pause, deadline = 0.002, time.monotonic() + files.patience
        while others := up() & set(others):
            if time.monotonic() > deadline:
                for dead in others:
                    files.delete(dead)
            time.sleep(pause)
            pause = min(2 * pause, 0.2)

    try:
        while True:
            files.note(mine, "")
            others = up()
            earlier = {turn for turn in others if turn < mine}
            if not earlier:
                break
            files.delete(mine)
            wait_for(earlier)
        wait_for(others)
        yield
    finally:
        with suppress(StoreError):  # it is taken for dead then, and what was done is done
            files.delete(mine)

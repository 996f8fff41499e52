"""Who uses a store now, and whose turn it is to write a name: small files say so.

So other processes can see it from the store alone, on whatever machine they are. A run writes its
lease anew while it lives; one that was killed stops writing, and its lease runs out.
"""

import json
import logging
import threading
import time
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePosixPath

from tasks.store.files import FileEntry, Files, StoreError, temporary_name

RUNNING = ".running"
TURNS = ".turns"
REFRESH_SECONDS = 60.0
LEASE_SECONDS = 600.0
# Machines may disagree about the time by this much.
CLOCKS_DIFFER = 300.0

logger = logging.getLogger(__name__)


@contextmanager
def lease(files: Files) -> Iterator[None]:
    """Show in the store that a run is using it; a store that cannot be written is used as well."""
    name, started, ended = f"{RUNNING}/{uuid.uuid4().hex}", time.time(), threading.Event()

    def refresh() -> None:
        try:
            files.note(name, json.dumps({"started": started, "refreshed": time.time()}))
        except StoreError as error:
            logger.warning("`flgc store prune` cannot see that a run uses the store: %s", error)

    def keep_fresh() -> None:
        while not ended.wait(REFRESH_SECONDS):
            refresh()

    refresh()
    refresher = threading.Thread(target=keep_fresh, name="lease of the store", daemon=True)
    refresher.start()
    try:
        yield
    finally:
        ended.set()
        refresher.join(timeout=REFRESH_SECONDS)
        with suppress(StoreError):  # then it runs out
            files.delete(name)


def running_since(files: Files, now: float) -> float | None:
    """When the first of the runs that live began, at the earliest; None if none does."""
    started = [
        began - CLOCKS_DIFFER
        for entry in files.entries(RUNNING)
        for began, refreshed in [_times(files, entry)]
        if not expired(refreshed, now)
    ]
    return min(started, default=None)


def last_sign(files: Files, entry: FileEntry) -> float | None:
    """When the run of a lease was last heard of; None if nobody can tell."""
    return _times(files, entry)[1]


def expired(refreshed: float | None, now: float) -> bool:
    """Is that too long ago for a run that lives?"""
    return refreshed is not None and now - refreshed > LEASE_SECONDS


def _times(files: Files, entry: FileEntry) -> tuple[float, float | None]:
    """Start and last sign of life; a lease that cannot be read may have begun at any time."""
    try:
        data = files.read(entry.name)
        if data is None:  # the run ended this moment
            return float("inf"), float("-inf")
        noted = json.loads(data.to_pybytes())
        return float(noted["started"]), entry.modified or float(noted["refreshed"])
    except (StoreError, ValueError, KeyError, TypeError):
        return float("-inf"), entry.modified


@contextmanager
def my_turn(files: Files, name: str) -> Iterator[None]:
    """One writer of a name at a time, on any filesystem that lists what was written.

    Burns and Lamport's one-bit algorithm, with a file for the bit: raise it; if one of a smaller
    name is up, lower it and wait; else wait for the others that are up, which lower theirs or soon
    end. A writer that was killed in its turn is waited for as long as `files.patience` says.
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

"""Which runs use a store, and which writer of a name has its turn: small files in the store.

Other processes, on any machine, see them there. A run renews its lease while it lives; the lease of
a run that was killed expires.
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
# The clocks of two machines may differ by this much.
CLOCKS_DIFFER = 300.0

logger = logging.getLogger(__name__)


@contextmanager
def lease(files: Files) -> Iterator[None]:
    """Show in the store that a run is using it; a read-only store can be used, too."""
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
        with suppress(StoreError):  # then it expires
            files.delete(name)


def running_since(files: Files, now: float) -> float | None:
    """The earliest start of a run that is alive, with a margin for clocks; None without runs."""
    leases = [times_of(files, entry) for entry in files.entries(RUNNING)]
    starts = [
        started
        for started, refreshed in leases
        if refreshed is None or now - refreshed <= LEASE_SECONDS
    ]
    return min(starts) - CLOCKS_DIFFER if starts else None


def times_of(files: Files, entry: FileEntry) -> tuple[float, float | None]:
    """Start and last refresh of a lease; one that cannot be read may be of any time."""
    try:
        data = files.read(entry.name)
        if data is None:  # the run ended this moment
            return float("inf"), float("-inf")
        times = json.loads(data.to_pybytes())
        return float(times["started"]), entry.modified or float(times["refreshed"])
    except (StoreError, ValueError, KeyError, TypeError):
        return float("-inf"), entry.modified


@contextmanager
def my_turn(files: Files, name: str) -> Iterator[None]:
    """One writer of a name at a time, on any filesystem that lists what was written.

    Burns and Lamport's one-bit algorithm, with a file for the bit: raise it; if one of a smaller
    name is up, lower it and wait; else wait for the others that are up, which lower theirs or soon
    end. After `files.patience` seconds a writer counts as dead.
    """
    path = PurePosixPath(name)
    folder = str(path.parent / TURNS)
    mine = f"{folder}/{temporary_name()}-{path.stem}"

    def up() -> set[str]:
        names = {entry.name for entry in files.entries(folder)}
        return {name for name in names if name.endswith(f"-{path.stem}")} - {mine}

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
        with suppress(StoreError):  # then others wait until it counts as dead
            files.delete(mine)

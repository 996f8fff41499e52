"""Who uses a store now: a small file of each run, written anew while it lives.

So a run can be told from the store alone, on whatever machine it is; one that was killed stops
writing, and its lease runs out.
"""

import json
import logging
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tasks.store.files import FileEntry, Files, StoreError

RUNNING = ".running"
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

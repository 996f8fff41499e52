"""Files that appear whole or not at all."""

import contextlib
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

STALE_AFTER = 3600.0  # seconds; what a killed process left behind may go then


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`; flushed and renamed onto it when the block ends well.

    Two processes that write the same file each have their own temporary one; the last rename wins,
    and both wrote the same content.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path.parent)
    temporary = path.parent / f".{path.name}.{uuid.uuid4().hex}.tmp"
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    with writing(path) as temporary:
        temporary.write_bytes(content)


def _sweep(folder: Path) -> None:
    for leftover in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - leftover.stat().st_mtime > STALE_AFTER:
                leftover.unlink()

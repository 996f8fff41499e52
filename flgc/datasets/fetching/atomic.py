"""Files that appear whole or not at all."""

import contextlib
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

STALE_AFTER = 3600.0  # seconds after which the file of a killed process is removed


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`; flushed and renamed onto it if the block succeeds.

    Two processes that write the same file have a temporary one each; the last rename wins, and both
    wrote the same content.
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

"""Whole files, written once: what the store needs of a filesystem, and a directory that has it.

A file is written under a temporary name beside its place, flushed, and only then given its name, so
a reader finds a whole file or none.
"""

import errno
import logging
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

import pyarrow as pa

TEMPORARY = ".tmp-"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

logger = logging.getLogger(__name__)


class StoreError(RuntimeError):
    """The store cannot do what was asked; the message names it and says what to do."""


@dataclass(frozen=True)
class FileEntry:
    """One file of the store: its name below the root, its size and when it was last written."""

    name: str
    size: int
    modified: float

    @property
    def temporary(self) -> bool:
        """Is it what a writer left that was stopped, or has not ended yet?"""
        return PurePosixPath(self.name).name.startswith(TEMPORARY)


class Files(Protocol):
    """What the store needs of a filesystem. Names are relative, with forward slashes."""

    def read(self, name: str) -> pa.Buffer | None:
        """All of a file, or None when there is none of that name."""

    def open(self, name: str) -> pa.NativeFile:
        """A file to read parts of."""

    def publish(self, name: str, data: pa.Buffer, *, replace: bool) -> bool:
        """Give the data that name; False, and nothing done, if it is taken and not to replace."""

    def entries(self) -> Iterator[FileEntry]:
        """Every file, temporaries too."""

    def delete(self, name: str) -> None:
        """Remove a file; one that is gone already is fine."""


class LocalFiles:
    """A directory of this machine, or one that it has mounted."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, name: str) -> pa.Buffer | None:
        """All of a file, or None when there is none of that name."""
        try:
            with pa.OSFile(str(self.root / name)) as source:
                return source.read_buffer()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._explained(error, "read", 0) from error

    def open(self, name: str) -> pa.NativeFile:
        """A file to read parts of."""
        return pa.OSFile(str(self.root / name))

    def publish(self, name: str, data: pa.Buffer, *, replace: bool) -> bool:
        """Write, flush to the disk, then link or rename; the folder is flushed too."""
        target = self.root / name
        temporary = target.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("xb") as sink:
                sink.write(data)
                sink.flush()
                os.fsync(sink.fileno())
            published = _rename(temporary, target, replace=replace)
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
            return published
        except OSError as error:
            raise self._explained(error, "write", data.size) from error
        finally:
            with suppress(OSError):
                temporary.unlink()

    def entries(self) -> Iterator[FileEntry]:
        """Every file, temporaries too; one that vanishes meanwhile is left out."""
        for path in sorted(self.root.rglob("*")):
            with suppress(FileNotFoundError):
                if path.is_file():
                    status = path.stat()
                    name = path.relative_to(self.root).as_posix()
                    yield FileEntry(name, status.st_size, status.st_mtime)

    def delete(self, name: str) -> None:
        """Remove a file; one that is gone already is fine."""
        try:
            (self.root / name).unlink(missing_ok=True)
        except OSError as error:
            raise self._explained(error, "delete from", 0) from error

    def _explained(self, error: OSError, deed: str, size: int) -> StoreError:
        if error.errno in NO_SPACE:
            free = shutil.disk_usage(_existing(self.root)).free
            return StoreError(
                f"store {self.root}: no space for an artifact of {size / 1e6:.1f} MB "
                f"({free / 1e6:.1f} MB free: {error.strerror}); make room, or set FLGC_STORE to "
                "another place. Nothing was changed."
            )
        return StoreError(
            f"store {self.root}: cannot {deed} it ({error}); check that it is a directory with the "
            "right permissions, or set FLGC_STORE to another place"
        )


def _rename(temporary: Path, target: Path, *, replace: bool) -> bool:
    """A link fails when the name is taken, so the first of two writers wins."""
    if not replace:
        try:
            os.link(temporary, target)
            return True
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
                raise
            logger.debug("no hard links in %s; renaming instead", target.parent)
    temporary.replace(target)
    return True


def _existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.parents) if place.exists())

"""Whole files, written once: what the store needs of a filesystem, and a directory that has it.

A file is written under a temporary name beside its place, flushed, and only then given its name, so
a reader finds a whole file or none.
"""

import errno
import logging
import os
import re
import shutil
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

import pyarrow as pa

from flgc.addresses import without_secrets

TEMPORARY = ".tmp-"
TIME_IN_NAME = re.compile(rf"{re.escape(TEMPORARY)}(\d{{9,11}})-")
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

logger = logging.getLogger(__name__)


class StoreError(RuntimeError):
    """The store cannot do what was asked; the message names it and says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(without_secrets(message))


@dataclass(frozen=True)
class FileEntry:
    """One file of the store: its name below the root, its size and when it was last written.

    Not all filesystems tell the time; it is None then.
    """

    name: str
    size: int
    modified: float | None

    @property
    def temporary(self) -> bool:
        """Is it what a writer left that was stopped, or has not ended yet?"""
        return PurePosixPath(self.name).name.startswith(TEMPORARY)

    @property
    def begun(self) -> float | None:
        """When a temporary's writer began, from its name; None for names that do not say."""
        found = TIME_IN_NAME.match(PurePosixPath(self.name).name)
        return float(found[1]) if found else None


def temporary_name() -> str:
    """A name that nobody else has, with the time in it: not all filesystems keep one."""
    return f"{TEMPORARY}{time.time():.0f}-{uuid.uuid4().hex}"


class Files(Protocol):
    """What the store needs of a filesystem. Names are relative, with forward slashes.

    What goes wrong is a `StoreError`: never "there is none", never an error of the filesystem's.
    """

    patience: float
    """Seconds in which a writer has given its file a name; after these it is taken for dead."""

    def read(self, name: str) -> pa.Buffer | None:
        """All of a file, or None when there is none of that name."""

    def open(self, name: str) -> pa.NativeFile:
        """A file to read parts of."""

    def write(self, name: str, data: pa.Buffer) -> str:
        """Write the data beside that name; gives the temporary name that it has until renamed."""

    def rename(self, temporary: str, name: str, *, replace: bool) -> bool:
        """Give a written file its name; False, and nothing done, if it is taken, not to replace."""

    def note(self, name: str, text: str) -> None:
        """Write a small file in place, which a reader may see half and a power cut may undo."""

    def entries(self, folder: str = "") -> Iterator[FileEntry]:
        """Every file below the folder, temporaries too."""

    def delete(self, name: str) -> None:
        """Remove a file; one that is gone already is fine."""


class LocalFiles:
    """A directory of this machine, or one that it has mounted."""

    patience = 10.0

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
            raise self._explained(error, "read") from error

    def open(self, name: str) -> pa.NativeFile:
        """A file to read parts of."""
        try:
            return pa.OSFile(str(self.root / name))
        except OSError as error:
            raise self._explained(error, "read") from error

    def write(self, name: str, data: pa.Buffer) -> str:
        """Write and flush to the disk, under a temporary name."""
        temporary = str(PurePosixPath(name).with_name(temporary_name()))
        path = self.root / temporary
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as sink:
                sink.write(data)
                sink.flush()
                os.fsync(sink.fileno())
        except OSError as error:
            with suppress(OSError):
                path.unlink()
            raise self._explained(error, "write", data.size) from error
        return temporary

    def rename(self, temporary: str, name: str, *, replace: bool) -> bool:
        """Link or rename; the folder is flushed too."""
        target = self.root / name
        try:
            renamed = _rename(self.root / temporary, target, replace=replace)
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
            return renamed
        except OSError as error:
            raise self._explained(error, "write") from error

    def note(self, name: str, text: str) -> None:
        """Write a small file in place, which a reader may see half and a power cut may undo."""
        path = self.root / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise self._explained(error, "write") from error

    def entries(self, folder: str = "") -> Iterator[FileEntry]:
        """Every file below the folder, temporaries too; one that vanishes meanwhile is left out."""
        try:
            for path in sorted(_paths(self.root / folder)):
                with suppress(FileNotFoundError):
                    status = path.stat()
                    if stat.S_ISREG(status.st_mode):
                        name = path.relative_to(self.root).as_posix()
                        yield FileEntry(name, status.st_size, status.st_mtime)
        except OSError as error:
            raise self._explained(error, "list") from error

    def delete(self, name: str) -> None:
        """Remove a file; one that is gone already is fine."""
        try:
            (self.root / name).unlink(missing_ok=True)
        except OSError as error:
            raise self._explained(error, "delete from") from error

    def _explained(self, error: OSError, deed: str, size: int = 0) -> StoreError:
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


def _paths(folder: Path) -> Iterator[Path]:
    """All that is below a folder and no folder itself; one that cannot be listed is an error."""

    def refuse(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise error

    for place, _, names in os.walk(folder, onerror=refuse):
        yield from (Path(place, name) for name in names)


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

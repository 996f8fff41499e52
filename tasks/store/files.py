"""Whole files, written once, on any filesystem that pyarrow or fsspec can reach.

A file is written under a temporary name beside its place, and only then given its name, so a reader
finds a whole file or none. In a directory it is flushed to the disk before that.
"""

import errno
import logging
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs as arrow_fs

from flgc.addresses import HIDDEN, is_open, without_secrets

TEMPORARY = ".tmp-"
TIME_IN_NAME = re.compile(rf"{re.escape(TEMPORARY)}(\d{{9,11}})-")
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# Shorter values are no secrets, and hiding them would make messages unreadable.
SHORTEST_SECRET = 4

logger = logging.getLogger(__name__)


class StoreError(RuntimeError):
    """The store cannot do what was asked; the message names it and says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(without_secrets(message))


@dataclass(frozen=True)
class FileEntry:
    """One file of the store: its name below the root, its size and when it was last written.

    The time is None where a filesystem does not tell it.
    """

    name: str
    size: int
    modified: float | None

    @property
    def temporary(self) -> bool:
        """Does it belong to a writer that is at work, or was stopped?"""
        return PurePosixPath(self.name).name.startswith(TEMPORARY)

    @property
    def started(self) -> float | None:
        """When a temporary's writer started, from its name; None for names that do not say."""
        matched = TIME_IN_NAME.match(PurePosixPath(self.name).name)
        return float(matched[1]) if matched else None


def temporary_name() -> str:
    """A unique name with the time in it, which not all filesystems keep."""
    return f"{TEMPORARY}{time.time():.0f}-{uuid.uuid4().hex}"


def open_files(url: str) -> "Files":
    """The filesystem behind a directory's path or a URL such as s3://bucket/folder."""
    if "://" not in url:
        return LocalFiles(str(Path(url).expanduser().absolute()))
    try:
        try:
            filesystem, root = arrow_fs.FileSystem.from_uri(url)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            filesystem, root = _from_fsspec(url)
    except Exception as error:  # each filesystem has its own for an address that it cannot open
        raise StoreError(
            f"store {url}: no filesystem for this address ({_without_secrets_of(url, error)}); "
            "give a directory, or check the address and install the fsspec package of that scheme"
        ) from None  # the error beneath may show the address as it is
    if isinstance(filesystem, arrow_fs.LocalFileSystem):
        return LocalFiles(root)
    return Files(url, filesystem, root)


def _from_fsspec(url: str) -> tuple[arrow_fs.FileSystem, str]:
    import fsspec  # type: ignore[import-untyped]

    filesystem, root = fsspec.core.url_to_fs(url)
    return arrow_fs.PyFileSystem(arrow_fs.FSSpecHandler(filesystem)), root


class Files:
    """What the store needs of a filesystem. Names are relative, with forward slashes.

    Every failure is a `StoreError`: it is never taken for "no such file", and no error of the
    filesystem's own gets out. Where renaming is copying, as in object stores, copies appear whole.
    """

    patience = 120.0
    """Seconds that a writer may take for its turn before it counts as dead."""
    advice = "check the address, the network and the credentials of that filesystem"

    def __init__(self, url: str, filesystem: arrow_fs.FileSystem, root: str) -> None:
        self.url = url
        self.filesystem = filesystem
        self.root = root.rstrip("/")

    def read(self, name: str) -> pa.Buffer | None:
        """All of a file; None if there is none of that name."""
        with self._explained("read"):
            with suppress(FileNotFoundError):
                return self._content(name)
            # Somebody may have just written it, and some filesystems say so whatever is wrong.
            return self._content(name) if self._exists(self._path(name)) else None

    def open(self, name: str) -> pa.NativeFile:
        """A file to read parts of."""
        with self._explained("read"):
            return self.filesystem.open_input_file(self._path(name))

    def write(self, name: str, data: pa.Buffer) -> str:
        """Write the data beside that name; returns the temporary name, for `rename`."""
        temporary = str(PurePosixPath(name).with_name(temporary_name()))
        try:
            self._put(temporary, data)
        except StoreError:
            with suppress(StoreError):
                self.delete(temporary)
            raise
        return temporary

    def rename(self, temporary: str, name: str, *, replace: bool) -> bool:
        """Give a written file its name; False if that is taken and may not be replaced.

        To be called in one's turn at that name.
        """
        with self._explained("write"):
            if not replace and self._exists(self._path(name)):
                return False
            self.filesystem.move(self._path(temporary), self._path(name))
            return True

    def note(self, name: str, text: str) -> None:
        """Write a small file in place, which a reader may see half and a power cut may undo."""
        Files._put(self, name, pa.py_buffer(text.encode()))

    def entries(self, folder: str = "") -> Iterator[FileEntry]:
        """Every file below the folder, temporaries too, without those that vanish meanwhile."""
        base = self._path(folder).rstrip("/")
        with self._explained("list"):
            self._forget_listings()
            selector = arrow_fs.FileSelector(base, recursive=True, allow_not_found=True)
            infos = self.filesystem.get_file_info(selector)
            if not infos:
                self._exists(base)  # fsspec lists nothing where it cannot look; this says why
        for info in sorted(infos, key=lambda info: info.path):
            if info.is_file:
                name = info.path.lstrip("/").removeprefix(self.root.lstrip("/")).lstrip("/")
                yield FileEntry(name, info.size, info.mtime_ns / 1e9 if info.mtime_ns else None)

    def delete(self, name: str) -> None:
        """Remove a file; one that is gone already is fine."""
        with self._explained("delete from"):
            try:
                self.filesystem.delete_file(self._path(name))
            except FileNotFoundError:
                if self._exists(self._path(name)):
                    raise

    def _content(self, name: str) -> pa.Buffer:
        with self.filesystem.open_input_stream(self._path(name)) as source:
            return source.read_buffer()

    def _put(self, name: str, data: pa.Buffer) -> None:
        path = self._path(name)
        with self._explained("write"):
            self.filesystem.create_dir(path.rpartition("/")[0], recursive=True)
            with self.filesystem.open_output_stream(path) as sink:
                sink.write(data)

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def _exists(self, path: str) -> bool:
        """Unlike fsspec's own `exists`, which answers no on any error."""
        self._forget_listings()
        return bool(self.filesystem.get_file_info(path).type != arrow_fs.FileType.NotFound)

    def _forget_listings(self) -> None:
        """Some fsspec filesystems cache listings, which miss what other processes write."""
        if isinstance(self.filesystem, arrow_fs.PyFileSystem):
            self.filesystem.handler.fs.invalidate_cache()

    @contextmanager
    def _explained(self, action: str) -> Iterator[None]:
        try:
            yield
        except (StoreError, MemoryError):
            raise
        except Exception as error:  # these filesystems raise whatever their clients raise
            reason = _without_secrets_of(self.url, error)
            raise StoreError(
                f"store {self.url}: cannot {action} it ({reason}); {self.advice}"
            ) from None  # the error beneath may show the address as it is


class LocalFiles(Files):
    """A local or mounted directory, where a file that has its name is on the disk."""

    patience = 10.0
    advice = (
        "check that it is a directory with the right permissions, or set FLGC_STORE to another "
        "place"
    )

    def __init__(self, root: str) -> None:
        super().__init__(root, arrow_fs.LocalFileSystem(), root)

    def rename(self, temporary: str, name: str, *, replace: bool) -> bool:
        """Link or rename; the folder is flushed too."""
        target = Path(self._path(name))
        with self._explained("write"):
            renamed = _rename(Path(self._path(temporary)), target, replace=replace)
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
            return renamed

    def _put(self, name: str, data: pa.Buffer) -> None:
        path = Path(self._path(name))
        with self._explained("write"):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("xb") as sink:
                    sink.write(data)
                    sink.flush()
                    os.fsync(sink.fileno())
            except OSError as error:
                if error.errno not in NO_SPACE:
                    raise
                place = next(place for place in path.parents if place.exists())
                free = shutil.disk_usage(place).free
                raise StoreError(
                    f"store {self.root}: no space for an artifact of {data.size / 1e6:.1f} MB "
                    f"({free / 1e6:.1f} MB free: {error.strerror}); make room, or set FLGC_STORE "
                    "to another place. Nothing was changed."
                ) from error


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


def _without_secrets_of(address: str, error: Exception) -> str:
    """The error's text without the secrets of the address, in whatever form it shows them."""
    text = without_secrets(error)
    if address == without_secrets(address):
        return text
    authority, _, rest = re.sub(r"^.*?://", "", address).partition("/")
    user = authority.rpartition("@")[0]
    pairs = rest.partition("?")[2].split("&")
    values = [pair.partition("=")[2] for pair in pairs if not is_open(pair)]
    secrets = {user, *user.split(":", 1), *values}
    for secret in sorted(secrets | {unquote(s) for s in secrets}, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, HIDDEN)
    return text

"""Stores on any filesystem that pyarrow or fsspec can reach, for workers on several machines."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs as arrow_fs

from flgc.addresses import HIDDEN, is_open, without_secrets
from tasks.store.files import FileEntry, Files, LocalFiles, StoreError, temporary_name

# A shorter value is no secret, and hiding it would riddle messages.
SHORTEST_SECRET = 4


def open_files(url: str) -> Files:
    """The filesystem behind a directory's path or a URL such as s3://bucket/folder."""
    if "://" not in url:
        return LocalFiles(Path(url).expanduser().absolute())
    try:
        try:
            filesystem, root = arrow_fs.FileSystem.from_uri(url)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            filesystem, root = _from_fsspec(url)
    except Exception as error:  # each filesystem has its own for an address that it cannot open
        raise StoreError(
            f"store {url}: no filesystem for this address ({_hidden(error, url)}); give a "
            "directory, or check the address and install the fsspec package of that scheme"
        ) from None  # the error beneath may show the address as it is
    if isinstance(filesystem, arrow_fs.LocalFileSystem):
        return LocalFiles(Path(root))
    return RemoteFiles(url, filesystem, root)


def _from_fsspec(url: str) -> tuple[arrow_fs.FileSystem, str]:
    import fsspec  # type: ignore[import-untyped]

    filesystem, root = fsspec.core.url_to_fs(url)
    return arrow_fs.PyFileSystem(arrow_fs.FSSpecHandler(filesystem)), root


class RemoteFiles:
    """Any other filesystem. Where renaming is copying, as in object stores, copies appear whole."""

    patience = 120.0

    def __init__(self, url: str, filesystem: arrow_fs.FileSystem, root: str) -> None:
        self.url = url
        self.filesystem = filesystem
        self.root = root.rstrip("/")

    def read(self, name: str) -> pa.Buffer | None:
        """All of a file, or None when there is none of that name."""
        with self._explained("read"):
            try:
                with self.filesystem.open_input_stream(self._path(name)) as source:
                    return source.read_buffer()
            except FileNotFoundError:
                if self._exists(self._path(name)):
                    raise
                return None

    def open(self, name: str) -> pa.NativeFile:
        """A file to read parts of."""
        with self._explained("read"):
            return self.filesystem.open_input_file(self._path(name))

    def write(self, name: str, data: pa.Buffer) -> str:
        """Write under a temporary name."""
        temporary = f"{name.rpartition('/')[0]}/{temporary_name()}"
        try:
            self._put(temporary, data)
        except StoreError:
            with suppress(StoreError):
                self.delete(temporary)
            raise
        return temporary

    def rename(self, temporary: str, name: str, *, replace: bool) -> bool:
        """Move, if the name is free or to be replaced: whose turn it is, the caller knows."""
        with self._explained("write"):
            if not replace and self._exists(self._path(name)):
                return False
            self.filesystem.move(self._path(temporary), self._path(name))
            return True

    def note(self, name: str, text: str) -> None:
        """Write a small file."""
        self._put(name, pa.py_buffer(text.encode()))

    def entries(self, folder: str = "") -> Iterator[FileEntry]:
        """Every file below the folder, temporaries too."""
        base = self._path(folder).rstrip("/")
        with self._explained("list"):
            self._forget_listings()
            selector = arrow_fs.FileSelector(base, recursive=True, allow_not_found=True)
            found = self.filesystem.get_file_info(selector)
            if not found:
                self._exists(base)  # fsspec lists nothing where it cannot look; this says why
        for info in sorted(found, key=lambda info: info.path):
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

    def _put(self, name: str, data: pa.Buffer) -> None:
        path = self._path(name)
        with self._explained("write"):
            self.filesystem.create_dir(path.rpartition("/")[0], recursive=True)
            with self.filesystem.open_output_stream(path) as sink:
                sink.write(data)

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def _exists(self, path: str) -> bool:
        """Unlike fsspec's own `exists`, which takes any error for a no."""
        self._forget_listings()
        return bool(self.filesystem.get_file_info(path).type != arrow_fs.FileType.NotFound)

    def _forget_listings(self) -> None:
        """Some fsspec filesystems answer from listings that they have kept; others write too."""
        if isinstance(self.filesystem, arrow_fs.PyFileSystem):
            self.filesystem.handler.fs.invalidate_cache()

    @contextmanager
    def _explained(self, deed: str) -> Iterator[None]:
        try:
            yield
        except StoreError:
            raise
        except Exception as error:  # these filesystems raise whatever their clients raise
            raise StoreError(
                f"store {self.url}: cannot {deed} it ({_hidden(error, self.url)}); check the "
                "address, the network and the credentials of that filesystem"
            ) from None  # the error beneath may show the address as it is


def _hidden(error: Exception, address: str) -> str:
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

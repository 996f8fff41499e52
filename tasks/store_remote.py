"""Stores on any filesystem that pyarrow or fsspec can reach, for workers on several machines."""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
from pyarrow import fs as arrow_fs

from tasks.store_files import TEMPORARY, FileEntry, Files, LocalFiles, StoreError


def open_files(url: str) -> Files:
    """The filesystem behind a directory's path or a URL such as s3://bucket/folder."""
    if "://" not in url:
        return LocalFiles(Path(url).expanduser().absolute())
    try:
        filesystem, root = arrow_fs.FileSystem.from_uri(url)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        filesystem, root = _from_fsspec(url)
    if isinstance(filesystem, arrow_fs.LocalFileSystem):
        return LocalFiles(Path(root))
    return RemoteFiles(url, filesystem, root)


def _from_fsspec(url: str) -> tuple[arrow_fs.FileSystem, str]:
    import fsspec  # type: ignore[import-untyped]

    try:
        filesystem, root = fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as error:
        raise StoreError(
            f"store {url}: no filesystem for this address ({error}); give a directory, or install "
            "the fsspec package of that scheme"
        ) from error
    return arrow_fs.PyFileSystem(arrow_fs.FSSpecHandler(filesystem)), root


class RemoteFiles:
    """Any other filesystem. Where renaming is copying, as in object stores, copies appear whole."""

    def __init__(self, url: str, filesystem: arrow_fs.FileSystem, root: str) -> None:
        self.url = url
        self.filesystem = filesystem
        self.root = root.rstrip("/")

    def read(self, name: str) -> pa.Buffer | None:
        """All of a file, or None when there is none of that name."""
        try:
            with self.filesystem.open_input_stream(self._path(name)) as source:
                return source.read_buffer()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._explained(error, "read") from error

    def open(self, name: str) -> pa.NativeFile:
        """A file to read parts of."""
        return self.filesystem.open_input_file(self._path(name))

    def publish(self, name: str, data: pa.Buffer, *, replace: bool) -> bool:
        """Write under a temporary name, then move."""
        target = self._path(name)
        folder = target.rpartition("/")[0]
        temporary = f"{folder}/{TEMPORARY}{uuid.uuid4().hex}"
        try:
            if not replace and self._exists(target):
                return False
            self.filesystem.create_dir(folder, recursive=True)
            with self.filesystem.open_output_stream(temporary) as sink:
                sink.write(data)
            self.filesystem.move(temporary, target)
            return True
        except OSError as error:
            with suppress(OSError):
                self.filesystem.delete_file(temporary)
            raise self._explained(error, "write") from error

    def entries(self) -> Iterator[FileEntry]:
        """Every file, temporaries too."""
        selector = arrow_fs.FileSelector(self.root, recursive=True, allow_not_found=True)
        for info in sorted(self.filesystem.get_file_info(selector), key=lambda info: info.path):
            if info.is_file:
                name = info.path.removeprefix(self.root).lstrip("/")
                yield FileEntry(name, info.size, info.mtime_ns / 1e9 if info.mtime_ns else 0.0)

    def delete(self, name: str) -> None:
        """Remove a file; one that is gone already is fine."""
        with suppress(FileNotFoundError):
            self.filesystem.delete_file(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def _exists(self, path: str) -> bool:
        return bool(self.filesystem.get_file_info(path).type != arrow_fs.FileType.NotFound)

    def _explained(self, error: OSError, deed: str) -> StoreError:
        return StoreError(
            f"store {self.url}: cannot {deed} it ({error}); check the address, the network and the "
            "credentials of that filesystem"
        )

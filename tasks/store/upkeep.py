"""What is in a store, whether it is whole, and what can be deleted."""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from tasks.store.files import FileEntry, StoreError
from tasks.store.leases import LEASE_SECONDS, RUNNING, my_turn, running_since, times_of
from tasks.store.parquet import DamagedArtifact, peek_record
from tasks.store.store import KEY, Store, file_name

# Seconds after which a temporary file is abandoned: since it was last written, or, where only its
# name has a time, since its writer started, which may take long.
TEMPORARY_GRACE = 3600.0
WRITER_GRACE = 86400.0
# No run can compute these again: they are deleted only if their stage is named.
IRREPLACEABLE = ("history",)
DAMAGED = "damaged"


@dataclass(frozen=True)
class Listed(FileEntry):
    """One artifact's file, with its record, or with the reason why it could not be read."""

    record: dict[str, Any] | None
    problem: StoreError | None = None

    @property
    def key(self) -> str:
        """The artifact's key, from the file's name."""
        return PurePosixPath(self.name).stem

    @property
    def stage(self) -> str:
        """The stage that made it, from the file's name."""
        return self.key.rpartition("-")[0]

    @property
    def damaged(self) -> bool:
        """Was it read in full, and not whole? A file that could not be read may be whole."""
        return isinstance(self.problem, DamagedArtifact)

    @property
    def created(self) -> float | None:
        """When it was made, in seconds since 1970; None if unknown."""
        if self.record is None:
            return self.modified
        return datetime.fromisoformat(self.record["created"]).timestamp()


@dataclass(frozen=True)
class Removal(FileEntry):
    """A file that can be deleted, or that was kept, and why."""

    reason: str


@dataclass(frozen=True)
class Pruning:
    """What can be deleted, and what would be deleted but is kept."""

    removals: list[Removal]
    kept: list[Removal]


def artifact_keys(store: Store) -> list[str]:
    """The key of every artifact, by the names of the files alone."""
    return [_key(entry) for entry in _artifacts(store)]


def list_artifacts(store: Store, *, in_full: bool = False) -> list[Listed]:
    """Every artifact with its record, or with its problem.

    Records are taken from the files' ends; `in_full` reads every byte and checks the seals.
    """
    every = (_listed(store, entry, in_full=in_full) for entry in _artifacts(store))
    return [listed for listed in every if listed is not None]


def verify(store: Store) -> Iterator[tuple[str, StoreError | None]]:
    """Each artifact's key with None if it is whole, else with the problem."""
    for key in artifact_keys(store):
        try:
            store.read(key)
            yield key, None
        except KeyError:
            continue
        except StoreError as error:
            yield key, error


def find_key(store: Store, beginning: str) -> str:
    """The one key with this beginning, with or without its stage."""
    return _only(store, artifact_keys(store), beginning)


def _only(store: Store, keys: Collection[str], beginning: str) -> str:
    matches = [
        key
        for key in keys
        if key.startswith(beginning) or key.rpartition("-")[2].startswith(beginning)
    ]
    if len(matches) == 1:
        return matches[0]
    some = ", ".join(matches[:5]) + (", ..." if len(matches) > 5 else "")
    what = f"{len(matches)} artifacts begin so ({some})" if matches else "no artifact begins so"
    raise KeyError(f"store {store.url}: {what}: {beginning!r}; `ls` shows all")


def plan_pruning(
    store: Store,
    *,
    older_than_days: float | None = None,
    stages: Collection[str] = (),
    keep_reachable_from: Collection[str] = (),
    now: float | None = None,
) -> Pruning:
    """What can be deleted, and what would be but for a reason to keep it, each with its reason.

    Always deleted: abandoned temporaries and damaged artifacts. On request: artifacts that are
    older, or of one of these stages; with `keep_reachable_from`, all that these keys were not made
    from. Never: these keys and what they were made from, what could not be read, what was made
    since a run started that is still alive, and history unless its stage is named.
    """
    moment = time.time() if now is None else now
    entries = list(store.files.entries())
    artifacts = list_artifacts(store, in_full=bool(keep_reachable_from))
    reachable = _reachable(store, artifacts, keep_reachable_from) if keep_reachable_from else None
    # After the files were listed: a run that made one of them had its lease before that.
    since = running_since(store.files, moment)
    pruning = Pruning([], [])

    def keep(file: FileEntry, why: str) -> None:
        pruning.kept.append(Removal(file.name, file.size, file.modified, why))

    def remove(file: FileEntry, made: float | None, why: str) -> None:
        if since is not None and (made is None or made > since):
            keep(file, f"{why}, but a run that began before it is still using the store")
        else:
            pruning.removals.append(Removal(file.name, file.size, file.modified, why))

    for entry in entries:
        if entry.name.startswith(f"{RUNNING}/"):
            why, grace = "lease of a run that was stopped", LEASE_SECONDS
            unknown = "lease of unknown age; delete it by hand if no run uses the store"
            alive = times_of(store.files, entry)[1]
        elif entry.temporary:
            why, unknown = "abandoned temporary file", "temporary file of unknown age"
            grace = WRITER_GRACE if entry.modified is None else TEMPORARY_GRACE
            alive = entry.started if entry.modified is None else entry.modified
        else:
            continue
        if alive is None:
            keep(entry, unknown)
        elif moment - alive > grace:
            remove(entry, alive, why)
    for listed in artifacts:
        reason = _reason(listed, moment, older_than_days, stages, reachable)
        if reason is None:
            continue
        if listed.problem is not None and not listed.damaged:
            keep(listed, f"could not be read: {listed.problem}")
        elif listed.stage in IRREPLACEABLE and listed.stage not in stages:
            why = f"{reason}, but no run can bring it back; --stage {listed.stage} removes it"
            keep(listed, why)
        else:
            made = listed.created if listed.modified is None else listed.modified
            remove(listed, made, reason)
    return pruning


def carry_out(store: Store, pruning: Pruning) -> list[Removal]:
    """Delete what can be, if it is still the same file; gives what was deleted."""
    standing = {entry.name: entry for entry in store.files.entries()}
    deleted = []
    for removal in pruning.removals:
        entry = standing.get(removal.name)
        if entry is None or (entry.size, entry.modified) != (removal.size, removal.modified):
            continue
        if removal.reason != DAMAGED:
            store.files.delete(removal.name)
        elif not _delete_damaged(store, entry):
            continue
        deleted.append(removal)
    return deleted


def _delete_damaged(store: Store, entry: FileEntry) -> bool:
    """Check and delete it in one turn, so that no writer replaces it in between."""
    with my_turn(store.files, entry.name):
        listed = _listed(store, entry, in_full=True)
        if listed is None or not listed.damaged:
            return False
        store.files.delete(entry.name)
        return True


def _reason(
    listed: Listed,
    moment: float,
    older_than_days: float | None,
    stages: Collection[str],
    reachable: set[str] | None,
) -> str | None:
    """Why an artifact can be deleted, if nothing else keeps it; None if it need not be."""
    if listed.problem is not None:
        return DAMAGED
    if reachable is not None and listed.key in reachable:
        return None
    days = None if listed.created is None else (moment - listed.created) / 86400
    if older_than_days is not None and days is not None and days > older_than_days:
        return f"{days:.0f} days old"
    if listed.stage in stages:
        return f"stage {listed.stage}"
    if reachable is not None:
        return "not reachable from the given results"
    return None


def _reachable(store: Store, artifacts: list[Listed], results: Collection[str]) -> set[str]:
    """Keys of the results and of all that they were made from, by name and by digest.

    By digest too: what was made from one artifact may be made from its equal of another key.
    Refused if one of them is missing or not whole: what it was made from is unknown then.
    """
    by_key = {listed.key: listed for listed in artifacts}
    by_digest: dict[str, list[str]] = {}
    for listed in artifacts:
        if listed.record is not None:
            by_digest.setdefault(listed.record["digest"], []).append(listed.key)
    waiting = [_only(store, by_key, result) for result in results]
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        record = by_key[key].record
        if record is None:
            raise _cannot_keep(store, f"{key} {_standing(by_key[key])}")
        for name, digest in record["inputs"].items():
            sources = by_digest.get(digest, [])
            waiting.extend(sources)
            source = record["made_from"].get(name)
            if source in by_key and by_key[source].record is not None:
                waiting.append(source)  # computed again since, perhaps with other content
            elif source is not None and not sources:
                what = f"{key} was made from {source}, which {_standing(by_key.get(source))}"
                raise _cannot_keep(store, what)
    return seen


def _standing(listed: Listed | None) -> str:
    return "is missing" if listed is None else f"is not whole ({listed.problem})"


def _cannot_keep(store: Store, reason: str) -> StoreError:
    return StoreError(
        f"store {store.url}: what the kept results were made from is unknown: {reason}. "
        "Nothing was deleted; run the flow that makes it again, or prune without --keep"
    )


def _key(entry: FileEntry) -> str:
    return PurePosixPath(entry.name).stem


def _artifacts(store: Store) -> Iterator[FileEntry]:
    """The files that lie where an artifact of their name does."""
    for entry in store.files.entries():
        if KEY.fullmatch(_key(entry)) and entry.name == file_name(_key(entry)):
            yield entry


def _listed(store: Store, entry: FileEntry, *, in_full: bool) -> Listed | None:
    """The artifact of a file; None if it is gone. Only after a full reading is it damaged."""
    record: dict[str, Any] | None = None
    problem: StoreError | None = None
    if not in_full:
        try:
            with store.files.open(entry.name) as source:
                peeked = peek_record(source)
            record = peeked if peeked["key"] == _key(entry) else None
        except Exception:  # Arrow raises many; the full reading finds what is wrong
            record = None
    if record is None:
        try:
            record = store.record(_key(entry))
        except KeyError:
            return None
        except StoreError as error:
            problem = error
    return Listed(entry.name, entry.size, entry.modified, record, problem)

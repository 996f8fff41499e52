"""The content-addressed store: what a stage computes is kept as Parquet and computed once.

A key is the hash of (stage, its parameters, the digests of its inputs, the digest of the code that
it runs). It does not depend on place, time or run, so any run on any machine finds what another
one computed. A change of any of these gives another key.

    store = Store()
    graph = store.get_or_compute("graph", [knn_graph], build, parameters={"k": 10},
                                 inputs={"points": raw})
    table = store.read(graph.key)
"""

import hashlib
import logging
import os
import platform
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

import pandas as pd
import pyarrow as pa

from flgc.addresses import HIDDEN, without_secrets
from tasks.store.code import CodeChanged, changed_files, code_digest
from tasks.store.digests import canonical_json, content_digest, plain
from tasks.store.files import StoreError, open_files
from tasks.store.leases import lease, my_turn
from tasks.store.parquet import DamagedArtifact, as_table, read_record, read_table, to_bytes

SETTING = "FLGC_STORE"
DEFAULT_ROOT = "artifacts/store"
FORMAT = 1
RECORDED_VERSIONS = ("flgc", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "torch")
STAGE = re.compile(r"[a-z][a-z0-9_-]*")
KEY = re.compile(rf"({STAGE.pattern})-[0-9a-f]{{64}}")

logger = logging.getLogger(__name__)
# One computation of a key at a time within a process; between processes the first to end wins.
_computing: dict[tuple[str, str], threading.Lock] = {}


@dataclass(frozen=True)
class Artifact:
    """What one stage left in the store, small enough to pass between tasks.

    `digest` is that of the content, `seconds` is how long the computation took, `cached` says that
    the store had it already, `replaced_damaged` that the store had a damaged one.
    """

    key: str
    digest: str
    stage: str
    rows: int
    seconds: float
    cached: bool
    replaced_damaged: bool = False


Inputs: TypeAlias = "Artifact | str | Sequence[Inputs] | Mapping[str, Inputs]"


def artifact_key(
    stage: str, parameters: Mapping[str, Any], inputs: Mapping[str, str], code: str
) -> str:
    """`<stage>-<sha256>` of all that an artifact depends on."""
    if not STAGE.fullmatch(stage):
        raise ValueError(f"stage {stage!r}: use lower-case letters, digits, - and _")
    identity = {"parameters": parameters, "inputs": inputs, "code": code, "stage": stage}
    text = canonical_json({**identity, "format": FORMAT})
    return f"{stage}-{hashlib.sha256(text.encode()).hexdigest()}"


def file_name(key: str) -> str:
    """Where below the root an artifact lies: in the folder of its stage."""
    matched = KEY.fullmatch(key)
    if not matched:
        raise ValueError(f"{key!r} is not a key; keys look like graph-<64 hexadecimal digits>")
    return f"{matched[1]}/{key}.parquet"


def full_address(url: str | os.PathLike[str] | None) -> str:
    """The store's address with its credentials, which come from the environment alone.

    Addresses show in Prefect's parameters, in logs and in the list of processes. So they are passed
    on without credentials, which each process finds in FLGC_STORE again.
    """
    setting = os.environ.get(SETTING)
    address = os.fspath(url or setting or DEFAULT_ROOT)
    if "://" not in address:
        return os.path.abspath(os.path.expanduser(address))  # noqa: PTH100, PTH111
    public = without_secrets(address)
    if HIDDEN not in public or address == setting:
        return address
    if address != public:
        raise StoreError(
            f"store {public}: an address with credentials or a query is taken from {SETTING} only, "
            f"since others can see options and parameters; set {SETTING} to it and leave this out, "
            "or use the variables or files in which that filesystem looks for credentials"
        )
    if setting is None or without_secrets(setting) != public:
        raise StoreError(
            f"store {public}: what is hidden by {HIDDEN} is not known here; set {SETTING} to the "
            "whole address in the environment of this process too"
        )
    return setting


class Store:
    """Artifacts under one root: a directory, or any URL that pyarrow or fsspec can open.

    `url` has no credentials: it can be shown and passed on.
    """

    def __init__(self, url: str | os.PathLike[str] | None = None) -> None:
        address = full_address(url)
        self.url = without_secrets(address)
        self.files = open_files(address)

    def __reduce__(self) -> tuple[type["Store"], tuple[str]]:
        return Store, (self.url,)

    def __repr__(self) -> str:
        return f"Store({self.url!r})"

    def in_use(self) -> AbstractContextManager[None]:
        """Within this context `prune` removes nothing that was made since its beginning."""
        return lease(self.files)

    def get_or_compute(
        self,
        stage: str,
        code: Sequence[Any],
        compute: Callable[[], pa.Table | pd.DataFrame],
        *,
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Inputs] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> Artifact:
        """The artifact of this stage, parameters, inputs and code; computed if the store lacks it.

        `code` lists the functions and classes that `compute` runs, see `code_digest`. `inputs` are
        artifacts, or digests of what comes from elsewhere (data files too), or lists and
        dictionaries of them. `provenance` is stored with the artifact (a run's name, a source's
        address) and is no part of its identity. CodeChanged if a file of that code is edited
        meanwhile: nothing is stored then.
        """
        given = _by_name(inputs or {})
        identity: dict[str, Any] = {
            "stage": stage,
            "parameters": plain(parameters or {}, "parameters"),
            "inputs": {
                name: value.digest if isinstance(value, Artifact) else value
                for name, value in given.items()
            },
            "code": code_digest(*code),
        }
        made_from = {
            name: value.key for name, value in given.items() if isinstance(value, Artifact)
        }
        key = artifact_key(**identity)
        with _computing.setdefault((self.url, key), threading.Lock()):
            record, damaged = self._intact_record(key)
            if record is not None:
                return _artifact(record, cached=True)
            if damaged is not None:
                logger.warning("%s", damaged)
            self._refuse_changed(key, code)  # before hours of work in vain
            started = time.perf_counter()
            table = as_table(compute())
            seconds = time.perf_counter() - started
            record = {
                "format": FORMAT,
                "key": key,
                **identity,
                "made_from": made_from,
                "digest": content_digest(table),
                "rows": table.num_rows,
                "seconds": seconds,
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "versions": _versions(),
                "provenance": plain(provenance or {}, "provenance"),
            }
            data = to_bytes(table, record)
            self._refuse_changed(key, code)
            return self._publish(record, data, replaced_damaged=damaged is not None)

    def read(self, key: str) -> pa.Table:
        """The table of that key, checked: KeyError if there is none, DamagedArtifact if broken."""
        data, record = self._checked(key)
        with self._damage_explained(key):
            return read_table(data, record["digest"])

    def record(self, key: str) -> dict[str, Any]:
        """What is stored beside an artifact's table: identity, digest, versions, provenance."""
        return self._checked(key)[1]

    def _checked(self, key: str) -> tuple[pa.Buffer, dict[str, Any]]:
        """All bytes and the record of an artifact whose seal is whole."""
        data = self.files.read(file_name(key))
        if data is None:
            raise KeyError(f"store {self.url} has no artifact {key}")
        with self._damage_explained(key):
            record = read_record(data)
            if record["key"] != key:
                raise DamagedArtifact(f"it holds {record['key']}")
        return data, record

    @contextmanager
    def _damage_explained(self, key: str) -> Iterator[None]:
        try:
            yield
        except MemoryError:  # one of Arrow's exceptions too, but not the artifact's fault
            raise
        except (DamagedArtifact, pa.ArrowException, OSError) as error:
            raise DamagedArtifact(
                f"store {self.url}: artifact {key} is damaged ({error}); the run that makes it "
                "next replaces it"
            ) from error

    def _intact_record(self, key: str) -> tuple[dict[str, Any] | None, DamagedArtifact | None]:
        """The record of a whole artifact, the error of a damaged one, or neither without one."""
        try:
            return self.record(key), None
        except KeyError:
            return None, None
        except DamagedArtifact as error:
            return None, error

    def _refuse_changed(self, key: str, code: Sequence[Any]) -> None:
        """Key and result must be of the same code, and nobody knows which version runs here."""
        changed = changed_files(*code)
        if changed:
            raise CodeChanged(
                f"store {self.url}: {', '.join(map(str, changed))} changed since this process "
                f"read it, so {key} was not stored; start the run again to compute it with the "
                "new code"
            )

    def _publish(
        self, record: dict[str, Any], data: pa.Buffer, *, replaced_damaged: bool
    ) -> Artifact:
        """Write it, unless another process was first: then both return the artifact of that one."""
        name = file_name(record["key"])
        temporary = self.files.write(name, data)
        try:
            with my_turn(self.files, name):
                while True:
                    theirs, damaged = self._intact_record(record["key"])
                    if theirs is not None:
                        return _artifact(theirs, cached=False)
                    if self.files.rename(temporary, name, replace=damaged is not None):
                        replaced_damaged = replaced_damaged or damaged is not None
                        return _artifact(record, cached=False, replaced_damaged=replaced_damaged)
        finally:
            with suppress(StoreError):  # `prune` deletes it later
                self.files.delete(temporary)


def _by_name(inputs: Mapping[str, Inputs]) -> dict[str, Artifact | str]:
    """A name for each input: `results/0003` for one of a list, `scores/iris` of a dictionary."""
    pairs = [pair for name, given in inputs.items() for pair in _flat(name, given)]
    named = dict(pairs)
    if len(named) < len(pairs):
        raise ValueError(f"two inputs have the same name: {sorted(name for name, _ in pairs)}")
    return named


def _flat(name: str, given: Inputs) -> Iterator[tuple[str, Artifact | str]]:
    if isinstance(given, Artifact | str):
        yield name, given
    elif isinstance(given, Mapping):
        for inner, value in given.items():
            yield from _flat(f"{name}/{inner}", value)
    elif isinstance(given, Sequence):
        for i, value in enumerate(given):
            yield from _flat(f"{name}/{i:04d}", value)
    else:
        raise TypeError(
            f"input {name!r} is a {type(given).__name__}; give an artifact, a digest, or a list or "
            "dictionary of them"
        )


def _artifact(record: Mapping[str, Any], **state: Any) -> Artifact:
    names = ("key", "digest", "stage", "rows", "seconds")
    return Artifact(**{name: record[name] for name in names}, **state)


@cache
def _versions() -> dict[str, str]:
    """Versions of what computes, without importing it."""
    versions = {"python": platform.python_version(), "platform": platform.platform()}
    for package in RECORDED_VERSIONS:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions

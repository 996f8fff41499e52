"""An artifact as the bytes of one Parquet file with a seal, so that a change of any byte shows.

The schema's metadata holds a record of what the artifact is, with the digest of its content. The
footer ends with a seal, the sha256 of the whole file with the seal's own digits as zeros, which
covers what the content's digest does not: the record, the statistics, the layout.
"""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tasks.store.digests import content_digest
from tasks.store.files import StoreError

RECORD = b"flgc.artifact"
FIELDS: dict[str, type | tuple[type, ...]] = {
    "format": int,
    "key": str,
    "stage": str,
    "parameters": dict,
    "inputs": dict,
    "made_from": dict,
    "code": str,
    "digest": str,
    "rows": int,
    "seconds": (int, float),
    "created": str,
    "versions": dict,
    "provenance": dict,
}
"""What a record holds; `made_from` has the keys of those inputs that are artifacts."""
SEAL = "flgc.seal"
SEAL_PREFIX = b"sha256 of this file with these digits as zeros: "
UNSEALED = b"0" * 64


class DamagedArtifact(StoreError):
    """The file is not what was written."""


def as_table(computed: pa.Table | pd.DataFrame) -> pa.Table:
    """The result of a computation, as a table that depends on the values alone."""
    if isinstance(computed, pd.DataFrame):
        if not computed.index.equals(pd.RangeIndex(len(computed))):
            raise ValueError("the frame's index would be lost; make it columns with reset_index()")
        computed = pa.Table.from_pandas(computed, preserve_index=False)
    if not isinstance(computed, pa.Table):
        raise TypeError(f"an artifact is a table or a frame, found a {type(computed).__name__}")
    for index, field in enumerate(computed.schema):
        if pa.types.is_dictionary(field.type):  # a category is a text; its codes are not content
            plain = computed.column(index).cast(field.type.value_type)
            computed = computed.set_column(index, field.name, plain)
    metadata = dict(computed.schema.metadata or {})
    metadata.pop(b"pandas", None)
    metadata.pop(RECORD, None)
    return computed.replace_schema_metadata(metadata or None)


def to_bytes(table: pa.Table, record: dict[str, Any]) -> pa.Buffer:
    """The sealed file of a table and its record."""
    described = {**(table.schema.metadata or {}), RECORD: json.dumps(record).encode()}
    table = table.replace_schema_metadata(described)
    sink = pa.BufferOutputStream()
    text = [field.name for field in table.schema if _is_text(field.type)]
    with pq.ParquetWriter(sink, table.schema, compression="lz4", use_dictionary=text) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({SEAL: (SEAL_PREFIX + UNSEALED).decode()})
    data = bytearray(sink.getvalue())
    start = _seal_start(memoryview(data))
    if data[start : start + len(UNSEALED)] != UNSEALED:
        raise ValueError("the artifact's own text looks like a seal; rename what holds it")
    data[start : start + len(UNSEALED)] = hashlib.sha256(data).hexdigest().encode()
    buffer = pa.py_buffer(data)
    if not pq.read_schema(pa.BufferReader(buffer)).equals(table.schema):
        raise TypeError(f"Parquet does not keep one of these types; convert it:\n{table.schema}")
    return buffer


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def read_record(data: pa.Buffer) -> dict[str, Any]:
    """The record, after a check of the seal that no byte changed."""
    _check_seal(memoryview(data))
    return _record(pq.read_schema(pa.BufferReader(data)))


def read_table(data: pa.Buffer, digest: str) -> pa.Table:
    """The table, if its content has the recorded digest."""
    table = as_table(pq.read_table(pa.BufferReader(data)))
    actual = content_digest(table)
    if actual != digest:
        raise DamagedArtifact(f"its content has the digest {actual}, recorded is {digest}")
    return table


def peek_record(source: Any) -> dict[str, Any]:
    """The record of an open file from its footer alone, seal unchecked: for listings."""
    return _record(pq.read_schema(source))


def _record(schema: pa.Schema) -> dict[str, Any]:
    """The record, if every field has its type; else the artifact is damaged."""
    try:
        record = json.loads((schema.metadata or {})[RECORD])
    except (KeyError, ValueError, RecursionError) as error:
        raise DamagedArtifact("it has no record of what it is") from error
    if not isinstance(record, dict):
        raise DamagedArtifact(f"its record is a {type(record).__name__}")
    for name, kind in FIELDS.items():
        if not isinstance(record.get(name), kind) or isinstance(record[name], bool):
            raise DamagedArtifact(f"its record has {name}={record.get(name)!r}")
    for name in ("inputs", "made_from"):
        if not all(isinstance(value, str) for value in record[name].values()):
            raise DamagedArtifact(f"its record has {name}={record[name]!r}")
    try:
        moment = datetime.fromisoformat(record["created"])
        if moment.tzinfo is None:
            raise ValueError("no time zone")
        moment.astimezone(UTC).timestamp()
    except (ValueError, OverflowError) as error:
        raise DamagedArtifact(f"its record has created={record['created']!r}") from error
    return record


def _seal_start(view: memoryview) -> int:
    """Where the seal's digits begin: in the footer, whose length is the file's last number."""
    footer_length = int.from_bytes(view[-8:-4], "little")
    footer = len(view) - 8 - footer_length
    position = bytes(view[footer:]).rfind(SEAL_PREFIX) if footer >= 0 else -1
    if position < 0:
        raise DamagedArtifact("it has no seal; it was cut short or is not an artifact")
    return footer + position + len(SEAL_PREFIX)


def _check_seal(view: memoryview) -> None:
    start = _seal_start(view)
    digest = hashlib.sha256(view[:start])
    digest.update(UNSEALED)
    digest.update(view[start + len(UNSEALED) :])
    if bytes(view[start : start + len(UNSEALED)]) != digest.hexdigest().encode():
        raise DamagedArtifact("its bytes are not those that were written")

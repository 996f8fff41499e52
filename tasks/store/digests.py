"""Digests of an artifact's content and of the parameters that it was made with.

They depend on values alone: not on places, times, or the versions of pyarrow and pandas.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Columns that describe the run, not the result: two runs of the same work agree in all others.
OUTSIDE = ("seconds", "device")


def canonical_json(value: Any) -> str:
    """The one way to write a value as JSON: sorted keys, no spaces, no NaN."""
    return json.dumps(plain(value, "parameters"), sort_keys=True, separators=(",", ":"))


def plain(value: Any, where: str) -> Any:
    """The value in the types of JSON, numpy's numbers and tuples included; else an error."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not np.isfinite(value):
            raise ValueError(f"{where} is {value}; a key needs finite numbers")
        return value
    if isinstance(value, list | tuple):
        return [plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise TypeError(f"{where} has the name {name!r}; names must be strings")
        return {name: plain(item, f"{where}.{name}") for name, item in value.items()}
    raise TypeError(
        f"{where} is a {type(value).__name__}; a key is made of numbers, strings, lists and "
        "dictionaries (pass an array as an input artifact)"
    )


def content_digest(table: pa.Table) -> str:
    """sha256 of names, types and values, column by column; timing columns are left out."""
    digest = hashlib.sha256()
    metadata = table.schema.metadata or {}
    for name in sorted(metadata):
        feed(digest, b"metadata", name, metadata[name])
    feed(digest, b"rows", str(table.num_rows).encode())
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name in OUTSIDE:
            continue
        feed(digest, b"column", name.encode())
        _feed_array(digest, one_array(column), name)
    return digest.hexdigest()


def one_array(column: pa.ChunkedArray) -> pa.Array:
    """The column in one piece, copied only if it comes in several."""
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.chunks else pa.array([], column.type)


def feed(digest: Any, *parts: bytes | memoryview | np.ndarray) -> None:
    """Add each part after its length, so that no two sequences of parts give the same digest."""
    for part in parts:
        size = part.nbytes if isinstance(part, np.ndarray) else len(part)
        digest.update(size.to_bytes(8, "little"))
        digest.update(part)


def _feed_array(digest: Any, array: Any, where: str) -> None:
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _feed_array(digest, array.dictionary_decode(), where)
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    feed(digest, b"valid", b"" if valid.all() else np.packbits(valid))
    if pa.types.is_null(kind):
        feed(digest, b"null")
    elif _is_text(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind):
        lengths = pc.binary_length(array) if _is_text(kind) else pc.list_value_length(array)
        feed(digest, _numbers(lengths.cast(pa.int64()), pa.int64()))
        if _is_text(kind):
            text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
            feed(digest, b"string" if text else b"binary", _joined(array))
        else:
            feed(digest, b"list")
            _feed_array(digest, array.flatten(), where)
    elif pa.types.is_primitive(kind):
        feed(digest, str(kind).encode(), _numbers(array, kind))
    else:
        raise TypeError(f"column {where!r} is of type {kind}, which the store does not hold")


def _is_text(kind: pa.DataType) -> bool:
    checks = (pa.types.is_string, pa.types.is_large_string)
    return any(check(kind) for check in (*checks, pa.types.is_binary, pa.types.is_large_binary))


def _numbers(array: Any, kind: pa.DataType) -> np.ndarray:
    """The values as a flat array of bytes, nulls as zero, in little-endian order."""
    if pa.types.is_temporal(kind):
        kind = pa.int64() if kind.bit_width == 64 else pa.int32()
        array = array.view(kind)
    if array.null_count:
        array = array.fill_null(pa.scalar(0).cast(kind))
    values = array.to_numpy(zero_copy_only=False)
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little).view(np.uint8)


def _joined(array: Any) -> bytes:
    binary = array.cast(pa.large_binary())
    return b"".join(value for value in binary.to_pylist() if value is not None)

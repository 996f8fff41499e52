"""Matrices as Parquet: one row of the table per row of the matrix, dense or sparse, bit for bit.

A dense row is a list of numbers; a sparse one is a list of column numbers and a list of values
beside it. Other columns (labels, masks) can be appended, and any Parquet reader can open the file.
"""

import json
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from tasks.store.digests import one_array

LAYOUT = b"flgc.matrix"


def matrix_to_table(matrix: Any) -> pa.Table:
    """A table that `table_to_matrix` turns into the same matrix again: dense, or scipy's CSR."""
    if sparse.issparse(matrix):
        if matrix.format != "csr":
            raise TypeError(f"sparse matrices are stored as CSR, found {matrix.format}; call tocsr")
        columns = {
            "columns": _lists(matrix.indptr, matrix.indices.astype(_index_type(matrix.shape[1]))),
            "values": _lists(matrix.indptr, matrix.data),
        }
        layout = "csr"
    else:
        matrix = np.asarray(matrix)
        if matrix.ndim != 2:
            raise ValueError(f"a matrix has two axes, found an array of shape {matrix.shape}")
        ends = np.arange(matrix.shape[0] + 1, dtype=np.int64) * matrix.shape[1]
        columns = {"values": _lists(ends, np.ascontiguousarray(matrix).reshape(-1))}
        layout = "dense"
    described = json.dumps({"layout": layout, "columns": int(matrix.shape[1])})
    return pa.table(columns).replace_schema_metadata({LAYOUT: described.encode()})


def table_to_matrix(table: pa.Table) -> Any:
    """The matrix of such a table: a C-ordered array, or a CSR array."""
    described = (table.schema.metadata or {}).get(LAYOUT)
    if described is None:
        raise ValueError(f"not a matrix: the table's columns are {table.column_names}")
    layout = json.loads(described)
    shape = (table.num_rows, layout["columns"])
    ends, values = _flat(table.column("values"))
    if layout["layout"] == "dense":
        return values.reshape(shape)
    _, columns = _flat(table.column("columns"))
    return sparse.csr_array((values, columns, ends), shape=shape)


def _index_type(columns: int) -> type[np.int32] | type[np.int64]:
    return np.int32 if columns <= np.iinfo(np.int32).max else np.int64


def _lists(ends: np.ndarray, values: np.ndarray) -> pa.Array:
    if values.dtype.kind not in "biuf":
        raise TypeError(f"matrices hold numbers or truth values, found {values.dtype}")
    if len(values) > np.iinfo(np.int32).max:
        return pa.LargeListArray.from_arrays(pa.array(ends.astype(np.int64)), pa.array(values))
    return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), pa.array(values))


def _flat(column: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """Where each row ends, and the numbers of all rows one after the other."""
    rows = one_array(column)
    ends = rows.offsets.to_numpy()
    values = rows.flatten().to_numpy(zero_copy_only=False)
    return ends - ends[0], values if values.flags.writeable else values.copy()

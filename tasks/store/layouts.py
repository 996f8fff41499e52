"""How results are laid out as tables, which any Parquet reader can open, and read again.

Matrices have one row per row of the matrix: values (and columns, if sparse). Datasets have one row
per node:

    values (and columns, if sparse), label, neighbours (graphs), edge_weights (where they differ),
    train, val, test (public split)

and affinity matrices one row per sample, in the order of their classes: values, label.

The schema's metadata holds what a table cannot: classes, marks, features that leak the label. Where
the bytes come from is stored as provenance and is no part of the content.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse

from flgc.datasets import Dataset, splits
from flgc.methods.sorted_affinity import SortedAffinity
from tasks.store.digests import one_array
from tasks.store.store import Artifact, Store

MATRIX_LAYOUT, DESCRIBED = b"flgc.matrix", b"flgc.dataset"


@dataclass(frozen=True)
class Layout:
    """To a table, and back; `provenance` says where a result comes from, which is not in it."""

    write: Callable[[Any], pa.Table | pd.DataFrame]
    read: Callable[[pa.Table], Any]
    provenance: Callable[[Any], Mapping[str, Any]] = lambda result: {}


def matrix_to_table(matrix: Any) -> pa.Table:
    """A dense matrix, or scipy's CSR, as a table that `table_to_matrix` turns into the same again.

    A dense row is a list of numbers; a sparse one is a list of column numbers and a list of values
    beside it.
    """
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
    return pa.table(columns).replace_schema_metadata({MATRIX_LAYOUT: described.encode()})


def table_to_matrix(table: pa.Table) -> Any:
    """The matrix of such a table: a C-ordered array, or a CSR array."""
    described = (table.schema.metadata or {}).get(MATRIX_LAYOUT)
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


def dataset_table(dataset: Dataset, **details: Any) -> pa.Table:
    """A dataset as a table; `details` join the description."""
    table = matrix_to_table(dataset.features)
    metadata = dict(table.schema.metadata)
    table = table.append_column("label", pa.array(dataset.labels))
    if dataset.edges is not None:
        source, target = dataset.edges
        degrees = np.bincount(target, minlength=dataset.n_nodes)
        ends = np.concatenate([[0], np.cumsum(degrees)])
        table = table.append_column("neighbours", _lists(ends, source.astype(np.int32)))
        if dataset.edge_weight is not None:
            table = table.append_column("edge_weights", _lists(ends, dataset.edge_weight))
    # In one order: what is just parsed has another than what comes from the cache.
    masks = dict(sorted((dataset.masks or {}).items()))
    for name, mask in masks.items():
        table = table.append_column(name, pa.array(mask))
    described = {
        "name": dataset.name,
        "kind": dataset.kind,
        "classes": list(dataset.class_names),
        "feature_names": list(dataset.feature_names),
        "masks": list(masks),
        "leaking": list(dataset.leaking),
        "marks": list(dataset.provenance.get("marks", ())),
        "image_shape": dataset.image_shape,
        **details,
    }
    metadata[DESCRIBED] = json.dumps(described, sort_keys=True).encode()
    return table.replace_schema_metadata(metadata)


def dataset_of(table: pa.Table) -> Dataset:
    """The inverse of `dataset_table`; of its provenance, marks and noise are kept."""
    about = json.loads(table.schema.metadata[DESCRIBED])
    edges, edge_weight = None, None
    if "neighbours" in table.column_names:
        ends, source = _flat(table["neighbours"])
        target = np.repeat(np.arange(table.num_rows), np.diff(ends))
        edges = np.stack([source.astype(np.int64), target])
    if "edge_weights" in table.column_names:
        _, edge_weight = _flat(table["edge_weights"])
    shape = about["image_shape"]
    return Dataset(
        name=about["name"],
        kind=about["kind"],
        features=table_to_matrix(table),
        labels=np.array(table["label"]),  # Arrow's own memory cannot be written to
        class_names=tuple(about["classes"]),
        feature_names=tuple(about["feature_names"]),
        edges=edges,
        edge_weight=edge_weight,
        masks={name: table[name].to_numpy(zero_copy_only=False) for name in about["masks"]} or None,
        image_shape=(shape[0], shape[1]) if shape else None,
        leaking=tuple(about["leaking"]),
        provenance={"marks": about["marks"], "changed": about.get("changed")},
    )


def corrupted_table(corrupted: tuple[Dataset, int]) -> pa.Table:
    """A dataset with noise, and how many entries the noise changed."""
    dataset, changed = corrupted
    return dataset_table(dataset, changed=changed)


def affinity_table(affinity: SortedAffinity) -> pa.Table:
    """The matrix, and the class of each of its rows."""
    return matrix_to_table(affinity.matrix).append_column("label", pa.array(affinity.labels))


def affinity_of(table: pa.Table) -> SortedAffinity:
    """The inverse of `affinity_table`."""
    return SortedAffinity(table_to_matrix(table), np.array(table["label"]))


def rows_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows are a table already."""
    return rows


def read_rows(table: pa.Table) -> pd.DataFrame:
    """Rows as they were written."""
    return table.to_pandas()


ROWS = Layout(rows_table, read_rows)
MATRIX = Layout(matrix_to_table, table_to_matrix)
# By the stage that writes it; all others have rows.
LAYOUTS = {
    "dataset": Layout(dataset_table, dataset_of, lambda dataset: dataset.provenance),
    "corrupt": Layout(corrupted_table, dataset_of),
    "splits": Layout(splits.table, splits.from_table),
    "graph": MATRIX,
    "propagate": MATRIX,
    "affinity": Layout(affinity_table, affinity_of),
}


def layout_of(stage: str) -> Layout:
    """How the artifacts of a stage are laid out."""
    return LAYOUTS.get(stage, ROWS)


def load(store: Store, artifact: Artifact) -> Any:
    """The result of a stage, as the stage returned it."""
    return layout_of(artifact.stage).read(store.read(artifact.key))

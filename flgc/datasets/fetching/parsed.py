"""The parsed form on disk: one Parquet file per dataset, one row per node.

    label            int64
    features         fixed-size list of double        (dense), or
    feature_indices  list of int32, feature_values list of double   (sparse)
    neighbours       list of int32: the sources of the edges to this node   (graphs)
    edge_weights     list of double: their weights    (if weights differ)
    train, val, test bool: the public split           (if there is one)

The schema's metadata has the names, the provenance and the digest of the content. Every read checks
that digest: a damaged file is never used.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from flgc.datasets.dataset import Dataset
from flgc.datasets.errors import DatasetError
from flgc.datasets.fetching.atomic import writing

METADATA_KEY = b"flgc"
FORMAT = 1


class Damaged(DatasetError):
    """A parsed file that cannot be read, or whose content has another digest."""


def write(dataset: Dataset, path: Path) -> None:
    """Write the file under another name, then rename it: readers see all of it or nothing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {"label": pa.array(dataset.labels)}
    features = dataset.features
    if isinstance(features, np.ndarray):
        flat = pa.array(np.ascontiguousarray(features).ravel())
        columns["features"] = pa.FixedSizeListArray.from_arrays(flat, features.shape[1])
    else:
        offsets = pa.array(features.indptr.astype(np.int32))
        indices = pa.array(features.indices.astype(np.int32))
        columns["feature_indices"] = pa.ListArray.from_arrays(offsets, indices)
        columns["feature_values"] = pa.ListArray.from_arrays(offsets, pa.array(features.data))
    if dataset.edges is not None:
        source, target = dataset.edges
        degrees = np.bincount(target, minlength=dataset.n_nodes)
        offsets = pa.array(np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32))
        sources = pa.array(source.astype(np.int32))
        columns["neighbours"] = pa.ListArray.from_arrays(offsets, sources)
        if dataset.edge_weight is not None:
            weights = pa.array(dataset.edge_weight)
            columns["edge_weights"] = pa.ListArray.from_arrays(offsets, weights)
    for name, mask in (dataset.masks or {}).items():
        columns[name] = pa.array(mask)
    metadata = {
        "format": FORMAT,
        "name": dataset.name,
        "kind": dataset.kind,
        "classes": dataset.class_names,
        "n_features": dataset.n_features,
        "feature_names": dataset.feature_names,
        "masks": sorted(dataset.masks or ()),
        "image_shape": dataset.image_shape,
        "leaking": dataset.leaking,
        "provenance": dict(dataset.provenance),
        "digest": dataset.digest,
    }
    table = pa.table(columns).replace_schema_metadata({METADATA_KEY: json.dumps(metadata)})
    with writing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read(path: Path) -> Dataset:
    """The dataset in a file of `write`; raises `Damaged` unless the digest is right."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, memory_map=False).combine_chunks()
        metadata = json.loads(table.schema.metadata[METADATA_KEY])
        dataset = _from_table(table, metadata)
        found = dataset.digest
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError, IndexError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise Damaged(f"{path} cannot be read: {error}") from error
    if found != metadata["digest"]:
        raise Damaged(f"{path}: expected content sha256 {metadata['digest']}, found {found}")
    return dataset


def _from_table(table: Any, metadata: dict[str, Any]) -> Dataset:
    if metadata["format"] != FORMAT:
        raise ValueError(f"format {metadata['format']}, this version reads format {FORMAT}")
    import scipy.sparse as sp

    n_nodes, n_features = table.num_rows, metadata["n_features"]
    column = {name: _one_chunk(table[name]) for name in table.column_names}
    if "features" in column:
        features: Any = np.array(column["features"].values).reshape(n_nodes, n_features)
    else:
        indices, values = column["feature_indices"], column["feature_values"]
        parts = (np.array(values.values), np.array(indices.values), np.array(indices.offsets))
        features = sp.csr_array(parts, shape=(n_nodes, n_features))
    edges, edge_weight = None, None
    if "neighbours" in column:
        degrees = np.diff(np.array(column["neighbours"].offsets))
        source = np.array(column["neighbours"].values).astype(np.int64)
        edges = np.stack([source, np.repeat(np.arange(n_nodes, dtype=np.int64), degrees)])
    if "edge_weights" in column:
        edge_weight = np.array(column["edge_weights"].values)
    masks = {name: np.array(table[name].to_numpy()) for name in metadata["masks"]}
    shape = metadata["image_shape"]
    return Dataset(
        name=metadata["name"],
        kind=metadata["kind"],
        features=features,
        labels=np.array(table["label"].to_numpy()),
        class_names=tuple(metadata["classes"]),
        feature_names=tuple(metadata["feature_names"]),
        edges=edges,
        edge_weight=edge_weight,
        masks=masks or None,
        image_shape=(shape[0], shape[1]) if shape else None,
        leaking=tuple(metadata["leaking"]),
        provenance=metadata["provenance"],
    )


def _one_chunk(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks else column.combine_chunks()

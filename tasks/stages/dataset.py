"""Datasets into the store: one table per dataset, one row per node.

    values (and columns, if sparse), label, neighbours (graphs), train, val, test (public split)

The schema's metadata says what a table cannot: classes, marks, features that leak the label. Where
the bytes came from is written down as provenance and is no part of the content.
"""

import json
from typing import Any

import numpy as np
import pyarrow as pa

from flgc.datasets import REGISTRY, Dataset, load, state
from tasks.running.stage import as_task
from tasks.store.store import Artifact, Store, matrix_to_table, table_to_matrix

DESCRIBED = b"flgc.dataset"
# The pinned digest says what the content is; only this module says how it is laid out.
MODULES = ("flgc.datasets.dataset",)
LAYOUT = 1


def fetch_dataset(store: str, dataset: str) -> Artifact:
    """The dataset of that name, from wherever `flgc.datasets` finds it."""
    standing = state(dataset)
    entry = None if standing.status == "yours" else REGISTRY[standing.name]
    loaded = load(dataset) if entry is None or entry.digest is None else None
    provenance: dict[str, Any] = {}

    def compute() -> pa.Table:
        data = loaded or load(dataset)
        provenance.update(data.provenance)  # the store writes it down after the computation
        return dataset_table(data)

    return Store(store).get_or_compute(
        "dataset",
        MODULES,
        compute,
        parameters={"dataset": standing.name, "layout": LAYOUT},
        inputs={"content": loaded.digest if loaded else str(entry and entry.digest)},
        provenance=provenance,
    )


download = as_task(fetch_dataset, "download {dataset}", retries=2)


def dataset_table(dataset: Dataset, **details: Any) -> pa.Table:
    """A dataset as a table; `details` join the description."""
    table = matrix_to_table(dataset.features)
    metadata = dict(table.schema.metadata)
    table = table.append_column("label", pa.array(dataset.labels))
    if dataset.edges is not None:
        source, target = dataset.edges
        degrees = np.bincount(target, minlength=dataset.n_nodes)
        offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
        neighbours = pa.ListArray.from_arrays(pa.array(offsets), pa.array(source.astype(np.int32)))
        table = table.append_column("neighbours", neighbours)
    for name, mask in (dataset.masks or {}).items():
        table = table.append_column(name, pa.array(mask))
    described = {
        "name": dataset.name,
        "kind": dataset.kind,
        "classes": list(dataset.class_names),
        "feature_names": list(dataset.feature_names),
        "masks": list(dataset.masks or ()),
        "leaking": list(dataset.leaking),
        "marks": list(dataset.provenance.get("marks", ())),
        "image_shape": dataset.image_shape,
        **details,
    }
    metadata[DESCRIBED] = json.dumps(described, sort_keys=True).encode()
    return table.replace_schema_metadata(metadata)


def described(table: pa.Table) -> dict[str, Any]:
    """The description that `dataset_table` wrote."""
    return json.loads(table.schema.metadata[DESCRIBED])


def read_dataset(store: Store, data: Artifact, protocol: str = "paper") -> Dataset:
    """The dataset of an artifact, as the protocol may see it."""
    return dataset_of(store.read(data.key)).for_protocol(protocol)


def dataset_of(table: pa.Table) -> Dataset:
    """The inverse of `dataset_table`."""
    about = described(table)
    edges = None
    if "neighbours" in table.column_names:
        neighbours = table["neighbours"].combine_chunks()
        degrees = np.diff(neighbours.offsets.to_numpy())
        source = neighbours.flatten().to_numpy().astype(np.int64)
        edges = np.stack([source, np.repeat(np.arange(table.num_rows), degrees)])
    shape = about["image_shape"]
    return Dataset(
        name=about["name"],
        kind=about["kind"],
        features=table_to_matrix(table),
        labels=np.array(table["label"]),  # Arrow's own memory cannot be written to
        class_names=tuple(about["classes"]),
        feature_names=tuple(about["feature_names"]),
        edges=edges,
        masks={name: table[name].to_numpy(zero_copy_only=False) for name in about["masks"]} or None,
        image_shape=(shape[0], shape[1]) if shape else None,
        leaking=tuple(about["leaking"]),
        provenance={"marks": about["marks"]},
    )

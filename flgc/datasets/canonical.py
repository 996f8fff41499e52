"""A dataset's canonical form and its digest: the identity that no source changes."""

import hashlib
import json

import numpy as np

from flgc.datasets.dataset import Dataset


def canonical_rows(features: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A table with its rows sorted by features, then label, so that a shuffled copy is the same.

    Nine decimals is more than any of the tables carries and less than what a detour through
    another text format can change; adding zero turns -0 into 0.
    """
    features = np.round(np.asarray(features, dtype=np.float64), 9) + 0.0
    order = np.lexsort((labels, *features.T[::-1]))
    return np.ascontiguousarray(features[order]), labels[order]


def canonical_edges(source: np.ndarray, target: np.ndarray, n_nodes: int) -> np.ndarray:
    """Edges in both directions, each once, no self loops, sorted by target, then source."""
    source, target = np.asarray(source, dtype=np.int64), np.asarray(target, dtype=np.int64)
    unique = np.unique(np.concatenate([target * n_nodes + source, source * n_nodes + target]))
    rows, columns = np.divmod(unique, n_nodes)
    kept = rows != columns
    return np.stack([columns[kept], rows[kept]])


def digest(dataset: Dataset) -> str:
    """sha256 of everything that a result can depend on: values, labels, classes, edges, masks."""
    sha = hashlib.sha256()
    masks = dataset.masks or {}
    header = {
        "kind": dataset.kind,
        "shape": list(dataset.features.shape),
        "classes": list(dataset.class_names),
        "image_shape": dataset.image_shape,
        "masks": sorted(masks),
    }
    sha.update(json.dumps(header, sort_keys=True).encode())
    arrays = [dataset.labels.astype("<i8")]
    features = dataset.features
    if isinstance(features, np.ndarray):
        arrays.append(features.astype("<f8"))
    else:
        arrays += [
            features.indptr.astype("<i8"),
            features.indices.astype("<i8"),
            features.data.astype("<f8"),
        ]
    if dataset.edges is not None:
        arrays.append(dataset.edges.astype("<i8"))
    arrays += [masks[name].astype("u1") for name in sorted(masks)]
    for array in arrays:
        sha.update(f"|{array.dtype.str}{array.shape}|".encode())
        sha.update(np.ascontiguousarray(array).data)
    return sha.hexdigest()

"""Graphs as numpy archives, in the layout of Platonov et al.: one file, with its ten splits."""

import io
from collections.abc import Mapping

import numpy as np

from flgc.datasets.readers.canonical import canonical_edges, sparse_if_worth_it
from flgc.datasets.readers.reader import Parsed
from flgc.datasets.splits import ROLES, mask_name


def read_npz(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """`node_features`, `node_labels`, `edges`, and `train_masks`, `val_masks`, `test_masks`.

    No pickle is opened.
    """
    (content,) = files.values()
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        features = archive["node_features"].astype(np.float64)
        labels = archive["node_labels"].astype(np.int64)
        edges = archive["edges"]
        masks = {
            mask_name(role, run): mask.astype(bool)
            for role in ROLES
            for run, mask in enumerate(archive[f"{role}_masks"])
        }
    if labels.min() < 0 or labels.max() >= len(class_names):
        raise ValueError(f"labels from {labels.min()} to {labels.max()} of {len(class_names)}")
    ends = canonical_edges(edges[:, 0], edges[:, 1], len(labels))
    return Parsed(sparse_if_worth_it(features), labels, ends, masks)

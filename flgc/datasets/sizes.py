"""Sizes of datasets, with the numbers of labelled and tested nodes."""

from collections.abc import Mapping, Sequence

import pandas as pd

from flgc.datasets.dataset import Dataset
from flgc.datasets.splits import Split

SIZES = ("classes", "instances", "features", "train", "test")


def sizes(
    data: Mapping[str, Dataset], splits: Mapping[str, Sequence[Split]] | None = None
) -> pd.DataFrame:
    """One row per dataset: its sizes, its smallest class, and the split sizes of the first run.

    All runs label equally many nodes, but different ones.
    """
    rows = []
    for name, dataset in data.items():
        row = {
            "classes": dataset.n_classes,
            "instances": dataset.n_nodes,
            "features": dataset.n_features,
            "smallest class": min(dataset.class_counts),
            "marks": ", ".join(dataset.provenance.get("marks", ())),
        }
        if splits:
            row |= {"train": len(splits[name][0].train), "test": len(splits[name][0].test)}
        rows.append({"dataset": name, **row})
    return pd.DataFrame(rows)

"""The values that the paper prints, as data: what a reproduction is compared with.

Y. Cai et al., "Fully Linear Graph Convolutional Networks for Semi-Supervised Learning
and Clustering"
"""

from importlib import resources

import pandas as pd

TABLES = {
    "citation_accuracy": "accuracy on the citation graphs, public and random splits",
    "citation_datasets": "sizes of the citation graphs",
    "clustering_small": "clustering accuracy and NMI on the small sets",
    "robustness_extended_yale_b": "clustering of Extended Yale B under noise",
    "uci_accuracy": "accuracy on 24 regular tables, 11 methods, and their average",
    "uci_datasets": "sizes of the regular tables",
    "wilcoxon_ranks": "signed-rank sums of every pair of methods on the regular tables",
}


def published(table: str) -> pd.DataFrame:
    """One published table, one row per printed value."""
    if table not in TABLES:
        raise ValueError(f"unknown published table {table!r}; choose from {', '.join(TABLES)}")
    source = resources.files(__name__).joinpath(f"{table}.csv")
    with source.open(encoding="utf-8") as lines:
        return pd.read_csv(lines)

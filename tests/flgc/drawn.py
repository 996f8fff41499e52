"""Data that several tests draw."""

import numpy as np


def union_of_subspaces(n_per_cluster=40, n_clusters=3, dim=2, ambient=20, seed=0):
    rng = np.random.default_rng(seed)
    parts = [
        rng.standard_normal((n_per_cluster, dim)) @ rng.standard_normal((dim, ambient))
        for _ in range(n_clusters)
    ]
    return np.vstack(parts), np.repeat(np.arange(n_clusters), n_per_cluster)

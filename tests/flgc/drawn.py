"""Data that several tests draw."""

import numpy as np

from flgc.graph import as_adjacency, propagation_matrix
from tests import plain

# A setting of FLGCClustering.
CLUSTERING = {"hops": 3, "teleport": 0.1, "norm": "fro", "regularization": 10.0}
CLUSTERING |= {"threshold": 0.8, "subspace_dim": 4, "power": 4}


def union_of_subspaces(n_per_cluster=40, n_clusters=3, dim=2, ambient=20, seed=0):
    rng = np.random.default_rng(seed)
    parts = [
        rng.standard_normal((n_per_cluster, dim)) @ rng.standard_normal((dim, ambient))
        for _ in range(n_clusters)
    ]
    return np.vstack(parts), np.repeat(np.arange(n_clusters), n_per_cluster)


def random_graph(n_nodes, n_features=8, density=0.1, seed=0):
    """Averaging over a random graph, features and three classes."""
    rng = np.random.default_rng(seed)
    X, labels = rng.standard_normal((n_nodes, n_features)), np.arange(n_nodes) % 3
    A = np.triu(rng.random((n_nodes, n_nodes)) < density, 1).astype(float)
    return propagation_matrix(as_adjacency(A)), X, labels


def splits_of(n_nodes, n_labelled=12, n_splits=4):
    """Labelled and other nodes of several splits."""
    rng = np.random.default_rng(1)
    shuffled = np.array([rng.permutation(n_nodes) for _ in range(n_splits)])
    return shuffled[:, :n_labelled], shuffled[:, n_labelled:]


def one_more_node(A):
    """Edges of a new node to the first two, and P with its row, but without its column.

    It listens, it does not speak.
    """
    edges = (np.arange(len(A)) < 2).astype(float)
    extended = np.zeros((len(A) + 1, len(A) + 1))
    extended[:-1, :-1] = plain.propagation_matrix(A)
    extended[-1] = np.append(edges / np.sqrt(3 * (1 + A.sum(axis=1))), 1 / 3)
    return edges[None], extended

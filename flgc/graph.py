"""Graphs as symmetric CSR matrices, and the propagation matrix P built from them.

P = D~^-1/2 (A + I) D~^-1/2,   D~ = diag of the row sums of A + I            (Eq. 2)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.neighbors import NearestNeighbors

# The paper's k grows with N, so its graph has N^2 / 5C edges. Up to about 10,000 rows that is
# fine; beyond, the number of edges stays near this until k has come down to the least below.
_DEFAULT_EDGES = 10_000_000
_LEAST_CAP = 30


def default_n_neighbors(n_samples: int, n_classes: int) -> int:
    """k = floor(N / 5C), the paper's choice, at least 1; bounded where N^2 edges would not fit."""
    cap = min(max(_DEFAULT_EDGES // n_samples, _LEAST_CAP), n_samples - 1)
    return min(max(n_samples // (5 * n_classes), 1), cap)


def knn_graph(X: Any, n_neighbors: int) -> sp.csr_array:
    """Join each row of X with its `n_neighbors` nearest rows (Euclidean), in both directions.

    A row is never its own neighbour. With `n_neighbors=0` the graph has no edges.
    """
    n_samples = X.shape[0]
    check_n_neighbors(n_neighbors, n_samples)
    if n_neighbors == 0:
        return sp.csr_array((n_samples, n_samples), dtype=np.float64)
    directed = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors_graph()
    return _symmetric(sp.csr_array(directed))


def check_n_neighbors(n_neighbors: int, n_samples: int) -> None:
    """Refuse a neighbourhood that is negative or as large as the data."""
    if not 0 <= n_neighbors < n_samples:
        raise ValueError(
            f"n_neighbors={n_neighbors} is not possible with {n_samples} samples: "
            f"choose 0 <= n_neighbors <= {n_samples - 1}."
        )


def as_adjacency(
    graph: Any, n_nodes: int | None = None, edge_weight: ArrayLike | None = None
) -> sp.csr_array:
    """Turn any usual form of a graph into a symmetric CSR adjacency matrix A without self loops.

    Parameters
    ----------
    graph : scipy sparse matrix, square array, edge_index of shape (2, E), or PyG `Data`
        Directed edges are made undirected, the larger weight of the two directions counts.
        Self loops are dropped: `propagation_matrix` gives every node one of weight 1. In an
        edge_index without weights, an edge listed twice is one edge; weights of duplicates add.
    n_nodes : int, optional
        The number of nodes that the graph must have. Required for an edge_index whose last nodes
        are isolated.
    edge_weight : array of shape (E,), optional
        Weights of the columns of an edge_index.
    """
    if hasattr(graph, "edge_index"):  # PyG Data, known by its attributes: torch is optional
        n_nodes = graph.num_nodes if n_nodes is None else n_nodes
        edge_weight = getattr(graph, "edge_weight", None) if edge_weight is None else edge_weight
        graph = graph.edge_index
    if sp.issparse(graph):
        adjacency = sp.csr_array(graph)
    else:
        array = _as_numpy(graph)
        # With two nodes a 2 x 2 array may be either: a matrix in numpy, an edge list in torch.
        certain = hasattr(graph, "detach") or array.shape != (n_nodes, n_nodes)
        if certain and _is_edge_index(array):
            weight = None if edge_weight is None else _as_numpy(edge_weight)
            adjacency = _from_edges(array, n_nodes, weight)
        else:
            adjacency = sp.csr_array(array)
    _check_adjacency(adjacency, n_nodes)
    if adjacency.dtype not in (np.float32, np.float64):
        adjacency = adjacency.astype(np.float64)
    return _symmetric(adjacency)


def graph_for(X: Any, adjacency: Any, n_neighbors: int | None, n_groups: int) -> sp.csr_array:
    """The graph that an estimator works on: the one given, else the kNN graph of X."""
    if adjacency is not None:
        return as_adjacency(adjacency, X.shape[0])
    if n_neighbors is None:
        n_neighbors = default_n_neighbors(X.shape[0], n_groups)
    return knn_graph(X, n_neighbors)


def propagation_matrix(adjacency: sp.csr_array, dtype: Any = None) -> sp.csr_array:
    """P = D~^-1/2 (A + I) D~^-1/2 of a symmetric A; an isolated node keeps its features."""
    dtype = adjacency.dtype if dtype is None else np.dtype(dtype)
    n_nodes = adjacency.shape[0]
    # A copy that already has the wanted precision: at millions of edges each one counts.
    looped = sp.csr_array(adjacency.astype(dtype, copy=False) + sp.eye_array(n_nodes, dtype=dtype))
    inverse_root = (1.0 / np.sqrt(looped.sum(axis=1, dtype=np.float64))).astype(dtype, copy=False)
    looped.data *= np.repeat(inverse_root, np.diff(looped.indptr))
    looped.data *= inverse_root[looped.indices]
    return looped


def attach(X_new: Any, X: Any, n_neighbors: int) -> sp.csr_array:
    """Edges from new rows to their `n_neighbors` nearest fitted rows, shape (new, fitted)."""
    if n_neighbors == 0:
        return sp.csr_array((X_new.shape[0], X.shape[0]))
    nearest = NearestNeighbors(n_neighbors=n_neighbors).fit(X)
    return sp.csr_array(nearest.kneighbors_graph(X_new))


def attachment_rows(
    edges: sp.csr_array, adjacency: sp.csr_array
) -> tuple[sp.csr_array, np.ndarray]:
    """Rows of P for new nodes: weights of the fitted nodes, and of each new node itself.

    w_ij / sqrt(d_i d_j) and 1 / d_i with d the row sums of A + I. The fitted graph stays as it
    is: a new node listens, it does not speak.
    """
    degrees = 1.0 + adjacency.sum(axis=1)
    own = 1.0 + edges.sum(axis=1)
    weights = edges.copy()
    weights.data = weights.data / np.sqrt(
        np.repeat(own, np.diff(edges.indptr)) * degrees[edges.indices]
    )
    return weights, 1.0 / own


def _symmetric(adjacency: sp.csr_array) -> sp.csr_array:
    """max(A, A') without diagonal and explicit zeros; the input is left alone."""
    if not adjacency.has_canonical_format:
        adjacency = adjacency.copy()
        adjacency.sum_duplicates()
    if not _is_symmetric(adjacency):
        adjacency = sp.csr_array(adjacency.maximum(sp.csr_array(adjacency.T)))
    if adjacency.diagonal().any() or not adjacency.data.all():
        adjacency = adjacency.copy()
        adjacency.setdiag(0)
        adjacency.eliminate_zeros()
    return adjacency


def _is_symmetric(adjacency: sp.csr_array) -> bool:
    """Whether A v = A'v for a random v; of a symmetric A the two sums agree term by term.

    A false alarm costs a maximum that changes nothing; at scale a real transpose costs seconds.
    """
    v = np.random.default_rng(0).uniform(0.5, 1.5, adjacency.shape[0]).astype(adjacency.dtype)
    return bool(np.array_equal(adjacency @ v, adjacency.T @ v))


def _from_edges(edges: np.ndarray, n_nodes: int | None, weight: np.ndarray | None) -> sp.csr_array:
    n_nodes = int(edges.max(initial=-1)) + 1 if n_nodes is None else n_nodes
    if edges.size and (edges.min() < 0 or edges.max() >= n_nodes):
        raise ValueError(
            f"the edge_index names node {edges.min() if edges.min() < 0 else edges.max()}, but the "
            f"graph has nodes 0..{n_nodes - 1}: check the numbering, or the number of rows of X."
        )
    if weight is not None and weight.shape != (edges.shape[1],):
        raise ValueError(
            f"edge_weight has shape {weight.shape}, but the edge_index has {edges.shape[1]} edges: "
            f"give one weight per edge."
        )
    values = np.ones(edges.shape[1]) if weight is None else np.asarray(weight, dtype=np.float64)
    edges = edges.astype(np.int32) if n_nodes < np.iinfo(np.int32).max else edges
    adjacency = sp.csr_array((values, (edges[0], edges[1])), shape=(n_nodes, n_nodes))
    if weight is None:
        adjacency.data[:] = 1.0
    return adjacency


def _is_edge_index(array: np.ndarray) -> bool:
    return array.ndim == 2 and array.shape[0] == 2 and np.issubdtype(array.dtype, np.integer)


def _check_adjacency(adjacency: sp.csr_array, n_nodes: int | None) -> None:
    if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise ValueError(
            f"the adjacency has shape {adjacency.shape}: give a square matrix, or an integer "
            f"edge_index of shape (2, E)."
        )
    if n_nodes is not None and adjacency.shape[0] != n_nodes:
        raise ValueError(
            f"the adjacency has {adjacency.shape[0]} nodes but X has {n_nodes} rows: they must "
            f"describe the same nodes in the same order."
        )
    if not np.isfinite(adjacency.data).all():
        raise ValueError("the adjacency contains NaN or infinite weights: remove or replace them.")
    if adjacency.nnz and adjacency.data.min() < 0:
        raise ValueError(
            f"the adjacency has a negative weight ({adjacency.data.min():g}): the normalised graph "
            f"is only defined for weights >= 0."
        )


def _as_numpy(array: Any) -> np.ndarray:
    """Arrays, lists and torch tensors alike; anything else is refused by name."""
    array = array.detach().cpu().numpy() if hasattr(array, "detach") else np.asarray(array)
    if array.dtype == object:
        raise TypeError(
            "the graph is of a kind that is not known: give a scipy sparse matrix, a square "
            "array, an edge_index of shape (2, E) or a PyG Data object."
        )
    return array

"""Graphs as symmetric CSR matrices, and the propagation matrix P built from them.

P = D~^-1/2 (A + I) D~^-1/2,   D~ = diag of the row sums of A + I            (Eq. 2)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.neighbors import NearestNeighbors

from flgc.checks import brief, check_n_neighbors
from flgc.inputs import as_array, is_pyg, is_tensor

# The paper's k grows with N, so its graph has N^2 / 5C edges. Beyond about 10,000 rows the number
# of edges is kept near this one, until k is as small as the next constant.
_DEFAULT_EDGES = 10_000_000
_LEAST_CAP = 30


def default_n_neighbors(n_samples: int, n_classes: int) -> int:
    """k = floor(N / 5C) as in the paper, at least 1; bounded where N^2 edges do not fit."""
    cap = min(max(_DEFAULT_EDGES // n_samples, _LEAST_CAP), n_samples - 1)
    return min(max(n_samples // (5 * n_classes), 1), cap)


def knn_graph(X: Any, n_neighbors: int) -> sp.csr_array:
    """Join each row of X with its `n_neighbors` nearest rows (Euclidean), in both directions.

    A row is never its own neighbour. With `n_neighbors=0` the graph has no edges.
    """
    n_samples = X.shape[0]
    n_neighbors = check_n_neighbors(n_neighbors, n_samples)
    if n_neighbors == 0:
        return sp.csr_array((n_samples, n_samples), dtype=np.float64)
    directed = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors_graph()
    return _symmetric(sp.csr_array(directed))


def as_adjacency(
    graph: Any, n_nodes: int | None = None, edge_weight: ArrayLike | None = None
) -> sp.csr_array:
    """Turn any usual form of a graph into a symmetric CSR adjacency matrix A without self loops.

    Parameters
    ----------
    graph : scipy sparse matrix, square array, edge_index of shape (2, E), PyG `Data`, networkx
        graph, or DataFrame with an edge per row
        Nodes are the rows of X, 0 .. N - 1, also in a networkx graph and in a DataFrame. A
        DataFrame has two columns, or columns called source, target and optionally weight. Edges of
        a networkx graph may have a `weight`.
        Directed edges are made undirected; the larger weight of the two directions counts.
        Self loops are dropped: `propagation_matrix` gives every node one of weight 1. In an
        edge_index without weights, an edge listed twice is one edge; weights of duplicates add.
    n_nodes : int, optional
        The number of nodes that the graph must have. Required for an edge_index whose last nodes
        are isolated.
    edge_weight : array of shape (E,), optional
        Weights of the columns of an edge_index.
    """
    if is_pyg(graph):
        n_nodes = graph.num_nodes if n_nodes is None else n_nodes
        edge_weight = getattr(graph, "edge_weight", None) if edge_weight is None else edge_weight
        if graph.edge_index is None:
            raise ValueError(
                "the Data object has no edge_index: set data.edge_index, or give data.x as X "
                "and data.y as y to use the kNN graph of the features."
            )
        adjacency = _from_edges(graph.edge_index, n_nodes, edge_weight)
    elif hasattr(graph, "is_multigraph"):  # networkx, as optional as torch
        adjacency = _from_networkx(graph, n_nodes)
    elif hasattr(graph, "columns") and _is_edge_frame(graph, n_nodes):
        adjacency = _from_frame(graph, n_nodes)
    else:
        matrix = _as_matrix(graph, "the adjacency")
        # With two nodes a 2 x 2 array may be either: a matrix in numpy, an edge list in torch.
        certain = is_tensor(graph) or matrix.shape != (n_nodes, n_nodes)
        if certain and _is_edge_index(matrix):
            adjacency = _from_edges(matrix, n_nodes, edge_weight)
        else:
            adjacency = sp.csr_array(matrix)
    if adjacency.shape[0] != adjacency.shape[1]:
        raise ValueError(
            f"the adjacency has shape {adjacency.shape} and type {adjacency.dtype}: give a square "
            f"matrix, or an integer edge_index of shape (2, E)."
        )
    if n_nodes is not None and adjacency.shape[0] != n_nodes:
        raise ValueError(
            f"the adjacency has {adjacency.shape[0]} nodes but X has {n_nodes} rows: they must "
            f"describe the same nodes in the same order."
        )
    return _symmetric(_checked_weights(adjacency, "the adjacency"))


def edges_of_new_rows(adjacency: Any, shape: tuple[int, int]) -> sp.csr_array:
    """Edges from new rows to fitted rows as CSR, checked like those among fitted rows."""
    name = "the adjacency of new rows"
    matrix = _as_matrix(adjacency, name)
    if matrix.shape != shape:
        raise ValueError(
            f"{name} has shape {matrix.shape}, it must be {shape}: new rows x fitted rows."
        )
    return _checked_weights(sp.csr_array(matrix), name)


def graph_for(X: Any, adjacency: Any, n_neighbors: int | None, n_groups: int) -> sp.csr_array:
    """The graph of an estimator: `adjacency` if given, else the kNN graph of X."""
    if adjacency is not None:
        graph = as_adjacency(adjacency, X.shape[0])
        # The estimator keeps it, so later changes to the caller's matrix must not reach it.
        is_csr = getattr(adjacency, "format", None) == "csr"
        is_shared = is_csr and np.may_share_memory(graph.data, adjacency.data)
        return graph.copy() if is_shared or is_tensor(adjacency) else graph
    if n_neighbors is None:
        n_neighbors = default_n_neighbors(X.shape[0], n_groups)
    return knn_graph(X, n_neighbors)


def propagation_matrix(
    adjacency: sp.csr_array, dtype: Any = None, self_loops: bool = True
) -> sp.csr_array:
    """P = D~^-1/2 (A + I) D~^-1/2 of a symmetric A; an isolated node keeps its features.

    Without self loops D^-1/2 A D^-1/2: a node hears its neighbours alone, an isolated one nothing.
    """
    dtype = adjacency.dtype if dtype is None else np.dtype(dtype)
    n_nodes = adjacency.shape[0]
    # Convert before adding: with millions of edges every copy counts.
    if self_loops:
        loops = sp.eye_array(n_nodes, dtype=dtype)
        looped = sp.csr_array(adjacency.astype(dtype, copy=False) + loops)
    else:
        looped = sp.csr_array(adjacency.astype(dtype, copy=True))
    inverse_root = _inverse_root(looped.sum(axis=1, dtype=np.float64)).astype(dtype, copy=False)
    looped.data *= np.repeat(inverse_root, np.diff(looped.indptr))
    looped.data *= inverse_root[looped.indices]
    return looped


def without_self_loops(P: sp.csr_array) -> sp.csr_array:
    """D^-1/2 A D^-1/2 from D~^-1/2 (A + I) D~^-1/2: P_ii is 1 / d~_i, and d_i = d~_i - 1."""
    looped = 1.0 / P.diagonal().astype(np.float64)
    # A degree that is rounding is that of an isolated node.
    degrees = np.where(looped > 1.0 + 1e-6, looped - 1.0, 0.0)
    change = np.sqrt(looped) * _inverse_root(degrees)
    ends = sp.coo_array(P)
    apart = ends.row != ends.col
    rows, columns = ends.row[apart], ends.col[apart]
    weights = (ends.data[apart] * change[rows] * change[columns]).astype(P.dtype)
    loopless = sp.csr_array((weights, (rows, columns)), shape=P.shape)
    loopless.sort_indices()
    return loopless


def _inverse_root(degrees: np.ndarray) -> np.ndarray:
    """1 / sqrt(d), and 0 where there is no edge."""
    return np.where(degrees > 0, 1.0 / np.sqrt(np.where(degrees > 0, degrees, 1.0)), 0.0)


def attach(X_new: Any, X: Any, n_neighbors: int) -> sp.csr_array:
    """Edges from new rows to their `n_neighbors` nearest fitted rows, shape (new, fitted)."""
    if n_neighbors == 0:
        return sp.csr_array((X_new.shape[0], X.shape[0]))
    if sp.issparse(X_new) != sp.issparse(X):  # the search needs both sparse or both dense
        X_new = sp.csr_array(X_new) if sp.issparse(X) else X_new.toarray()
    nearest = NearestNeighbors(n_neighbors=n_neighbors).fit(X)
    return sp.csr_array(nearest.kneighbors_graph(X_new))


def attachment_rows(
    edges: sp.csr_array, adjacency: sp.csr_array, self_loops: bool = True
) -> tuple[sp.csr_array, np.ndarray]:
    """Rows of P for new nodes: weights of the fitted nodes, and of each new node itself.

    w_ij / sqrt(d_i d_j) and 1 / d_i with d the row sums of A + I; without self loops those of A,
    and 0. The fitted graph does not change: new nodes average over fitted ones, but not the other
    way round.
    """
    weights = edges.copy()
    if not self_loops:
        heard = _inverse_root(adjacency.sum(axis=1))[edges.indices]
        own = _inverse_root(edges.sum(axis=1))
        weights.data = weights.data * np.repeat(own, np.diff(edges.indptr)) * heard
        return weights, np.zeros(len(own))
    degrees = 1.0 + adjacency.sum(axis=1)
    own = 1.0 + edges.sum(axis=1)
    weights.data = weights.data / np.sqrt(
        np.repeat(own, np.diff(edges.indptr)) * degrees[edges.indices]
    )
    return weights, 1.0 / own


def _symmetric(adjacency: sp.csr_array) -> sp.csr_array:
    """max(A, A') without diagonal and explicit zeros; the input does not change."""
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
    """Whether A v = A'v for a random v; for a symmetric A the two sums agree term by term.

    A false alarm only costs a maximum that changes nothing; on large graphs a transpose costs
    seconds.
    """
    v = np.random.default_rng(0).uniform(0.5, 1.5, adjacency.shape[0]).astype(adjacency.dtype)
    return bool(np.array_equal(adjacency @ v, adjacency.T @ v))


def _as_matrix(graph: Any, name: str) -> Any:
    """A matrix of numbers, sparse or dense; anything else is an error with its name."""
    try:
        matrix = as_array(graph, name)
        matrix = matrix if sp.issparse(matrix) else np.asarray(matrix)
        matrix = matrix.astype(np.float32) if matrix.dtype == np.float16 else matrix  # for scipy
        is_matrix = matrix.ndim == 2 and matrix.dtype.kind in "biuf"
    except ValueError as error:
        if not isinstance(graph, list | tuple):
            raise
        raise ValueError(f"{name} is a list that is not a matrix ({error}): {_FORMS}.") from error
    if matrix.dtype.kind == "c":
        raise ValueError(f"{name} has complex weights: give real weights >= 0.")
    if not is_matrix:
        raise TypeError(
            f"{name} is {brief(graph)}, with entries of type {matrix.dtype}, which is not a known "
            f"form of a graph: {_FORMS}."
        )
    return matrix


_FORMS = (
    "give a scipy sparse matrix, a square array, an edge_index of shape (2, E), a PyG Data object, "
    "a networkx graph or a DataFrame of edges"
)


def _from_networkx(graph: Any, n_nodes: int | None) -> sp.csr_array:
    """Node names are row numbers, as the order of nodes in a networkx graph has no meaning."""
    strange = [node for node in graph.nodes if not isinstance(node, int | np.integer)]
    if strange:
        raise ValueError(
            f"the networkx graph has a node called {brief(strange[0])}, but nodes must be called "
            f"0..N-1 after the rows of X: rename them, see networkx.relabel_nodes."
        )
    n_nodes = max(graph.nodes, default=-1) + 1 if n_nodes is None else n_nodes
    triples = list(graph.edges(data="weight"))
    # Isolated nodes come as loops, which drop out: they must be rows of X, too.
    ends = [(u, v) for u, v, _ in triples] + [(node, node) for node in graph.nodes]
    weight = None
    if any(w is not None for *_, w in triples):
        weight = np.array([1 if w is None else w for *_, w in triples] + [1] * len(graph.nodes))
    return _from_edges(np.array(ends, dtype=np.int64).reshape(-1, 2).T, n_nodes, weight)


def _is_edge_frame(frame: Any, n_nodes: int | None) -> bool:
    named = {"source", "target"} <= set(frame.columns)
    return named or (frame.shape[1] == 2 and frame.shape != (n_nodes, n_nodes))


def _from_frame(frame: Any, n_nodes: int | None) -> sp.csr_array:
    named = "source" in frame.columns
    ends = frame[["source", "target"]] if named else frame
    weight = frame["weight"] if named and "weight" in frame.columns else None
    return _from_edges(np.asarray(ends).T, n_nodes, weight)


def _from_edges(edges: Any, n_nodes: int | None, weight: Any = None) -> sp.csr_array:
    edges = np.asarray(as_array(edges, "the edge_index"))
    if edges.shape == (2, 0):  # without edges the type has no meaning
        edges = edges.astype(np.int64)
    if not _is_edge_index(edges) or edges.dtype.kind not in "iu":
        raise ValueError(
            f"the edge_index has shape {edges.shape} and type {edges.dtype}: give whole numbers of "
            f"shape (2, E), the two nodes of each edge."
        )
    n_nodes = int(edges.max(initial=-1)) + 1 if n_nodes is None else n_nodes
    if edges.size and (edges.min() < 0 or edges.max() >= n_nodes):
        raise ValueError(
            f"the edge_index names node {edges.min() if edges.min() < 0 else edges.max()}, but the "
            f"graph has nodes 0..{n_nodes - 1}: check the numbering, or the number of rows of X."
        )
    values = np.ones(edges.shape[1])
    if weight is not None:
        weight = np.asarray(as_array(weight, "edge_weight"))
        if weight.shape != (edges.shape[1],) or weight.dtype.kind not in "biuf":
            raise ValueError(
                f"edge_weight has shape {weight.shape} and type {weight.dtype}, but the edge_index "
                f"has {edges.shape[1]} edges: give one real weight per edge."
            )
        values = weight.astype(np.float64)
    edges = edges.astype(np.int32) if n_nodes < np.iinfo(np.int32).max else edges
    adjacency = sp.csr_array((values, (edges[0], edges[1])), shape=(n_nodes, n_nodes))
    if weight is None:
        adjacency.data[:] = 1.0
    return adjacency


def _is_edge_index(array: Any) -> bool:
    """Two rows of whole numbers, or two rows of any numbers that are not a 2 x 2 matrix."""
    is_pair = not sp.issparse(array) and array.ndim == 2 and array.shape[0] == 2
    return is_pair and (array.dtype.kind in "iu" or array.shape[1] != 2)


def _checked_weights(adjacency: sp.csr_array, name: str) -> sp.csr_array:
    """Weights as floating point numbers that can be normalised; others are an error."""
    if adjacency.dtype not in (np.float32, np.float64):
        adjacency = adjacency.astype(np.float64)
    weights = adjacency.data
    if not np.isfinite(weights).all():
        raise ValueError(f"{name} contains NaN or infinite weights: remove or replace them.")
    if weights.size and weights.min() < 0:
        raise ValueError(
            f"{name} has a negative weight ({weights.min():g}): the normalised graph needs "
            f"weights >= 0."
        )
    if weights.size and float(weights.max()) > np.finfo(weights.dtype).max / weights.size:
        raise ValueError(
            f"{name} has a weight of {weights.max():g}, too large to be summed: divide all weights "
            f"by it."
        )
    return adjacency

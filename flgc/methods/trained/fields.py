"""Receptive fields: the loss is taken at labelled nodes, so only their neighbourhood is computed.

With K layers the scores of a node depend on its K-hop neighbourhood, its receptive field. Layers
leave out all other nodes; the scores of the labelled nodes stay the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from flgc.methods.trained.products import Product
from flgc.propagation import hop, propagate, propagate_indicators

# Dense multiplications that cost as much as a sparse one: a rough figure, not tuned.
_SPARSE_COSTS = 4

BatchedMap = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Graph:
    """What all runs share: the propagation matrix, the features, and the device."""

    P: sp.csr_array
    X: Any
    device: torch.device
    # From hops to stored P^hops X.
    kept: Callable[[int], np.ndarray] | None = None
    # Whether outputs are rarely needed, so that much preparation does not pay.
    seldom: bool = False
    # P X, if it was computed before.
    averaged: Any = None
    # A cache of the model for the other batches of a training.
    memory: dict[Any, Any] = field(default_factory=dict)

    @property
    def n_nodes(self) -> int:
        return self.P.shape[0]

    @property
    def all_nodes(self) -> np.ndarray:
        return np.arange(self.n_nodes)

    @property
    def on_cpu(self) -> bool:
        return self.device.type == "cpu"

    def product(self, matrix: Any, *, symmetric: bool = False) -> Product:
        """The product of the matrix with arrays of the runs, on the device."""
        return Product(matrix, self.device, symmetric=symmetric)


def nested_fields(P: sp.csr_array, nodes: np.ndarray, depth: int) -> list[np.ndarray]:
    """[nodes within `depth` hops, ..., nodes within one, nodes]: the nodes of each layer."""
    fields = [nodes]
    for _ in range(depth):
        wider = fields[0] if len(fields[0]) == P.shape[0] else np.unique(P[fields[0]].indices)
        fields.insert(0, wider)
    return fields


def block(P: sp.csr_array, rows: np.ndarray, columns: np.ndarray) -> sp.csr_array:
    """P[rows, columns]; P itself where both are all nodes."""
    whole = len(rows) == len(columns) == P.shape[0]
    return P if whole else sp.csr_array(P[rows][:, columns])


def averaged_features(graph: Graph, nodes: np.ndarray) -> Any:
    """(P X)[nodes], sparse where X is."""
    if graph.averaged is not None:
        return graph.averaged if len(nodes) == graph.n_nodes else graph.averaged[nodes]
    rows = graph.P if len(nodes) == graph.n_nodes else sp.csr_array(graph.P[nodes])
    return sp.csr_array(rows @ graph.X) if sp.issparse(graph.X) else hop(rows, graph.X)


def propagated_features(graph: Graph, nodes: np.ndarray, hops: int) -> BatchedMap:
    """W -> (P^hops X)[nodes] W: rows of P^hops X, or P^hops (X W) if that multiplies less.

    P is symmetric, so the rows are (P^hops E)' X with E the indicators of the nodes.
    """
    X = graph.X
    features = _SPARSE_COSTS * X.nnz if sp.issparse(X) else X.size
    spreads_less = features + _SPARSE_COSTS * hops * graph.P.nnz < len(nodes) * X.shape[1]
    if spreads_less or (graph.seldom and graph.kept is None):
        spread, columns = propagated(graph, nodes, hops, 0.0), graph.product(X)
        return lambda W: spread(columns(W))
    if graph.kept is not None:
        return graph.product(graph.kept(hops)[nodes].astype(X.dtype, copy=False))
    if len(nodes) < X.shape[1]:
        reached = propagate_indicators(graph.P, X, nodes, hops)
        return graph.product(np.ascontiguousarray((X.T @ reached).T))
    return graph.product(propagate(graph.P, X, hops)[nodes])


def propagated(graph: Graph, nodes: np.ndarray, hops: int, teleport: float) -> BatchedMap:
    """H -> (p(P) H)[nodes] with p of Eq. 10, for H at all nodes.

    For a few nodes by the rows of p(P) as a dense matrix, else hop by hop.
    """
    if len(nodes) <= _SPARSE_COSTS * hops * graph.P.nnz / graph.n_nodes:
        reached = propagate_indicators(graph.P, graph.X, nodes, hops, teleport)
        return graph.product(np.ascontiguousarray(reached.T))
    average = graph.product(graph.P, symmetric=True)
    rows = None if len(nodes) == graph.n_nodes else torch.as_tensor(nodes, device=graph.device)

    def spread(H: torch.Tensor) -> torch.Tensor:
        start = H
        for _ in range(hops):
            H = average(H) if teleport == 0 else (1 - teleport) * average(H) + teleport * start
        return H if rows is None else H[:, rows]

    return spread

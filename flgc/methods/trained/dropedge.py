"""DropEdge: a GCN that drops random edges in every epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import scipy.sparse as sp
import torch

from flgc.graph import propagation_matrix
from flgc.methods.base import Grid
from flgc.methods.trained.fields import Graph, averaged_features
from flgc.methods.trained.gcn import GCN
from flgc.methods.trained.method import TrainedMethod
from flgc.methods.trained.model import Epoch, Scorer

# The most bytes of thinned graphs that a training keeps for its other batches.
_MOST_BYTES = 2**28


@dataclass(frozen=True)
class DropEdge(GCN):
    """A GCN with another P in every epoch of the training.

    A share `drop` of the edges is left out, both directions together, and P = D~^-1/2 (A + I)
    D~^-1/2 of the others. All runs of a problem have the same edges in an epoch. Outputs outside of
    the training use all edges.
    """

    drop: float = 0.6

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.drop, bool) or not 0 <= self.drop < 1:
            raise ValueError(f"drop={self.drop!r} is not possible: give a share in [0, 1).")

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """The scorer of a GCN, on the graph of the epoch or on the whole graph."""
        gcn = super().scorer
        whole = cache(lambda: gcn(graph, nodes))

        def scores(weights: Sequence[torch.Tensor], epoch: Epoch | None = None) -> torch.Tensor:
            scorer = whole() if epoch is None else gcn(self._thinned(graph, epoch), nodes)
            return scorer(weights)

        return scores

    def _thinned(self, graph: Graph, epoch: Epoch) -> Graph:
        """The graph of an epoch with its P X, which all batches share.

        Two threads may compute it at the same time, with the same result.
        """
        kept = graph.memory
        if epoch.number in kept:
            return kept[epoch.number]
        if "edges" not in kept:
            kept["edges"] = Edges(graph.P)
        P = kept["edges"].thinned(self.drop, epoch.shared)
        thin = Graph(P, graph.X, graph.device)
        thin = replace(thin, averaged=averaged_features(thin, thin.all_nodes))
        size = sum(A.data.nbytes for A in (thin.P, thin.P.indices, thin.averaged))
        if len(kept) * size <= _MOST_BYTES:
            kept[epoch.number] = thin
        return thin


class Edges:
    """The edges of a propagation matrix and their weights.

    A_ij = P_ij sqrt(d_i d_j) for i != j, with d_i = 1 / P_ii, as loops have the weight 1.
    """

    def __init__(self, P: sp.csr_array) -> None:
        loops = P.diagonal()
        for node in np.flatnonzero(loops <= 0):
            raise ValueError(
                f"P has no loop at node {node}: give P = D~^-1/2 (A + I) D~^-1/2, see "
                f"flgc.graph.propagation_matrix."
            )
        ends = sp.coo_array(P)
        apart = ends.row != ends.col
        rows, columns = ends.row[apart], ends.col[apart]
        weights = ends.data[apart] / np.sqrt(loops[rows].astype(float) * loops[columns])
        self._dtype = P.dtype
        self._A = sp.csr_array((weights, (rows, columns)), shape=P.shape)
        self._A.sort_indices()
        # The number of the edge of each entry; edges are counted above the diagonal.
        upper = sp.csr_array(sp.triu(self._A, format="csr"))
        upper.data = np.arange(1.0, upper.nnz + 1)
        both = sp.csr_array(upper + upper.T)
        if not np.array_equal(both.indices, self._A.indices):
            raise ValueError("P is not symmetric: each edge needs both directions.")
        self._edge = both.data.astype(np.int64) - 1
        self.n_edges = upper.nnz

    def thinned(self, drop: float, generator: torch.Generator) -> sp.csr_array:
        """The propagation matrix without a share `drop` of the edges."""
        stays = np.ones(self.n_edges, dtype=bool)
        drawn = torch.randperm(self.n_edges, generator=generator).numpy()
        stays[drawn[: round(drop * self.n_edges)]] = False
        entries = stays[self._edge]
        before = np.concatenate([[0], np.cumsum(entries)])
        A = sp.csr_array(
            (self._A.data[entries], self._A.indices[entries], before[self._A.indptr]),
            shape=self._A.shape,
        )
        return propagation_matrix(A, self._dtype)


class DropEdgeMethod(TrainedMethod):
    """Rate, weight decay and share of edges from its authors' script for a two-layer GCN on Cora.

    They have 128 neurons, 400 epochs and dropout, and draw each direction of an edge by itself.
    Here are 16 neurons, an axis of epochs, no dropout, as in all trained methods, and both
    directions of an edge are dropped together.
    """

    name = "DropEdge"
    reference = "Rong et al., ICLR 2020"
    model = DropEdge
    axes: Grid = {  # noqa: RUF012 (a constant)
        "scaling": ("raw", "row-normalised"),
        "hops": (2,),
        "hidden": (16,),
        "drop": (0.6,),
        "learning_rate": (0.007,),
        "weight_decay": (1e-5,),
        "epochs": (200, 100, 50),
    }

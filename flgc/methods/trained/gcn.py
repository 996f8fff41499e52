"""GCN: average over neighbours, multiply, relu; and GCN-Linear, the same without relu.

Biases are as in the layers of PyTorch Geometric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from flgc.checks import check_whole
from flgc.methods.base import Grid
from flgc.methods.trained.fields import (
    Graph,
    averaged_features,
    block,
    nested_fields,
    propagated_features,
)
from flgc.methods.trained.method import TrainedMethod
from flgc.methods.trained.model import Epoch, Model, Scorer, layers
from flgc.propagation import iterate_hops


@dataclass(frozen=True)
class GCN(Model):
    """H(0) = X,   H(k+1) = relu(P H(k) W_k + b_k), without relu in the last of `hops` layers."""

    hops: int = 2
    hidden: int = 16

    def __post_init__(self) -> None:
        check_whole("hops", self.hops, 1)
        check_whole("hidden", self.hidden, 1)

    def initial_weights(
        self, generator: torch.Generator, n_features: int, n_classes: int
    ) -> list[torch.Tensor]:
        """W_1, b_1, W_2, b_2, ..."""
        return layers([n_features, *[self.hidden] * (self.hops - 1), n_classes], generator)

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """The first layer, at all nodes that the next layers need."""
        return self.hidden * len(nested_fields(graph.P, nodes, self.hops - 1)[0])

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """Layer k at the nodes that layer k + 1 needs; P X is computed before the training."""
        fields = nested_fields(graph.P, nodes, self.hops - 1)
        first = graph.product(averaged_features(graph, fields[0]))
        averages = [
            graph.product(block(graph.P, rows, columns), symmetric=len(rows) == graph.n_nodes)
            for columns, rows in pairwise(fields)
        ]

        def scores(weights: Sequence[torch.Tensor], _: Epoch | None = None) -> torch.Tensor:
            H = first(weights[0]) + weights[1][:, None]
            for average, W, b in zip(averages, weights[2::2], weights[3::2], strict=True):
                H = average(H.relu_() @ W) + b[:, None]
            return H

        return scores


@dataclass(frozen=True)
class GCNLinear(GCN):
    """H(k+1) = P H(k) W_k + b_k: a GCN without relu, a linear model of P^hops X.

    With V_k = W_k ... W_K the scores are P^K X V_1 + sum_k P^(K-k) 1 b_k V_(k+1), V_(K+1) = I.
    """

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """Scores only, as the layers are multiplied with each other first; runs stay together."""
        return len(nodes)

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """P^hops X and P^k 1 are computed before the training, which then needs no neighbours."""
        features = propagated_features(graph, nodes, self.hops)
        ones = np.ones((graph.n_nodes, 1), dtype=graph.P.dtype)
        powers = [H[nodes] for H in iterate_hops(graph.P, ones, self.hops - 1)]
        reached = torch.as_tensor(np.hstack(powers[::-1]), device=graph.device)

        def scores(weights: Sequence[torch.Tensor], _: Epoch | None = None) -> torch.Tensor:
            rest, offsets = weights[-2], [weights[-1][:, None]]
            for W, b in zip(weights[-4::-2], weights[-3::-2], strict=True):
                offsets.insert(0, b[:, None] @ rest)
                rest = W @ rest
            return features(rest) + reached @ torch.cat(offsets, dim=1)

        return scores


class GCNMethod(TrainedMethod):
    """Layers, hidden neurons and weight decay as in the paper's Section IV-A.

    They are those of its authors, who also have dropout, early stopping, and no decay on the second
    layer. No method here has dropout: the paper uses weight decay only.
    """

    name = "GCN"
    reference = "Kipf & Welling, ICLR 2017"
    model = GCN
    axes: Grid = {  # noqa: RUF012 (a constant)
        "scaling": ("raw", "row-normalised"),
        "hops": (2,),
        "hidden": (16,),
        "learning_rate": (0.01,),
        "weight_decay": (5e-4,),
        "epochs": (100, 50),
    }


class GCNLinearMethod(GCNMethod):
    """The same settings without relu."""

    name = "GCN-Linear"
    reference = "the linear GCN of Cai et al., Fully Linear Graph Convolutional Networks"
    model = GCNLinear

"""GCNII: many layers, each with a share of the first layer and close to the identity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from flgc.checks import check_teleport, check_weight, check_whole
from flgc.methods.base import Grid, Setting
from flgc.methods.trained.fields import Graph, block, nested_fields
from flgc.methods.trained.method import TrainedMethod
from flgc.methods.trained.model import (
    Epoch,
    Model,
    Scorer,
    Training,
    layers,
)
from flgc.methods.trained.products import Product


@dataclass(frozen=True)
class GCNII(Model):
    """H_0 = relu(X W + b),   H_l = relu(((1-a) P H_(l-1) + a H_0) ((1-b_l) I + b_l W_l)),
    b_l = log(theta / l + 1),   scores H_hops V + c;   a is `teleport`.
    """

    hops: int = 4
    hidden: int = 16
    teleport: float = 0.1
    theta: float = 0.5

    def __post_init__(self) -> None:
        check_whole("hops", self.hops, 1)
        check_whole("hidden", self.hidden, 1)
        check_teleport(self.teleport)
        check_weight("theta", self.theta)

    def initial_weights(
        self, generator: torch.Generator, n_features: int, n_classes: int
    ) -> list[torch.Tensor]:
        """W and b, W_1, W_2, ..., V and c."""
        first = layers([n_features, self.hidden], generator)
        between = layers([self.hidden] * (self.hops + 1), generator)[::2]
        return [*first, *between, *layers([self.hidden, n_classes], generator)]

    def groups(self, n_weights: int) -> list[int]:
        """The dense layers at both ends, and the convolutions."""
        return [0, 0, *[1] * (n_weights - 4), 0, 0]

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """H_0, at all nodes that the last layer depends on."""
        return self.hidden * len(nested_fields(graph.P, nodes, self.hops)[0])

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """Layer l at the nodes that layer l + 1 needs; (1-a) P is computed before the training."""
        fields = nested_fields(graph.P, nodes, self.hops)
        widest = fields[0]
        features = graph.product(graph.X if len(widest) == graph.n_nodes else graph.X[widest])
        damped = ((1 - self.teleport) * graph.P).astype(graph.P.dtype)
        products: dict[tuple[int, int], Product] = {}  # fields are nested: one size is one field
        for columns, rows in pairwise(fields):
            sizes = len(rows), len(columns)
            if sizes not in products:
                whole = len(rows) == graph.n_nodes
                products[sizes] = graph.product(block(damped, rows, columns), symmetric=whole)
        averages = [products[len(rows), len(columns)] for columns, rows in pairwise(fields)]
        back = [
            torch.as_tensor(np.searchsorted(widest, rows), device=graph.device)
            for rows in fields[1:]
        ]
        shares = [math.log(self.theta / layer + 1) for layer in range(1, self.hops + 1)]

        def scores(weights: Sequence[torch.Tensor], _: Epoch | None = None) -> torch.Tensor:
            W, b, *convolutions, V, c = weights
            identity = torch.eye(self.hidden, dtype=W.dtype, device=W.device)
            H = (features(W) + b[:, None]).relu_()
            start = self.teleport * H
            for average, places, share, W_l in zip(
                averages, back, shares, convolutions, strict=True
            ):
                own = start if len(places) == len(widest) else start.index_select(1, places)
                H = ((average(H) + own) @ torch.lerp(identity, W_l, share)).relu_()
            return torch.baddbmm(c[:, None], H, V)

        return scores


class GCNIIMethod(TrainedMethod):
    """Teleport, theta, rate and both decays of its authors on Cora.

    They have 64 layers of 64 neurons, dropout and up to 1,500 epochs with early stopping. Here are
    4 layers of 16 neurons, no dropout, as in all trained methods, and epochs are an axis.
    `weight_decay` is that of the dense layers, `conv_decay` that of the convolutions.
    """

    name = "GCNII"
    reference = "Chen et al., ICML 2020"
    model = GCNII
    axes: Grid = {  # noqa: RUF012 (a constant)
        "scaling": ("raw", "row-normalised"),
        "hops": (4,),
        "hidden": (16,),
        "teleport": (0.1,),
        "theta": (0.5,),
        "learning_rate": (0.01,),
        "weight_decay": (5e-4,),
        "conv_decay": (0.01,),
        "epochs": (200, 100, 50),
    }

    def model_of(self, setting: Setting) -> GCNII:
        """The model without `conv_decay`, which belongs to the training."""
        return GCNII(**{n: v for n, v in setting.items() if n in GCNII.__dataclass_fields__})

    def training_of(self, setting: Setting) -> Training:
        """Both decays, in the order of the model's groups."""
        decays = (setting["weight_decay"], setting["conv_decay"])
        return Training(setting["epochs"], setting["learning_rate"], decays)

"""APPNP: a perceptron at each node, then propagation with teleport."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from flgc.checks import check_hops, check_teleport, check_whole
from flgc.methods.base import Grid
from flgc.methods.trained.fields import Graph, propagated
from flgc.methods.trained.method import TrainedMethod
from flgc.methods.trained.model import Epoch, Model, Scorer, layers


@dataclass(frozen=True)
class APPNP(Model):
    """p(P) (relu(X W_1 + b_1) W_2 + b_2) with p of Eq. 10: a perceptron, then propagation."""

    hops: int = 10
    hidden: int = 64
    teleport: float = 0.1

    def __post_init__(self) -> None:
        check_hops(self.hops)
        check_teleport(self.teleport)
        check_whole("hidden", self.hidden, 1)

    def initial_weights(
        self, generator: torch.Generator, n_features: int, n_classes: int
    ) -> list[torch.Tensor]:
        """W_1, b_1, W_2 and b_2."""
        return layers([n_features, self.hidden, n_classes], generator)

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """The hidden layer, at all nodes."""
        return self.hidden * graph.n_nodes

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """The perceptron runs at all nodes, as ten hops reach nearly all of them."""
        features = graph.product(graph.X)
        spread = propagated(graph, nodes, self.hops, self.teleport)

        def scores(weights: Sequence[torch.Tensor], _: Epoch | None = None) -> torch.Tensor:
            W_1, b_1, W_2, b_2 = weights
            hidden = (features(W_1) + b_1[:, None]).relu_()
            return spread(torch.baddbmm(b_2[:, None], hidden, W_2))

        return scores


class APPNPMethod(TrainedMethod):
    """Hops, hidden neurons, teleport and weight decay as in the paper's Section IV-A.

    They are those of its authors, who also have dropout, early stopping after thousands of epochs,
    and no decay on the second layer.
    """

    name = "APPNP"
    reference = "Gasteiger (Klicpera) et al., ICLR 2019"
    model = APPNP
    axes: Grid = {  # noqa: RUF012 (a constant)
        "scaling": ("raw", "row-normalised"),
        "hops": (10,),
        "hidden": (64,),
        "teleport": (0.1,),
        "learning_rate": (0.01,),
        "weight_decay": (5e-3,),
        "epochs": (50, 25),
    }

"""SGC: softmax regression on propagated features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from flgc.checks import check_hops
from flgc.methods.base import Grid
from flgc.methods.trained.fields import Graph, propagated_features
from flgc.methods.trained.method import TrainedMethod
from flgc.methods.trained.model import Model, Scorer, layers


@dataclass(frozen=True)
class SGC(Model):
    """P^hops X W + b: softmax regression on propagated features."""

    hops: int = 2

    def __post_init__(self) -> None:
        check_hops(self.hops)

    def initial_weights(
        self, generator: torch.Generator, n_features: int, n_classes: int
    ) -> list[torch.Tensor]:
        """W and b."""
        return layers([n_features, n_classes], generator)

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """Scores only; runs stay together, and the features are read once for all."""
        return len(nodes)

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """P^hops X is computed before the training."""
        features = propagated_features(graph, nodes, self.hops)
        return lambda weights, _=None: features(weights[0]) + weights[1][:, None]


class SGCMethod(TrainedMethod):
    """Epochs and learning rate of its authors, who tune the weight decay on each dataset; the paper
    does not give it.
    """

    name = "SGC"
    reference = "Wu et al., ICML 2019"
    model = SGC
    axes: Grid = {  # noqa: RUF012 (a constant)
        "scaling": ("raw", "row-normalised"),
        "hops": (2,),
        "learning_rate": (0.2,),
        "weight_decay": (5e-5, 5e-4, 5e-3),
        "epochs": (100, 50, 25),
    }

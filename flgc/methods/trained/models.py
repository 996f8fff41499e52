"""The paper's rivals that are trained by gradient descent, each for R runs at once.

A rival says two things: the weights that one run starts from, and how weights with an axis of runs
in front become scores at given nodes. Whatever does not depend on weights is done once, in
`scorer`. Biases stand where PyTorch Geometric's layers have them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np
import torch

from flgc.checks import check_hops, check_teleport
from flgc.methods.trained.fields import (
    Graph,
    averaged_features,
    block,
    nested_fields,
    propagated,
    propagated_features,
)
from flgc.propagation import iterate_hops

# Weights of R runs, each of shape (R, ...), to scores of shape (R, nodes, classes).
Scorer = Callable[[Sequence[torch.Tensor]], torch.Tensor]


@dataclass(frozen=True)
class Training:
    """Full-batch Adam, cross-entropy at the labelled nodes, L2 on every weight; no other tricks."""

    epochs: int = 200
    learning_rate: float = 0.01
    weight_decay: float = 5e-4

    def __post_init__(self) -> None:
        if isinstance(self.epochs, bool) or not isinstance(self.epochs, int | np.integer):
            raise ValueError(f"epochs={self.epochs!r} is not possible: give a whole number >= 1.")
        if self.epochs < 1:
            raise ValueError(f"epochs={self.epochs} is not possible: give a whole number >= 1.")
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(
                f"learning_rate={self.learning_rate!r} is not possible: give a number > 0."
            )
        if not 0 <= self.weight_decay < math.inf:
            raise ValueError(
                f"weight_decay={self.weight_decay!r} is not possible: give a number >= 0."
            )


class Model(Protocol):
    """What `train` asks of a rival."""

    training: ClassVar[Training]

    def initial_weights(
        self, generator: torch.Generator, n_features: int, n_classes: int
    ) -> list[torch.Tensor]:
        """The weights of one run, drawn in a fixed order."""
        ...

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """The function from weights to the scores at these nodes."""
        ...

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """How many numbers the widest layer of one run holds when these nodes are scored."""
        ...


@dataclass(frozen=True)
class GCN:
    """H(0) = X,   H(k+1) = relu(P H(k) W_k + b_k), without relu in the last of `hops` layers."""

    hops: int = 2
    hidden: int = 16

    training: ClassVar[Training] = Training(weight_decay=5e-4)

    def __post_init__(self) -> None:
        _check_at_least_one("hops", self.hops)
        _check_at_least_one("hidden", self.hidden)

    def initial_weights(
        self, generator: torch.Generator, n_features: int, n_classes: int
    ) -> list[torch.Tensor]:
        """W_1, b_1, W_2, b_2, ..."""
        return _layers([n_features, *[self.hidden] * (self.hops - 1), n_classes], generator)

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """The first layer, at all nodes that the others look at."""
        return self.hidden * len(nested_fields(graph.P, nodes, self.hops - 1)[0])

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """Layer k at the nodes that layer k + 1 looks at; P X is there before the training."""
        fields = nested_fields(graph.P, nodes, self.hops - 1)
        first = graph.product(averaged_features(graph, fields[0]))
        averages = [
            graph.product(block(graph.P, rows, columns), symmetric=len(rows) == graph.n_nodes)
            for columns, rows in pairwise(fields)
        ]

        def scores(weights: Sequence[torch.Tensor]) -> torch.Tensor:
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
        """Scores only, as the layers are multiplied with each other first: runs stay together."""
        return len(nodes)

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """P^hops X and P^k 1 are there before the training: no neighbour is needed in it."""
        features = propagated_features(graph, nodes, self.hops)
        ones = np.ones((graph.n_nodes, 1), dtype=graph.P.dtype)
        powers = [H[nodes] for H in iterate_hops(graph.P, ones, self.hops - 1)]
        reached = torch.as_tensor(np.hstack(powers[::-1]), device=graph.device)

        def scores(weights: Sequence[torch.Tensor]) -> torch.Tensor:
            rest, offsets = weights[-2], [weights[-1][:, None]]
            for W, b in zip(weights[-4::-2], weights[-3::-2], strict=True):
                offsets.insert(0, b[:, None] @ rest)
                rest = W @ rest
            return features(rest) + reached @ torch.cat(offsets, dim=1)

        return scores


@dataclass(frozen=True)
class SGC:
    """P^hops X W + b: softmax regression on propagated features."""

    hops: int = 2

    training: ClassVar[Training] = Training(epochs=100, learning_rate=0.2, weight_decay=5e-5)

    def __post_init__(self) -> None:
        check_hops(self.hops)

    def initial_weights(
        self, generator: torch.Generator, n_features: int, n_classes: int
    ) -> list[torch.Tensor]:
        """W and b."""
        return _layers([n_features, n_classes], generator)

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """Scores only: runs stay together, and the features are read for all at once."""
        return len(nodes)

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """P^hops X is there before the training."""
        features = propagated_features(graph, nodes, self.hops)
        return lambda weights: features(weights[0]) + weights[1][:, None]


@dataclass(frozen=True)
class APPNP:
    """p(P) (relu(X W_1 + b_1) W_2 + b_2) with p of Eq. 10: a perceptron, then propagation."""

    hops: int = 10
    hidden: int = 64
    teleport: float = 0.1

    training: ClassVar[Training] = Training(weight_decay=5e-3)

    def __post_init__(self) -> None:
        check_hops(self.hops)
        check_teleport(self.teleport)
        _check_at_least_one("hidden", self.hidden)

    def initial_weights(
        self, generator: torch.Generator, n_features: int, n_classes: int
    ) -> list[torch.Tensor]:
        """W_1, b_1, W_2 and b_2."""
        return _layers([n_features, self.hidden, n_classes], generator)

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """The hidden layer, at all nodes."""
        return self.hidden * graph.n_nodes

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """The perceptron works at all nodes: ten hops reach nearly all of them."""
        features = graph.product(graph.X)
        spread = propagated(graph, nodes, self.hops, self.teleport)

        def scores(weights: Sequence[torch.Tensor]) -> torch.Tensor:
            W_1, b_1, W_2, b_2 = weights
            hidden = (features(W_1) + b_1[:, None]).relu_()
            return spread(torch.baddbmm(b_2[:, None], hidden, W_2))

        return scores


MODELS: dict[str, type] = {"GCN": GCN, "GCN-Linear": GCNLinear, "SGC": SGC, "APPNP": APPNP}


def model_named(name: str, **settings: Any) -> Model:
    """The rival of this name, with the paper's settings where none are given."""
    if name not in MODELS:
        raise ValueError(f"model={name!r} is not known: choose one of {', '.join(MODELS)}.")
    return MODELS[name](**settings)


def _layers(widths: Sequence[int], generator: torch.Generator) -> list[torch.Tensor]:
    """A Glorot-uniform matrix and a zero bias for each pair of neighbouring widths."""
    weights = []
    for n_in, n_out in pairwise(widths):
        bound = math.sqrt(6 / (n_in + n_out))
        uniform = torch.rand(n_in, n_out, generator=generator, dtype=torch.float64)
        weights += [(2 * uniform - 1) * bound, torch.zeros(n_out, dtype=torch.float64)]
    return weights


def _check_at_least_one(name: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name}={value!r} is not possible: give a whole number >= 1.")

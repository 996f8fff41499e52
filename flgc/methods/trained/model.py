"""The interface of trained models, for R runs at once, and the parameters of a training.

A model has the initial weights of a run, and a function from weights, with an axis of runs in
front, to outputs at some nodes. Whatever does not depend on weights is computed once, in `scorer`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
import torch

from flgc.checks import check_positive, check_whole
from flgc.methods.trained.fields import Graph


@dataclass(frozen=True)
class Training:
    """Full-batch Adam with L2 on every weight; one decay for all, or one per group of weights."""

    epochs: int = 200
    learning_rate: float = 0.01
    weight_decay: float | tuple[float, ...] = 5e-4

    def __post_init__(self) -> None:
        check_whole("epochs", self.epochs, 1)
        check_positive("learning_rate", self.learning_rate)
        decays = self.weight_decay if isinstance(self.weight_decay, tuple) else (self.weight_decay,)
        if not all(0 <= decay < math.inf for decay in decays):
            raise ValueError(
                f"weight_decay={self.weight_decay!r} is not possible: give a number >= 0, or one "
                f"for each group of weights."
            )

    def decays(self, groups: Sequence[int]) -> list[float]:
        """The weight decay of each weight, by its group."""
        if not isinstance(self.weight_decay, tuple):
            return [self.weight_decay] * len(groups)
        if len(self.weight_decay) != max(groups) + 1:
            raise ValueError(
                f"weight_decay={self.weight_decay!r} has {len(self.weight_decay)} values, but the "
                f"model has {max(groups) + 1} groups of weights: give one for each, or a number."
            )
        return [self.weight_decay[group] for group in groups]


@dataclass(frozen=True)
class Epoch:
    """Random numbers for one epoch of the training.

    The result of a run must not depend on the other runs: what runs do not share comes from their
    own generators, and how much is drawn must not depend on the scored nodes. So draw for all nodes
    or edges.
    """

    number: int
    seed: int
    runs: Sequence[torch.Generator]
    device: torch.device

    @cached_property
    def shared(self) -> torch.Generator:
        """The generator for what all runs of a problem share, e.g. the edges that are left out."""
        mixed = np.random.SeedSequence([self.seed, self.number]).generate_state(1, np.uint64)
        return torch.Generator().manual_seed(int(mixed[0]) % 2**63)

    def uniform(self, *shape: int) -> torch.Tensor:
        """(R, *shape), uniform in [0, 1), from each run's generator; drawn on the CPU."""
        drawn = [torch.rand(shape, generator=generator) for generator in self.runs]
        return torch.stack(drawn).to(self.device)


class Scorer(Protocol):
    """From weights of R runs, each of shape (R, ...), to outputs (R, nodes, classes)."""

    def __call__(
        self, weights: Sequence[torch.Tensor], epoch: Epoch | None = None, /
    ) -> torch.Tensor:
        """In training with the epoch; without one it must be deterministic."""
        ...


# From outputs at the scored nodes to the loss of each run.
Objective = Callable[[torch.Tensor, Epoch], torch.Tensor]


class Model(Protocol):
    """The model that `train` needs; one without labels has its own objective."""

    def initial_weights(
        self, generator: torch.Generator, n_features: int, n_classes: int
    ) -> list[torch.Tensor]:
        """The weights of one run, drawn in a fixed order."""
        ...

    def scorer(self, graph: Graph, nodes: np.ndarray) -> Scorer:
        """The function from weights to the outputs at these nodes."""
        ...

    def layer_size(self, graph: Graph, nodes: np.ndarray) -> int:
        """The size of the widest layer of one run when these nodes are scored."""
        ...

    def groups(self, n_weights: int) -> Sequence[int]:
        """The group of each weight: 0, 1, ...; each group may have its own weight decay."""
        return [0] * n_weights

    def objective(self, graph: Graph) -> Objective | None:
        """A loss without labels; by default cross-entropy at the labelled nodes."""
        return None


def layers(widths: Sequence[int], generator: torch.Generator) -> list[torch.Tensor]:
    """A Glorot-uniform matrix and a zero bias for each pair of neighbouring widths."""
    weights = []
    for n_in, n_out in pairwise(widths):
        bound = math.sqrt(6 / (n_in + n_out))
        uniform = torch.rand(n_in, n_out, generator=generator, dtype=torch.float64)
        weights += [(2 * uniform - 1) * bound, torch.zeros(n_out, dtype=torch.float64)]
    return weights

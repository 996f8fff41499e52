"""The models in PyTorch Geometric's layers, one run at a time, and a small graph to try them on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch_geometric.nn import APPNP as PropagationLayer
from torch_geometric.nn import GCNConv, SGConv

from flgc.graph import as_adjacency, propagation_matrix
from flgc.methods.base import Problem
from flgc.methods.trained import APPNP, SGC, GCNLinear


@dataclass
class Small:
    """A small graph with all its labels."""

    P: sp.csr_array
    X: sp.csr_array
    labels: np.ndarray
    edges: torch.Tensor
    n_classes: int = 3

    @property
    def dense(self):
        return torch.as_tensor(self.X.toarray())

    def problem(self, splits: Sequence[np.ndarray], seeds: Sequence[int], **changes) -> Problem:
        """Runs that see the labels of their split, and are asked for all nodes."""
        labels = np.full((len(splits), len(self.labels)), -1)
        for of_run, split in zip(labels, splits, strict=True):
            of_run[split] = self.labels[split]
        asked = (np.arange(len(self.labels)),) * len(splits)
        arguments = {"labels": labels, "asked": asked, "seeds": tuple(seeds)}
        return Problem(self.X, self.P, self.n_classes, **arguments | changes)


def small(seed, n_nodes=40, n_features=12):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n_nodes)
    labels[:3] = [0, 1, 2]
    adjacency = as_adjacency(sp.random_array((n_nodes, n_nodes), density=0.04, rng=rng) > 0)
    X = sp.random_array((n_nodes, n_features), density=0.2, rng=rng).toarray()
    X[np.arange(n_nodes), labels] += 1
    edges = np.stack(adjacency.nonzero())
    return Small(
        propagation_matrix(adjacency), sp.csr_array(X), labels, torch.as_tensor(edges).long()
    )


class Stack(torch.nn.Module):
    """GCN with or without relu between the layers."""

    def __init__(self, layers, activation):
        super().__init__()
        self.layers, self.activation = torch.nn.ModuleList(layers), activation

    def forward(self, X, edges):
        for layer in self.layers[:-1]:
            X = self.activation(layer(X, edges))
        return self.layers[-1](X, edges)


class PerceptronThenHops(torch.nn.Module):
    def __init__(self, first, second, hops, teleport):
        super().__init__()
        self.first, self.second = first, second
        self.spread = PropagationLayer(hops, teleport)

    def forward(self, X, edges):
        return self.spread(self.second(self.first(X).relu()), edges)


def plain_model(model, weights):
    """The module with these weights (one run's), in double precision."""
    pairs = list(zip(weights[::2], weights[1::2], strict=True))
    if isinstance(model, SGC):
        module = SGConv(*pairs[0][0].shape, K=model.hops)
        linears = [(module.lin.weight, module.lin.bias)]
    elif isinstance(model, APPNP):
        layers = [torch.nn.Linear(*W.shape) for W, _ in pairs]
        module = PerceptronThenHops(*layers, model.hops, model.teleport)
        linears = [(layer.weight, layer.bias) for layer in layers]
    else:
        layers = [GCNConv(*W.shape) for W, _ in pairs]
        linear = isinstance(model, GCNLinear)
        module = Stack(layers, torch.nn.Identity() if linear else torch.relu)
        linears = [(layer.lin.weight, layer.bias) for layer in layers]
    module.double()
    with torch.no_grad():
        for (W, b), (weight, bias) in zip(pairs, linears, strict=True):
            weight.copy_(W.T)
            bias.copy_(b)
    return module


def plain_training(model, weights, problem, labelled, training):
    """Textbook loop: the whole graph in every epoch. Gives the scores of all nodes."""
    module = plain_model(model, weights)
    parameters = [{"params": module.parameters(), "weight_decay": training.weight_decay}]
    if isinstance(training.weight_decay, tuple):
        parameters = [
            {"params": layer.parameters(), "weight_decay": decay}
            for layer, decay in zip(module.layers, training.weight_decay, strict=True)
        ]
    optimizer = torch.optim.Adam(parameters, lr=training.learning_rate)
    targets = torch.as_tensor(problem.labels)[labelled]
    for _ in range(training.epochs):
        optimizer.zero_grad()
        scores = module(problem.dense, problem.edges)[labelled]
        torch.nn.functional.cross_entropy(scores, targets).backward()
        optimizer.step()
    with torch.no_grad():
        return module(problem.dense, problem.edges).numpy()

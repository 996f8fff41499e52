"""The models in PyTorch Geometric's layers, one run at a time, and a small graph to try them on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch_geometric.nn import APPNP as PropagationLayer
from torch_geometric.nn import GCN2Conv, GCNConv, SGConv

from flgc.graph import as_adjacency, propagation_matrix
from flgc.methods.base import Problem
from flgc.methods.trained import APPNP, GCNII, SGC, DropEdge, Epoch, GCNLinear


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


class ComesBack(torch.nn.Module):
    """A linear layer, convolutions that come back to it, a linear layer."""

    def __init__(self, first, convolutions, last):
        super().__init__()
        self.first, self.last = first, last
        self.convolutions = torch.nn.ModuleList(convolutions)

    def forward(self, X, edges):
        H = start = self.first(X).relu()
        for convolution in self.convolutions:
            H = convolution(H, start, edges).relu()
        return self.last(H)


def plain_model(model, weights):
    """The module with these weights (one run's), in double precision."""
    return plain_parts(model, weights)[0]


def plain_parts(model, weights):
    """The module, and its parameters in the order of the weights."""
    matrices, between = [W for W in weights if W.ndim == 2], []
    if isinstance(model, SGC):
        module = SGConv(*matrices[0].shape, K=model.hops)
        own = [module.lin.weight, module.lin.bias]
    elif isinstance(model, APPNP):
        layers = [torch.nn.Linear(*W.shape) for W in matrices]
        module = PerceptronThenHops(*layers, model.hops, model.teleport)
        own = [p for layer in layers for p in (layer.weight, layer.bias)]
    elif isinstance(model, GCNII):
        first, last = (torch.nn.Linear(*W.shape) for W in (matrices[0], matrices[-1]))
        given = (model.hidden, model.teleport, model.theta)
        convolutions = [GCN2Conv(*given, layer=i + 1) for i in range(model.hops)]
        module = ComesBack(first, convolutions, last)
        between = [convolution.weight1 for convolution in convolutions]
        own = [first.weight, first.bias, *between, last.weight, last.bias]
    else:
        layers = [GCNConv(*W.shape) for W in matrices]
        linear = isinstance(model, GCNLinear)
        module = Stack(layers, torch.nn.Identity() if linear else torch.relu)
        own = [p for layer in layers for p in (layer.lin.weight, layer.bias)]
    module.double()
    with torch.no_grad():
        for parameter, W in zip(own, weights, strict=True):
            # Linear layers hold W', GCN2Conv holds W.
            upright = W.ndim == 1 or any(parameter is each for each in between)
            parameter.copy_(W if upright else W.T)
    return module, own


def edges_of_epoch(model, edges, seed, number):
    """Those that stay: of the pairs i < j in order, the first ones of a shuffle go."""
    if not isinstance(model, DropEdge):
        return edges
    pairs = sorted({(min(pair), max(pair)) for pair in edges.T.tolist()})
    order = torch.randperm(
        len(pairs), generator=Epoch(number, seed, (), torch.device("cpu")).shared
    )
    stay = [pairs[i] for i in order[round(model.drop * len(pairs)) :]]
    return torch.tensor([*stay, *[(j, i) for i, j in stay]]).T


def plain_training(model, weights, problem, labelled, training, seed=0):
    """Textbook loop: the whole graph in every epoch. Gives the scores of all nodes."""
    module, own = plain_parts(model, weights)
    decays = training.weight_decay
    if not isinstance(decays, tuple):
        decays = [decays] * len(own)
    groups = model.groups(len(own))
    optimizer = torch.optim.Adam(
        [{"params": p, "weight_decay": decays[g]} for p, g in zip(own, groups, strict=True)],
        lr=training.learning_rate,
    )
    targets = torch.as_tensor(problem.labels)[labelled]
    for number in range(1, training.epochs + 1):
        optimizer.zero_grad()
        edges = edges_of_epoch(model, problem.edges, seed, number)
        scores = module(problem.dense, edges)[labelled]
        torch.nn.functional.cross_entropy(scores, targets).backward()
        optimizer.step()
    with torch.no_grad():
        return module(problem.dense, problem.edges).numpy()

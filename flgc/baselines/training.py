"""Training of R runs at once: each has its own seed, and its own labelled nodes if wanted.

All runs share one graph and one feature matrix, so each product with them serves all. Adam works
weight by weight: the runs of a batch do not see each other, and end where they would end alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from flgc.baselines.fields import Graph
from flgc.baselines.models import Model, Scorer, Training, model_named
from flgc.device import check_dtype, resolve_device, to_numpy

# One epoch of a small batch takes as long as this many rows of the widest layer.
_ROWS_PER_EPOCH = 1000
# Hidden numbers of the runs that are trained together: beyond, they leave the cache.
_MOST_HIDDEN_NUMBERS = 5_000_000


@dataclass(frozen=True)
class Trained:
    """What became of the runs.

    Attributes
    ----------
    checkpoints : epochs after which the runs were looked at
    predictions : integer array of shape (checkpoints, R, n_nodes), the class of every node
    weights : the final weights, arrays of shape (R, ...)
    seconds : time for everything: preparation, all epochs, predictions at the checkpoints
    """

    checkpoints: tuple[int, ...]
    predictions: np.ndarray
    weights: list[np.ndarray]
    seconds: float


def train(
    model: Model | str,
    P: sp.csr_array,
    X: Any,
    labels: np.ndarray,
    labelled: np.ndarray,
    *,
    n_classes: int,
    seeds: Sequence[int],
    training: Training | None = None,
    checkpoints: Sequence[int] = (),
    device: str = "cpu",
    dtype: str = "float32",
) -> Trained:
    """Train one run per seed, full batch, on the labelled nodes; predict all nodes.

    Parameters
    ----------
    model : a rival, e.g. `GCN(hops=3)`, or the name of one with the paper's settings
    P, X : symmetric propagation matrix (scipy) and features (scipy or numpy)
    labels : integer array of shape (n_nodes,)
        Class of each node, 0 .. n_classes - 1; anything where it is not known.
    labelled : integer array of shape (l,), or (R, l)
        The nodes whose labels the runs may see; one row per run, or the same for all.
    training : how to train; the rival's own settings if not given
    checkpoints : epochs after which to predict; the last epoch if not given
    """
    started = time.perf_counter()
    model = model_named(model) if isinstance(model, str) else model
    training = type(model).training if training is None else training
    checkpoints = _checked_checkpoints(checkpoints, training.epochs)
    labels, labelled = np.asarray(labels), np.asarray(labelled)
    _check(P, X, labels, labelled, n_classes, seeds)
    check_dtype(dtype)
    where = resolve_device(device) or torch.device("cpu")
    graph = Graph(
        sp.csr_array(P, dtype=dtype),
        sp.csr_array(X, dtype=dtype) if sp.issparse(X) else np.asarray(X, dtype=dtype),
        where,
    )
    own = np.broadcast_to(labelled, (len(seeds), labelled.shape[-1]))
    everywhere = model.scorer(graph, graph.all_nodes)
    predictions = np.empty((len(checkpoints), len(seeds), graph.n_nodes), dtype=np.int64)
    finals: list[Any] = [None] * len(seeds)
    for runs, nodes in _batches(model, graph, own):
        scorer = model.scorer(graph, nodes)
        for some in _cache_sized(runs, model, graph, nodes):
            weights = _initial_weights(model, graph, n_classes, [seeds[r] for r in some])
            rows, classes = np.searchsorted(nodes, own[some]), labels[own[some]]
            for epoch in _epochs(scorer, weights, rows, classes, training):
                for i in np.flatnonzero(np.equal(checkpoints, epoch)):
                    with torch.no_grad():
                        predictions[i, some] = to_numpy(everywhere(weights).argmax(dim=-1))
            for position, r in enumerate(some):
                finals[r] = [to_numpy(W[position]) for W in weights]
    together = [np.stack(of_runs) for of_runs in zip(*finals, strict=True)]
    return Trained(checkpoints, predictions, together, time.perf_counter() - started)


def _batches(
    model: Model, graph: Graph, own: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(runs, nodes to score): all runs on all their labelled nodes, or each split by itself.

    Alone a run computes its own field only; together all compute the union, in far fewer calls.
    """
    union = np.unique(own)
    splits, split_of = np.unique(own, axis=0, return_inverse=True)
    if len(splits) > 1:
        fields = [len(model.field(graph, np.unique(split))) for split in splits]
        apart = sum(fields[s] for s in split_of.ravel()) + _ROWS_PER_EPOCH * (len(splits) - 1)
        if apart < len(own) * len(model.field(graph, union)):
            for s, split in enumerate(splits):
                yield np.flatnonzero(split_of.ravel() == s), np.unique(split)
            return
    yield np.arange(len(own)), union


def _cache_sized(
    runs: np.ndarray, model: Model, graph: Graph, nodes: np.ndarray
) -> list[np.ndarray]:
    """The runs in pieces whose hidden layers fit in the cache; a piece has one run at least."""
    hidden_numbers = len(model.field(graph, nodes)) * getattr(model, "hidden", 1)
    at_once = max(1, _MOST_HIDDEN_NUMBERS // hidden_numbers)
    return np.array_split(runs, -(-len(runs) // at_once))


def _initial_weights(
    model: Model, graph: Graph, n_classes: int, seeds: Sequence[int]
) -> list[torch.Tensor]:
    """One generator per run, so that a run starts from the same weights in any company."""
    dtype = torch.as_tensor(graph.P.data[:0]).dtype
    drawn = (
        model.initial_weights(torch.Generator().manual_seed(seed), graph.X.shape[1], n_classes)
        for seed in seeds
    )
    return [
        torch.stack(of_runs).to(graph.device, dtype).requires_grad_()
        for of_runs in zip(*drawn, strict=True)
    ]


def _epochs(
    scorer: Scorer,
    weights: list[torch.Tensor],
    rows: np.ndarray,
    classes: np.ndarray,
    training: Training,
) -> Iterator[int]:
    """Train the weights in place; yields the number of each epoch when it is done."""
    device = weights[0].device
    runs = torch.arange(len(rows), device=device)[:, None]
    places = torch.as_tensor(rows, device=device)
    targets = torch.as_tensor(classes, dtype=torch.int64, device=device).flatten()
    optimizer = torch.optim.Adam(
        weights, lr=training.learning_rate, weight_decay=training.weight_decay, fused=True
    )
    for epoch in range(1, training.epochs + 1):
        optimizer.zero_grad()
        scores = scorer(weights)[runs, places].flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(scores, targets, reduction="sum")
        (loss / rows.shape[1]).backward()
        optimizer.step()
        yield epoch


def _checked_checkpoints(checkpoints: Sequence[int], epochs: int) -> tuple[int, ...]:
    wanted = tuple(int(epoch) for epoch in checkpoints) or (epochs,)
    for epoch in wanted:
        if not 1 <= epoch <= epochs:
            raise ValueError(
                f"checkpoint {epoch} is not possible: choose among the epochs 1..{epochs}."
            )
    return wanted


def _check(
    P: Any, X: Any, labels: np.ndarray, labelled: np.ndarray, n_classes: int, seeds: Sequence[int]
) -> None:
    """Refuse what does not fit together, before any work is done."""
    n_nodes = X.shape[0]
    if not sp.issparse(P) or P.shape != (n_nodes, n_nodes):
        raise ValueError(
            f"P is a {type(P).__name__} of shape {P.shape}: give the sparse propagation matrix "
            f"of the {n_nodes} rows of X, see flgc.graph.propagation_matrix."
        )
    if labels.shape != (n_nodes,):
        raise ValueError(f"labels has shape {labels.shape}: give one per row of X, ({n_nodes},).")
    if len(seeds) == 0:
        raise ValueError("seeds is empty: give one seed per run.")
    if labelled.ndim not in (1, 2) or labelled.size == 0 or labelled.dtype.kind not in "iu":
        raise ValueError(
            f"labelled is of shape {labelled.shape} and type {labelled.dtype}: give node numbers, "
            f"(l,) for all runs or (R, l) for each."
        )
    if labelled.ndim == 2 and len(labelled) != len(seeds):
        raise ValueError(
            f"labelled has {len(labelled)} rows but there are {len(seeds)} seeds: give one row "
            f"per run, or one split of shape (l,) for all."
        )
    if labelled.min() < 0 or labelled.max() >= n_nodes:
        raise ValueError(
            f"labelled names node {labelled.min() if labelled.min() < 0 else labelled.max()}: "
            f"choose among the nodes 0..{n_nodes - 1}."
        )
    seen = labels[labelled]
    if seen.min() < 0 or seen.max() >= n_classes:
        raise ValueError(
            f"a labelled node has class {seen.min() if seen.min() < 0 else seen.max()}: with "
            f"n_classes={n_classes} the classes are 0..{n_classes - 1}."
        )

"""Training of R runs at once: each has its own seed, and its own labelled nodes if wanted.

All runs share one graph and one feature matrix, so each product with them serves all. Adam works
weight by weight: the runs of a batch do not see each other, and end where they would end alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from flgc.device import check_dtype, n_threads, resolve_device, to_numpy
from flgc.methods.trained.checks import check_problem, checked_checkpoints
from flgc.methods.trained.fields import Graph
from flgc.methods.trained.models import Model, Scorer, Training, model_named

# What an epoch costs whatever its size, in numbers of the widest layer (rough).
_EPOCH_COSTS = 20_000
# Numbers in the widest layer of the runs that are trained together: beyond, they leave the cache.
_MOST_NUMBERS = 200_000
# Two trainings that start at once would restore each other's number of threads.
_TORCH_THREADS = threading.Lock()


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
    checkpoints = checked_checkpoints(checkpoints, training.epochs)
    labels, labelled = np.asarray(labels), np.asarray(labelled)
    check_problem(P, X, labels, labelled, n_classes, seeds)
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
    finals: list[list[np.ndarray]] = [[]] * len(seeds)

    def fit(runs: np.ndarray, nodes: np.ndarray, scorer: Scorer) -> None:
        weights = _initial_weights(model, graph, n_classes, [seeds[r] for r in runs])
        rows, classes = np.searchsorted(nodes, own[runs]), labels[own[runs]]
        for epoch in _epochs(scorer, weights, rows, classes, training):
            for i in np.flatnonzero(np.equal(checkpoints, epoch)):
                with torch.no_grad():
                    predictions[i, runs] = to_numpy(everywhere(weights).argmax(dim=-1))
        for position, r in enumerate(runs):
            finals[r] = [to_numpy(W[position]) for W in weights]

    _for_each(fit, _batches(model, graph, own), n_threads() if graph.on_cpu else 1)
    together = [np.stack(of_runs) for of_runs in zip(*finals, strict=True)]
    return Trained(checkpoints, predictions, together, time.perf_counter() - started)


def _for_each(work: Callable[..., None], batches: Iterator[tuple], threads: int) -> None:
    """The batches side by side, each on one core: threads within one would wait for each other
    at every small product, and on a busy machine for whoever else runs.
    """
    if threads == 1:
        for batch in batches:
            work(*batch)
        return
    with ThreadPoolExecutor(threads) as pool:
        _keep_to_one_core(pool, threads)
        list(pool.map(lambda batch: work(*batch), batches))


def _keep_to_one_core(pool: ThreadPoolExecutor, threads: int) -> None:
    """Torch's number of threads is a thread's own, but it also becomes that of threads to come."""
    all_started = threading.Barrier(threads)

    def limit(_: int) -> None:
        torch.set_num_threads(1)
        torch.get_num_threads()  # without it, the first computation would set the number anew
        all_started.wait()

    with _TORCH_THREADS:
        before = torch.get_num_threads()
        list(pool.map(limit, range(threads)))
        torch.set_num_threads(before)


def _batches(
    model: Model, graph: Graph, own: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, Scorer]]:
    """(runs, nodes to score, scorer), small enough to stay in a core's cache.

    A split by itself computes its own field only; all together compute the union, in fewer calls.
    """
    union = np.unique(own)
    splits, split_of = np.unique(own, axis=0, return_inverse=True)
    groups = [(np.arange(len(own)), union)]
    if len(splits) > 1:
        sizes = [model.layer_size(graph, np.unique(split)) for split in splits]
        apart = sum(sizes[s] for s in split_of.ravel()) + _EPOCH_COSTS * len(splits)
        if apart < len(own) * model.layer_size(graph, union) + _EPOCH_COSTS:
            members = [np.flatnonzero(split_of.ravel() == s) for s in range(len(splits))]
            groups = [(runs, np.unique(own[runs[0]])) for runs in members]
    for runs, nodes in groups:
        scorer = model.scorer(graph, nodes)
        pieces = 1
        if graph.on_cpu:
            pieces = -(-len(runs) * model.layer_size(graph, nodes) // _MOST_NUMBERS)
            pieces = min(len(runs), max(pieces, n_threads() if pieces > 1 else 1))
        yield from ((piece, nodes, scorer) for piece in np.array_split(runs, pieces))


def _initial_weights(
    model: Model, graph: Graph, n_classes: int, seeds: Sequence[int]
) -> list[torch.Tensor]:
    """One generator per run, so that a run starts from the same weights in any company."""
    dtype = torch.as_tensor(graph.P.data[:0]).dtype
    drawn = (
        model.initial_weights(torch.Generator().manual_seed(int(seed)), graph.X.shape[1], n_classes)
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

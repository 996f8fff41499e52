"""Training of R runs at once, each with its own seed, labelled nodes and asked nodes.

All runs share one graph and one feature matrix, so each product with them serves all. Adam works
weight by weight, so the runs of a batch do not affect each other.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from flgc.device import check_dtype, n_threads, resolve_device, to_numpy
from flgc.methods.base import Problem
from flgc.methods.trained.checks import check_problem, checked_checkpoints
from flgc.methods.trained.fields import Graph
from flgc.methods.trained.model import Epoch, Model, Objective, Scorer, Training
from flgc.scaling import scaled

# The fixed cost of an epoch, in numbers of the widest layer (rough).
_EPOCH_COSTS = 20_000
# Numbers in the widest layer of runs that are trained together: more do not fit into the cache.
_MOST_NUMBERS = 200_000
# Two trainings that start together would restore each other's number of threads.
_TORCH_THREADS = threading.Lock()


@dataclass(frozen=True)
class Trained:
    """The results of the runs.

    Attributes
    ----------
    scores : for each checkpoint and run the outputs at the run's asked nodes, (asked, classes)
    weights : the final weights, arrays of shape (R, ...)
    """

    scores: list[list[np.ndarray]]
    weights: list[np.ndarray]


def train(
    model: Model,
    problem: Problem,
    training: Training | None = None,
    *,
    checkpoints: Sequence[int] = (),
    scaling: str = "raw",
    dtype: str = "float32",
    seed: int | None = None,
) -> Trained:
    """Train all runs of a problem, full batch, and look at them at their asked nodes.

    Parameters
    ----------
    model : e.g. `GCN(hops=3)`
    training : how to train
    checkpoints : epochs after which to look; the last epoch if not given
    scaling : of the features, see flgc.scaling
    seed : of what all runs share, see `Epoch`; by default from the graph's edges, so that each
        dataset has its own, whatever the runs
    """
    training = training or Training()
    checkpoints = checked_checkpoints(checkpoints, training.epochs)
    check_dtype(dtype)
    graph = _graph(problem, scaling, dtype)
    objective = model.objective(graph)
    check_problem(problem, needs_labels=objective is None)
    shared = _seed_of(graph.P) if seed is None else seed
    asked = np.unique(np.concatenate(problem.asked))
    at_asked = model.scorer(replace(graph, seldom=True), asked)
    scores: list[list[Any]] = [[None] * problem.n_runs for _ in checkpoints]
    finals: list[list[np.ndarray]] = [[]] * problem.n_runs

    def fit(runs: np.ndarray, nodes: np.ndarray, scorer: Scorer) -> None:
        generators = [torch.Generator().manual_seed(problem.seeds[r] % 2**63) for r in runs]
        weights = _initial_weights(model, graph, problem.n_classes, generators)
        losses = objective or _cross_entropy(problem, runs, nodes, graph.device)
        epochs = (
            Epoch(number, shared, generators, graph.device)
            for number in range(1, training.epochs + 1)
        )
        optimizer = _optimizer(model, weights, training)
        for epoch in epochs:
            optimizer.zero_grad()
            losses(scorer(weights, epoch), epoch).sum().backward()
            optimizer.step()
            for i in np.flatnonzero(np.equal(checkpoints, epoch.number)):
                with torch.no_grad():
                    outputs = to_numpy(at_asked(weights))
                for of_run, run in zip(outputs, runs, strict=True):
                    scores[i][run] = of_run[np.searchsorted(asked, problem.asked[run])]
        for position, run in enumerate(runs):
            finals[run] = [to_numpy(W[position]) for W in weights]

    labelled = [problem.labelled(run) for run in range(problem.n_runs)]
    if objective is not None:
        labelled = [graph.all_nodes] * problem.n_runs
    _for_each(fit, _batches(model, graph, labelled), n_threads() if graph.on_cpu else 1)
    together = [np.stack(of_runs) for of_runs in zip(*finals, strict=True)]
    return Trained(scores, together)


def _for_each(work: Callable[..., None], batches: Iterator[tuple], threads: int) -> None:
    """The batches side by side, each on one core: threads inside a batch would wait for each other
    at every small product, and on a busy machine for other processes.
    """
    if threads == 1:
        for batch in batches:
            work(*batch)
        return
    with ThreadPoolExecutor(threads) as pool:
        _keep_to_one_core(pool, threads)
        list(pool.map(lambda batch: work(*batch), batches))


def _keep_to_one_core(pool: ThreadPoolExecutor, threads: int) -> None:
    """Torch's number of threads belongs to a thread, but later threads inherit the last one set."""
    all_started = threading.Barrier(threads)

    def limit(_: int) -> None:
        torch.set_num_threads(1)
        torch.get_num_threads()  # otherwise the first computation would reset the number
        all_started.wait()

    with _TORCH_THREADS:
        before = torch.get_num_threads()
        list(pool.map(limit, range(threads)))
        torch.set_num_threads(before)


def _graph(problem: Problem, scaling: str, dtype: str) -> Graph:
    """The graph that all runs share, in this scaling and precision."""
    X = scaled(problem.X, scaling)
    return Graph(
        sp.csr_array(problem.P, dtype=dtype),
        sp.csr_array(X, dtype=dtype) if sp.issparse(X) else np.asarray(X, dtype=dtype),
        resolve_device(problem.device) or torch.device("cpu"),
        None if problem.kept is None else lambda hops: problem.propagated(scaling, hops, 0.0),
    )


def _seed_of(P: sp.csr_array) -> int:
    """A number from the edges, whatever the type of their indices."""
    ordered = P.sorted_indices()
    places = (ordered.indptr.astype("<i8"), ordered.indices.astype("<i8"))
    return zlib.crc32(b"".join(each.tobytes() for each in places))


def _batches(
    model: Model, graph: Graph, trained_at: Sequence[np.ndarray]
) -> Iterator[tuple[np.ndarray, np.ndarray, Scorer]]:
    """(runs, nodes to score, scorer), small enough to stay in a core's cache.

    A split alone computes only its own field; together they compute the union, in fewer calls.
    """
    n_runs, union = len(trained_at), np.unique(np.concatenate(trained_at))
    groups, together = _nested(trained_at), [(np.arange(n_runs), union)]
    if len(groups) > 1:
        apart = sum(len(runs) * model.layer_size(graph, nodes) for runs, nodes in groups)
        if apart + _EPOCH_COSTS * (len(groups) - 1) > n_runs * model.layer_size(graph, union):
            groups = together
    for runs, nodes in groups:
        scorer = model.scorer(graph, nodes)
        pieces = 1
        if graph.on_cpu:
            pieces = -(-len(runs) * model.layer_size(graph, nodes) // _MOST_NUMBERS)
            pieces = min(len(runs), max(pieces, n_threads() if pieces > 1 else 1))
        yield from ((piece, nodes, scorer) for piece in np.array_split(runs, pieces))


def _nested(trained_at: Sequence[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """(runs, nodes): runs whose nodes are among those of one of them, as with folds."""
    groups: list[tuple[set[int], list[int]]] = []
    for run in sorted(range(len(trained_at)), key=lambda run: -len(trained_at[run])):
        own = set(trained_at[run].tolist())
        for nodes, runs in groups:
            if own <= nodes:
                runs.append(run)
                break
        else:
            groups.append((own, [run]))
    return [(np.array(runs), trained_at[runs[0]]) for _, runs in groups]


def _initial_weights(
    model: Model, graph: Graph, n_classes: int, generators: Sequence[torch.Generator]
) -> list[torch.Tensor]:
    """One generator per run, so that its first weights do not depend on the other runs."""
    dtype = torch.as_tensor(graph.P.data[:0]).dtype
    drawn = (model.initial_weights(own, graph.X.shape[1], n_classes) for own in generators)
    return [
        torch.stack(of_runs).to(graph.device, dtype).requires_grad_()
        for of_runs in zip(*drawn, strict=True)
    ]


def _optimizer(model: Model, weights: list[torch.Tensor], training: Training) -> torch.optim.Adam:
    """Adam, with one parameter group per decay, so that one step serves all its weights."""
    groups: dict[float, list[torch.Tensor]] = {}
    decays = training.decays(model.groups(len(weights)))
    for W, decay in zip(weights, decays, strict=True):
        groups.setdefault(decay, []).append(W)
    return torch.optim.Adam(
        [{"params": of_one, "weight_decay": decay} for decay, of_one in groups.items()],
        lr=training.learning_rate,
        fused=True,
    )


def _cross_entropy(
    problem: Problem, runs: np.ndarray, nodes: np.ndarray, device: torch.device
) -> Objective:
    """The mean cross-entropy over the labelled nodes of each run, from outputs at `nodes`.

    Runs may have different numbers of labelled nodes: one list of all, each with its run's size.
    """
    labels = torch.as_tensor(problem.labels[np.ix_(runs, nodes)], dtype=torch.int64, device=device)
    of, places = torch.nonzero(labels >= 0, as_tuple=True)
    targets, sizes = labels[of, places], torch.bincount(of)[of]

    def losses(outputs: torch.Tensor, _: Epoch) -> torch.Tensor:
        each = torch.nn.functional.cross_entropy(outputs[of, places], targets, reduction="none")
        return each / sizes

    return losses

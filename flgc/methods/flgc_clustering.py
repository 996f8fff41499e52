"""FLGC for clustering; without hops it is EDSC, with one hop EGCSC.

H = p(P) X (Eq. 10),   Z = (HH' + rI)^-1 H X' (Eq. 20),   clusters of the affinity that Z gives
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from flgc.clustering import FLGCClustering, expressed
from flgc.device import n_threads, resolve_device, side_by_side, to_device, to_numpy
from flgc.methods.base import Grid, Method, Outputs, Problem, Setting, settings_of
from flgc.methods.flgc import PAPER
from flgc.progress import tracked
from flgc.propagation import iterate_hops
from flgc.scaling import dense, scaled
from flgc.spectral import block_affinity, discretized, spectral_embedding

# The axes of an embedding, and those of the affinity of its self-expression.
EMBEDDED = ("scaling", "hops", "teleport")
BLOCKS = ("threshold", "subspace_dim", "power")


class Embedded(NamedTuple):
    """The features X in a scaling, and their propagated H."""

    setting: Setting
    X: np.ndarray
    H: np.ndarray


class Clustering(Method):
    """Z, its block structure, and spectral clustering of it, in float32.

    One propagation serves all hops, one decomposition all regularizations, one affinity all starts.
    """

    name = "FLGC*"
    task = "clustering"
    axes = MappingProxyType(
        {
            "scaling": ("raw",),
            "hops": (1, 2, 5, 10, 20),
            "teleport": (0.0, 0.001, 0.01, 0.1, 0.2),
            "norm": ("fro",),
            "regularization": (0.01, 0.1, 1.0, 10.0, 100.0, 1e3),
            "threshold": (0.8,),
            "subspace_dim": (4,),
            "power": (4,),
        }
    )
    reference = PAPER
    seeded = True
    batched = True
    own = True

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """Embeddings side by side on the cores, each with all of its settings."""
        total = len(grid["scaling"]) * len(grid["teleport"]) * len(set(grid["hops"]))
        work = partial(_clustered, grid, problem.n_classes, problem.seeds)
        results = side_by_side(work, _embedded(problem, grid), min(n_threads(), total))
        for of_embedding in tracked(results, total):
            yield from of_embedding

    def combined(self, problem: Problem, weights: pd.DataFrame) -> Outputs:
        """The clusters of the weighted sum of many settings' affinities, run by run."""
        axes = [f"p_{name}" for name in self.axes]
        sums: list[Any] = [0.0] * problem.n_runs
        for graph, of_graph in weights.groupby("p_graph") if problem.graphs else [("", weights)]:
            on = problem.on(str(graph)) if problem.graphs else problem
            for values, rows in of_graph.groupby(axes, sort=False):
                grid = {name: (value,) for name, value in zip(self.axes, values, strict=True)}
                [(_, outputs)] = self.outputs(on.only([0]), grid)
                [affinity] = outputs.extras["affinity"]
                for run, weight in zip(rows["run"], rows["weight"], strict=True):
                    sums[run] = sums[run] + np.float32(weight) * affinity
        labels = [
            discretized(spectral_embedding(affinity, problem.n_classes), seed % 2**32)
            for affinity, seed in zip(sums, problem.seeds, strict=True)
        ]
        return Outputs(labels, extras={"affinity": sums})


class EDSC(Clustering):
    """Efficient dense subspace clustering: no propagation, no graph."""

    name = "EDSC"
    axes = MappingProxyType({**Clustering.axes, "hops": (0,), "teleport": (0.0,)})
    reference = "Ji, Salzmann, Li: Efficient Dense Subspace Clustering, WACV 2014"
    sees_graph = False
    own = False


class EGCSC(Clustering):
    """Efficient graph convolutional subspace clustering: one hop."""

    name = "EGCSC"
    axes = MappingProxyType({**Clustering.axes, "hops": (1,), "teleport": (0.0,)})
    reference = "Cai et al.: Graph Convolutional Subspace Clustering, TGRS 59 (2021)"
    own = False


class LowRank(Method):
    """Without N x N matrices, for graphs: Z by its factors, the affinity by its root."""

    name = "FLGC*, low-rank"
    task = "clustering"
    axes = MappingProxyType(
        {
            "scaling": ("raw",),
            "hops": (5, 10, 20),
            "teleport": (0.0, 0.05),
            "regularization": (10.0, 100.0, 1e3),
            "subspace_dim": (4,),
        }
    )
    reference = PAPER
    seeded = True
    batched = True
    own = True

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """One propagation serves all hops, one embedding all starts of k-means."""
        total = len(grid["scaling"]) * len(grid["teleport"]) * len(set(grid["hops"]))
        for setting, X, H in tracked(_embedded(problem, grid), total):
            for r, dim in product(grid["regularization"], grid["subspace_dim"]):
                model = FLGCClustering(
                    problem.n_classes,
                    solver="lowrank",
                    regularization=r,
                    subspace_dim=dim,
                    device="cpu",
                )
                first, *others = [seed % 2**32 for seed in problem.seeds]
                model.set_params(random_state=first).fit_embedding(H, X)
                labels = [model.labels_, *map(model.clusters, others)]
                yield setting | {"regularization": r, "subspace_dim": dim}, Outputs(labels)


def _embedded(problem: Problem, grid: Grid) -> Iterator[Embedded]:
    """Each H of the grid with its features X; a single one may come from kept features."""
    where = resolve_device(problem.device)
    P = to_device(problem.P.astype(np.float32), where)
    alone = len(grid["hops"]) == len(grid["teleport"]) == 1
    for scaling in grid["scaling"]:
        X = dense(scaled(problem.X, scaling)).astype(np.float32)
        for teleport in grid["teleport"]:
            every: Iterable[tuple[int, Any]]
            if alone and problem.kept is not None:
                every = [(grid["hops"][0], problem.kept(scaling, grid["hops"][0], teleport))]
            else:
                every = enumerate(iterate_hops(P, to_device(X, where), max(grid["hops"]), teleport))
            for hops, H in every:
                if hops in grid["hops"]:
                    setting = dict(zip(EMBEDDED, (scaling, hops, teleport), strict=True))
                    yield Embedded(setting, X, to_numpy(H).astype(np.float32))


def _clustered(
    grid: Grid, n_clusters: int, seeds: Iterable[int], embedded: Embedded
) -> list[tuple[Setting, Outputs]]:
    """All settings of an embedding."""
    setting, X, H = embedded
    results = []
    for norm in grid["norm"]:
        for r, Z in expressed(H, X, norm, grid["regularization"]):
            for blocks in settings_of({name: grid[name] for name in BLOCKS}):
                affinity = block_affinity(Z, n_clusters, **blocks)
                rows = spectral_embedding(affinity, n_clusters)
                labels = [discretized(rows, seed % 2**32) for seed in seeds]
                outputs = Outputs(labels, extras={"affinity": [affinity] * len(labels)})
                results.append((setting | {"norm": norm, "regularization": r} | blocks, outputs))
    return results

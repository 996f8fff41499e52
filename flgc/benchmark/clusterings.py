"""Clusterings at the size of Extended Yale B against plain versions of the same steps, in one run.

The plain versions: a dense SVD and scikit-learn's spectral clustering for FLGC, scikit-learn's
matching pursuit column by column for SSC-OMP, full SVDs of N x N matrices for LRR. What would take
minutes is timed in part and multiplied, as its row says.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering
from sklearn.linear_model import orthogonal_mp_gram
from sklearn.preprocessing import normalize

from flgc import FLGCClustering
from flgc.benchmark.rivals import timed
from flgc.datasets import load
from flgc.graph import knn_graph, propagation_matrix
from flgc.low_rank_expression import robust_low_rank_expression
from flgc.methods.affinities import projected
from flgc.methods.flgc_clustering import Clustering
from flgc.methods.judging import clustering
from flgc.methods.subspace.ssc_omp import matching_pursuit
from flgc.metrics import clustering_accuracy
from flgc.scaling import scaled

DATASET = "ExtendedYaleB"
SETTING: Any = {"hops": 3, "teleport": 0.5, "regularization": 100.0, "threshold": 0.25}
SUBSPACE_DIM, POWER, N_NEIGHBORS = 4, 4, 12
GRID = {"hops": (1, 3), "teleport": (0.2, 0.5), "regularization": (10.0, 100.0, 1e3)}
N_NONZERO, SAMPLED_COLUMNS = 5, 24
LRR_WEIGHT, LRR_PCA, PLAIN_ITERATIONS = 1.0, 6, 2


def rows(mirror: str | None, repeats: int) -> Iterator[dict]:
    """Ours and the plain versions; the ratio is plain seconds / ours."""
    data = load(DATASET, mirror=mirror)
    X = scaled(data.features, "standardised").astype(np.float32)
    graph = knn_graph(scaled(data.features, "unit-length"), N_NEIGHBORS)
    yield from _flgc(data, X, graph, repeats)
    yield from _grid(data, graph)
    unit = normalize(data.features).astype(np.float32)
    yield from _matching_pursuit(unit, repeats)
    yield from _low_rank(unit, data.n_classes)


def _flgc(data: Any, X: np.ndarray, graph: sp.csr_array, repeats: int) -> Iterator[dict]:
    """One fit each, in turns, so that other load affects both; the median counts."""

    def fast() -> np.ndarray:
        made = FLGCClustering(data.n_classes, random_state=0, **SETTING)
        return made.fit(X, adjacency=graph).labels_

    def plain() -> np.ndarray:
        return plain_flgc(X, graph, data.n_classes)

    taken: dict[str, list[float]] = {"flgc": [], "plain": []}
    for _ in range(repeats):
        for name, work in (("flgc", fast), ("plain", plain)):
            labels, seconds = timed(work)
            taken[name].append(seconds)
            if name == "flgc":
                ours = labels
    own, other = (float(np.median(taken[name])) for name in ("flgc", "plain"))
    about = {"what": "FLGC*, one fit", "nodes": len(X)}
    for method, seconds, clusters in (
        ("flgc", own, ours),
        ("dense SVD, scikit-learn", other, labels),
    ):
        accuracy = 100 * clustering_accuracy(data.labels, clusters)
        yield {**about, "method": method, "seconds": seconds, "ratio": seconds / own} | {
            "accuracy": accuracy
        }


def plain_flgc(X: np.ndarray, graph: sp.csr_array, n_clusters: int) -> np.ndarray:
    """The steps as in the paper: invert, sort, decompose, cluster."""
    P, H = propagation_matrix(graph, X.dtype), X
    for _ in range(SETTING["hops"]):
        H = (1 - SETTING["teleport"]) * (P @ H) + SETTING["teleport"] * X
    gram = H @ H.T + SETTING["regularization"] * np.eye(len(X), dtype=X.dtype)
    Z = np.linalg.inv(gram) @ (H @ X.T)
    order = np.argsort(-np.abs(Z), axis=0)
    mass = np.cumsum(np.take_along_axis(np.abs(Z), order, axis=0), axis=0)
    kept = np.zeros_like(Z)
    top = np.arange(len(Z))[:, None] <= (mass <= SETTING["threshold"] * mass[-1]).sum(axis=0)
    np.put_along_axis(kept, order, np.where(top, np.take_along_axis(Z, order, axis=0), 0), axis=0)
    U, S, _ = np.linalg.svd((kept + kept.T) / 2)
    rank = SUBSPACE_DIM * n_clusters + 1
    F = normalize(U[:, :rank] * np.sqrt(S[:rank]))
    affinity = np.clip(F @ F.T, 0, None) ** POWER
    spectral = SpectralClustering(
        n_clusters, affinity="precomputed", assign_labels="discretize", random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unconnected blocks are intended
        return spectral.fit_predict(affinity)


def _grid(data: Any, graph: sp.csr_array) -> Iterator[dict]:
    """Seconds per setting of a grid, whose settings share what they can."""
    P = propagation_matrix(graph)
    problem, _ = clustering(data.features, data.labels, data.n_classes, P, [0])
    grid: Any = {**Clustering.axes, **GRID, "scaling": ("standardised",), "threshold": (0.25,)}
    n_settings, seconds = timed(lambda: sum(1 for _ in Clustering().outputs(problem, grid)))
    about = {"what": f"FLGC*, a grid of {n_settings}", "nodes": len(data.labels)}
    yield {**about, "method": "flgc, one setting", "seconds": seconds / n_settings}


def _matching_pursuit(X: np.ndarray, repeats: int) -> Iterator[dict]:
    def fast() -> Any:
        return matching_pursuit(X @ X.T, N_NONZERO, 0.0)

    def columns() -> list[np.ndarray]:
        coefficients = []
        for j in np.linspace(0, len(X) - 1, SAMPLED_COLUMNS).astype(int):
            others = np.delete(X, j, axis=0)
            coefficients.append(
                orthogonal_mp_gram(others @ others.T, others @ X[j], n_nonzero_coefs=N_NONZERO)
            )
        return coefficients

    own = min(timed(fast)[1] for _ in range(repeats))
    plain = timed(columns)[1] * len(X) / SAMPLED_COLUMNS
    about = {"what": "SSC-OMP, coefficients", "nodes": len(X)}
    yield {**about, "method": "flgc", "seconds": own, "ratio": 1.0}
    title = f"scikit-learn, {SAMPLED_COLUMNS} columns x {len(X) / SAMPLED_COLUMNS:.0f}"
    yield {**about, "method": title, "seconds": plain, "ratio": plain / own}


def _low_rank(X: np.ndarray, n_clusters: int) -> Iterator[dict]:
    X = projected(X, LRR_PCA * n_clusters)
    Z, own = timed(lambda: robust_low_rank_expression(X, X, LRR_WEIGHT))
    per_iteration = timed(lambda: plain_low_rank(X, PLAIN_ITERATIONS))[1] / PLAIN_ITERATIONS
    plain = per_iteration * Z.n_iter
    about = {"what": "LRR, coefficients", "nodes": len(X)}
    yield {**about, "method": f"flgc, {Z.n_iter} iterations", "seconds": own, "ratio": 1.0}
    title = f"full SVDs, {PLAIN_ITERATIONS} iterations x {Z.n_iter / PLAIN_ITERATIONS:.0f}"
    yield {**about, "method": title, "seconds": plain, "ratio": plain / own}


def plain_low_rank(X: np.ndarray, n_iter: int) -> np.ndarray:
    """Inexact ALM of min ||Z||_* + weight ||E||_2,1, X' = X'Z + E, with SVDs of N x N matrices."""
    n, penalty = len(X), 1e-2
    A = X.T
    inverse = np.linalg.inv(A.T @ A + np.eye(n, dtype=X.dtype))
    Z, E, Y1, Y2 = np.zeros((n, n), X.dtype), np.zeros_like(A), np.zeros_like(A), 0.0
    for _ in range(n_iter):
        U, S, V = np.linalg.svd(Z + Y2 / penalty)
        J = (U * np.maximum(S - 1 / penalty, 0)) @ V
        Z = inverse @ (A.T @ (A - E) + J + (A.T @ Y1 - Y2) / penalty)
        rest = A - A @ Z + Y1 / penalty
        sizes = np.linalg.norm(rest, axis=0)
        E = rest * np.maximum(1 - LRR_WEIGHT / penalty / np.maximum(sizes, 1e-12), 0)
        Y1 = Y1 + penalty * (A - A @ Z - E)
        Y2 = Y2 + penalty * (Z - J)
        penalty *= 1.1
    return Z


def attributed_rows(datasets: list[str], mirror: str | None) -> Iterator[dict]:
    """Graphs with features, by the low-rank solver, which has no N x N matrix."""
    for name in datasets:
        data = load(name, mirror=mirror)
        model = FLGCClustering(
            data.n_classes, solver="lowrank", hops=20, teleport=0.0, regularization=100.0
        )
        X = data.features.astype(np.float32)
        _, seconds = timed(model.set_params(random_state=0).fit, X, None, data.edges)
        labels = model.labels_
        accuracy = 100 * clustering_accuracy(data.labels, labels)
        yield {"dataset": name, "nodes": len(labels), "seconds": seconds, "accuracy": accuracy}

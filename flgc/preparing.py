"""From a dataset to the inputs of methods: noisy features, the graph, propagated features."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from flgc.device import resolve_device, to_device, to_numpy
from flgc.graph import as_adjacency, default_n_neighbors, knn_graph, propagation_matrix
from flgc.noise import INDEPENDENT, NOISES
from flgc.propagation import propagate
from flgc.scaling import dense, scaled

GIVEN = "given"


def corrupt(
    data: Any,
    kind: str,
    intensity: float,
    scaling: str,
    clip: bool,
    seed: int,
    pattern: str = INDEPENDENT,
) -> tuple[Any, int]:
    """The dataset with noise in its scaled features, and the number of changed entries."""
    X = dense(scaled(data.features, scaling))
    within = (0.0, 1.0) if clip else None
    noisy = NOISES[kind](X, intensity, seed=seed, clip=within, pattern=pattern)
    return dataclasses.replace(data, features=noisy.X), noisy.n_changed


def build_graph(
    data: Any, graph: str, n_neighbors: int | None = None, without: Sequence[str] = ()
) -> sp.csr_array:
    """P, from the dataset's own edges, or from the nearest neighbours in a scaling.

    `without` are features to leave out.
    """
    if graph == GIVEN:
        return propagation_matrix(as_adjacency(data.edges, data.n_nodes, data.edge_weight))
    if n_neighbors is None:
        n_neighbors = default_n_neighbors(data.n_nodes, data.n_classes)
    X = scaled(data.without(without).features, graph)
    return propagation_matrix(knn_graph(X, n_neighbors))


def propagate_features(
    data: Any,
    graph: sp.csr_array,
    scaling: str,
    hops: int,
    teleport: float,
    without: Sequence[str] = (),
    device: str = "cpu",
) -> np.ndarray:
    """H of Eq. 10, dense; it depends on no method, so all that need the same H share it."""
    where = resolve_device(device)
    X = dense(scaled(data.without(without).features, scaling))
    H = propagate(to_device(graph, where), to_device(X, where), hops, teleport)
    return to_numpy(H)

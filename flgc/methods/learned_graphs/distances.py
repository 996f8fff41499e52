"""Squared distances between samples, and their graph of k neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from flgc.checks import check_whole
from flgc.methods.learned_graphs.simplex import k_neighbor_weights


def squared_distances(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """||x_i - z_j||^2. Scikit-learn's checks would cost more than the distances."""
    products = X @ Z.T
    squares = np.einsum("ij,ij->i", X, X)[:, None] - 2 * products + np.einsum("ij,ij->i", Z, Z)
    return np.maximum(squares, 0.0)


def squares_apart(X: np.ndarray) -> np.ndarray:
    """||x_i - x_j||^2, inf on the diagonal: no sample is its own neighbour."""
    squares = squared_distances(X, X)
    np.fill_diagonal(squares, np.inf)
    return squares


def check_neighbors(n_neighbors: Any, n_samples: int) -> int:
    """Neighbours of a sample: at most n_samples - 2, as the next one bounds their weights."""
    if n_samples < 3:
        raise ValueError(f"n_samples={n_samples} is too few to learn a graph: give at least 3.")
    where = f" with {n_samples} samples"
    return check_whole("n_neighbors", n_neighbors, 1, n_samples - 2, where)


def neighbor_graph(X: np.ndarray, n_neighbors: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Squared distances, the graph of the closed form, and the mean of its gammas.

    If all samples are the same, any gamma will do, and it is 1.
    """
    squares = squares_apart(X)
    A, gammas = k_neighbor_weights(squares, check_neighbors(n_neighbors, len(X)))
    return squares, A, float(gammas.mean()) or 1.0

"""The Gaussian kernel, with a width relative to the data, as units of tables differ.

k(x, z) = exp(-||x - z||^2 / 2 (width m)^2),   m = median distance between rows
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

# Rows at less than this share of the largest distance count as the same.
_SAME = 1e-7
# The median is taken among so many rows, evenly spaced.
_MOST_ROWS = 5_000


def median_distance(X: Any) -> float:
    """The median distance between rows that differ, or 1 if none do."""
    rows = np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _MOST_ROWS)).astype(int))
    distances = euclidean_distances(X[rows])[np.triu_indices(len(rows), 1)]
    apart = distances[distances > _SAME * distances.max(initial=0.0)]
    return float(np.median(apart)) if len(apart) else 1.0


def gaussian(X: Any, Z: Any, radius: float) -> np.ndarray:
    """exp(-||x - z||^2 / 2 radius^2) of all rows of X and Z."""
    squares = euclidean_distances(X, Z, squared=True)
    squares *= -0.5 / radius**2
    return np.exp(squares, out=squares)

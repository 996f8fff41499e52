"""Scalings of features, by their names in results."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from flgc.registry import Registry


def raw(X: Any) -> Any:
    """X unchanged."""
    return X


def row_normalised(X: Any) -> Any:
    """Rows of L1 norm 1; a row of zeros stays."""
    return normalize(X, norm="l1")


def unit_length(X: Any) -> Any:
    """Rows of L2 norm 1; a row of zeros stays."""
    return normalize(X, norm="l2")


def min_max(X: Any) -> np.ndarray:
    """Each column to [0, 1]; a constant column becomes 0."""
    X = dense(X)
    low, high = X.min(axis=0), X.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    return (X - low) / span


def standardised(X: Any) -> np.ndarray:
    """Columns of mean 0 and deviation 1; a constant column becomes 0."""
    X = dense(X)
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def dense(X: Any) -> np.ndarray:
    """X as a dense array."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)


SCALINGS: Registry[Callable[[Any], Any]] = Registry(
    "scaling",
    {
        "raw": raw,
        "row-normalised": row_normalised,
        "unit-length": unit_length,
        "min-max": min_max,
        "standardised": standardised,
    },
)


def scaled(X: Any, scaling: str) -> Any:
    """X in a scaling; rows of zeros and constant columns stay finite."""
    return SCALINGS[scaling](X)


def usual(kind: str, sparse: bool) -> tuple[str, ...]:
    """Scalings to pick from, for data without tuned settings.

    The columns of a table have different units; features of graphs often are words.
    """
    if kind != "graph":
        return ("min-max",)
    return ("raw", "row-normalised") if sparse else ("raw", "min-max")

"""Scalings of features, by the name that results carry."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize


def min_max(features: np.ndarray) -> np.ndarray:
    """Each column to [0, 1]; a constant column becomes 0."""
    low, high = features.min(axis=0), features.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    return (features - low) / span


def _standardised(X: Any) -> np.ndarray:
    """Columns of mean 0 and deviation 1; a constant column becomes 0."""
    X = _dense(X)
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else X


SCALINGS: dict[str, Callable[[Any], Any]] = {
    "raw": lambda X: X,
    "row-normalised": lambda X: normalize(X, norm="l1"),
    "unit-length": lambda X: normalize(X, norm="l2"),
    "min-max": lambda X: min_max(_dense(X)),
    "standardised": _standardised,
}


def scaled(X: Any, scaling: str) -> Any:
    """The features in a scaling; rows of zeros and constant columns stay finite."""
    if scaling not in SCALINGS:
        raise ValueError(f"unknown scaling {scaling!r}; choose from {', '.join(SCALINGS)}")
    return SCALINGS[scaling](X)

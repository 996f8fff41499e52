"""Probabilities from scores: softmax(scores / temperature), one temperature for all classes."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

# The range of temperatures, in units of the scores' mean size.
_LOWEST, _HIGHEST = 1e-3, 1e3
# Nodes of each class that are added to those seen (docs/decisions.md).
_ADDED = 0.25


def fit_temperature(scores: np.ndarray, codes: np.ndarray) -> float:
    """The most likely temperature, from scores of nodes whose labels were not fitted.

    A quarter of a node of each class is added to those seen, as Platt added whole nodes: a few
    nodes that are all right do not prove certainty, and the temperature stays above 0.
    """
    finite = np.isfinite(scores).all(axis=1)
    scores, codes = scores[finite].astype(float), codes[finite]
    size = float(np.mean(np.abs(scores))) if len(scores) else 0.0
    if size == 0:
        return 1.0
    n_nodes, n_classes = scores.shape
    targets = (np.eye(n_classes)[codes] * n_nodes + _ADDED) / (n_nodes + _ADDED * n_classes)

    def surprise(log_temperature: float) -> float:
        return -float(np.sum(targets * log_softmax(scores / np.exp(log_temperature), axis=1)))

    bounds = (np.log(_LOWEST * size), np.log(_HIGHEST * size))
    return float(np.exp(minimize_scalar(surprise, bounds=bounds, method="bounded").x))

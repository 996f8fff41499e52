"""How well a clustering or a probability agrees with the truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix


def clustering_accuracy(truth: ArrayLike, labels: ArrayLike) -> float:
    """ACC: share of nodes that agree under the best one-to-one matching of clusters and classes."""
    counts = contingency_matrix(truth, labels)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, columns].sum() / counts.sum())


def normalized_mutual_information(truth: ArrayLike, labels: ArrayLike) -> float:
    """NMI: mutual information divided by the arithmetic mean of the two entropies."""
    return float(normalized_mutual_info_score(truth, labels))


def expected_calibration_error(
    codes: ArrayLike, probabilities: ArrayLike, n_bins: int = 15
) -> float:
    """ECE: how far the confidence in the likeliest class lies from how often it is right.

    Nodes are put into bins of equal width by confidence, a bin's share of the nodes is its weight.
    """
    probabilities = np.asarray(probabilities)
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == np.asarray(codes)
    # A confidence on an edge belongs to the bin below.
    bins = np.clip(np.ceil(confidence * n_bins).astype(int) - 1, 0, n_bins - 1)
    gaps = np.bincount(bins, weights=right - confidence, minlength=n_bins)
    return float(np.abs(gaps).sum() / len(confidence))

"""Metrics of clusterings and of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.stats import rankdata
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


def area_under_curve(truth: np.ndarray, decisions: np.ndarray) -> np.ndarray:
    """AUC: how often a node of class 1 has the larger decision of two, one of each class.

    `decisions` are of shape (n, ...), and the result of (...): a value for each column. Equal ones
    count a half; NaN where one class is missing.
    """
    positive = np.asarray(truth) == 1
    n_positive, n_negative = positive.sum(), (~positive).sum()
    if not (n_positive and n_negative):
        return np.full(np.shape(decisions)[1:], np.nan)
    sums = rankdata(decisions, axis=0)[positive].sum(axis=0)
    return (sums - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


def modularity(affinity: Any, labels: ArrayLike) -> float:
    """Q: the share of affinity within clusters, less its value at random (Newman).

    No true classes are used. `affinity` is symmetric, dense or sparse; its diagonal does not count.
    """
    W = affinity - (sp.diags_array if sp.issparse(affinity) else np.diag)(affinity.diagonal())
    _, codes = np.unique(labels, return_inverse=True)
    members = np.eye(codes.max() + 1)[codes]
    inside = ((W @ members) * members).sum(axis=0)
    of_clusters = members.T @ np.asarray(W.sum(axis=1))
    total = of_clusters.sum()
    if total <= 0:
        return 0.0
    return float((inside / total - (of_clusters / total) ** 2).sum())


def silhouette(distances: np.ndarray, labels: ArrayLike) -> float:
    """Mean of (b - a) / max(a, b): a to the own cluster, b to the next, from all distances.

    A node alone in its cluster counts 0; one cluster, or as many as nodes, gives the worst, -1.
    """
    _, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes)
    if not 1 < len(sizes) < len(codes):
        return -1.0
    sums = distances @ np.eye(len(sizes), dtype=distances.dtype)[codes]
    nodes = np.arange(len(codes))
    within = sums[nodes, codes] / np.maximum(sizes[codes] - 1, 1)
    means = sums / sizes
    means[nodes, codes] = np.inf
    next_best = means.min(axis=1)
    larger = np.maximum(within, next_best)
    apart = (next_best - within) / np.where(larger > 0, larger, 1)
    return float(np.where(sizes[codes] > 1, apart, 0.0).mean())


def expected_calibration_error(
    codes: ArrayLike, probabilities: ArrayLike, n_bins: int = 15
) -> float:
    """ECE: sum over bins of |confidence - share of right nodes|, weighted by their nodes.

    Nodes are binned by the confidence in their likeliest class, in bins of equal width.
    """
    probabilities = np.asarray(probabilities)
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == np.asarray(codes)
    # A confidence on an edge belongs to the bin below.
    bins = np.clip(np.ceil(confidence * n_bins).astype(int) - 1, 0, n_bins - 1)
    gaps = np.bincount(bins, weights=right - confidence, minlength=n_bins)
    return float(np.abs(gaps).sum() / len(confidence))

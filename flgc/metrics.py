"""How well a clustering agrees with the truth."""

from __future__ import annotations

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

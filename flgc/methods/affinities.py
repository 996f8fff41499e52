"""Clusterings by an affinity: features -> affinity -> spectral clustering."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.decomposition import PCA

from flgc.checks import check_n_clusters, check_random_state, check_whole
from flgc.inputs import read_features
from flgc.scaling import dense
from flgc.spectral import by_means, discretized, spectral_embedding


class AffinityClustering(ClusterMixin, BaseEstimator):
    """Base of these estimators. A subclass defines `_affinity`, and checks its parameters there.

    If an estimator has the parameter `pca`, and it is not None, the features are replaced by their
    leading `pca * n_clusters` principal components.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Symmetric, no entry negative.
    """

    n_clusters: int
    random_state: Any
    pca: int | None = None
    # Clusters of the embedding: by k-means, or by the rotation that makes it discrete.
    by_means: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X; y is ignored."""
        X = dense(read_features(self, X, dtype=[np.float64, np.float32]))
        check_n_clusters(self.n_clusters, len(X))
        check_random_state(self.random_state)
        if self.pca is not None:
            check_whole("pca", self.pca, 1)
            X = projected(X, self.pca * int(self.n_clusters))
        self.affinity_matrix_ = self._affinity(X)
        self.labels_ = self.clusters(self.random_state)
        return self

    def clusters(self, random_state: Any) -> np.ndarray:
        """The clusters of the fitted affinity, for another random start."""
        if getattr(self, "_embedded", None) is not self.affinity_matrix_:
            self._rows = spectral_embedding(self.affinity_matrix_, int(self.n_clusters))
            self._embedded = self.affinity_matrix_
        return (by_means if self.by_means else discretized)(self._rows, random_state)

    def _affinity(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError


def projected(X: np.ndarray, n_components: int) -> np.ndarray:
    """The leading principal components; X itself if there are not more features."""
    if n_components >= min(X.shape):
        return X
    return PCA(n_components, svd_solver="covariance_eigh").fit_transform(X)

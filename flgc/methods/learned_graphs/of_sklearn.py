"""K-Means and NMF of scikit-learn.

Tables average over seeds. A seed of K-Means is one start, or the best of ten by its own objective,
which Yale needs. NMF's clusters are the largest coefficients:

    X ~ W H,   W, H >= 0,   cluster of sample i = argmax_j w_ij ||h_j||
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF

from flgc.checks import check_n_clusters, check_random_state, check_whole
from flgc.inputs import read_features
from flgc.methods.estimators import Estimator
from flgc.scaling import dense


class NMFClustering(ClusterMixin, BaseEstimator):
    """Clustering by non-negative matrix factorisation, one component to a cluster.

    A feature with negative values is shifted until its least is 0.

    Parameters
    ----------
    n_clusters : int, default=8
    max_iter : int, default=200
    random_state : int, RandomState or None, default=None
        Of the first W and H.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    components_ : array of shape (n_clusters, n_features)
        H.
    coefficients_ : array of shape (n_samples, n_clusters)
        W times the lengths of the components: comparable within a row.
    shift_ : array of shape (n_features,)
        What was added to the features.
    n_iter_ : int

    References
    ----------
    D. Lee, H. Seung. Learning the Parts of Objects by Non-negative Matrix Factorization.
    Nature 401, 1999.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        max_iter: int = 200,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X; y is ignored."""
        X = dense(read_features(self, X, dtype=[np.float64, np.float32]))
        n_clusters = check_n_clusters(self.n_clusters, len(X))
        check_random_state(self.random_state)
        model = NMF(
            n_clusters,
            init="random",
            max_iter=check_whole("max_iter", self.max_iter, 1),
            random_state=self.random_state,
        )
        self.shift_ = np.maximum(-X.min(axis=0), 0)
        W = model.fit_transform(X + self.shift_)
        self.components_, self.n_iter_ = model.components_, model.n_iter_
        self.coefficients_ = W * np.linalg.norm(model.components_, axis=1)
        self.labels_ = self.coefficients_.argmax(axis=1)
        return self


K_MEANS = Estimator(
    "K-Means",
    KMeans,
    scaling=("raw", "min-max", "standardised", "unit-length", "row-normalised"),
    n_init=(1, 10),
    reference="Lloyd: Least Squares Quantization in PCM, IEEE Transactions on Information Theory "
    "28 (1982); of scikit-learn",
)
NMF_ROW = Estimator(
    "NMF",
    NMFClustering,
    scaling=("raw", "min-max", "unit-length", "row-normalised"),
    max_iter=(50, 200),
    reference="Lee, Seung: Learning the Parts of Objects by Non-negative Matrix Factorization, "
    "Nature 401 (1999); of scikit-learn, argmax of the coefficients",
)

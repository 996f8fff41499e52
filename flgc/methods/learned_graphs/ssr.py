"""SSR: each sample as a convex combination of the others; its coefficients are similarities.

    min ||x_i - s_i X||^2,   s_i on the simplex, s_ii = 0;   affinity = (S + S') / 2

No weight has to be chosen, as the simplex makes S sparse. Clusters: spectral clustering.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from flgc.checks import check_positive, check_whole
from flgc.methods.affinities import AffinityClustering
from flgc.methods.estimators import Estimator
from flgc.methods.learned_graphs.convex import ConvexCombinations


class SSRClustering(AffinityClustering):
    """Clustering by simplex sparse representation.

    With more samples than features the best S is not unique: the iteration starts from equal
    weights and takes the S that it reaches, so `tol` matters beyond rounding.

    Parameters
    ----------
    n_clusters : int, default=8
    pca : int, optional
        Work on `pca * n_clusters` principal components.
    tol : float > 0, default=1e-3
        How far a sample's half squared error may be from the least, in mean squared lengths of
        the centred samples.
    max_iter : int, default=2000
    random_state : int, RandomState or None, default=None
        Of the spectral clustering.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)
        (S + S') / 2.
    n_iter_ : int
    gap_ : float
        The largest gap of a sample, below `tol` unless the iteration ended early.

    References
    ----------
    J. Huang, F. Nie, H. Huang. A New Simplex Sparse Learning Model to Measure Data Similarity for
    Clustering. IJCAI 2015.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        pca: int | None = None,
        tol: float = 1e-3,
        max_iter: int = 2000,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.pca = pca
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _affinity(self, X: np.ndarray) -> np.ndarray:
        tol, max_iter = check_positive("tol", self.tol), check_whole("max_iter", self.max_iter, 1)
        samples = ConvexCombinations(X.astype(np.float64, copy=False))
        S, self.n_iter_, self.gap_ = samples.solved(samples.equal, max_iter=max_iter, tol=tol)
        if self.gap_ > tol:
            warnings.warn(
                f"the gap is {self.gap_:.1e} after {max_iter} iterations, above tol={tol:.1e}: "
                "raise max_iter, or scale the features.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return (S + S.T) / 2


SSR = Estimator(
    "SSR",
    SSRClustering,
    scaling=("raw", "min-max", "standardised", "unit-length"),
    pca=(None, 2),
    tol=(1e-2, 1e-3),
    reference="Huang, Nie, Huang: A New Simplex Sparse Learning Model to Measure Data Similarity "
    "for Clustering, IJCAI 2015",
)

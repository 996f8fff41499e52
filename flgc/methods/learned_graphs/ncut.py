"""NCut: the normalised cut of a gaussian affinity, relaxed to eigenvectors.

    a_ij = exp(-||x_i - x_j||^2 / (2 width^2 r_i r_j)),   a_ii = 0

r_i is the median distance between samples or, tuned to each sample, that to its k-th neighbour.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from flgc.checks import check_positive, check_whole
from flgc.kernels import median_distance
from flgc.methods.affinities import AffinityClustering
from flgc.methods.estimators import Estimator

# The least radius, as a share of the median, as copies of a sample have a distance of 0.
_LEAST_RADIUS = 1e-3


class NCutClustering(AffinityClustering):
    """Spectral clustering of a gaussian affinity.

    Parameters
    ----------
    n_clusters : int, default=8
    width : float > 0, default=1.0
        Width of the kernel, in radii.
    n_neighbors : int, optional
        A sample's radius is its distance to the neighbour of this rank, or that to the last one
        where there are fewer; by default it is the median distance between samples.
    pca : int, optional
        Work on `pca * n_clusters` principal components.
    random_state : int, RandomState or None, default=None
        Of the spectral clustering.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)

    References
    ----------
    J. Shi, J. Malik. Normalized Cuts and Image Segmentation. IEEE PAMI 22, 2000.
    L. Zelnik-Manor, P. Perona. Self-Tuning Spectral Clustering. NIPS 2004.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        width: float = 1.0,
        n_neighbors: int | None = None,
        pca: int | None = None,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.width = width
        self.n_neighbors = n_neighbors
        self.pca = pca
        self.random_state = random_state

    def _affinity(self, X: np.ndarray) -> np.ndarray:
        width = check_positive("width", self.width)
        X = X.astype(np.float64, copy=False)
        distances, median = euclidean_distances(X), median_distance(X)
        radii = np.full(len(X), median)
        if self.n_neighbors is not None:
            rank = min(check_whole("n_neighbors", self.n_neighbors, 1), len(X) - 1)
            # The nearest of a sample is itself.
            radii = np.maximum(np.sort(distances, axis=1)[:, rank], _LEAST_RADIUS * median)
        affinity = np.exp(-(distances**2) / (2 * width**2 * np.outer(radii, radii)))
        np.fill_diagonal(affinity, 0.0)
        return (affinity + affinity.T) / 2  # symmetric up to rounding before


NCUT = Estimator(
    "NCut",
    NCutClustering,
    scaling=("raw", "min-max", "standardised", "unit-length"),
    width=(0.25, 0.5, 1.0),
    n_neighbors=(None, 7),
    reference="Shi, Malik: Normalized Cuts and Image Segmentation, IEEE PAMI 22 (2000)",
)

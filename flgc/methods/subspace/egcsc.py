"""Graph convolutional subspace clustering: FLGC with one hop over the k nearest neighbours.

H = P X,   Z = argmin ||H'Z - X'||^2 + r ||Z||^2 = (HH' + rI)^-1 H X',   then as in EDSC
"""

from __future__ import annotations

from typing import Any

from flgc.clustering import FLGCClustering


class EGCSCClustering(FLGCClustering):
    """Efficient graph convolutional subspace clustering: `FLGCClustering` with one hop.

    Parameters
    ----------
    n_clusters : int, default=8
    regularization : float >= 0, default=10.0
        Weight of ||Z||^2.
    n_neighbors : int, optional
        Neighbours in the kNN graph; floor(N / 5C) by default. 0 is no graph, which is EDSC.
    threshold, subspace_dim, power, solver, device, random_state
        As in `FLGCClustering`.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)
        With the exact solver.
    adjacency_ : sparse array of shape (n_samples, n_samples)

    References
    ----------
    Y. Cai, Z. Zhang, Z. Cai, X. Liu, X. Jiang, Q. Yan. Graph Convolutional Subspace Clustering: A
    Robust Subspace Clustering Framework for Hyperspectral Image. IEEE Transactions on Geoscience
    and Remote Sensing, 2020.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        regularization: float = 10.0,
        n_neighbors: int | None = None,
        threshold: float | None = None,
        subspace_dim: int = 4,
        power: float | None = None,
        solver: str = "auto",
        device: str = "auto",
        random_state: Any = None,
    ):
        super().__init__(
            n_clusters,
            hops=1,
            teleport=0.0,
            regularization=regularization,
            n_neighbors=n_neighbors,
            threshold=threshold,
            subspace_dim=subspace_dim,
            power=power,
            solver=solver,
            device=device,
            random_state=random_state,
        )

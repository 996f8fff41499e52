"""Efficient dense subspace clustering: FLGC without a graph.

Z = argmin ||X'Z - X'||^2 + r ||Z||^2 = (XX' + rI)^-1 XX',   then the block-structure heuristic
"""

from __future__ import annotations

from typing import Any

from flgc.clustering import FLGCClustering


class EDSCClustering(FLGCClustering):
    """Efficient dense subspace clustering: `FLGCClustering` with no hops, and no graph to hop on.

    Parameters
    ----------
    n_clusters : int, default=8
    regularization : float >= 0, default=10.0
        Weight of ||Z||^2.
    threshold, subspace_dim, power, solver, random_state
        As in `FLGCClustering`.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    affinity_matrix_ : array of shape (n_samples, n_samples)
        With the exact solver.

    References
    ----------
    P. Ji, M. Salzmann, H. Li. Efficient Dense Subspace Clustering. WACV 2014.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        regularization: float = 10.0,
        threshold: float | None = None,
        subspace_dim: int = 4,
        power: float | None = None,
        solver: str = "auto",
        random_state: Any = None,
    ):
        super().__init__(
            n_clusters,
            hops=0,
            teleport=0.0,
            n_neighbors=0,
            device="cpu",
            regularization=regularization,
            threshold=threshold,
            subspace_dim=subspace_dim,
            power=power,
            solver=solver,
            random_state=random_state,
        )

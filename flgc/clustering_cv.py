"""The clustering that needs no setting: it picks from a grid, by a rule that knows no class."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state

from flgc.checks import check_random_state as refuse_random_state
from flgc.clustering import FLGCClustering
from flgc.device import resolve_device, to_device, to_numpy
from flgc.graph import graph_for, propagation_matrix
from flgc.grid import check_grid
from flgc.inputs import is_pyg, read_features, unpack_pyg
from flgc.label_free import CHOSEN, LabelFree, compared
from flgc.propagation import embedding_grid

SETTING = ("hops", "teleport", "regularization")


class FLGCClusteringCV(ClusterMixin, BaseEstimator):
    """`FLGCClustering` whose hops, teleport and regularization are picked from a grid.

    No class is known, so the clusters of each setting are judged by how well they suit the
    features: by the rule that was chosen on development sets, which `honest` picks by, too
    (docs/rules.md). Settings that have lost a cluster are out first. It is no cross-validation, but
    used like `FLGCClassifierCV`.

    Parameters
    ----------
    n_clusters : int, default=8
    hops, teleports, regularizations : sequences
        The grid, 75 settings by default.
    n_neighbors, threshold, subspace_dim, power, solver, device, random_state
        As in `FLGCClustering`.

    Attributes
    ----------
    best_params_ : dict
        hops, teleport and regularization of the picked setting.
    best_score_ : float
        Its criterion, `rates` of `cv_results_`; higher is better.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays, one value per setting
        The grid, the number of clusters that are not empty, the criteria of `flgc.label_free`, and
        `rates`, the sum of the ranks of both rates, by which is picked (NaN where a cluster is
        lost); ready for `pandas.DataFrame`.
    best_estimator_ : FLGCClustering
        The picked setting, fitted; with its affinity or embedding.
    labels_, solver_, adjacency_
        As in `FLGCClustering`, of the picked setting.

    Examples
    --------
    >>> from flgc import FLGCClusteringCV
    >>> from flgc.datasets import load
    >>> from flgc.metrics import clustering_accuracy
    >>> points = load("union-of-subspaces")
    >>> model = FLGCClusteringCV(5, hops=(1, 3), teleports=(0.0, 0.5), regularizations=(1.0, 100.0))
    >>> labels = model.set_params(random_state=0).fit_predict(points.features)
    >>> round(clustering_accuracy(points.labels, labels), 2)
    1.0
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        hops: Sequence[int] = (1, 2, 5, 10, 20),
        teleports: Sequence[float] = (0.0, 0.2, 0.5),
        regularizations: Sequence[float] = (1.0, 10.0, 100.0, 1e3, 1e4),
        n_neighbors: int | None = None,
        threshold: float | None = None,
        subspace_dim: int = 4,
        power: float | None = None,
        solver: str = "auto",
        device: str = "auto",
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.hops = hops
        self.teleports = teleports
        self.regularizations = regularizations
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.subspace_dim = subspace_dim
        self.power = power
        self.solver = solver
        self.device = device
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None, adjacency: Any = None) -> Self:
        """Cluster the rows of X with every setting and keep the best; y is ignored.

        X (array, sparse matrix, or PyG `Data`) and `adjacency` as in `FLGCClustering.fit`.
        """
        grid = check_grid(self.hops, self.teleports, self.regularizations)
        if is_pyg(X):
            X, adjacency = unpack_pyg(X, adjacency)
        X = read_features(self, X, dtype=[np.float64, np.float32])
        refuse_random_state(self.random_state)
        self._model()._check(X.shape[0])
        self.adjacency_ = graph_for(X, adjacency, self.n_neighbors, int(self.n_clusters))
        X = X.toarray() if sp.issparse(X) else X
        where, seed = resolve_device(self.device), self._seed()
        P = to_device(propagation_matrix(self.adjacency_, X.dtype), where)
        every = to_device(np.arange(len(X)), where)
        judge, rows = LabelFree(X), []
        for i, t, H in embedding_grid(P, to_device(X, where), every, *grid[:2]):
            on_host = to_numpy(H)
            for k, r in enumerate(grid[2]):
                setting = dict(zip(SETTING, (grid[0][i], grid[1][t], r), strict=True))
                model = self._model(seed, **setting).fit_embedding(on_host, X)
                rows.append({"place": (i, t, k), **setting, **judge(model.labels_)})
        table = pd.DataFrame(rows).sort_values("place", ignore_index=True).drop(columns="place")
        table[CHOSEN] = compared(table)[CHOSEN]
        self.best_index_ = int(table[CHOSEN].argmax())
        self.best_score_ = float(table[CHOSEN][self.best_index_])
        self.cv_results_ = {str(name): table[name].to_numpy() for name in table}
        self.best_params_ = {name: table[name][self.best_index_].item() for name in SETTING}
        best = self._model(seed, **self.best_params_)
        self.best_estimator_ = best.fit(X, adjacency=self.adjacency_)
        self.labels_, self.solver_ = best.labels_, best.solver_
        return self

    def _seed(self) -> int:
        """One start for all settings: only so can their clusters be compared."""
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def _model(self, seed: Any = None, **setting: Any) -> FLGCClustering:
        """A single setting, with what all share."""
        own = set(FLGCClustering().get_params()) - {*SETTING}
        shared = {name: value for name, value in self.get_params().items() if name in own}
        return FLGCClustering(**{**shared, **setting, "random_state": seed})

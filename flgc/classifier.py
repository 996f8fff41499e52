"""FLGC for semi-supervised node classification, as a scikit-learn estimator.

H = p(P) X (Eq. 10),   W = argmin ||H_l W - Y_l||^2 + r ||W||^2 (Eq. 16),   scores = H W
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from flgc.averaging import Average, average_grid, filtered, with_constant
from flgc.checks import (
    brief,
    check_choice,
    check_hops,
    check_n_neighbors,
    check_regularization,
    check_teleport,
    check_truth,
)
from flgc.device import check_dtype, in_float64, resolve_device, to_device, to_numpy
from flgc.graph import (
    attach,
    attachment_rows,
    default_n_neighbors,
    edges_of_new_rows,
    graph_for,
    propagation_matrix,
)
from flgc.inputs import (
    is_pyg,
    plain_labels,
    pyg_labels,
    read_features,
    read_labels,
    unlabelled,
    unpack_pyg,
)
from flgc.kernels import KernelFeatures, check_kernel
from flgc.learnt_filter import FILTERS, NO_TELEPORT, PER_HOP, POLYNOMIAL
from flgc.propagation import (
    coefficients,
    hop,
    iterate_filter,
    propagate,
    propagate_indicators,
)
from flgc.ridge import is_within, one_hot, ridge_weights

SOLVERS = ("auto", "primal", "dual", "labels")


def fit_weights(
    P: Any,
    X: Any,
    labelled: Any,
    Y: Any,
    *,
    hops: int,
    teleport: float,
    regularization: float,
    solver: str = "auto",
) -> tuple[Any, Any]:
    """Weights W (d x C) and scores H W (N x C), by the form that suits the shapes.

    "primal" and "dual" propagate the features and solve d or l unknowns. "labels" propagates the
    l indicator columns and the C score columns instead, and keeps sparse features sparse.
    """
    n_labelled, n_classes = Y.shape
    if solver == "auto" and hops > 0 and n_labelled + n_classes < X.shape[1]:
        solver = "labels"
    # The last hop is needed at labelled nodes only, if the scores are propagated instead of H.
    scores_are_narrow = hops > 0 and sp.issparse(P) and hops * n_classes < X.shape[1]
    if solver == "labels":
        H_labelled = (X.T @ propagate_indicators(P, X, labelled, hops, teleport)).T
    elif scores_are_narrow:
        H = propagate(P, X, hops - 1, teleport)
        own = X[labelled].toarray() if sp.issparse(X) else X[labelled]
        H_labelled = hop(P[labelled], H, own, teleport)
    else:
        H = propagate(P, X, hops, teleport)
        H_labelled = H[labelled]
    xp = array_namespace(Y)
    if Y.dtype == xp.float32 and not is_within(H_labelled, regularization):
        # The rounding of H would be fitted too: start again with one that is not rounded.
        precise = fit_weights(
            in_float64(P),
            in_float64(X),
            labelled,
            in_float64(Y),
            hops=hops,
            teleport=teleport,
            regularization=regularization,
            solver=solver,
        )
        return xp.astype(precise[0], Y.dtype), xp.astype(precise[1], Y.dtype)
    W = ridge_weights(H_labelled, Y, regularization, "dual" if solver == "labels" else solver)
    if solver == "labels" or scores_are_narrow:
        return W, propagate(P, X @ W, hops, teleport)
    return W, H @ W


class PartlyLabelled(ClassifierMixin, BaseEstimator):
    """Base of all classifiers that accept rows without a label: reads X, y and the graph."""

    n_neighbors: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _read_graph(
        self, X: Any, y: Any, adjacency: Any, dtype: Any
    ) -> tuple[Any, np.ndarray, Any]:
        """Features, class codes (-1 unlabelled) and graph, checked before any work."""
        if is_pyg(X):
            y = pyg_labels(X) if y is None else y
            X, adjacency = unpack_pyg(X, adjacency)
        X, codes = self._read_rows(X, y, dtype)
        if self.n_neighbors is not None:
            self.n_neighbors_ = check_n_neighbors(self.n_neighbors, X.shape[0])
        else:
            self.n_neighbors_ = default_n_neighbors(X.shape[0], len(self.classes_))
        return X, codes, adjacency

    def _read_rows(self, X: Any, y: Any, dtype: Any) -> tuple[Any, np.ndarray]:
        """Features and class codes (-1 unlabelled)."""
        # A copy, unless validation made one: predictions need X as it was.
        X = read_features(self, X, dtype=dtype, order="C", copy=True)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: give "
                f"one label per row of X, -1 where it is not known."
            )
        return X, self._encode(read_labels(y, X.shape[0]))

    def _encode(self, y: np.ndarray) -> np.ndarray:
        labelled = ~unlabelled(y)
        if not labelled.any():
            raise ValueError(
                f"y marks all {len(y)} nodes as unlabelled (-1 or missing): at least one node of "
                f"each class needs a label."
            )
        labels = plain_labels(y[labelled])
        try:
            check_classification_targets(labels)
        except (TypeError, ValueError) as error:
            refusal = f"y cannot be used as classes: {error} Give whole numbers or strings."
            raise type(error)(refusal) from error
        self.classes_, encoded = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has a single class ({brief(self.classes_.item(0))}) among n_samples={len(y)}: "
                f"labelled nodes of at least two classes are needed."
            )
        codes = np.full(len(y), -1)
        codes[labelled] = encoded
        return codes

    def _as_decision(self, scores: np.ndarray) -> np.ndarray:
        """Scores as `decision_function` returns them: with two classes, their difference."""
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _winners(self, decision: np.ndarray) -> np.ndarray:
        """The classes with the largest scores."""
        codes = (decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
        return self.classes_[codes]


class GraphClassifier(PartlyLabelled):
    """Base of the two classifiers of this library: the fit, and predictions for new rows."""

    kernel: str | Callable[[Any, Any], Any]
    gamma: float | None
    filter: str
    self_loops: bool
    device: str
    dtype: str | None
    intercept_: np.ndarray  # of an average and of a learnt filter only

    def _read(self, X: Any, y: Any, adjacency: Any) -> tuple[Any, np.ndarray, Any]:
        """`_read_graph` in the precision `dtype`, by default that of X."""
        check_dtype(self.dtype)
        check_kernel(self.kernel, self.gamma)
        check_choice("filter", self.filter, FILTERS)
        check_truth("self_loops", self.self_loops)
        resolve_device(self.device)
        wanted = [np.float64, np.float32] if self.dtype is None else self.dtype
        return self._read_graph(X, y, adjacency, wanted)

    def _to_device(self, X: Any, adjacency: Any) -> tuple[Any, Any]:
        """P and the features in X's precision on the device; torch needs them dense.

        The graph is that of X, whatever the kernel is.
        """
        self.adjacency_ = graph_for(X, adjacency, self.n_neighbors_, len(self.classes_))
        if self.kernel != "linear":
            self.kernel_features_ = KernelFeatures(self.kernel, self.gamma)
            X = self.features_fit_ = self.kernel_features_.fit_transform(X)
        device = resolve_device(self.device)
        if device is not None and sp.issparse(X):
            X = X.toarray()
        P = propagation_matrix(self.adjacency_, X.dtype, self.self_loops)
        return to_device(P, device), to_device(X, device)

    def _fit(
        self,
        P: Any,
        X: Any,
        X_fit: Any,
        codes: np.ndarray,
        labelled: np.ndarray,
        *,
        hops: int,
        teleport: float,
        regularization: float,
        solver: str = "auto",
    ) -> Self:
        """Solve for one setting, with P and X on the device, and keep what predictions need."""
        device = resolve_device(self.device)
        targets = to_device(codes[labelled], device)
        W, scores = fit_weights(
            P,
            X,
            to_device(labelled, device),
            one_hot(targets, len(self.classes_), X.dtype),
            hops=hops,
            teleport=teleport,
            regularization=regularization,
            solver=solver,
        )
        self.X_fit_ = X_fit
        self.hops_, self.teleport_ = hops, teleport
        self.coef_ = to_numpy(W)
        self._keep_scores(scores, f"regularization={regularization:g}")
        return self

    def _fit_filters(self, P: Any, X: Any, X_fit: Any, average: Average, setting: str) -> Self:
        """Keep filters, one for each hop, of which the last feature is constant."""
        self.X_fit_, self.hops_ = X_fit, average.filters.shape[0] - 1
        self.coef_ = to_numpy(average.filters[:, :-1])
        self.intercept_ = to_numpy(average.filters[:, -1])
        self._keep_scores(filtered(P, X, average.filters), setting)
        return self

    def _average(
        self,
        P: Any,
        X: Any,
        codes: np.ndarray,
        labelled: np.ndarray,
        weights: np.ndarray,
        grid: Sequence[Sequence],
    ) -> Average:
        """All models of a grid (hops, teleports, regularizations), weighted; one alone is a fit."""
        device = resolve_device(self.device)
        return average_grid(
            P,
            X,
            to_device(codes, device),
            to_device(labelled, device),
            weights,
            n_classes=len(self.classes_),
            hops=grid[0],
            teleports=grid[1],
            regularizations=grid[2],
            leave_one_out=min(grid[2]) > 0,
            filter=self.filter,
        )

    def _keep_scores(self, scores: Any, setting: str) -> None:
        """Keep scores and classes of the fitted nodes; raises an error if scores overflowed."""
        self.label_scores_ = to_numpy(scores)
        if not np.isfinite(self.label_scores_).all():
            raise ValueError(
                f"the scores are not finite: the scale of X, of the weights in the adjacency or "
                f"{setting} is out of range of {self.coef_.dtype}. Rescale them, or use "
                f"dtype='float64'."
            )
        self.transduction_ = self.classes_[self.label_scores_.argmax(axis=1)]

    def decision_function(self, X: Any, adjacency: Any = None) -> np.ndarray:
        """Scores of new rows, shape (n, C), or (n,) for two classes: positive is `classes_[1]`.

        Each new row is joined with its nearest fitted rows, or, with an `adjacency` of shape
        (new rows, fitted rows), with the fitted nodes named there. The fitted graph does not
        change, so a prediction does not depend on what else is predicted with it.
        """
        return self._as_decision(self._scores_of_new(X, adjacency))

    def _scores_of_new(self, X: Any, adjacency: Any) -> np.ndarray:
        """sum_h P^h T_h by Horner's scheme, with a further row of P for each new row."""
        check_is_fitted(self)
        X = read_features(self, X, fitting=False, dtype=self.coef_.dtype)
        if adjacency is None:
            edges = attach(X, self.X_fit_, self.n_neighbors_)
        else:
            edges = edges_of_new_rows(adjacency, (X.shape[0], self.X_fit_.shape[0]))
        weights, own = attachment_rows(edges, self.adjacency_, self.self_loops)
        P = propagation_matrix(self.adjacency_, self.coef_.dtype, self.self_loops)
        fitted, new = self.X_fit_, X
        if self.kernel != "linear":
            fitted, new = self.features_fit_, self.kernel_features_.transform(X)
        heard = iterate_filter(P, self._terms(fitted))
        scores: Any = 0.0
        for h, term in enumerate(self._terms(new)):
            scores = weights @ next(heard) + own[:, None] * scores + term if h else term
        return scores

    def _terms(self, X: Any) -> Iterator[Any]:
        """T_hops, ... T_1, T_0: X B_h + intercept_h of an average, c_h X W of a single model."""
        if self.coef_.ndim == 3:
            for B, intercept in zip(self.coef_[::-1], self.intercept_[::-1], strict=True):
                yield X @ B + intercept
        else:
            product = X @ self.coef_
            for c in reversed(coefficients(self.hops_, self.teleport_)):
                yield c * product

    def predict(self, X: Any, adjacency: Any = None) -> np.ndarray:
        """Classes of new rows; those of the fitted rows are in `transduction_`."""
        return self._winners(self.decision_function(X, adjacency))


class FLGCClassifier(GraphClassifier):
    """Fully linear graph convolution for node classification.

    H(0) = X, H(h+1) = (1 - teleport) P H(h) + teleport X; then a ridge fit on the labelled nodes.

    Parameters
    ----------
    hops : int, default=10
        Steps of propagation, the paper's K; at most 10,000.
    teleport : float in [0, 1], default=0.1
        Share of the node's own features in each step, the paper's alpha. 0 is SGC, 1 no graph.
    regularization : float >= 0, default=1.0
        Weight of ||W||^2, the paper's lambda. 0 is the minimum-norm fit. It scales with the square
        of the features: features divided by 30 need about 1000 times less.
    n_neighbors : int, optional
        Neighbours of a row in the kNN graph; floor(N / 5C) by default. 0 is no graph. Also the
        number of fitted rows to which a new row is attached.
    kernel : {"linear", "rbf"} or callable, default="linear"
        What takes the place of X X': "rbf" is exp(-gamma ||x - z||^2), a function k(A, B) gives it
        for all rows of A and B. It is exact up to 5,000 rows; beyond, 1,000 of them are landmarks
        of a Nystroem approximation, see `kernel_features_`. The kNN graph is that of X.
    gamma : float > 0, optional
        Of "rbf"; by default 1 / 2m^2 with m the median distance between rows.
    filter : {"polynomial", "per-hop"}, default="polynomial"
        "per-hop" learns the filter: a weight matrix for each hop, scores = sum_h P^h (X coef_[h] +
        intercept_[h]), from one ridge on all of X, P X, ... P^hops X, each divided by the root
        mean square of its entries. It can tell neighbours apart where they differ; the teleport has
        no part in it.
    self_loops : bool, default=True
        Whether P has a loop of weight 1 at each node, as in the paper.
    solver : {"auto", "primal", "dual", "labels"}, default="auto"
        How to compute the one solution of a polynomial; see `fit_weights`.
    device : {"auto", "cpu", "cuda", "cuda:N"}, default="auto"
        "auto" takes a GPU if torch sees one.
    dtype : {"float32", "float64"}, optional
        Precision; by default that of X.

    Attributes
    ----------
    transduction_ : array of shape (n_nodes,)
        The class of every fitted node.
    label_scores_ : array of shape (n_nodes, n_classes)
        H W; the largest score of a row is its class.
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_features, n_classes)
        W; with a kernel one row for each of its features. Of a filter per hop all W, of shape
        (hops + 1, n_features, n_classes).
    intercept_ : array of shape (hops + 1, n_classes)
        Of a filter per hop only.
    adjacency_ : sparse array of shape (n_nodes, n_nodes)
        The graph, symmetric and without self loops.
    kernel_features_ : KernelFeatures
        With a kernel: its features of new rows, whether they are exact (`is_exact_`), and the share
        of the kernel's trace that they lack (`lost_`).
    features_fit_ : array of shape (n_nodes, n_columns)
        With a kernel: its features of the fitted rows.

    References
    ----------
    Y. Cai, Z. Zhang, Z. Cai, X. Liu, Y. Ding, P. Ghamisi. Fully Linear Graph Convolutional
    Networks for Semi-Supervised Learning and Clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from flgc import FLGCClassifier
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.full(150, -1)
    >>> y[::10] = truth[::10]
    >>> model = FLGCClassifier(regularization=0.1).fit(X, y)
    >>> float(np.mean(model.transduction_ == truth).round(2))
    0.93
    """

    def __init__(
        self,
        *,
        hops: int = 10,
        teleport: float = 0.1,
        regularization: float = 1.0,
        n_neighbors: int | None = None,
        kernel: str | Callable[[Any, Any], Any] = "linear",
        gamma: float | None = None,
        filter: str = POLYNOMIAL,
        self_loops: bool = True,
        solver: str = "auto",
        device: str = "auto",
        dtype: str | None = None,
    ):
        self.hops = hops
        self.teleport = teleport
        self.regularization = regularization
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gamma = gamma
        self.filter = filter
        self.self_loops = self_loops
        self.solver = solver
        self.device = device
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None, adjacency: Any = None) -> Self:
        """Fit on the labelled rows and score all.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_nodes, n_features), or PyG `Data`
        y : array of shape (n_nodes,)
            Classes; unknown ones are -1 or missing (None, NaN, pandas.NA), in text also "" and
            "-1". Optional if X is a `Data` with labels.
        adjacency : matrix, edge_index of shape (2, E), PyG `Data`, networkx graph or DataFrame of \
                edges, optional
            The graph, see `flgc.graph.as_adjacency`; without it, the kNN graph of X.
        """
        hops, teleport = check_hops(self.hops), check_teleport(self.teleport)
        regularization = check_regularization(self.regularization)
        check_choice("solver", self.solver, SOLVERS)
        X_fit, codes, adjacency = self._read(X, y, adjacency)
        P, X = self._to_device(X_fit, adjacency)
        labelled = np.flatnonzero(codes >= 0)
        if self.filter == PER_HOP:
            X, alone = with_constant(X), ([hops], NO_TELEPORT, [regularization])
            average = self._average(P, X, codes, labelled, np.ones(1), alone)
            return self._fit_filters(P, X, X_fit, average, f"regularization={regularization:g}")
        return self._fit(
            P,
            X,
            X_fit,
            codes,
            labelled,
            hops=hops,
            teleport=teleport,
            regularization=regularization,
            solver=self.solver,
        )

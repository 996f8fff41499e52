"""A classifier without settings: it picks from a grid, or averages all of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from scipy.special import softmax

from flgc.averaging import log_weights, of_one_size, with_constant
from flgc.calibration import fit_temperature
from flgc.checks import check_choice
from flgc.classifier import GraphClassifier
from flgc.device import resolve_device, to_device, to_numpy
from flgc.grid import GridScores, accuracies, check_grid, ranks_from_usual, score_grid
from flgc.inputs import node_mask
from flgc.learnt_filter import NO_TELEPORT, PER_HOP, POLYNOMIAL
from flgc.validation import near_best

# The grid of the paper's Section IV-A.
PAPER_HOPS = tuple(range(21))
PAPER_TELEPORTS = tuple(step / 10 for step in range(11))
PAPER_REGULARIZATIONS = tuple(2.0**exponent for exponent in range(-8, 9))
SCORINGS = ("squared_error", "accuracy")
COMBINES = ("best", "average")


class FLGCClassifierCV(GraphClassifier):
    """`FLGCClassifier` whose hops, teleport and regularization are picked from a grid, or averaged.

    Every model of the grid is scored in closed form: by leave-one-out on the labelled nodes, or,
    when `fit` gets a validation mask, by accuracy on those nodes: among the models within half a
    standard error of the best, the one with the smallest squared error of leave-one-out is picked.
    Test labels are never needed.

    Leave-one-out cannot judge if a class has a single labelled node: a fit without it has never
    seen the class. Then `fit` warns and takes the model of the grid that is nearest to 10 hops,
    teleport 0.1 and a regularization of 0.01 times the summed variance of the labelled rows of H.

    Parameters
    ----------
    hops, teleports, regularizations : sequences
        The grid; by default the paper's: 0..20, 0..1 in steps of 0.1, 2^-8..2^8.
    scoring : {"squared_error", "accuracy"}, default="squared_error"
        What leave-one-out measures. Squared error picks better when labels are few: accuracy on
        a handful of nodes has too many ties.
    combine : {"best", "average"}, default="best"
        "average" takes all models, each with the weight exp(hits) / (squared error)^4, where
        hits are the left-out labelled nodes and the validation nodes that it gets right. X gets a
        constant feature, and the sum is one linear filter again:
        scores = sum_h P^h (X coef_[h] + intercept_[h]).
    n_neighbors, kernel, gamma, filter, self_loops, device, dtype
        As in `FLGCClassifier`. A filter per hop has a grid of hops and regularizations, and is
        listed with teleport 0.

    Attributes
    ----------
    best_params_ : dict
        hops, teleport and regularization of the picked model.
    best_score_ : float
        Its score; higher is better (squared error is negated).
    cv_results_ : dict of arrays, one value per model
        The grid, its scores and each model's `weight`, ready for `pandas.DataFrame`.
    transduction_, label_scores_, classes_, coef_, adjacency_, kernel_features_, features_fit_
        As in `FLGCClassifier`, for the picked model. For an average, `coef_` has the shape
        (max(hops) + 1, n_features, n_classes), and scores have a mean size of about 1.
    intercept_ : array of shape (max(hops) + 1, n_classes)
        Only for an average, and for a filter per hop.
    loo_accuracy_ : float
        Share of the labelled nodes that the picked model, or the average, gets right when they are
        left out; NaN if it cannot be computed. It is a little too high, as it also served to pick.
    temperature_ : float
        softmax(label_scores_ / temperature_) are probabilities; fitted to left-out scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from flgc import FLGCClassifierCV
    >>> X, truth = load_wine(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> y = np.full(178, -1)
    >>> y[::9] = truth[::9]
    >>> model = FLGCClassifierCV().fit(X, y)
    >>> float(np.mean(model.transduction_ == truth).round(2))
    0.96
    """

    def __init__(
        self,
        *,
        hops: Sequence[int] = PAPER_HOPS,
        teleports: Sequence[float] = PAPER_TELEPORTS,
        regularizations: Sequence[float] = PAPER_REGULARIZATIONS,
        scoring: str = "squared_error",
        combine: str = "best",
        n_neighbors: int | None = None,
        kernel: str | Callable[[Any, Any], Any] = "linear",
        gamma: float | None = None,
        filter: str = POLYNOMIAL,
        self_loops: bool = True,
        device: str = "auto",
        dtype: str | None = None,
    ):
        self.hops = hops
        self.teleports = teleports
        self.regularizations = regularizations
        self.scoring = scoring
        self.combine = combine
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gamma = gamma
        self.filter = filter
        self.self_loops = self_loops
        self.device = device
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None, adjacency: Any = None, validation: Any = None) -> Self:
        """Score the grid, then fit the best model, or average all.

        Parameters
        ----------
        X, y, adjacency
            As in `FLGCClassifier.fit`.
        validation : boolean mask or integer indices of nodes, optional
            Nodes whose labels in y pick the model and take no part in any fit. A class that only
            they have is left out, with a warning.
        """
        check_choice("scoring", self.scoring, SCORINGS)
        check_choice("combine", self.combine, COMBINES)
        check_grid(self.hops, self.teleports, self.regularizations)
        averaging = self.combine == "average"
        learnt = self.filter == PER_HOP
        if (validation is None or averaging) and min(self.regularizations) <= 0:
            instead = "take combine='best' with" if averaging else "pass"
            raise ValueError(
                f"leave-one-out needs regularizations > 0, found {min(self.regularizations)!r}: "
                f"drop it from the grid, or {instead} a validation mask."
            )
        X_fit, codes, adjacency = self._read(X, y, adjacency)
        labelled, held_out = _split_labelled(codes, validation)
        if held_out is not None:
            codes, held_out = self._without_unfitted_classes(codes, labelled, held_out)
        P, X = self._to_device(X_fit, adjacency)
        X = with_constant(X) if averaging or learnt else X
        grid = (self.hops, NO_TELEPORT if learnt else self.teleports, self.regularizations)
        scores = self._score_grid(P, X, codes, labelled, held_out, grid)
        counts = np.bincount(codes[labelled])
        index = None
        if validation is None and (counts == 1).any():
            where = resolve_device(self.device)
            ranks = ranks_from_usual(P, X, to_device(labelled, where), *grid, filter=self.filter)
            index = int(np.argmin(ranks))
        noisy = 0 if held_out is None or (counts == 1).any() else len(held_out)
        self._pick(scores, grid, index, noisy)
        if index is not None:
            warnings.warn(
                f"a single node is labelled in the class(es) {self.classes_[counts == 1].tolist()}:"
                f" leave-one-out cannot judge models that never saw a class. The usual setting is "
                f"taken, {self.best_params_}: label a second node, or pass a validation mask.",
                stacklevel=2,
            )
        weights = np.zeros([len(axis) for axis in grid])
        weights.flat[self.best_index_] = 1.0
        if averaging and index is None:
            weights = softmax(log_weights(*_left_out(scores, labelled, held_out)))
        self.cv_results_["weight"] = weights.ravel()
        among: tuple[Sequence, ...] = grid
        if averaging:
            assert scores.loo_size is not None  # all regularizations are above 0
            weights = of_one_size(weights, scores.loo_size)
        else:
            weights = np.ones(1)
            among = tuple([value] for value in self.best_params_.values())
        if not (averaging or learnt):
            self._fit(P, X, X_fit, codes, labelled, **self.best_params_)
        average = self._average(P, X, codes, labelled, weights, among)
        if averaging or learnt:
            self._fit_filters(P, X, X_fit, average, "the regularizations")
        # What the scores did not fit: labelled nodes, each left out, and validation nodes.
        unfitted = [] if held_out is None else [(self.label_scores_[held_out], codes[held_out])]
        self.loo_accuracy_ = float("nan")
        if average.left_out is not None:
            left_out = to_numpy(average.left_out)
            self.loo_accuracy_ = float(np.mean(left_out.argmax(axis=1) == codes[labelled]))
            unfitted.append((left_out, codes[labelled]))
        self.temperature_ = fit_temperature(*map(np.concatenate, zip(*unfitted, strict=True)))
        return self

    def predict_proba(self, X: Any, adjacency: Any = None) -> np.ndarray:
        """Probabilities of the classes of new rows, shape (n, C); joined as for `predict`."""
        return softmax(self._scores_of_new(X, adjacency) / self.temperature_, axis=1)

    def _without_unfitted_classes(
        self, codes: np.ndarray, labelled: np.ndarray, held_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Codes and validation nodes without classes that are labelled in validation nodes only."""
        fitted = np.unique(codes[labelled])
        unfitted = np.delete(self.classes_, fitted).tolist()
        if not unfitted:
            return codes, held_out
        kept = held_out[np.isin(codes[held_out], fitted)]
        if len(fitted) < 2 or not len(kept):
            raise ValueError(
                f"{len(unfitted)} classes are labelled in validation nodes only, {unfitted}: two "
                f"or more need labelled nodes outside of the validation mask, and some inside."
            )
        warnings.warn(
            f"the class(es) {unfitted} are labelled in validation nodes only: no node is given "
            f"them, and these {len(held_out) - len(kept)} of {len(held_out)} validation nodes are "
            f"not looked at. Label a node of each outside of the validation mask.",
            stacklevel=3,
        )
        self.classes_ = self.classes_[fitted]
        return np.where(np.isin(codes, fitted), np.searchsorted(fitted, codes), -1), kept

    def _score_grid(
        self,
        P: Any,
        X: Any,
        codes: np.ndarray,
        labelled: np.ndarray,
        held_out: np.ndarray | None,
        grid: Sequence[Sequence],
    ) -> GridScores:
        device = resolve_device(self.device)
        judged = {} if held_out is None else accuracies(codes, {"validation": held_out})
        return score_grid(
            P,
            X,
            to_device(codes, device),
            to_device(labelled, device),
            n_classes=len(self.classes_),
            hops=grid[0],
            teleports=grid[1],
            regularizations=grid[2],
            **judged,
            leave_one_out=min(grid[2]) > 0,
            filter=self.filter,
        )

    def _pick(
        self, scores: GridScores, grid: Sequence[Sequence], index: int | None, n_validation: int
    ) -> None:
        """The best model of the grid, or that at `index`, and the table of all.

        Among models that are level, up to the noise of that many validation nodes, the
        leave-one-out error decides, then the order of the grid. The error cannot judge a class
        with a single label.
        """
        axes = np.meshgrid(*grid, indexing="ij")
        names = ("hops", "teleport", "regularization")
        table = {name: axis.ravel() for name, axis in zip(names, axes, strict=True)}
        if scores.loo_squared_error is not None and scores.loo_accuracy is not None:
            table["loo_squared_error"] = scores.loo_squared_error.ravel()
            table["loo_accuracy"] = scores.loo_accuracy.ravel()
        if "validation" in scores.judged:
            table["validation_accuracy"] = scores.judged["validation"].ravel()
            score = table["validation_accuracy"]
        elif self.scoring == "accuracy":
            score = table["loo_accuracy"]
        else:
            score = -table["loo_squared_error"]
        errors = table.get("loo_squared_error", np.zeros(len(score)))
        if "validation" not in scores.judged:
            score = np.where(np.isfinite(errors), score, -np.inf)
        if not np.isfinite(score).any():
            raise ValueError(
                f"leave-one-out is not finite for any of the {len(score)} models of the grid: the "
                f"features or regularizations are too large or too small, rescale them."
            )
        if index is None:
            known = n_validation > 0 and "loo_squared_error" in table and np.isfinite(errors).all()
            level = np.flatnonzero(
                near_best(score, n_validation) if known else score == score.max()
            )
            # An error of NaN must not win.
            index = int(level[np.argmin(np.nan_to_num(errors[level], nan=np.inf))])
        self.best_index_ = index
        self.best_score_ = float(score[self.best_index_])
        self.best_params_ = {name: table[name][self.best_index_].item() for name in names}
        self.cv_results_ = table


def _left_out(
    scores: GridScores, labelled: np.ndarray, held_out: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hits, errors and sizes of each model at nodes that it did not fit."""
    assert scores.loo_accuracy is not None
    assert scores.loo_squared_error is not None
    assert scores.loo_size is not None
    hits = scores.loo_accuracy * len(labelled)
    if held_out is not None:
        hits = hits + scores.judged["validation"] * len(held_out)
    return hits, scores.loo_squared_error, scores.loo_size


def _split_labelled(codes: np.ndarray, validation: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Indices of the nodes to fit on, and of those to pick on."""
    labelled = np.flatnonzero(codes >= 0)
    if validation is None:
        return labelled, None
    mask = node_mask(validation, len(codes), "validation")
    if (codes[mask] < 0).any():
        raise ValueError(
            f"{int((codes[mask] < 0).sum())} of {int(mask.sum())} validation nodes have no label "
            f"in y: each needs one, it is used to pick the model only."
        )
    return np.flatnonzero((codes >= 0) & ~mask), np.flatnonzero(mask)

"""The classifier that picks its own setting, by leave-one-out or on validation nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from flgc.checks import check_choice
from flgc.classifier import GraphClassifier
from flgc.device import resolve_device, to_device
from flgc.grid import GridScores, check_grid, score_grid
from flgc.inputs import node_mask

# The grid of the paper's Section IV-A.
PAPER_HOPS = tuple(range(21))
PAPER_TELEPORTS = tuple(step / 10 for step in range(11))
PAPER_REGULARIZATIONS = tuple(2.0**exponent for exponent in range(-8, 9))
SCORINGS = ("squared_error", "accuracy")


class FLGCClassifierCV(GraphClassifier):
    """`FLGCClassifier` whose hops, teleport and regularization are picked from a grid.

    Every model of the grid is scored in closed form: by leave-one-out on the labelled nodes, or,
    when `fit` gets a validation mask, by accuracy on those nodes. Test labels are never needed.

    Parameters
    ----------
    hops, teleports, regularizations : sequences
        The grid; by default the paper's: 0..20, 0..1 in steps of 0.1, 2^-8..2^8.
    scoring : {"squared_error", "accuracy"}, default="squared_error"
        What leave-one-out measures. Squared error picks better when labels are few: accuracy on
        a handful of nodes has too many ties.
    n_neighbors, device, dtype
        As in `FLGCClassifier`.

    Attributes
    ----------
    best_params_ : dict
        hops, teleport and regularization of the picked model.
    best_score_ : float
        Its score; higher is better (squared error is negated).
    cv_results_ : dict of arrays, one value per model
        The grid and its scores, ready for `pandas.DataFrame`.
    transduction_, label_scores_, classes_, coef_, adjacency_
        As in `FLGCClassifier`, of the picked model.

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
        n_neighbors: int | None = None,
        device: str = "auto",
        dtype: str | None = None,
    ):
        self.hops = hops
        self.teleports = teleports
        self.regularizations = regularizations
        self.scoring = scoring
        self.n_neighbors = n_neighbors
        self.device = device
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None, adjacency: Any = None, validation: Any = None) -> Self:
        """Score the grid, pick a model, fit it.

        Parameters
        ----------
        X, y, adjacency
            As in `FLGCClassifier.fit`.
        validation : boolean mask or integer indices of nodes, optional
            Nodes whose labels in y pick the model and take no part in any fit.
        """
        check_choice("scoring", self.scoring, SCORINGS)
        check_grid(self.hops, self.teleports, self.regularizations)
        if validation is None and min(self.regularizations) <= 0:
            raise ValueError(
                f"leave-one-out needs regularizations > 0, found {min(self.regularizations)!r}: "
                f"drop it from the grid, or pass a validation mask."
            )
        X_fit, codes, adjacency = self._read(X, y, adjacency)
        labelled, held_out = _split_labelled(codes, validation)
        P, X = self._to_device(X_fit, adjacency)
        scores = self._score_grid(P, X, codes, labelled, held_out)
        self._pick(scores)
        return self._fit(P, X, X_fit, codes, labelled, **self.best_params_)

    def _score_grid(
        self, P: Any, X: Any, codes: np.ndarray, labelled: np.ndarray, held_out: np.ndarray | None
    ) -> GridScores:
        device = resolve_device(self.device)
        return score_grid(
            P,
            X,
            to_device(codes, device),
            to_device(labelled, device),
            n_classes=len(self.classes_),
            hops=self.hops,
            teleports=self.teleports,
            regularizations=self.regularizations,
            evaluate={} if held_out is None else {"validation": to_device(held_out, device)},
            leave_one_out=min(self.regularizations) > 0,
        )

    def _pick(self, scores: GridScores) -> None:
        """The best model of the grid, and the table of all.

        A few hundred validation nodes leave many models level: the leave-one-out error decides
        among them, then the order of the grid.
        """
        axes = np.meshgrid(self.hops, self.teleports, self.regularizations, indexing="ij")
        names = ("hops", "teleport", "regularization")
        table = {name: axis.ravel() for name, axis in zip(names, axes, strict=True)}
        if scores.loo_squared_error is not None and scores.loo_accuracy is not None:
            table["loo_squared_error"] = scores.loo_squared_error.ravel()
            table["loo_accuracy"] = scores.loo_accuracy.ravel()
        if "validation" in scores.accuracy:
            table["validation_accuracy"] = scores.accuracy["validation"].ravel()
            score = table["validation_accuracy"]
        elif self.scoring == "accuracy":
            score = table["loo_accuracy"]
        else:
            score = -table["loo_squared_error"]
        level = np.flatnonzero(score == score.max())
        if "loo_squared_error" in table:
            level = level[np.argmin(table["loo_squared_error"][level])]
        self.best_index_ = int(np.ravel(level)[0])
        self.best_score_ = float(score[self.best_index_])
        self.best_params_ = {name: table[name][self.best_index_].item() for name in names}
        self.cv_results_ = table


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
    labelled = np.flatnonzero((codes >= 0) & ~mask)
    missing = len(np.unique(codes)) - (codes.min() < 0) - len(np.unique(codes[labelled]))
    if missing:
        raise ValueError(
            f"{missing} classes are labelled in validation nodes only: each class needs a labelled "
            f"node outside the validation mask."
        )
    return labelled, np.flatnonzero(mask)

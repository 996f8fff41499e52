"""Transductive support vector machine: labels of unlabelled rows are switched until they fit.

    min  1/2 ||w||^2 + cost (sum_l xi_i + plus sum_{y* = 1} xi_j + minus sum_{y* = -1} xi_j)

over w, b and the labels y* of unlabelled rows, with xi = max(0, 1 - y f), one class against the
rest. The first positives are the rows that the plain machine scores highest, with the same share as
among labelled rows; `minus` and `plus` grow tenfold from step to step, up to 1. At each step a
positive m and a negative n with xi_m + xi_n > 2, both > 0, change places, and the machine is fitted
again. At a fixed w each pair lowers the objective by itself, so all pairs are switched at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from flgc.checks import check_positive
from flgc.classifier import PartlyLabelled
from flgc.device import n_threads, one_blas_thread
from flgc.inputs import read_features
from flgc.kernels import gaussian, median_distance
from flgc.methods.base import Grid, Method, Outputs, Problem, Setting
from flgc.progress import tracked
from flgc.scaling import dense, scaled

REFERENCE = "Joachims: Transductive Inference for Text Classification using SVMs, ICML 1999"
# Weights of unlabelled rows, relative to those of labelled ones, step by step.
STEPS = (1e-3, 1e-2, 1e-1, 1.0)
# The most fits of a step: each lowers the objective, the last ones hardly.
MOST_FITS = 10


@dataclass(frozen=True, eq=False)
class Machine:
    """A machine fitted to signs: f = K coef + intercept at all rows, and its objective."""

    signs: np.ndarray
    coef: np.ndarray
    intercept: float
    scores: np.ndarray
    objective: float

    @classmethod
    def fitted(cls, K: np.ndarray, signs: np.ndarray, weights: np.ndarray, cost: float) -> Machine:
        """The machine of all rows with a weight; with one sign only, it predicts that sign."""
        rows = np.flatnonzero(weights)
        if np.ptp(signs[rows]) == 0:
            always = float(signs[rows[0]])
            return cls(signs, np.zeros(len(K)), always, np.full(len(K), always), 0.0)
        gram = K if len(rows) == len(K) else np.ascontiguousarray(K[np.ix_(rows, rows)])
        model = SVC(C=cost, kernel="precomputed").fit(gram, signs[rows], weights[rows])
        support, coef = rows[model.support_], np.zeros(len(K))
        coef[support] = model.dual_coef_[0]
        products = K[:, support] @ model.dual_coef_[0]
        intercept = float(model.intercept_[0])
        scores = products + intercept
        slack = weights @ np.maximum(0.0, 1.0 - signs * scores)
        objective = float(coef @ products / 2 + cost * slack)
        return cls(signs, coef, intercept, scores, objective)


def started(signs: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Signs for unlabelled rows (0): the highest scores are positive.

    Their share is that among labelled rows; of several rows each sign has at least one.
    """
    free = np.flatnonzero(signs == 0)
    wanted = round(np.mean(signs[signs != 0] > 0) * len(free))
    n_positive = int(np.clip(wanted, min(1, len(free) - 1), max(1, len(free) - 1)))
    result = np.where(signs == 0, -1.0, signs)
    result[free[np.argsort(-scores[free], kind="stable")[:n_positive]]] = 1.0
    return result


def switched(signs: np.ndarray, scores: np.ndarray, free: np.ndarray) -> np.ndarray:
    """The signs with all violating pairs of `free` rows switched, largest violations first."""
    slack = np.maximum(0.0, 1.0 - signs * scores)
    worst = free[np.argsort(-slack[free], kind="stable")]
    positive, negative = (worst[signs[worst] == sign] for sign in (1.0, -1.0))
    n = min(len(positive), len(negative))
    positive, negative = positive[:n], negative[:n]
    least = np.minimum(slack[positive], slack[negative])
    violates = (slack[positive] + slack[negative] > 2.0) & (least > 0.0)
    changed = signs.copy()
    changed[positive[violates]], changed[negative[violates]] = -1.0, 1.0
    return changed


def transductive(
    K: np.ndarray, signs: np.ndarray, cost: float
) -> tuple[Machine, list[list[float]]]:
    """The machine for signs 1, -1 and 0 (unlabelled), and its objectives at each step."""
    free, weights = np.flatnonzero(signs == 0), np.abs(signs)
    machine = Machine.fitted(K, signs, weights, cost)
    if len(free) == 0 or not machine.coef.any():  # nothing to switch, or only one sign
        return machine, [[machine.objective]]
    signs = started(signs, machine.scores)
    n_positive = int(np.sum(signs[free] > 0))
    # A few positives count little at first, as in Joachims' paper.
    ratio = n_positive / max(1, len(free) - n_positive)
    history = []
    for minus in STEPS:
        plus = 1.0 if minus == STEPS[-1] else min(1.0, minus * ratio)

        def fitted(signs: np.ndarray, minus: float = minus, plus: float = plus) -> Machine:
            weights[free] = np.where(signs[free] > 0, plus, minus)
            return Machine.fitted(K, signs, weights, cost)

        machine = fitted(signs)
        objectives = [machine.objective]
        while len(objectives) < MOST_FITS:
            changed = switched(signs, machine.scores, free)
            if np.array_equal(changed, signs):
                break
            after = fitted(changed)
            # A solver with a tolerance may end slightly above: then nothing is left to gain.
            if after.objective >= machine.objective:
                break
            signs, machine = changed, after
            objectives.append(machine.objective)
        history.append(objectives)
    return machine, history


def one_against_rest(
    K: np.ndarray, codes: np.ndarray, n_classes: int, cost: float
) -> tuple[list[Machine], list[list[list[float]]]]:
    """A machine for each class, for two classes only for the second; unknown `codes` are -1."""
    classes = [1] if n_classes == 2 else range(n_classes)
    signs = (np.where(codes == c, 1.0, -1.0) * (codes >= 0) for c in classes)
    fits = [transductive(K, of_class, cost) for of_class in signs]
    return [machine for machine, _ in fits], [history for _, history in fits]


def as_scores(columns: list[np.ndarray]) -> np.ndarray:
    """Scores of shape (n, C); a single machine gives both columns."""
    if len(columns) == 1:
        return np.column_stack([-columns[0] / 2, columns[0] / 2])
    return np.column_stack(columns)


class TSVM(Method):
    """Runs share the kernel. Settings are picked by the plain machine in the folds of a run.

    Transductive fits of every fold would cost four times as much.
    """

    name = "TSVM"
    axes = MappingProxyType({"scaling": ("raw",), "width": (0.5, 1.0), "cost": (1.0, 10.0, 100.0)})
    reference = REFERENCE
    batched = True
    leaves_out = True

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """One kernel for each width; runs are fitted side by side, one per core."""
        views = list(product(grid["scaling"], grid["width"], grid["cost"]))
        before: Any = None
        with one_blas_thread(), ThreadPoolExecutor(n_threads()) as pool:
            for scaling, width, cost in tracked(views, len(views)):
                if before != (scaling, width):
                    X = dense(scaled(problem.X, scaling)).astype(np.float64, copy=False)
                    K = gaussian(X, X, width * median_distance(X))
                    before = (scaling, width)
                runs = range(problem.n_runs)
                scores = list(pool.map(partial(_scores, problem, K, cost), runs))
                seen = {}
                if problem.folds is not None:
                    seen["hits"] = list(pool.map(partial(_hits, problem, K, cost), runs))
                classes = [of_run.argmax(axis=1) for of_run in scores]
                setting = {"scaling": scaling, "width": width, "cost": cost}
                yield setting, Outputs(classes, scores, seen)


def _scores(problem: Problem, K: np.ndarray, cost: float, run: int) -> np.ndarray:
    """The scores of a run at its asked nodes."""
    machines, _ = one_against_rest(K, problem.labels[run], problem.n_classes, cost)
    return as_scores([machine.scores[problem.asked[run]] for machine in machines])


def _hits(problem: Problem, K: np.ndarray, cost: float, run: int) -> float:
    """Labelled nodes that a plain machine gets right when their fold is left out."""
    assert problem.folds is not None
    labels, folds = problem.labels[run], problem.folds[run]
    hits = 0
    for fold in np.unique(folds[folds >= 0]):
        out = np.flatnonzero(folds == fold)
        rest = np.flatnonzero((labels >= 0) & (folds != fold))
        model = SVC(C=cost, kernel="precomputed").fit(K[np.ix_(rest, rest)], labels[rest])
        hits += int(np.sum(model.predict(K[np.ix_(out, rest)]) == labels[out]))
    return float(hits)


class TSVMClassifier(PartlyLabelled):
    """Transductive support vector machine with a Gaussian kernel, one class against the rest.

    Memory grows with N^2, time faster: for some thousands of rows. No graph is used. Without
    unlabelled rows it is the support vector machine.

    Parameters
    ----------
    width : float > 0, default=1.0
        Width of the kernel, in median distances between rows.
    cost : float > 0, default=10.0
        Weight of a row's slack against 1/2 ||w||^2; unlabelled rows reach it step by step.

    Attributes
    ----------
    transduction_ : array of shape (n_nodes,)
        The class of every fitted row.
    label_scores_ : array of shape (n_nodes, n_classes)
        The largest score of a row is its class.
    classes_ : array of shape (n_classes,)
    dual_coef_ : array of shape (n_nodes, n_machines)
        A column for each class; with two classes, only for the second.
    intercept_ : array of shape (n_machines,)
    objectives_ : list of lists of lists
        For each machine, step and fit: no switch of labels raises them.

    References
    ----------
    T. Joachims. Transductive Inference for Text Classification using Support Vector Machines.
    ICML 1999.
    """

    def __init__(self, *, width: float = 1.0, cost: float = 10.0):
        self.width = width
        self.cost = cost

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit on all rows; unknown classes in y are -1 or missing."""
        width, cost = check_positive("width", self.width), check_positive("cost", self.cost)
        self.X_fit_, codes = self._read_rows(X, y, np.float64)
        self.radius_ = width * median_distance(self.X_fit_)
        K = gaussian(self.X_fit_, self.X_fit_, self.radius_)
        machines, self.objectives_ = one_against_rest(K, codes, len(self.classes_), cost)
        self.dual_coef_ = np.column_stack([machine.coef for machine in machines])
        self.intercept_ = np.array([machine.intercept for machine in machines])
        self.label_scores_ = as_scores([machine.scores for machine in machines])
        self.transduction_ = self.classes_[self.label_scores_.argmax(axis=1)]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of new rows, shape (n, C), or (n,) for two classes: positive is `classes_[1]`."""
        check_is_fitted(self)
        X = read_features(self, X, fitting=False, dtype=np.float64)
        columns = gaussian(X, self.X_fit_, self.radius_) @ self.dual_coef_ + self.intercept_
        return self._as_decision(as_scores(list(columns.T)))

    def predict(self, X: Any) -> np.ndarray:
        """Classes of new rows; those of the fitted rows are in `transduction_`."""
        return self._winners(self.decision_function(X))

"""From data and splits to a problem and its judge; this hides labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from flgc.label_free import LabelFree, of_distinct
from flgc.methods.base import Method, Problem
from flgc.metrics import (
    area_under_curve,
    clustering_accuracy,
    normalized_mutual_information,
    silhouette,
)
from flgc.scaling import standardised

# Columns for judges, and for picks that say that they use test labels.
HIDDEN = ("test", "ACC", "NMI")
MOST_SAMPLED = 5_000
# What classifications are measured by.
ACCURACY, AUC = "accuracy", "AUC"


@dataclass(frozen=True, eq=False)
class Labels:
    """The judge of a classification: the share of right nodes, by their role in a run.

    `roles` has for each run the nodes of each column, in the order of the asked nodes. `validated`
    is the number of validation nodes. With `ranks` it takes decisions, the score of the second of
    two classes less that of the first, and gives the AUC.
    """

    truth: np.ndarray
    roles: Sequence[Mapping[str, np.ndarray]]
    ranks: bool = False

    def __call__(self, runs: Sequence[int], classes: Any) -> dict[str, np.ndarray]:
        columns = [self._of_run(run, of_run) for run, of_run in zip(runs, classes, strict=True)]
        return {name: np.stack([each[name] for each in columns]) for name in columns[0]}

    def _of_run(self, run: int, classes: np.ndarray) -> dict[str, Any]:
        ends = np.cumsum([len(nodes) for nodes in self.roles[run].values()])
        missing = np.full(classes.shape[1:], np.nan)
        columns = {name: missing for name in ("validation", "validated", "hits", "test")}
        parts = np.split(classes, ends[:-1])
        for (role, nodes), part in zip(self.roles[run].items(), parts, strict=True):
            truth = self.truth[nodes].reshape(-1, *[1] * (part.ndim - 1))
            right = (part > 0) == truth if self.ranks else part == truth
            if role == "hits":
                columns["hits"] = right.sum(axis=0).astype(float)
            elif len(nodes):
                share = area_under_curve(self.truth[nodes], part) if self.ranks else right.mean(0)
                columns[role] = share
            if role == "validation":
                columns["validated"] = np.full(part.shape[1:], float(len(nodes)))
        return columns


@dataclass(frozen=True, eq=False)
class Clusters:
    """The judge of a clustering: ACC and NMI against the known classes, and the silhouette.

    The others use no class: the columns of `flgc.label_free`, and the silhouette, which says how
    much closer nodes are to their own cluster than to the next. All are taken in spaces that are
    the same whatever was clustered, so that values of different graphs and scalings can be
    compared.
    """

    truth: np.ndarray
    features: Any

    def __call__(self, runs: Sequence[int], classes: Any) -> dict[str, np.ndarray]:
        has_class = self.truth >= 0
        pairs = [(self.truth[has_class], np.asarray(of_run)[has_class]) for of_run in classes]
        return {
            "ACC": np.array([clustering_accuracy(*pair) for pair in pairs]),
            "NMI": np.array([normalized_mutual_information(*pair) for pair in pairs]),
            **of_distinct(self._without_classes, classes),
        }

    def _without_classes(self, labels: np.ndarray) -> dict[str, float]:
        return {
            "silhouette": silhouette(self._distances, labels[self._sample]),
            **self._label_free(labels),
        }

    @cached_property
    def _label_free(self) -> LabelFree:
        return LabelFree(self.features)

    @cached_property
    def _distances(self) -> np.ndarray:
        return pairwise_distances(standardised(self.features[self._sample]))

    @cached_property
    def _sample(self) -> np.ndarray:
        """Evenly spaced nodes, as many as have room for their distances."""
        n_nodes = len(self.truth)
        return np.unique(np.linspace(0, n_nodes - 1, min(n_nodes, MOST_SAMPLED)).astype(int))


def posed(
    data: Any,
    graph: sp.csr_array | Mapping[str, sp.csr_array],
    splits: Sequence[Any] | None,
    seeds: Sequence[int],
    method: Method,
    device: str = "cpu",
    kept: Any = None,
    metric: str = ACCURACY,
) -> tuple[Problem, Any]:
    """A dataset on one graph, or several, as a problem and its judge.

    Without splits it is a clustering.
    """
    graphs = graph if isinstance(graph, Mapping) else {}
    P = next(iter(graphs.values())) if graphs else graph
    dataset = (data.features, data.labels, data.n_classes, P)
    rest = {"device": device, "kept": kept, "graphs": graphs}
    if splits is None:
        return clustering(*dataset, seeds, **rest)
    return classification(*dataset, splits, seeds, method, metric=metric, **rest)


def classification(
    features: Any,
    labels: np.ndarray,
    n_classes: int,
    P: sp.csr_array,
    splits: Sequence[Any],
    seeds: Sequence[int],
    method: Method,
    metric: str = ACCURACY,
    **rest: Any,
) -> tuple[Problem, Labels]:
    """One run for each split; on a single split one for each seed, if the method is seeded.

    Splits have `train`, `val`, `test` and `folds`; see `flgc.datasets.splits`.
    """
    if len(splits) == 1 and method.seeded:
        splits = [splits[0]] * len(seeds)
    visible, folds = (np.full((len(splits), len(labels)), -1) for _ in range(2))
    for run, split in enumerate(splits):
        visible[run, split.train] = labels[split.train]
        if split.folds is not None:
            folds[run, split.train] = split.folds
    problem = Problem(
        X=features,
        P=P,
        n_classes=n_classes,
        labels=visible,
        asked=tuple(np.concatenate([split.val, split.test]) for split in splits),
        seeds=tuple(seeds[: len(splits)]),
        folds=folds if (folds >= 0).any() else None,
        **rest,
    )
    if metric == AUC and n_classes != 2:
        raise ValueError(f"the AUC is of two classes, and the data have {n_classes}")
    roles = [{"validation": split.val, "test": split.test} for split in splits]
    return problem, Labels(labels, roles, ranks=metric == AUC)


def clustering(
    features: Any,
    labels: np.ndarray,
    n_clusters: int,
    P: sp.csr_array,
    seeds: Sequence[int],
    **rest: Any,
) -> tuple[Problem, Clusters]:
    """All nodes are asked for and none is labelled; one run for each seed."""
    problem = Problem(
        X=features,
        P=P,
        n_classes=n_clusters,
        labels=np.full((len(seeds), len(labels)), -1),
        asked=tuple(np.arange(len(labels)) for _ in seeds),
        seeds=tuple(seeds),
        **rest,
    )
    return problem, Clusters(labels, features)

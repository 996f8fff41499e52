"""From data and splits to a problem and its judge: here labels are hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from flgc.methods.base import Method, Problem
from flgc.metrics import (
    area_under_curve,
    clustering_accuracy,
    normalized_mutual_information,
    silhouette,
)
from flgc.scaling import standardised

# What only those may look at who judge, or who say that they pick on test labels.
HIDDEN = ("test", "ACC", "NMI")
MOST_SAMPLED = 5_000
# What classifications are measured by.
ACCURACY, AUC = "accuracy", "AUC"


@dataclass(frozen=True, eq=False)
class Labels:
    """The judge of a classification: the share of nodes that is right, by their role in a run.

    `roles` has for each run the nodes that each column is about, in the order in which they are
    asked. `validated` is the number of validation nodes. With `ranks` it takes decisions, the score
    of the second of two classes less that of the first, and gives the AUC.
    """

    truth: np.ndarray
    roles: Sequence[Mapping[str, np.ndarray]]
    ranks: bool = False

    def __call__(self, runs: Sequence[int], classes: Any) -> dict[str, np.ndarray]:
        found = [self._of_run(run, of_run) for run, of_run in zip(runs, classes, strict=True)]
        return {name: np.stack([each[name] for each in found]) for name in found[0]}

    def _of_run(self, run: int, classes: np.ndarray) -> dict[str, Any]:
        ends = np.cumsum([len(nodes) for nodes in self.roles[run].values()])
        missing = np.full(classes.shape[1:], np.nan)
        found = {name: missing for name in ("validation", "validated", "hits", "test")}
        parts = np.split(classes, ends[:-1])
        for (role, nodes), part in zip(self.roles[run].items(), parts, strict=True):
            truth = self.truth[nodes].reshape(-1, *[1] * (part.ndim - 1))
            right = (part > 0) == truth if self.ranks else part == truth
            if role == "hits":
                found["hits"] = right.sum(axis=0).astype(float)
            elif len(nodes):
                share = area_under_curve(self.truth[nodes], part) if self.ranks else right.mean(0)
                found[role] = share
            if role == "validation":
                found["validated"] = np.full(part.shape[1:], float(len(nodes)))
        return found


@dataclass(frozen=True, eq=False)
class Clusters:
    """The judge of a clustering: ACC and NMI against the classes that are known.

    Besides, without them, the silhouette: how much closer nodes are to their own cluster than to
    the next. It is taken in standardised features, whatever was clustered: in a space of their own
    the numbers of two graphs or scalings could not be compared.
    """

    truth: np.ndarray
    features: Any

    def __call__(self, runs: Sequence[int], classes: Any) -> dict[str, np.ndarray]:
        known = self.truth >= 0
        pairs = [(self.truth[known], np.asarray(of_run)[known]) for of_run in classes]
        return {
            "ACC": np.array([clustering_accuracy(*pair) for pair in pairs]),
            "NMI": np.array([normalized_mutual_information(*pair) for pair in pairs]),
            "silhouette": np.array(
                [
                    silhouette(self._distances, np.asarray(of_run)[self._sample])
                    for of_run in classes
                ]
            ),
        }

    @cached_property
    def _distances(self) -> np.ndarray:
        return pairwise_distances(standardised(self.features[self._sample]))

    @cached_property
    def _sample(self) -> np.ndarray:
        """Nodes evenly over all of them, as many as have room for their distances."""
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
    """A dataset on a graph, or on several, as a problem and its judge.

    Without splits it is one of clustering.
    """
    graphs = graph if isinstance(graph, Mapping) else {}
    P = next(iter(graphs.values())) if graphs else graph
    given = (data.features, data.labels, data.n_classes, P)
    rest = {"device": device, "kept": kept, "graphs": graphs}
    if splits is None:
        return clustering(*given, seeds, **rest)
    return classification(*given, splits, seeds, method, metric=metric, **rest)


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
    """One run for each split; on a single split one for each seed, if the method has use for them.

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
    """Every node is asked for and none is labelled; one run for each seed."""
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

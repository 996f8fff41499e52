"""Baselines of the benchmark: functions from a case (a graph) to the scores of all nodes.

Each starts from the adjacency and the raw features, so its time includes propagation.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import RidgeClassifier

from flgc import FLGCClassifier
from flgc.graph import as_adjacency, propagation_matrix
from flgc.scaling import row_normalised


@dataclass(frozen=True)
class Case:
    """A graph, its features and labels, and the setting of the comparison."""

    features: sp.csr_array
    labels: np.ndarray
    edges: np.ndarray
    train: np.ndarray
    hops: int
    teleport: float
    regularization: float

    @property
    def visible(self) -> np.ndarray:
        """Labels with -1 outside the training nodes."""
        return np.where(self.train, self.labels, -1)


def flgc(case: Case) -> np.ndarray:
    """The estimator of this library."""
    model = FLGCClassifier(
        hops=case.hops, teleport=case.teleport, regularization=case.regularization
    )
    return model.fit(case.features, case.visible, adjacency=case.edges).label_scores_


def reference_recipe(case: Case) -> np.ndarray:
    """Algorithm 1 line by line: propagate all features, invert the d x d matrix of Eq. 16."""
    X = case.features.toarray()
    H = _plain_embedding(case, X)
    mask = case.train[:, None]
    targets = np.eye(case.labels.max() + 1)[case.labels] * mask
    gram = H.T @ (mask * H) + case.regularization * np.eye(X.shape[1])
    return H @ (np.linalg.inv(gram) @ (H.T @ targets))


def ridge_classifier(case: Case) -> np.ndarray:
    """scikit-learn's `RidgeClassifier` on the propagated features."""
    H = _plain_embedding(case, case.features.toarray())
    ridge = RidgeClassifier(alpha=case.regularization, fit_intercept=False)
    ridge.fit(H[case.train], case.labels[case.train])
    return ridge.decision_function(H)


# The recipe of SGC's authors: 2 hops, row-normalised features, 100 epochs of Adam at .2, a small
# weight decay. With this decay it reaches their published accuracies on all three citation graphs.
SGC_HOPS, SGC_EPOCHS, SGC_LEARNING_RATE, SGC_WEIGHT_DECAY = 2, 100, 0.2, 5e-5
SGC = f"PyG SGC, {SGC_HOPS} hops, {SGC_EPOCHS} epochs"


def sgc(case: Case) -> np.ndarray:
    """PyG's SGC as its authors train it; at the setting of the others it would be worse."""
    import torch
    from torch_geometric.nn import SGConv

    torch.manual_seed(0)
    X = torch.as_tensor(row_normalised(case.features).toarray(), dtype=torch.float32)
    edges = torch.as_tensor(case.edges)
    labels, train = torch.as_tensor(case.labels), torch.as_tensor(case.train)
    model = SGConv(X.shape[1], int(labels.max()) + 1, K=SGC_HOPS, cached=True)
    optimizer = torch.optim.Adam(
        model.parameters(), lr=SGC_LEARNING_RATE, weight_decay=SGC_WEIGHT_DECAY
    )
    for _ in range(SGC_EPOCHS):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(X, edges)[train], labels[train])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return model(X, edges).numpy()


Rival = Callable[[Case], np.ndarray]


def available() -> dict[str, Rival]:
    """Ours first, then all baselines that are installed."""
    rivals: dict[str, Rival] = {
        "flgc": flgc,
        "reference recipe": reference_recipe,
        "RidgeClassifier on propagated features": ridge_classifier,
    }
    if find_spec("torch_geometric"):
        rivals[SGC] = sgc
    return rivals


def timed_in_turns(case: Case, repeats: int) -> dict[str, tuple[float, np.ndarray]]:
    """Median seconds and scores of each; they take turns, so that other load affects all."""
    rivals = available()
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    scores = {}
    for _ in range(repeats):
        for name, solve in rivals.items():
            scores[name], elapsed = timed(solve, case)
            seconds[name].append(elapsed)
    return {name: (statistics.median(seconds[name]), scores[name]) for name in rivals}


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """What the work returns, and its seconds."""
    started = time.perf_counter()
    result = work(*arguments)
    return result, time.perf_counter() - started


def _plain_embedding(case: Case, X: np.ndarray) -> np.ndarray:
    P = propagation_matrix(as_adjacency(case.edges, len(X)))
    H = X
    for _ in range(case.hops):
        H = (1 - case.teleport) * (P @ H) + case.teleport * X
    return H

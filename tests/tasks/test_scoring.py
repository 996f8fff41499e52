"""Scores of a grid are those of the same models fitted one by one, at the nodes that they name."""

import numpy as np
import pytest

from flgc import FLGCClassifier
from flgc.clustering import FLGCClustering
from flgc.datasets import load
from flgc.datasets.splits import Split
from flgc.graph import as_adjacency, propagation_matrix
from flgc.metrics import clustering_accuracy, normalized_mutual_information
from tasks.clusterings import clustering_scores, silhouette
from tasks.picking import Rival, Setting
from tasks.scoring import classification_scores
from tasks.training import Data, predictions, training_scores

KARATE = load("KarateClub")
P = propagation_matrix(as_adjacency(KARATE.edges, KARATE.n_nodes))
ORDER = np.random.default_rng(1).permutation(34)
RUNS = [Split(nodes[:8], nodes[8:15], nodes[15:]) for nodes in (np.sort(ORDER), ORDER[::-1])]


def accuracy(predicted: np.ndarray, nodes: np.ndarray) -> float:
    return float(np.mean(predicted[nodes] == KARATE.labels[nodes]))


def test_closed_forms_are_scored_at_the_nodes_of_each_role() -> None:
    runs = [Split(np.array([0, 4, 8, 24, 1, 5]), np.array([2, 3, 9, 31]), np.arange(10, 22))]
    runs.append(Split(np.array([0, 4, 8, 24, 2, 6]), np.array([1, 5, 32, 33]), np.arange(12, 24)))
    axes = {"scalings": ["raw"], "hops": [0, 2], "teleports": [0.0, 0.3], "regularizations": [0.1]}
    data = (KARATE.features, KARATE.labels, KARATE.n_classes)
    found = classification_scores(P, *data, runs=runs, **axes)
    assert len(found) == 2 * 2 * 2
    for row in found.itertuples():
        run = runs[row.run]
        y = np.full(34, -1)
        y[run.train] = KARATE.labels[run.train]
        model = FLGCClassifier(
            hops=row.hops, teleport=row.teleport, regularization=row.regularization
        ).fit(KARATE.features, y, adjacency=KARATE.edges)
        assert row.validation == pytest.approx(accuracy(model.transduction_, run.val))
        assert row.test == pytest.approx(accuracy(model.transduction_, run.test))
    assert (found["validation"] != found["test"]).any()


def test_trained_methods_are_scored_at_the_nodes_of_each_role() -> None:
    data = Data(P, KARATE.features, KARATE.labels, KARATE.n_classes, RUNS)
    rival = Rival("SGC", (2,), (0.2,), (5e-4,), (20, 3))
    setting = Setting("raw", 2, 0.0, 5e-4, 0.2, 20)
    found = training_scores(data, rival, [setting], [7, 8])
    expected = predictions(data, rival, setting, [7, 8], (20, 3))
    assert len(found) == 4
    for row in found.itertuples():
        predicted = expected[(20, 3).index(row.epochs), row.run]
        assert row.validation == accuracy(predicted, RUNS[row.run].val)
        assert row.test == accuracy(predicted, RUNS[row.run].test)
    assert (found["validation"] != found["test"]).any()


@pytest.fixture(scope="module")
def two_lines() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    directions = np.eye(6)[[0, 3]]
    truth = np.repeat([0, 1], 12)
    X = rng.uniform(1, 2, (24, 1)) * directions[truth] + 0.01 * rng.standard_normal((24, 6))
    return X, truth


def test_the_silhouette_prefers_the_true_clusters(two_lines: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = two_lines
    model = FLGCClustering(2, solver="exact", random_state=0, n_neighbors=3).fit(X)
    found = {}
    for name, labels in {"true": truth, "mixed": np.arange(24) % 2, "one": 0 * truth}.items():
        model.labels_ = labels
        found[name] = silhouette(model)
    assert found["true"] > 0.5
    assert abs(found["mixed"]) < 0.1
    assert found["one"] == -1


def test_clusterings_are_scored_against_the_truth(two_lines: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = two_lines
    P = propagation_matrix(as_adjacency(np.zeros((24, 24))))
    wrong = np.where(np.arange(24) < 3, 1, truth)
    axes = {"scalings": ["raw"], "hops": [1], "teleports": [0.0], "regularizations": [1.0]}
    blocks = {"threshold": 0.8, "subspace_dim": 1, "power": 4}
    found = clustering_scores(P, X, wrong, 2, seeds=[0], **axes, blocks=blocks).iloc[0]
    expected = [clustering_accuracy(wrong, truth), normalized_mutual_information(wrong, truth)]
    assert found[["ACC", "NMI"]].tolist() == pytest.approx(expected)
    assert expected[0] == 21 / 24
    assert found["silhouette"] > 0.5

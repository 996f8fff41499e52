"""Affinities in the order of classes, against the plain sums over pairs."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from flgc import FLGCClustering
from flgc.datasets import load
from flgc.methods.estimators import Estimator
from flgc.methods.flgc_clustering import Clustering
from flgc.methods.sorted_affinity import SortedAffinity, sort_affinity
from flgc.preparing import build_graph
from flgc.scaling import standardised
from tests.flgc.drawn import CLUSTERING
from tests.plain import seeds

IRIS = load("iris")
P = build_graph(IRIS, "standardised", 10)
SETTING = {"scaling": "standardised"} | CLUSTERING


def shuffled() -> tuple:
    """Iris in another order, two classes unknown, and its graph."""
    order = np.random.default_rng(0).permutation(IRIS.n_nodes)
    labels = IRIS.labels[order].copy()
    labels[:2] = -1
    data = dataclasses.replace(IRIS, features=IRIS.features[order], labels=labels)
    return data, build_graph(data, "standardised", 10)


def test_it_is_the_estimators_matrix_with_rows_and_columns_by_class() -> None:
    data, graph = shuffled()
    found = sort_affinity(data, [graph], Clustering(), SETTING, seeds=[5, 6])
    model = FLGCClustering(3, n_neighbors=10, solver="exact", random_state=5, **CLUSTERING)
    plain = model.fit(standardised(data.features)).affinity_matrix_
    order = sorted(range(data.n_nodes), key=lambda node: data.labels[node])
    expected = [[plain[i, j] for j in order] for i in order]
    np.testing.assert_allclose(found.matrix, expected, atol=1e-5)
    assert found.labels.tolist() == sorted(data.labels)
    assert found.labels[0] == -1
    assert found.matrix.dtype == np.float32


@given(labels=st.lists(st.integers(-1, 3), min_size=1, max_size=9), seed=seeds)
def test_what_is_inside_is_the_sum_over_pairs(labels: list[int], seed: int) -> None:
    labels = sorted(labels)
    half = np.random.default_rng(seed).random((len(labels), len(labels)))
    found = SortedAffinity(half + half.T, np.array(labels))
    pairs = [(i, j) for i in range(len(labels)) for j in range(len(labels)) if i != j]
    within = [(i, j) for i, j in pairs if labels[i] == labels[j] >= 0]
    total = sum(found.matrix[pair] for pair in pairs)
    expected = sum(found.matrix[pair] for pair in within) / total if pairs else 0.0
    assert found.inside == pytest.approx(expected, abs=1e-12)
    even = SortedAffinity(np.ones_like(half), np.array(labels))
    assert even.by_chance == pytest.approx(even.inside)


def test_blocks_are_where_classes_begin_and_end() -> None:
    found = SortedAffinity(np.eye(6), np.array([-1, 0, 0, 2, 2, 2]))
    assert found.blocks == [(1, 3), (3, 6)]
    assert found.inside == 0.0, "rows are like themselves alone"
    blocks = np.kron(np.eye(2), np.ones((3, 3)))
    assert SortedAffinity(blocks, np.repeat([0, 1], 3)).inside == 1.0


def test_a_method_without_an_affinity_is_named() -> None:
    means = Estimator("k-means", KMeans, n_init=(1,))
    setting = {"scaling": "raw", "n_init": 1}
    with pytest.raises(ValueError, match="k-means has no affinity: choose a method that"):
        sort_affinity(IRIS, [P], means, setting, seeds=[0])

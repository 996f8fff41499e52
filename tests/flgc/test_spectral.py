"""From self-expressions and affinities to clusters, each fast path against the plain one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score, silhouette_score

from flgc.metrics import modularity, silhouette
from flgc.self_expression import prune_columns, self_expression, self_expressions
from flgc.spectral import (
    by_means,
    dense_affinity,
    discretized,
    numbered,
    spectral_clusters,
    spectral_embedding,
)
from tests.plain import seeds


def gaussian_affinity(X: np.ndarray) -> np.ndarray:
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    return np.exp(-((distances / np.median(distances)) ** 2) * 4)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_spectral_clusters_are_scikit_learns(load, dtype):
    X = load().data
    W = gaussian_affinity((X - X.mean(axis=0)) / X.std(axis=0)).astype(dtype)
    plain = SpectralClustering(
        3, affinity="precomputed", assign_labels="discretize", random_state=0
    )
    expected = plain.fit_predict(W)
    assert adjusted_rand_score(expected, spectral_clusters(W, 3, 0)) > 0.97
    assert adjusted_rand_score(expected, by_means(spectral_embedding(W, 3), 0)) > 0.9


def test_the_embedding_is_that_of_the_normalised_affinity():
    W = gaussian_affinity(load_iris().data)
    np.fill_diagonal(W, 7.0)  # does not count
    plain = W - np.diag(np.diag(W))
    degrees = plain.sum(axis=1)
    _, vectors = np.linalg.eigh(plain / np.sqrt(degrees[:, None] * degrees))
    rows = vectors[:, -3:] / np.linalg.norm(vectors[:, -3:], axis=1, keepdims=True)
    found = spectral_embedding(W, 3)
    np.testing.assert_allclose(found @ found.T, rows @ rows.T, atol=1e-9)


def test_a_node_without_affinity_does_not_disturb_the_others():
    W = np.kron(np.eye(3), np.ones((10, 10)))
    W[4] = W[:, 4] = 0
    assert not spectral_embedding(W, 3)[4].any()
    for seed in range(5):
        others = np.delete(spectral_clusters(W, 3, seed), 4)
        assert adjusted_rand_score(np.delete(np.repeat([0, 1, 2], 10), 4), others) == 1


@given(st.integers(0, 1000))
def test_clusters_of_any_size_are_found_in_any_basis_of_equal_eigenvalues(seed):
    """Eigenvectors of equal eigenvalues come in any rotation: what scales columns loses some."""
    truth = np.repeat([0, 1, 2], [3, 30, 300])
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))[0]
    assert discretized(np.eye(3)[truth] @ turn, seed).tolist() == truth.tolist()


def test_an_embedding_of_fewer_directions_than_clusters_leaves_some_empty():
    rows = np.tile([1.0, 0.0, 0.0], (12, 1))
    assert discretized(rows, 0).tolist() == [0] * 12


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_clusters_are_numbered_by_their_first_nodes(labels):
    found = numbered(np.array(labels))
    assert adjusted_rand_score(labels, found) == 1
    firsts = [found.tolist().index(code) for code in range(found.max() + 1)]
    assert firsts == sorted(firsts)


@given(seeds, st.sampled_from([0, 1, 2, 3, 4, 10, 18, 2.5]))
def test_powers_are_powers(seed, power):
    F = np.random.default_rng(seed).standard_normal((8, 3))
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    expected = np.clip(F @ F.T, 0, None) ** power
    np.testing.assert_allclose(dense_affinity(F, power), expected / expected.max(), rtol=1e-10)


def test_pruning_keeps_what_is_level_together():
    Z = np.array([[0.5, 1.0], [0.25, 1.0], [0.25, 1.0]])
    np.testing.assert_array_equal(prune_columns(Z, 0.6), Z)
    np.testing.assert_array_equal(prune_columns(Z, 0.4)[:, 0], [0.5, 0, 0])


@pytest.mark.parametrize("shape", [(12, 5), (5, 12), (9, 9)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(seed=st.integers(0, 1000), scale=st.sampled_from([1e-2, 1.0, 1e3]))
def test_one_decomposition_has_every_regularization(shape, dtype, seed, scale):
    rng = np.random.default_rng(seed)
    X = (scale * rng.standard_normal(shape)).astype(dtype)
    H = X + (0.3 * scale * rng.standard_normal(shape)).astype(dtype)
    regularizations = (0.01, 1.0, 100.0)
    found = list(self_expressions(H, X, regularizations))
    digits = 2e-3 if dtype == "float32" else 1e-8
    for r, Z in zip(regularizations, found, strict=True):
        exact = self_expression(H.astype(float), X.astype(float), r)
        np.testing.assert_allclose(Z, exact, atol=digits * max(np.abs(exact).max(), 1))
        assert Z.dtype == dtype


@pytest.mark.parametrize(("shape", "digits"), [((60, 20), 1e-6), ((20, 60), 1e-5)])
def test_features_of_many_sizes_keep_the_small_ones_in_float32(shape, digits):
    """A Gram matrix in float32 would lose digits of small eigenvalues next to large ones."""
    rng = np.random.default_rng(0)
    X = (rng.standard_normal(shape) * np.logspace(0, 3, shape[1])).astype("float32")
    [Z] = self_expressions(X, X, [1.0])
    exact = self_expression(X.astype(float), X.astype(float), 1.0)
    np.testing.assert_allclose(Z, exact, atol=digits * np.abs(exact).max())


def test_a_regularization_that_a_gram_matrix_has_lost_is_solved_by_itself():
    X = np.random.default_rng(0).standard_normal((8, 5)) * np.logspace(0, 7, 5)
    [Z] = self_expressions(X, X, [1e-9])
    np.testing.assert_allclose(Z, self_expression(X, X, 1e-9), atol=1e-10)


@given(st.integers(0, 1000), st.integers(2, 6))
def test_the_silhouette_is_scikit_learns(seed, n_clusters):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20, 3))
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    labels = np.r_[np.arange(n_clusters), rng.integers(n_clusters, size=20 - n_clusters)]
    expected = silhouette_score(distances, labels, metric="precomputed")
    assert silhouette(distances, labels) == pytest.approx(expected)


def test_one_cluster_or_one_for_each_node_is_the_worst():
    distances = np.ones((4, 4)) - np.eye(4)
    assert silhouette(distances, [0, 0, 0, 0]) == silhouette(distances, [0, 1, 2, 3]) == -1
    assert silhouette(np.zeros((4, 4)), [0, 0, 1, 1]) == 0, "all in one place"


@given(st.integers(0, 1000))
def test_modularity_is_its_definition(seed):
    rng = np.random.default_rng(seed)
    W = rng.random((9, 9))
    W = W + W.T
    labels = rng.integers(3, size=9)
    plain = W - np.diag(np.diag(W))
    degrees, total = plain.sum(axis=1), plain.sum()
    same = labels[:, None] == labels
    expected = ((plain - np.outer(degrees, degrees) / total) * same).sum() / total
    assert modularity(W, labels) == pytest.approx(expected)
    assert modularity(np.eye(9), labels) == 0

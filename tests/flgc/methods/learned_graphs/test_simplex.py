import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flgc.methods.learned_graphs.simplex import k_neighbor_weights, nearest_on_simplex
from tests.plain import seeds


def bisected(p: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The plain twin: t of max(p - t w, 0) by halving."""
    low, high = (p / w).min() - 1 / w.min(), (p / w).max()
    for _ in range(200):
        t = (low + high) / 2
        low, high = (t, high) if np.maximum(p - t * w, 0).sum() > 1 else (low, t)
    return np.maximum(p - t * w, 0)


@given(seeds, st.sampled_from([0.1, 1.0, 1e3]), st.booleans())
def test_it_is_the_nearest_point(seed, size, weighted):
    rng = np.random.default_rng(seed)
    P = size * rng.standard_normal((5, 7))
    W = rng.uniform(0.1, 2.0, P.shape) if weighted else np.ones_like(P)
    S = nearest_on_simplex(P, W if weighted else None)
    expected = np.stack([bisected(p, w) for p, w in zip(P, W, strict=True)])
    np.testing.assert_allclose(S, expected, atol=1e-9)
    np.testing.assert_allclose(S.sum(axis=1), 1.0, atol=1e-12 * max(1.0, size))
    assert (S >= 0).all()


@given(seeds)
def test_equal_weights_are_no_weights(seed):
    P = np.random.default_rng(seed).standard_normal((4, 6))
    np.testing.assert_allclose(
        nearest_on_simplex(P, np.full_like(P, 3.0)), nearest_on_simplex(P), atol=1e-12
    )


def test_known_points():
    P = np.array([[0.2, 0.3, 0.5], [5.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, -np.inf, 1.0]])
    expected = [[0.2, 0.3, 0.5], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0, 0.5]]
    np.testing.assert_allclose(nearest_on_simplex(P), expected, atol=1e-15)
    np.testing.assert_allclose(nearest_on_simplex(P, np.ones_like(P)), expected, atol=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
def test_large_entries_keep_their_digits(weighted):
    P = 1e12 + np.array([[0.25, 0.5, -3.0]])
    S = nearest_on_simplex(P, np.ones_like(P) if weighted else None)
    np.testing.assert_allclose(S, [[0.375, 0.625, 0.0]], atol=1e-3)
    np.testing.assert_allclose(S.sum(), 1.0, atol=1e-12)


@given(seeds, st.integers(1, 5))
def test_k_neighbors_are_the_projection_with_their_gamma(seed, k):
    D = np.random.default_rng(seed).uniform(0.1, 1.0, (4, 8))
    S, gammas = k_neighbor_weights(D, k)
    np.testing.assert_allclose(S, nearest_on_simplex(-D / (2 * gammas[:, None])), atol=1e-9)
    assert (np.count_nonzero(S, axis=1) == k).all()


def test_the_weights_of_the_closed_form():
    S, gammas = k_neighbor_weights(np.array([[1.0, 4.0, 2.0, np.inf]]), 2)
    np.testing.assert_allclose(S, [[3 / 5, 0, 2 / 5, 0]])
    np.testing.assert_allclose(gammas, [2.5])


def test_equally_far_neighbors_share_the_weight():
    S, gammas = k_neighbor_weights(np.array([[0.0, 0.0, 0.0, np.inf]]), 2)
    np.testing.assert_array_equal(S, [[0.5, 0.5, 0, 0]])
    assert gammas[0] == 0

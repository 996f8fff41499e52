"""The low-rank expressions against plain ones with full decompositions, and known answers."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from flgc.low_rank_expression import (
    low_rank_expression,
    robust_low_rank_expression,
    row_space,
    secular_roots,
    thresholded,
)
from tests.plain import seeds

weights = st.sampled_from([0.05, 0.3, 1.0, 5.0])
SOLVERS = {"ridge": low_rank_expression, "robust": robust_low_rank_expression}


def plain_thresholded(B, threshold):
    U, S, Vt = np.linalg.svd(B, full_matrices=False)
    return (U * np.maximum(S - threshold, 0)) @ Vt


def plain_robust(H, X, weight, penalty=1.0):
    """Alternating directions on J = Z and X' = H'Z + E, as Liu et al. have it, N x N."""
    A, D = H.T, X.T
    Z, Y2 = np.zeros((len(H), len(X))), np.zeros((len(H), len(X)))
    Y1 = np.zeros_like(D)
    inverse = np.linalg.inv(np.eye(len(H)) + A.T @ A)
    for _ in range(20_000):
        J = plain_thresholded(Z + Y2 / penalty, 1 / penalty)
        B = D - A @ Z + Y1 / penalty
        lengths = np.maximum(np.linalg.norm(B, axis=0), 1e-300)
        E = B * np.maximum(1 - weight / penalty / lengths, 0)
        before = Z
        Z = inverse @ (A.T @ (D - E) + J + (A.T @ Y1 - Y2) / penalty)
        Y1 += penalty * (D - A @ Z - E)
        Y2 += penalty * (Z - J)
        if max(np.abs(D - A @ Z - E).max(), np.abs(Z - J).max(), np.abs(Z - before).max()) < 1e-9:
            return J
    raise AssertionError("the plain version did not converge")


def plain_ridge(H, X, regularization, penalty=1.0):
    """Alternating directions on J = Z, N x N."""
    J, dual = np.zeros((len(H), len(X))), np.zeros((len(H), len(X)))
    inverse = np.linalg.inv(H @ H.T + penalty * np.eye(len(H)))
    for _ in range(20_000):
        Z = inverse @ (H @ X.T + penalty * (J - dual))
        before, J = J, plain_thresholded(Z + dual, regularization / penalty)
        dual += Z - J
        if max(np.abs(Z - J).max(), np.abs(J - before).max()) < 1e-9:
            return J
    raise AssertionError("the plain version did not converge")


def robust_objective(Z, H, X, weight):
    errors = np.linalg.norm(X.T - H.T @ Z, axis=0).sum()
    return np.linalg.svd(Z, compute_uv=False).sum() + weight * errors


def ridge_objective(Z, H, X, regularization):
    return (
        np.sum((X.T - H.T @ Z) ** 2) / 2 + regularization * np.linalg.svd(Z, compute_uv=False).sum()
    )


def subspaces(seed, n=12, noise=0.1):
    """Rows near two planes of six dimensions, one row of zeros, one row twice."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.standard_normal((n // 2, 2)) @ rng.standard_normal((2, 6)) for _ in "ab"])
    X += noise * rng.standard_normal(X.shape)
    X[3], X[4] = 0, X[5]
    return X


def design(X, seed, kind):
    """The features, or averages of them that may be of lower rank, or nearly so."""
    P = np.random.default_rng(seed).random((len(X), len(X)))
    averaged = (P / P.sum(axis=1, keepdims=True)) @ X
    flat, steep = np.diag([1, 1, 1, 1, 0, 0]), np.diag(10.0 ** -np.arange(0, 12, 2))
    return {"same": X, "averaged": averaged, "flat": averaged @ flat, "steep": X @ steep}[kind]


PLAIN = {"ridge": (plain_ridge, ridge_objective), "robust": (plain_robust, robust_objective)}


@pytest.mark.parametrize("name", SOLVERS)
@settings(max_examples=10)
@given(seeds, weights, st.sampled_from(["same", "averaged", "flat", "steep"]))
@example(0, 1.0, "flat")  # which alone leaves something that the design does not reach
def test_the_optimum_is_that_of_full_decompositions(name, seed, weight, kind):
    plain, objective = PLAIN[name]
    X = subspaces(seed)
    H = (3 if name == "ridge" else 1) * design(X, seed, kind)
    expected = plain(H, X, weight)
    found = SOLVERS[name](H, X, weight, tol=1e-9, max_iter=5000)
    assert found.residual <= 1e-9
    assert objective(found.matrix, H, X, weight) <= objective(expected, H, X, weight) * (1 + 1e-6)
    np.testing.assert_allclose(found.matrix, expected, atol=1e-4)


@pytest.mark.parametrize("regularization", [0.5, 3.0])
def test_the_closed_form_is_where_the_iteration_ends(regularization):
    X = subspaces(0)
    closed = low_rank_expression(X, X.copy(), regularization)
    assert closed.n_iter == 0
    nearly = np.nextafter(X, np.inf)  # not equal, so that it is iterated
    iterated = low_rank_expression(nearly, X, regularization, tol=1e-10, max_iter=5000)
    assert iterated.n_iter > 0
    np.testing.assert_allclose(closed.matrix, iterated.matrix, atol=1e-7)


@pytest.mark.parametrize(("name", "weight"), [("ridge", 1e-12), ("robust", 1e3)])
def test_without_noise_it_is_the_shape_interaction_matrix(name, weight):
    """Where fitting counts for everything, or errors too much, Z = VV'."""
    X = subspaces(1, noise=0.0)
    _, _, V = row_space(X)
    found = SOLVERS[name](X, X, weight)
    np.testing.assert_allclose(found.matrix, V @ V.T, atol=1e-3)
    assert len(found.values) == 4
    blocks = np.abs(found.matrix) > 1e-2
    assert not blocks[:6, 6:].any()


def test_the_part_that_the_design_does_not_reach_dampens():
    """A sample of which nothing is reached costs weight, whatever expresses it: nothing does."""
    X, H = np.eye(4), np.diag([1.0, 1.0, 1.0, 0.0])
    found = robust_low_rank_expression(H, X, 5.0, tol=1e-8).matrix
    np.testing.assert_allclose(found, np.diag([1.0, 1.0, 1.0, 0.0]), atol=1e-6)


@pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)
def test_decompositions_are_skinny_and_orthonormal(solve):
    X = subspaces(2)
    for H in (X, design(X, 2, "flat")):
        found = solve(H, X, 0.5)
        for vectors in (found.left, found.right):
            assert vectors.shape == (len(X), len(found.values))
            np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(found.values)), atol=1e-8)
        assert (found.values > 0).all()


@pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_result_has_the_precision_of_the_features(solve, dtype):
    X = subspaces(3).astype(dtype)
    H = design(X, 3, "averaged").astype(dtype)
    exact = solve(H.astype(np.float64), X.astype(np.float64), 0.5, tol=1e-6).matrix
    found = solve(H, X, 0.5, tol=1e-5)
    assert found.matrix.dtype == dtype
    np.testing.assert_allclose(found.matrix, exact, atol=1e-3)


@pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)
def test_nothing_but_zeros_is_expressed_by_nothing(solve):
    zeros = np.zeros((5, 3))
    for H, X in ((zeros, zeros), (zeros, zeros + 1)):
        found = solve(H, X, 1.0)
        assert (len(found.values), found.residual) == (0, 0.0)
        np.testing.assert_array_equal(found.matrix, np.zeros((5, 5)))


@pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)
def test_an_iteration_that_is_cut_off_says_so(solve):
    X = subspaces(4)
    H = design(X, 4, "averaged")
    with pytest.warns(ConvergenceWarning, match=r"after 3 iterations, above tol=1e-12"):
        found = solve(H, X, 0.5, tol=1e-12, max_iter=3)
    assert (found.n_iter, found.residual > 1e-12) == (3, True)


@pytest.mark.parametrize("threshold", [1e-9, 1e-3, 0.5, 2.0, 100.0])
def test_thresholding_by_either_decomposition_is_the_plain_one(threshold):
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.standard_normal((20, 5)))
    U, _ = np.linalg.qr(rng.standard_normal((5, 5)))
    B = U @ np.diag([3.0, 1.0, 1e-2, 1e-6, 1e-8]) @ Q.T
    left, values, right = thresholded(B, threshold)
    expected = plain_thresholded(B, threshold)
    above = [value for value in (1e-8, 1e-6, 1e-2, 1.0, 3.0) if value > threshold]
    np.testing.assert_allclose(np.sort(values), np.array(above) - threshold, rtol=1e-6)
    np.testing.assert_allclose((left * values) @ right.T, expected, rtol=1e-6, atol=1e-14)


@given(seeds, st.sampled_from([1e-3, 0.5, 2.0, 50.0]), st.sampled_from([0.0, 0.4]))
def test_secular_roots_solve_their_equation(seed, radius, outside):
    rng = np.random.default_rng(seed)
    G, poles = rng.standard_normal((4, 7)), rng.random(4) + 0.01
    G[:, 0] = 0
    c = np.full(7, outside)
    x = secular_roots(G, poles, c, radius, 10.0 ** rng.uniform(-3, 3, 7))
    assert (x >= 0).all()
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = np.where(c > 0, c / x, 0)
    norms = np.sqrt(((G / (x + poles[:, None])) ** 2).sum(axis=0) + beyond**2)
    np.testing.assert_allclose(norms[x > 0], radius, rtol=1e-8)
    assert (norms[x == 0] <= radius * (1 + 1e-8)).all()

import numpy as np
import pytest
from scipy.optimize import minimize

from flgc.methods.learned_graphs.convex import ConvexCombinations


def plain_row(X, i, pull, target, slope):
    """One sample's problem, by a general solver."""
    others = np.delete(np.arange(len(X)), i)

    def objective(s):
        fit = X[i] - s @ X[others]
        return fit @ fit / 2 + pull / 2 * np.sum((s - target[others]) ** 2) + slope[others] @ s

    start = np.full(len(others), 1 / len(others))
    sums = {"type": "eq", "fun": lambda s: s.sum() - 1}
    bounds = [(0, 1)] * len(others)
    return minimize(
        objective, start, bounds=bounds, constraints=sums, options={"ftol": 1e-14, "maxiter": 500}
    )


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((9, 12)) + 5.0
    pull, A = rng.uniform(0.1, 2, (9, 1)), rng.dirichlet(np.ones(9), 9)
    return X, pull, A, rng.uniform(0, 3, (9, 9))


@pytest.mark.parametrize("whole", [False, True])
def test_the_optimum_is_that_of_a_general_solver(problem, whole):
    X, pull, A, slope = problem
    pull, A, slope = (pull, A, slope) if whole else (0 * pull, 0 * A, 0 * slope)
    samples = ConvexCombinations(X)
    S, _, gap = samples.solved(
        samples.equal, pull=pull, target=A, slope=slope, max_iter=20_000, tol=1e-9
    )
    assert gap <= 1e-9
    np.testing.assert_allclose(S.sum(axis=1), 1.0, atol=1e-12)
    assert (S >= 0).all()
    assert (np.diag(S) == 0).all()
    for i in range(9):
        expected = plain_row(X, i, pull[i, 0], A[i], slope[i])
        np.testing.assert_allclose(np.delete(S[i], i), expected.x, atol=2e-4)


def test_the_gap_is_above_what_is_left_to_gain(problem):
    X = problem[0]
    samples = ConvexCombinations(X)
    best = samples.errors(samples.solved(samples.equal, max_iter=20_000, tol=1e-10)[0])
    rough, steps, gap = samples.solved(samples.equal, max_iter=3, tol=1e-10)
    assert steps == 3
    left = (samples.errors(rough) - best).max() / 2 / samples.mean_square
    assert 1e-6 < left <= gap


def test_errors_are_those_of_the_formula(problem):
    X = problem[0]
    S = np.random.default_rng(1).dirichlet(np.ones(9), 9)
    expected = np.sum((X - S @ X) ** 2, axis=1)
    np.testing.assert_allclose(ConvexCombinations(X).errors(S), expected, rtol=1e-9)


def test_a_copy_expresses_a_sample_and_momentum_pays():
    X = np.repeat(np.eye(4), 2, axis=0)
    samples = ConvexCombinations(X)
    S, steps, _ = samples.solved(samples.equal, max_iter=1000, tol=1e-9)
    np.testing.assert_allclose(S, np.kron(np.eye(4), [[0, 1], [1, 0]]), atol=1e-3)
    assert steps <= 200


def test_one_sample_has_no_others():
    with pytest.raises(ValueError, match=r"n_samples=1: .* give at least 2"):
        ConvexCombinations(np.ones((1, 2)))

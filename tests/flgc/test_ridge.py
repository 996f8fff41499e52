import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flgc.device import solve_positive_definite
from flgc.ridge import RidgePath, one_hot, ridge_weights, solve_ridge
from tests import plain

REGULARIZATIONS = [1e-2, 0.5, 4.0, 100.0]


@st.composite
def designs(draw):
    n, d, c = draw(st.integers(2, 25)), draw(st.integers(1, 25)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    H = rng.standard_normal((n, d))
    if draw(st.booleans()):  # a duplicated row and a constant column
        H[0] = H[-1]
        H[:, 0] = 1
    return H, np.eye(c)[rng.integers(c, size=n)]


@given(designs())
def test_path_is_the_formula_in_both_forms(design):
    H, Y = design
    everything = np.arange(len(H))
    for path in (RidgePath(H @ H.T, Y), RidgePath(H.T @ H, Y, H), RidgePath.from_features(H, Y)):
        solutions = path.solutions(REGULARIZATIONS)
        for i, r in enumerate(REGULARIZATIONS):
            W = solutions[:, i] if path.H is not None else H.T @ solutions[:, i]
            np.testing.assert_allclose(W, plain.ridge_weights(H, Y, everything, r), atol=1e-8)


@given(designs())
def test_leave_one_out_equals_refits(design):
    H, Y = design
    for path in (RidgePath(H @ H.T, Y), RidgePath(H.T @ H, Y, H)):
        residuals = path.leave_one_out_residuals(REGULARIZATIONS, path.solutions(REGULARIZATIONS))
        for i, r in enumerate(REGULARIZATIONS):
            for left_out in range(len(H)):
                rest = np.delete(np.arange(len(H)), left_out)
                W = plain.ridge_weights(H, Y[rest], rest, r)
                expected = Y[left_out] - H[left_out] @ W
                np.testing.assert_allclose(residuals[left_out, i], expected, atol=1e-8)


@pytest.mark.parametrize("shape", [(9, 4), (4, 9)])
def test_many_designs_at_once_equal_one_by_one(shape):
    rng = np.random.default_rng(0)
    H, Y = rng.standard_normal((5, *shape)), rng.standard_normal((5, shape[0], 3))
    together = RidgePath.from_features(H, Y)
    solutions = together.solutions([0.0, *REGULARIZATIONS])
    residuals = together.leave_one_out_residuals(REGULARIZATIONS, solutions[..., 1:, :])
    for k in range(5):
        alone = RidgePath.from_features(H[k], Y[k])
        expected = alone.solutions([0.0, *REGULARIZATIONS])
        np.testing.assert_allclose(solutions[k], expected, atol=1e-10)
        np.testing.assert_allclose(
            residuals[k],
            alone.leave_one_out_residuals(REGULARIZATIONS, expected[:, 1:]),
            atol=1e-10,
        )


@given(designs())
def test_regularization_zero_is_minimum_norm(design):
    H, Y = design
    expected = np.linalg.pinv(H) @ Y
    dual = H.T @ RidgePath(H @ H.T, Y).solutions([0.0])[:, 0]
    primal = RidgePath(H.T @ H, Y, H).solutions([0.0])[:, 0]
    # Squaring H in the Gram matrix costs half of the digits where H is nearly singular.
    scale = 1 + np.abs(expected).max() ** 2
    np.testing.assert_allclose(H @ dual, H @ expected, atol=1e-5 * scale)
    np.testing.assert_allclose(H @ primal, H @ expected, atol=1e-5 * scale)


@given(designs(), plain.regularizations)
def test_cholesky_equals_the_inverse(design, r):
    H, Y = design
    gram, moment = H.T @ H, H.T @ Y
    expected = np.linalg.inv(gram + r * np.eye(len(gram))) @ moment
    np.testing.assert_allclose(solve_ridge(gram, moment, r), expected, atol=1e-8)


@given(designs(), plain.regularizations)
def test_weights_are_the_formula_in_every_form(design, r):
    H, Y = design
    expected = plain.ridge_weights(H, Y, np.arange(len(H)), r)
    for form in ("auto", "primal", "dual"):
        np.testing.assert_allclose(ridge_weights(H, Y, r, form), expected, atol=1e-8)


def test_where_rounding_swallows_the_regularization_it_is_minimum_norm():
    singular = np.ones((3, 3), dtype=np.float32)
    tiny = 1e-12
    assert solve_positive_definite(singular, np.ones((3, 1), np.float32)) is None
    solution = solve_ridge(singular, np.ones((3, 1), dtype=np.float32), tiny)
    np.testing.assert_allclose(solution, 1 / 3, atol=1e-5)


def test_leave_one_out_refuses_regularization_zero():
    path = RidgePath(np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match="regularization > 0, got 0"):
        path.leave_one_out_residuals([1.0, 0.0], path.solutions([1.0, 0.0]))


def test_one_hot():
    np.testing.assert_array_equal(one_hot(np.array([1, 0, 2]), 3, np.float32), np.eye(3)[[1, 0, 2]])

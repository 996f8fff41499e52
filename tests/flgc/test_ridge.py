import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from flgc.device import solve_positive_definite
from flgc.ridge import RidgePath, SingularPath, one_hot, ridge_factors, ridge_weights
from tests import plain

REGULARIZATIONS = [1e-2, 0.5, 4.0, 100.0]


@st.composite
def designs(draw):
    n, d, c = draw(st.integers(2, 25)), draw(st.integers(1, 25)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(plain.seeds))
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


@pytest.mark.parametrize("shape", [(9, 4), (4, 9)])
def test_the_smaller_gram_matrix_is_decomposed(shape):
    H = np.random.default_rng(0).standard_normal(shape)
    assert RidgePath.from_features(H, np.ones((shape[0], 2)), 1.0).Q.shape == (4, 4)


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
def test_weights_are_the_formula_in_every_form(design, r):
    H, Y = design
    expected = plain.ridge_weights(H, Y, np.arange(len(H)), r)
    for form in ("auto", "primal", "dual"):
        np.testing.assert_allclose(ridge_weights(H, Y, r, form), expected, atol=1e-8)
    left, right = ridge_factors(H, Y, r)
    np.testing.assert_allclose(left @ right, expected, atol=1e-8)


@st.composite
def hard_designs(draw):
    """Fewer, as many and more rows than columns; collinear, badly scaled, or a row on its own."""
    d = draw(st.integers(1, 12))
    n = max(2, d + draw(st.integers(-6, 8)))
    rng = np.random.default_rng(draw(plain.seeds))
    H = rng.standard_normal((n, d))
    kind = draw(st.sampled_from(["plain", "duplicated", "scaled", "alone"]))
    if kind == "duplicated":
        H[0] = H[-1]
        H[:, 0] = H[:, -1] = 1
    if kind == "scaled":
        H *= 10.0 ** rng.uniform(-3, 3, size=d)
    if kind == "alone":  # the one row with this feature: its leverage is 1 without r
        H[:, 0] = 0
        H[0, 0] = 1
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    return H.astype(dtype), np.eye(3, dtype=dtype)[rng.integers(3, size=n)]


HARD = [1e-12, 1e-6, 2.0**-8, 1.0, 1e8]


@given(hard_designs())
def test_leave_one_out_keeps_its_digits(design):
    H, Y = design
    exact, targets = H.astype(float), Y.astype(float)
    grids = [[r] for r in HARD] + [HARD]
    for grid in grids:
        path = RidgePath.from_features(H, Y, min(grid))
        found = path.leave_one_out_residuals(grid, path.solutions(grid))
        for i, r in enumerate(grid):
            expected = plain.leave_one_out_residuals(exact, targets, r)
            scale = 1 + np.abs(expected).max()
            np.testing.assert_allclose(found[:, i], expected, atol=1e-3 * scale)


@given(hard_designs(), st.sampled_from([0.0, *HARD]))
def test_every_form_keeps_its_digits(design, r):
    """float32 is float64 on the same numbers, as far as H is not collinear but for rounding."""
    H, Y = design
    exact = H.astype(float)
    values = np.linalg.svd(exact, compute_uv=False)
    rounding = max(H.shape) * np.finfo(H.dtype).eps * values[0]  # below it they are taken for 0
    assume(not ((values > 1e-12 * values[0]) & (values < 10 * rounding)).any())
    expected = exact @ plain.precise_ridge_weights(exact, Y.astype(float), r)
    path = SingularPath(exact, Y.astype(float)).solutions([r])[:, 0]
    np.testing.assert_allclose(exact @ path, expected, atol=1e-6)
    for form in ("auto", "primal", "dual"):
        W = ridge_weights(H, Y, r, form)
        assert W.dtype == H.dtype
        tolerance = 1e-6 if H.dtype == np.float64 else 2e-2
        np.testing.assert_allclose(exact @ W, expected, atol=tolerance)
        on_torch = ridge_weights(torch.as_tensor(H), torch.as_tensor(Y), r, form).numpy()
        np.testing.assert_allclose(exact @ on_torch, expected, atol=tolerance)


@given(hard_designs())
def test_regularization_zero_is_lstsq(design):
    H, Y = (array.astype(float) for array in design)
    expected = np.linalg.lstsq(H, Y, rcond=None)[0]
    scale = 1 + np.abs(expected).max()
    for W in (ridge_weights(H, Y, 0.0), RidgePath.from_features(H, Y).solutions([0.0])[:, 0]):
        np.testing.assert_allclose(W, expected, atol=1e-6 * scale)


def test_cholesky_is_left_where_the_condition_is_too_large():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((30, 30)))[0]
    right = rng.standard_normal((30, 2))
    for smallest in (1e-4, 1e-12):
        matrix = Q * np.geomspace(smallest, 1, 30) @ Q.T
        for array in (np.asarray, torch.as_tensor):
            found = solve_positive_definite(array(matrix), array(right), 1e9)
            assert (found is None) == (smallest < 1e-9)
            # A floor says that the condition is fine, and is believed.
            assert solve_positive_definite(array(matrix), array(right), 1e9, 1e-4) is not None
    singular = np.ones((3, 3), dtype=np.float32)
    assert solve_positive_definite(singular, np.ones((3, 1), np.float32), 1e5) is None


@pytest.mark.parametrize("shape", [(9, 5), (5, 9)])
def test_squares_that_lose_the_regularization_are_not_taken(shape):
    """Two columns that are large and equal but for their ninth digit: their squares are equal."""
    rng = np.random.default_rng(0)
    H, Y = rng.standard_normal(shape), np.eye(3)[np.arange(shape[0]) % 3]
    H[:, 0] *= 1e6
    H[:, 1] = H[:, 0] * (1 + 1e-9 * rng.standard_normal(shape[0]))
    path = RidgePath.from_features(H, Y, 1e-6)
    found = path.leave_one_out_residuals([1e-6], path.solutions([1e-6]))[:, 0]
    expected = plain.leave_one_out_residuals(H, Y, 1e-6)
    np.testing.assert_allclose(found, expected, atol=1e-4 * (1 + np.abs(expected).max()))


def test_one_design_of_many_that_is_hard_is_enough():
    rng = np.random.default_rng(0)
    H, Y = rng.standard_normal((4, 9, 5)), rng.standard_normal((4, 9, 2))
    H[2] *= 1e6
    path = RidgePath.from_features(H, Y, 1e-6)
    residuals = path.leave_one_out_residuals([1e-6], path.solutions([1e-6]))
    for k in range(4):
        expected = plain.leave_one_out_residuals(H[k], Y[k], 1e-6)
        np.testing.assert_allclose(residuals[k][:, 0], expected, atol=1e-6)


def test_leave_one_out_refuses_regularization_zero():
    path = RidgePath(np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match="regularization > 0, got 0"):
        path.leave_one_out_residuals([1.0, 0.0], path.solutions([1.0, 0.0]))


def test_one_hot():
    np.testing.assert_array_equal(one_hot(np.array([1, 0, 2]), 3, np.float32), np.eye(3)[[1, 0, 2]])

"""The sparse self-expression against scikit-learn's Lasso, column by column."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from flgc.sparse_expression import Spectrum, sparse_expression

RNG = np.random.default_rng(0)
WIDE, TALL = RNG.normal(size=(15, 25)), RNG.normal(size=(30, 12))
EXACT = {"tolerance": 1e-8, "max_iter": 20_000}


def lasso(H: np.ndarray, X: np.ndarray, r: float, without_own: bool = False) -> np.ndarray:
    """One column after the other; the own row is left out by hand."""
    Z = np.zeros((len(H), len(X)))
    model = Lasso(r / H.shape[1], fit_intercept=False, tol=1e-12, max_iter=100_000)
    for column, x in enumerate(X):
        rows = np.delete(np.arange(len(H)), column) if without_own else np.arange(len(H))
        Z[rows, column] = model.fit(H[rows].T, x).coef_
    return Z


def objective(H: np.ndarray, X: np.ndarray, r: float, Z: np.ndarray) -> float:
    return 0.5 * np.linalg.norm(H.T @ Z - X.T) ** 2 + r * np.abs(Z).sum()


@pytest.mark.parametrize("without_own", [False, True])
@pytest.mark.parametrize("X", [WIDE, TALL], ids=["N < d", "N > d"])
def test_equals_a_lasso_for_each_column(X: np.ndarray, without_own: bool):
    H = X + 0.3 * np.roll(X, 1, axis=0)  # design and target differ, as after propagation
    found = sparse_expression(Spectrum.of_features(H, X), 1.0, without_own=without_own, **EXACT)
    wanted = lasso(H, X, 1.0, without_own)
    assert found.n_unfinished == 0
    assert max(found.residuals) <= 1e-8
    np.testing.assert_allclose(found.Z, wanted, atol=1e-6)
    assert 0.1 < np.mean(wanted != 0) < 0.8
    assert np.array_equal(found.Z != 0, wanted != 0)


def test_more_columns_than_a_block_has_and_fewer_rows_than_columns():
    H, X = RNG.normal(size=(20, 10)), RNG.normal(size=(300, 10))
    found = sparse_expression(Spectrum.of_features(H, X), 1.0, **EXACT)
    np.testing.assert_allclose(found.Z, lasso(H, X, 1.0), atol=1e-6)


def test_sums_of_marked_entries_are_one_and_the_rest_is_optimal():
    marked = (np.arange(30) < 20).astype(float)
    found = sparse_expression(Spectrum.of_features(TALL, TALL), 1.0, sums=marked, **EXACT)
    np.testing.assert_allclose(marked @ found.Z, 1, atol=1e-6)
    # A Lagrangian for each column: all entries above 0 have one gradient, up to the multiplier.
    slope = TALL @ (TALL.T - TALL.T @ found.Z) - np.sign(found.Z)
    for column, entries in enumerate((found.Z != 0).T):
        multipliers = slope[entries & (marked > 0), column]
        np.testing.assert_allclose(multipliers, multipliers[0], atol=1e-4)
        np.testing.assert_allclose(slope[entries & (marked == 0), column], 0, atol=1e-4)


@given(scale=st.floats(0.01, 100), r=st.floats(0.05, 0.8))
def test_the_unit_of_the_features_is_no_matter(scale: float, r: float):
    H, X = scale * TALL, 3 * scale * np.roll(TALL, 1, axis=0)
    largest = np.abs(H @ X.T).max()
    found = sparse_expression(Spectrum.of_features(H, X), r * largest, **EXACT)
    wanted = sparse_expression(
        Spectrum.of_features(TALL, X / (3 * scale)), r * largest / (3 * scale**2), **EXACT
    )
    assert found.n_unfinished == 0
    np.testing.assert_allclose(found.Z, 3 * wanted.Z, atol=1e-5)


def test_from_the_largest_product_on_nothing_is_expressed():
    largest = np.abs(TALL @ TALL.T).max()
    spectrum = Spectrum.of_features(TALL, TALL)
    assert not sparse_expression(spectrum, 1.001 * largest).Z.any()
    assert sparse_expression(spectrum, 0.999 * largest, tolerance=1e-6).Z.any()


def test_single_precision_is_near_the_optimum():
    spectrum = Spectrum.of_features(TALL.astype(np.float32), TALL.astype(np.float32))
    found = sparse_expression(spectrum, 1.0)
    assert found.Z.dtype == np.float32
    assert found.n_unfinished == 0
    best = objective(TALL, TALL, 1.0, lasso(TALL, TALL, 1.0))
    assert objective(TALL, TALL, 1.0, found.Z) <= 1.0001 * best


def test_the_penalty_pays():
    """Of weights far from the unit of the features, too, some hundred iterations are enough."""
    for r in (0.1, 10.0):
        found = sparse_expression(Spectrum.of_features(TALL, TALL), r, without_own=True)
        assert found.n_unfinished == 0
        assert found.n_iter <= 400


def test_what_does_not_converge_is_said():
    with pytest.warns(ConvergenceWarning, match=r"30 of 30 columns have residuals above tol"):
        found = sparse_expression(Spectrum.of_features(TALL, TALL), 0.1, tolerance=1e-9, max_iter=3)
    assert found.n_unfinished == 30
    assert found.n_iter == 3
    assert max(found.residuals) > 1e-9


def test_nothing_and_zero_rows_express_nothing():
    X = TALL.copy()
    X[[0, 7]] = 0
    for features in (X, np.zeros((5, 4))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Z = sparse_expression(Spectrum.of_features(features, features), 1.0).Z
        empty = ~features.any(axis=1)
        assert np.isfinite(Z).all()
        assert not Z[empty].any()
        assert not Z[:, empty].any()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"regularization": 0}, "regularization=0 is not possible: give a number > 0"),
        ({"tolerance": -1}, "tolerance=-1 is not possible"),
        ({"max_iter": 0}, "max_iter=0 is not possible"),
    ],
)
def test_what_cannot_be_is_refused(given: dict, message: str):
    with pytest.raises(ValueError, match=message):
        sparse_expression(Spectrum.of_features(TALL, TALL), **{"regularization": 1.0, **given})

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from flgc import eigenpairs
from flgc.eigenpairs import dense_eigenpairs, iterated_eigenpairs, leading_eigenpairs, operator


def symmetric(eigenvalues: np.ndarray, seed: int = 0, dtype: str = "float64") -> np.ndarray:
    """A matrix with these eigenvalues."""
    n = len(eigenvalues)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))
    return ((Q * eigenvalues) @ Q.T).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("which", ["LM", "LA"])
@given(seed=st.integers(0, 1000), decay=st.sampled_from([3.0, 6.0, 20.0]))
@settings(max_examples=4)
def test_iterated_and_dense_eigenpairs_agree(seed, decay, which, dtype):
    rng = np.random.default_rng(seed)
    A = symmetric(rng.choice([-1, 1], 300) * np.exp(-decay * rng.random(300)), seed, dtype)
    values, vectors, rest = iterated_eigenpairs(A, 10, which)
    expected, _ = dense_eigenpairs(A, 10, which)
    digits = 5e-5 if dtype == "float32" else 1e-12
    assert rest <= 1
    np.testing.assert_allclose(values, expected, atol=digits)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(10), atol=10 * digits)
    tolerance = 3 * np.sqrt(np.finfo(dtype).eps)
    assert np.abs(A @ vectors - vectors * values).max() <= tolerance * np.abs(values).max()
    assert values.dtype == vectors.dtype == A.dtype


@pytest.mark.parametrize("which", ["LM", "LA"])
def test_dense_eigenpairs_are_in_order(which):
    A = symmetric(np.array([3.0, -5.0, 1.0, 0.5, -0.1]))
    values, vectors = dense_eigenpairs(A, 3, which)
    np.testing.assert_allclose(values, [-5, 3, 1] if which == "LM" else [3, 1, 0.5], atol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-12)


def test_one_eigenvalue_far_above_all_others_does_not_overflow():
    A = symmetric(np.array([1e6, *np.linspace(1, 0, 499)]), dtype="float32")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values, _ = leading_eigenpairs(A, 3, "LM")
    assert values[0] == pytest.approx(1e6, rel=1e-5)


def test_a_block_without_any_small_eigenvalue_to_damp_stays_finite():
    """Its last values may be rounding errors: divided by those, the filter would overflow."""
    values = np.array([1.0, -0.9, 1e-9])
    middle, width = eigenpairs._unwanted(values, 2, "LM", 1.0)
    V = np.eye(3, dtype="float32")
    A = np.diag(values).astype("float32")
    filtered = eigenpairs._filtered(A, V, A, middle, width)
    assert np.abs(filtered).max() < 1 / np.finfo("float32").eps


@pytest.mark.parametrize("n", [50, 500])
def test_a_zero_operator_has_zero_eigenvalues(n):
    values, vectors = leading_eigenpairs(operator(lambda V: 0 * V, n, float), 3, "LA")
    np.testing.assert_allclose(values, 0, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-10)


@pytest.mark.parametrize("which", ["LM", "LA"])
def test_what_does_not_converge_is_computed_densely(monkeypatch, which):
    """A flat spectrum, too few rounds to resolve it: nothing of the iteration is used."""
    A = symmetric(np.linspace(1, 0.99, 500))
    monkeypatch.setattr(eigenpairs, "LARGEST_ARE_FASTER", 499)
    rounds = eigenpairs._most_rounds(500, eigenpairs._block_size(3))
    *_, rest = iterated_eigenpairs(A, 3, which, rounds)
    assert rest > 1
    values, _ = leading_eigenpairs(A, 3, which)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[::-1][:3], rtol=1e-12)
    monkeypatch.setattr(eigenpairs, "LARGEST_DENSE", 499)
    with pytest.warns(ConvergenceWarning, match="of 500 x 500 did not converge in 24 rounds"):
        leading_eigenpairs(A, 3, which)


def test_a_flat_spectrum_is_given_up_on_before_it_costs_more_than_lapack():
    """So many products of a block: a few times the size of the matrix in columns, not dozens."""
    A, columns = symmetric(np.linspace(1, 0.99, 1000)), []

    def apply(V: np.ndarray) -> np.ndarray:
        columns.append(V.shape[1])
        return A @ V

    leading_eigenpairs(operator(apply, 1000, A.dtype), 60, "LM")
    assert columns[-1] == 1000  # the matrix itself, for LAPACK
    assert sum(columns[:-1]) < 8 * 1000

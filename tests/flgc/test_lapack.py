import threading
import time

import numpy as np
import pytest
import scipy.linalg as la
from hypothesis import given
from hypothesis import strategies as st

from flgc import lapack
from flgc.lapack import symmetric_eigh


def symmetric(n: int, dtype: str, seed: int = 0) -> np.ndarray:
    A = np.random.default_rng(seed).standard_normal((n, n)).astype(dtype)
    return A + A.T


@pytest.mark.parametrize("offered", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(n=st.integers(1, 40), k=st.integers(1, 45), order=st.sampled_from("CF"))
def test_eigenpairs_are_scipys(offered, dtype, n, k, order):
    A = np.asarray(symmetric(n, dtype), order=order)
    before = A.copy()
    with pytest.MonkeyPatch.context() as patch:
        if not offered:  # as where scipy has other integers
            patch.setattr(lapack, "_routine", lambda name: None)
        for n_largest in (None, k):
            values, vectors = symmetric_eigh(A, n_largest)
            few = n if n_largest is None else min(n_largest, n)
            digits = {"float32": 5e-4, "float64": 1e-11}[dtype]
            np.testing.assert_allclose(values, la.eigvalsh(before)[n - few :], atol=digits)
            np.testing.assert_allclose(before @ vectors, vectors * values, atol=digits)
            np.testing.assert_allclose(vectors.T @ vectors, np.eye(few), atol=digits)
            assert values.dtype == vectors.dtype == A.dtype
    np.testing.assert_array_equal(A, before)


def test_only_the_lower_triangle_counts_as_in_scipy():
    A = symmetric(6, "float64")
    for n_largest in (None, 2):
        values, _ = symmetric_eigh(np.tril(A), n_largest)
        np.testing.assert_allclose(values, la.eigvalsh(A)[-len(values) :], atol=1e-12)


def test_scipy_offers_lapack_here():
    """Else all of it is right, and slower than it need be: nobody would notice."""
    assert all(lapack._routine(f"{kind}{name}") for kind in "sd" for name in ("syevd", "syevr"))
    assert lapack._routine("no such function") is None


@pytest.mark.parametrize("n_largest", [None, 20])
def test_other_threads_go_on_meanwhile(n_largest):
    A, ticks, done = symmetric(800, "float32"), [], threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.perf_counter()
    symmetric_eigh(A, n_largest)
    ended = time.perf_counter()
    done.set()
    thread.join()
    quarter = (ended - started) / 4
    assert any(started + quarter < tick < ended - quarter for tick in ticks)


def test_what_lapack_refuses_is_an_error():
    routine = lapack._routine("dsyevd")
    assert routine is not None
    with pytest.raises(la.LinAlgError, match="info=-3"):
        lapack._work(routine, np.dtype(float), b"V", b"U", -1, np.eye(2), 2, np.empty(2))

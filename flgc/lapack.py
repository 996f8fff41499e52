"""Eigenvectors of symmetric matrices, without holding Python's lock.

scipy's functions hold the lock while LAPACK works. numpy's release it, but compute in float64 only,
and always all eigenvectors. So LAPACK is called here by the addresses that scipy offers to compiled
code; ctypes releases the lock.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import scipy.linalg as la
from scipy.linalg import cython_lapack

PREFIXES = {"float32": "s", "float64": "d"}
_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_address_of = ctypes.pythonapi.PyCapsule_GetPointer
_address_of.restype, _address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def symmetric_eigh(A: np.ndarray, n_largest: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues in ascending order and eigenvectors: all, or the largest.

    For all, divide and conquer (`syevd`) takes half the time of `syevr`, which can find a part.
    """
    n = len(A)
    k = n if n_largest is None else min(n_largest, n)
    routine = _routine(PREFIXES.get(A.dtype.name, "") + ("syevd" if k == n else "syevr"))
    if routine is None:
        return la.eigh(A, check_finite=False, subset_by_index=[n - k, n - 1])
    return _all(routine, A) if k == n else _largest(routine, A, k)


@cache
def _routine(name: str) -> Callable[..., None] | None:
    """A function of LAPACK, which takes addresses; None if its integers are not C's `int`."""
    capsule = getattr(cython_lapack, "__pyx_capi__", {}).get(name)
    signature = b"" if capsule is None else _name_of(capsule)
    if not signature.endswith(b" int *, int *, int *)"):
        return None
    kinds = [ctypes.c_void_p] * signature.count(b"*")
    return ctypes.CFUNCTYPE(None, *kinds)(_address_of(capsule, signature))


def _all(routine: Callable[..., None], A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n, values = len(A), np.empty(len(A), A.dtype)
    vectors = _by_columns(A)  # LAPACK overwrites the matrix with them
    _work(routine, A.dtype, b"V", b"U", n, vectors, n, values)
    return values, vectors


def _largest(routine: Callable[..., None], A: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    n, dtype = len(A), A.dtype
    values, vectors = np.empty(n, dtype), np.empty((n, k), dtype, order="F")
    unused, n_found, support = np.zeros(1, dtype), np.zeros(1, np.intc), np.empty(2 * k, np.intc)
    matrix = (b"V", b"I", b"U", n, _by_columns(A), n)
    span = (unused, unused, n - k + 1, n, unused)  # by index, not by value; the default tolerance
    _work(routine, dtype, *matrix, *span, n_found, values, vectors, n, support)
    return values[:k], vectors


def _by_columns(A: np.ndarray) -> np.ndarray:
    """A copy of A' in Fortran order: LAPACK's upper triangle is the lower one of A."""
    return np.array(A.T, order="F")


def _work(routine: Callable[..., None], dtype: np.dtype, *arguments: Any) -> None:
    """Query the size of the workspace, then call with one of that size."""
    room, whole = np.empty(1, dtype), np.empty(1, np.intc)
    _call(routine, *arguments, room, -1, whole, -1)
    size = int(np.nextafter(room[0], dtype.type(np.inf))) + 1  # float32 may have rounded it down
    room, whole = np.empty(size, dtype), np.empty(whole[0], np.intc)
    _call(routine, *arguments, room, len(room), whole, len(whole))


def _call(routine: Callable[..., None], *arguments: Any) -> None:
    info = np.zeros(1, np.intc)
    arrays = [_as_array(each) for each in (*arguments, info)]  # alive until the call returns
    routine(*(array.ctypes.data for array in arrays))
    if info[0]:
        raise la.LinAlgError(f"LAPACK found no eigenvectors (info={info[0]})")


def _as_array(value: Any) -> np.ndarray:
    """An array, which has an address, of a letter or a number."""
    if isinstance(value, np.ndarray):
        return value
    return np.frombuffer(value, np.uint8) if isinstance(value, bytes) else np.array(value, np.intc)

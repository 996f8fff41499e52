"""Where the arithmetic runs: numpy and scipy on CPUs, torch on GPUs, one set of formulas for both.

The formulas use the array API; only moving data to a device and the sparse product differ.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from array_api_compat import array_namespace
from array_api_compat import device as array_device
from threadpoolctl import ThreadpoolController

from flgc.checks import brief

Item = TypeVar("Item")
Result = TypeVar("Result")

DTYPES = ("float32", "float64")


def resolve_device(device: str) -> Any:
    """None for the numpy path, a `torch.device` for the torch path.

    "auto" takes a CUDA device if there is one. "torch:<device>" forces the torch path on any
    torch device, e.g. "torch:cpu".
    """
    if not isinstance(device, str):
        raise _unknown_device(device)
    if device == "cpu":
        return None
    if device == "auto":
        if not _has_cuda_driver():
            return None
        try:
            import torch
        except ImportError:
            return None
        return torch.device("cuda") if torch.cuda.is_available() else None
    if device.startswith(("cuda", "torch:")):
        try:
            import torch
        except ImportError as error:
            raise ImportError(
                f"device={device!r} needs torch: pip install 'flgc[gnn]', or use device='cpu'."
            ) from error
        try:
            wanted = torch.device(device.removeprefix("torch:"))
        except RuntimeError as error:
            raise _unknown_device(device) from error
        if wanted.type == "cuda" and not torch.cuda.is_available():
            raise ValueError(
                f"device={device!r}, but torch sees no CUDA device: use device='auto' or 'cpu'."
            )
        return wanted
    raise _unknown_device(device)


def _unknown_device(device: Any) -> ValueError:
    return ValueError(
        f"device={brief(device)} is not known: choose 'auto', 'cpu', 'cuda' or 'cuda:N'."
    )


def _has_cuda_driver() -> bool:
    """Checked first: importing torch takes seconds, too long for a small fit on a CPU."""
    try:
        ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    except OSError:
        return False
    return True


def check_dtype(dtype: Any) -> None:
    """Refuse all but the precisions that both paths have."""
    try:
        valid = dtype is None or np.dtype(dtype).name in DTYPES
    except (TypeError, ValueError):
        valid = False
    if not valid:
        raise ValueError(f"dtype={brief(dtype)} is not known: choose one of {DTYPES}, or None.")


def side_by_side(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """`work` of each item, in order, `threads` at a time, with few results waiting.

    Each has one BLAS thread: decompositions gain more by running side by side.
    """
    if threads == 1:
        yield from map(work, items)
        return
    pending: deque[Future] = deque()
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        for item in items:
            pending.append(pool.submit(work, item))
            if len(pending) > 2 * threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def to_device(array: Any, device: Any) -> Any:
    """The array on the device; for torch, dense becomes a tensor and sparse a CSR tensor."""
    if device is None:
        return sp.csr_array(array) if sp.issparse(array) else array
    import torch

    if not sp.issparse(array):
        return torch.as_tensor(array, device=device)
    rows = sp.csr_array(array)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            torch.as_tensor(rows.indptr, dtype=torch.int64, device=device),
            torch.as_tensor(rows.indices, dtype=torch.int64, device=device),
            torch.as_tensor(rows.data, device=device),
            size=rows.shape,
            check_invariants=False,
        )


def to_numpy(array: Any) -> np.ndarray:
    """The array in numpy, from either path."""
    return array if isinstance(array, np.ndarray) else array.detach().cpu().numpy()


def in_float64(array: Any) -> Any:
    """The same numbers in double precision; numpy, scipy or torch."""
    return array.double() if hasattr(array, "double") else array.astype(np.float64, copy=False)


def solve_positive_definite(
    matrix: Any, right: Any, most_condition: float, floor: float = 0.0
) -> Any:
    """matrix^-1 right by Cholesky, or None if the condition of the matrix is larger than that.

    `floor` is a lower bound of its eigenvalues; if it suffices, the smallest is not estimated.
    """
    if isinstance(matrix, np.ndarray):
        try:
            factor = scipy.linalg.cho_factor(matrix, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None

        def solve(columns: Any) -> Any:
            return scipy.linalg.cho_solve(factor, columns, check_finite=False)
    else:
        import torch

        try:
            triangle = torch.linalg.cholesky(matrix)
        except torch.linalg.LinAlgError:
            return None

        def solve(columns: Any) -> Any:
            return torch.cholesky_solve(columns, triangle)

    if is_conditioned(matrix, most_condition, floor, solve):
        return solve(right)
    return None


def is_conditioned(
    matrix: Any, most_condition: float, floor: float, solve: Callable[[Any], Any]
) -> bool:
    """Whether largest eigenvalue / smallest eigenvalue <= most_condition.

    Inverse iteration finds the smallest: each step grows its vector by 1 / eigenvalue.
    """
    xp = array_namespace(matrix)
    largest = xp.linalg.matrix_norm(matrix, ord=xp.inf)  # squares might overflow or vanish
    if largest <= most_condition * floor:
        return True
    numbers = xp.arange(matrix.shape[0], dtype=matrix.dtype, device=array_device(matrix))
    vector = xp.cos(numbers)[:, None]  # in no special direction
    for _ in range(3):
        vector = solve(vector / xp.linalg.vector_norm(vector, ord=xp.inf))
    return bool(largest * xp.linalg.vector_norm(vector, ord=xp.inf) <= most_condition)


_ON_ONE_CORE = ContextVar("on one core", default=False)


def n_threads() -> int:
    """Cores that this process may use, or one inside `one_core`."""
    if _ON_ONE_CORE.get():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _BlasLimit:
    """The limit on BLAS threads, one per process: the first user sets it, the last resets it."""

    lock = threading.Lock()
    libraries: ThreadpoolController | None = None
    users = 0
    limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS on one core while any thread is in here: for work that is already spread over cores.

    For small work too: idle BLAS threads spin for some 50 ms, on cores that the next step needs.
    """
    with _BlasLimit.lock:
        if _BlasLimit.users == 0:
            _BlasLimit.libraries = _BlasLimit.libraries or ThreadpoolController()
            _BlasLimit.limit = _BlasLimit.libraries.limit(limits=1, user_api="blas")
        _BlasLimit.users += 1
    try:
        yield
    finally:
        with _BlasLimit.lock:
            _BlasLimit.users -= 1
            if _BlasLimit.users == 0:
                _BlasLimit.limit.restore_original_limits()


@contextmanager
def one_core() -> Iterator[None]:
    """One thread for everything in here, of ours, BLAS's and torch's: for fair timing.

    If torch is used, import it before.
    """
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else 1
    token = _ON_ONE_CORE.set(True)
    try:
        with one_blas_thread():
            if torch:
                torch.set_num_threads(1)
            yield
    finally:
        _ON_ONE_CORE.reset(token)
        if torch:
            torch.set_num_threads(before)

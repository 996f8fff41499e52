"""Ridge regression on one-hot labels in closed form, all of it from one decomposition.

With H the rows of the embedding at the l labelled nodes (l x d) and Y their one-hot labels:

    primal   W = (H'H + r I)^-1 H'Y                                               (Eq. 16)
    dual     W = H'A,   A = (HH' + r I)^-1 Y

The two are equal, and the smaller of the d x d and l x l matrices is solved. With its
eigendecomposition every regularization r costs one product, and leave-one-out comes with it.

A Gram matrix has the squares of H's singular values, and so half of their digits. If r is too small
to make up for that, H = U S V' itself is decomposed:

    W = V S / (S^2 + r) U'Y,   the minimum-norm least squares fit for r = 0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import scipy.sparse as sp
from array_api_compat import array_namespace, device

from flgc.device import in_float64, one_blas_thread, solve_positive_definite

# Below this many multiplications one core is enough.
_THREADING_PAYS = 1_000_000_000
# With a larger condition a float32 Gram matrix leaves less than two digits of a fit. A fit in
# float64 allows more, but a leverage next to 1 leaves less than two digits of leave-one-out.
MOST_CONDITION_FLOAT32, MOST_CONDITION = 1e5, 1e9


class RidgePath:
    """The ridge fits of one design for all regularizations, from one eigendecomposition.

    Arrays may have leading axes, e.g. one design per split of the labels: all are solved at once.

    Parameters
    ----------
    gram : array of shape (..., m, m)
        HH' (dual) or H'H (primal).
    Y : array of shape (..., l, C)
        Targets.
    H : array of shape (..., l, d), optional
        The design if `gram` is H'H; without it `gram` is HH'.
    """

    def __init__(self, gram: Any, Y: Any, H: Any = None):
        xp = array_namespace(gram)
        eigenvalues, self.Q = xp.linalg.eigh(gram)
        # Rounding leaves small negative values where the truth is 0.
        self.eigenvalues = xp.clip(eigenvalues, 0.0, None)
        self.null = gram.shape[-1] * xp.finfo(gram.dtype).eps * self.eigenvalues[..., -1:]
        self.Y, self.H = Y, H
        moment = Y if H is None else _transposed(H) @ Y
        self.rotated = _transposed(self.Q) @ moment

    @classmethod
    def from_features(cls, H: Any, Y: Any, smallest: float = 0.0) -> RidgePath:
        """In float64, from the smaller Gram matrix, or from H if r is too small for that.

        `smallest` is the smallest regularization to be used.
        """
        H, Y = in_float64(H), in_float64(Y)
        if not is_within(H, smallest):
            return SingularPath(H, Y)
        if H.shape[-2] <= H.shape[-1]:
            return cls(H @ _transposed(H), Y)
        return cls(_transposed(H) @ H, Y, H)

    def is_conditioned(self, smallest: float, most_condition: float) -> bool:
        """Whether the Gram matrix has enough digits for fits with r >= `smallest`."""
        least = self.eigenvalues[..., 0] + smallest
        xp = array_namespace(least)
        return bool(xp.all(self.eigenvalues[..., -1] <= most_condition * least))

    def solutions(self, regularizations: Sequence[float]) -> Any:
        """A (dual) or W (primal) for each regularization, (..., m, R, C); 0 is minimum norm."""
        shrinkage = self.shrinkage(regularizations)
        return times_paths(self.Q, self.rotated[..., None, :] * shrinkage[..., None])

    def leave_one_out_residuals(self, regularizations: Sequence[float], solutions: Any) -> Any:
        """Y minus the prediction of each labelled node by a fit without it, (..., l, R, C).

        dual: A_i / [(HH' + rI)^-1]_ii;  primal: (Y - HW)_i / (1 - [H (H'H + rI)^-1 H']_ii).
        """
        _check_positive(regularizations)
        shrinkage = self.shrinkage(regularizations)
        if self.H is None:
            return solutions / (self.Q**2 @ shrinkage)[..., None]
        residuals = self.Y[..., None, :] - times_paths(self.H, solutions)
        leverage = (self.H @ self.Q) ** 2 @ shrinkage
        return residuals / (1.0 - leverage)[..., None]

    def shrinkage(self, regularizations: Sequence[float]) -> Any:
        """1 / (eigenvalue + r), (..., m, R); at r = 0 it is 0 for eigenvalues of rounding size."""
        xp = array_namespace(self.eigenvalues)
        columns = []
        for r in regularizations:
            values = self.eigenvalues + r
            if r == 0:
                values = xp.where(values > self.null, values, xp.inf)
            columns.append(1.0 / values)
        return xp.stack(columns, axis=-1)


class SingularPath(RidgePath):
    """The same fits from H = U S V', accurate for every r, as nothing is squared or cancels.

    As in `numpy.linalg.lstsq`, singular values of rounding size are 0.
    """

    def __init__(self, H: Any, Y: Any, eps: float | None = None):
        xp = array_namespace(H)
        self.U, values, rows = xp.linalg.svd(H, full_matrices=False)
        rcond = max(H.shape[-2:]) * (xp.finfo(H.dtype).eps if eps is None else eps)
        values = xp.where(values > rcond * values[..., :1], values, 0.0)
        self.eigenvalues, self.null = values**2, 0.0
        self.Q = _transposed(rows)
        self.Y, self.H = Y, H
        self.within = _transposed(self.U) @ Y
        self.rotated = values[..., None] * self.within

    def leave_one_out_residuals(self, regularizations: Sequence[float], solutions: Any) -> Any:
        """(Y outside of H's range + r / (S^2 + r) of Y within) / (1 - leverage).

        1 - leverage is the same for the node's indicator, a sum of positive numbers. A node whose
        indicator is in the range, up to rounding, has no part outside.
        """
        _check_positive(regularizations)
        xp = array_namespace(self.U)
        shrinkage = self.shrinkage(regularizations)
        kept = shrinkage * xp.asarray(regularizations, dtype=self.U.dtype, device=device(self.U))
        squares = self.U**2
        outside = 1.0 - xp.sum(squares, axis=-1, keepdims=True)
        is_outside = outside > max(self.H.shape[-2:]) * xp.finfo(self.U.dtype).eps
        outside = xp.where(is_outside, outside, 0.0)
        rest = xp.where(is_outside, self.Y - self.U @ self.within, 0.0)
        residuals = rest[..., None, :] + times_paths(
            self.U, self.within[..., None, :] * kept[..., None]
        )
        return residuals / (outside + squares @ kept)[..., None]


def times_paths(matrix: Any, paths: Any) -> Any:
    """matrix (..., n, m) times each of R solutions, paths (..., m, R, C), as one product."""
    xp = array_namespace(paths)
    *_, n_paths, n_classes = paths.shape
    flat = matrix @ xp.reshape(paths, (*paths.shape[:-2], n_paths * n_classes))
    return xp.reshape(flat, (*flat.shape[:-1], n_paths, n_classes))


def _transposed(array: Any) -> Any:
    return array_namespace(array).matrix_transpose(array)


def _check_positive(regularizations: Sequence[float]) -> None:
    if min(regularizations) <= 0:
        raise ValueError(
            f"leave-one-out needs regularization > 0, got {min(regularizations)!r}: drop it "
            f"from the grid."
        )


def is_within(H: Any, regularization: float) -> bool:
    """Whether ||H||^2 <= MOST_CONDITION r: then H'H + r I has enough digits for a fit.

    ||H||^2 bounds the largest eigenvalue. H may then also be rounded to float32.
    """
    entries = H.data if sp.issparse(H) else H
    xp = array_namespace(entries)
    # The largest of several designs counts. Entries are scaled so that no square overflows.
    unit = float(xp.max(xp.abs(entries))) if math.prod(entries.shape) else 0.0
    if unit == 0:
        return True
    sizes = xp.linalg.vector_norm(entries / unit, axis=(-2, -1) if entries.ndim > 1 else None)
    return unit * float(xp.max(sizes)) <= math.sqrt(MOST_CONDITION * regularization)


def ridge_weights(H: Any, Y: Any, regularization: float, form: str = "auto") -> Any:
    """W of Eq. 16 for one design, by the smaller of the two systems unless `form` names one."""

    def solve(H: Any, Y: Any) -> Any:
        H_transposed = _transposed(H)
        return _solve(H_transposed @ H, H_transposed @ Y, regularization)

    dual = form == "dual" or (form == "auto" and H.shape[0] < H.shape[1])
    with _threads_for(H):
        W = None if dual else _in_enough_digits(solve, H, Y)
        if W is None:
            left, right = (ridge_factors if dual else _singular_factors)(H, Y, regularization)
            W = left @ right
    return array_namespace(H).astype(W, H.dtype, copy=False)


def ridge_factors(H: Any, Y: Any, regularization: float) -> tuple[Any, Any]:
    """L (d x m) and R (m x C) with W = L R, m <= l: H' and the solution of the dual system.

    In float64 if float32 is not enough, as large parts of them cancel in W.
    """

    def solve(H: Any, Y: Any) -> Any:
        return _solve(H @ _transposed(H), Y, regularization)

    with _threads_for(H):
        right = _in_enough_digits(solve, H, Y)
        if right is None:
            return _singular_factors(H, Y, regularization)
    return array_namespace(H).astype(_transposed(H), right.dtype, copy=False), right


def _threads_for(H: Any) -> AbstractContextManager:
    small = math.prod(H.shape) * min(H.shape) < _THREADING_PAYS
    return one_blas_thread() if small else nullcontext()


def _in_enough_digits(solve: Callable[[Any, Any], Any], H: Any, Y: Any) -> Any:
    """`solve` in the precision of H, else in float64; None if neither is enough."""
    solution = solve(H, Y)
    if solution is None and H.dtype != array_namespace(H).float64:
        solution = solve(in_float64(H), in_float64(Y))
    return solution


def _solve(gram: Any, moment: Any, regularization: float) -> Any:
    """(gram + r I)^-1 moment by Cholesky, or None if there are not enough digits.

    r is added in place: the Gram matrix is a new array.
    """
    xp = array_namespace(gram)
    diagonal = xp.arange(gram.shape[0], device=device(gram))
    gram[diagonal, diagonal] += regularization
    most = most_condition(gram.dtype, xp)
    return solve_positive_definite(gram, moment, most, regularization)


def most_condition(dtype: Any, xp: Any) -> float:
    """The largest condition at which a Gram matrix of that type has enough digits for a fit."""
    return MOST_CONDITION if dtype == xp.float64 else MOST_CONDITION_FLOAT32


def _singular_factors(H: Any, Y: Any, regularization: float) -> tuple[Any, Any]:
    """V and S / (S^2 + r) U'Y, in float64; singular values below the rounding of H are 0."""
    path = SingularPath(in_float64(H), in_float64(Y), array_namespace(H).finfo(H.dtype).eps)
    return path.Q, path.rotated * path.shrinkage([regularization])


def one_hot(codes: Any, n_classes: int, dtype: Any) -> Any:
    """Targets Y of shape (..., n_classes)."""
    xp = array_namespace(codes)
    return xp.astype(codes[..., None] == xp.arange(n_classes, device=device(codes)), dtype)

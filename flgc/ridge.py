"""Ridge regression on one-hot labels, in closed form; everything from one decomposition.

With H the rows of the embedding at the l labelled nodes (l x d) and Y their one-hot labels:

    primal   W = (H'H + r I)^-1 H'Y                                               (Eq. 16)
    dual     W = H'A,   A = (HH' + r I)^-1 Y

The two are equal, and the smaller of the d x d and l x l matrices is solved. With its
eigendecomposition every regularization r costs one product, and leave-one-out comes with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from array_api_compat import array_namespace, device

from flgc.device import one_blas_thread, solve_positive_definite

# Below this many multiplications one core is enough.
_THREADING_PAYS = 1_000_000_000


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
        The design. When given, `gram` is H'H; when not, `gram` is HH'.
    """

    def __init__(self, gram: Any, Y: Any, H: Any = None):
        xp = array_namespace(gram)
        eigenvalues, self.Q = xp.linalg.eigh(gram)
        # Rounding leaves small negative values where the truth is 0.
        self.eigenvalues = xp.clip(eigenvalues, 0.0, None)
        self.Y, self.H = Y, H
        moment = Y if H is None else _transposed(H) @ Y
        self.rotated = _transposed(self.Q) @ moment

    @classmethod
    def from_features(cls, H: Any, Y: Any) -> RidgePath:
        """By the smaller of the two Gram matrices."""
        if H.shape[-2] < H.shape[-1]:
            return cls(H @ _transposed(H), Y)
        return cls(_transposed(H) @ H, Y, H)

    def solutions(self, regularizations: Sequence[float]) -> Any:
        """A (dual) or W (primal) for each regularization, (..., m, R, C); 0 is minimum norm."""
        shrinkage = self._shrinkage(regularizations)
        return times_paths(self.Q, self.rotated[..., None, :] * shrinkage[..., None])

    def leave_one_out_residuals(self, regularizations: Sequence[float], solutions: Any) -> Any:
        """Y minus the prediction of each labelled node by a fit without it, (..., l, R, C).

        dual: A_i / [(HH' + rI)^-1]_ii;  primal: (Y - HW)_i / (1 - [H (H'H + rI)^-1 H']_ii).
        """
        if min(regularizations) <= 0:
            raise ValueError(
                f"leave-one-out needs regularization > 0, got {min(regularizations)!r}: drop it "
                f"from the grid."
            )
        shrinkage = self._shrinkage(regularizations)
        if self.H is None:
            return solutions / (self.Q**2 @ shrinkage)[..., None]
        residuals = self.Y[..., None, :] - times_paths(self.H, solutions)
        leverage = (self.H @ self.Q) ** 2 @ shrinkage
        return residuals / (1.0 - leverage)[..., None]

    def _shrinkage(self, regularizations: Sequence[float]) -> Any:
        """1 / (eigenvalue + r), (..., m, R); what is 0 in exact arithmetic stays out at r = 0."""
        xp = array_namespace(self.eigenvalues)
        columns = []
        for r in regularizations:
            values = self.eigenvalues + r
            if r == 0:
                largest = xp.max(values, axis=-1, keepdims=True)
                tiny = values.shape[-1] * xp.finfo(values.dtype).eps * largest
                values = xp.where(values > tiny, values, xp.inf)
            columns.append(1.0 / values)
        return xp.stack(columns, axis=-1)


def times_paths(matrix: Any, paths: Any) -> Any:
    """matrix (..., n, m) times each of R solutions, paths (..., m, R, C), as one product."""
    xp = array_namespace(paths)
    *_, n_paths, n_classes = paths.shape
    flat = matrix @ xp.reshape(paths, (*paths.shape[:-2], n_paths * n_classes))
    return xp.reshape(flat, (*flat.shape[:-1], n_paths, n_classes))


def _transposed(array: Any) -> Any:
    return array_namespace(array).matrix_transpose(array)


def ridge_weights(H: Any, Y: Any, regularization: float, form: str = "auto") -> Any:
    """W of Eq. 16 for one design, by the smaller of the two systems unless `form` names one."""
    H_transposed = _transposed(H)
    with (
        one_blas_thread() if math.prod(H.shape) * min(H.shape) < _THREADING_PAYS else nullcontext()
    ):
        if form == "dual" or (form == "auto" and H.shape[0] < H.shape[1]):
            return H_transposed @ solve_ridge(H @ H_transposed, Y, regularization)
        return solve_ridge(H_transposed @ H, H_transposed @ Y, regularization)


def solve_ridge(gram: Any, moment: Any, regularization: float) -> Any:
    """(gram + r I)^-1 moment by Cholesky; the minimum-norm limit for r = 0.

    A regularization that vanishes in the rounding of a singular matrix is 0 too.
    """
    xp = array_namespace(gram)
    if regularization > 0:
        identity = xp.eye(gram.shape[0], dtype=gram.dtype, device=device(gram))
        solution = solve_positive_definite(gram + regularization * identity, moment)
        if solution is not None:
            return solution
    return RidgePath(gram, moment).solutions([0.0])[:, 0]


def one_hot(codes: Any, n_classes: int, dtype: Any) -> Any:
    """Targets Y of shape (..., n_classes)."""
    xp = array_namespace(codes)
    return xp.astype(codes[..., None] == xp.arange(n_classes, device=device(codes)), dtype)

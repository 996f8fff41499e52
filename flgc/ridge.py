"""Ridge regression on one-hot labels, in closed form; everything from one decomposition.

With H the rows of the embedding at the l labelled nodes (l x d) and Y their one-hot labels:

    primal   W = (H'H + r I)^-1 H'Y                                               (Eq. 16)
    dual     W = H'A,   A = (HH' + r I)^-1 Y

The two are equal, and the smaller of the d x d and l x l matrices is solved. With its
eigendecomposition every regularization r costs one product, and leave-one-out comes with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from flgc.device import solve_positive_definite


class RidgePath:
    """The ridge fits of one design for all regularizations, from one eigendecomposition.

    Parameters
    ----------
    gram : array of shape (m, m)
        HH' (dual) or H'H (primal).
    Y : array of shape (l, C)
        Targets.
    H : array of shape (l, d), optional
        The design. When given, `gram` is H'H; when not, `gram` is HH'.
    """

    def __init__(self, gram: Any, Y: Any, H: Any = None):
        xp = array_namespace(gram)
        eigenvalues, self.Q = xp.linalg.eigh(gram)
        # Rounding leaves small negative values where the truth is 0.
        self.eigenvalues = xp.clip(eigenvalues, 0.0, None)
        self.Y, self.H = Y, H
        moment = Y if H is None else H.T @ Y
        self.rotated = self.Q.T @ moment

    @classmethod
    def from_features(cls, H: Any, Y: Any) -> RidgePath:
        """By the smaller of the two Gram matrices."""
        return cls(H @ H.T, Y) if H.shape[0] < H.shape[1] else cls(H.T @ H, Y, H)

    def solutions(self, regularizations: Sequence[float]) -> Any:
        """A (dual) or W (primal) for each regularization, shape (m, R, C); 0 is minimum norm."""
        shrunk = self.rotated[:, None, :] * self._shrinkage(regularizations)[:, :, None]
        xp = array_namespace(shrunk)
        m, n_paths, n_classes = shrunk.shape
        flat = self.Q @ xp.reshape(shrunk, (m, n_paths * n_classes))
        return xp.reshape(flat, (m, n_paths, n_classes))

    def leave_one_out_residuals(self, regularizations: Sequence[float], solutions: Any) -> Any:
        """Y minus the prediction of each labelled node by a fit without it, shape (l, R, C).

        dual: A_i / [(HH' + rI)^-1]_ii;  primal: (Y - HW)_i / (1 - [H (H'H + rI)^-1 H']_ii).
        """
        if min(regularizations) <= 0:
            raise ValueError(
                f"leave-one-out needs regularization > 0, got {min(regularizations)!r}: drop it "
                f"from the grid."
            )
        shrinkage = self._shrinkage(regularizations)
        if self.H is None:
            return solutions / (self.Q**2 @ shrinkage)[:, :, None]
        xp = array_namespace(solutions)
        d, n_paths, n_classes = solutions.shape
        fitted = self.H @ xp.reshape(solutions, (d, n_paths * n_classes))
        residuals = self.Y[:, None, :] - xp.reshape(fitted, (-1, n_paths, n_classes))
        leverage = (self.H @ self.Q) ** 2 @ shrinkage
        return residuals / (1.0 - leverage)[:, :, None]

    def _shrinkage(self, regularizations: Sequence[float]) -> Any:
        """1 / (eigenvalue + r), shape (m, R); what is 0 in exact arithmetic stays out at r = 0."""
        xp = array_namespace(self.eigenvalues)
        columns = []
        for r in regularizations:
            values = self.eigenvalues + r
            if r == 0:
                m = values.shape[0]
                tiny = m * xp.finfo(values.dtype).eps * xp.max(values)
                values = xp.where(values > tiny, values, xp.inf)
            columns.append(1.0 / values)
        return xp.stack(columns, axis=1)


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
    """Targets Y of shape (n, n_classes)."""
    xp = array_namespace(codes)
    return xp.astype(codes[:, None] == xp.arange(n_classes, device=device(codes)), dtype)


def check_regularization(regularization: float) -> None:
    """Refuse what is negative or not a number."""
    if not (regularization >= 0 and np.isfinite(regularization)):
        raise ValueError(
            f"regularization={regularization!r} is not possible: give a number >= 0 "
            f"(0 is the minimum-norm fit)."
        )

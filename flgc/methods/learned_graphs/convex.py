"""Each sample as a convex combination of the others, all samples at once.

    min  1/2 ||x_i - s_i X||^2 + r_i/2 ||s_i - a_i||^2 + b_i s_i',   s_i on the simplex, s_ii = 0

by accelerated projected gradient (Nesterov); a row drops its momentum if that points uphill. It
ends when all gaps (Frank and Wolfe) are small: max over s on the simplex of grad (s_i - s)', an
upper bound of what is left to gain.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from flgc.methods.learned_graphs.simplex import nearest_on_simplex

# The gap costs half a step, so it is computed only now and then.
_STEPS_BETWEEN_GAPS = 10


class ConvexCombinations:
    """The samples, with what all problems on them share."""

    def __init__(self, X: np.ndarray) -> None:
        n = len(X)
        if n < 2:
            raise ValueError(f"n_samples={n}: a sample is expressed by others; give at least 2.")
        X = X - X.mean(axis=0)  # rows of S sum to 1, so a shift only adds rounding
        self.gram = X @ X.T
        last = (n - 1, n - 1)
        steepest = eigh(self.gram, eigvals_only=True, subset_by_index=last, check_finite=False)[0]
        # 1 if all samples are the same: then every S is right.
        self.mean_square = float(np.trace(self.gram)) / n or 1.0
        self.steepest = float(steepest) or 1.0
        self.equal = (1.0 - np.eye(n)) / (n - 1)

    def errors(self, S: np.ndarray) -> np.ndarray:
        """||x_i - s_i X||^2 of each sample."""
        product = S @ self.gram
        squares = np.einsum("ij,ij->i", product, S) - 2 * np.diag(product) + np.diag(self.gram)
        return np.maximum(squares, 0.0)

    def solved(
        self,
        S: np.ndarray,
        *,
        pull: np.ndarray | float = 0.0,
        target: np.ndarray | float = 0.0,
        slope: np.ndarray | float = 0.0,
        max_iter: int,
        tol: float,
    ) -> tuple[np.ndarray, int, float]:
        """(S, number of steps, largest gap in units of the mean ||x||^2), starting from S.

        `pull` (r, a column), `target` (A) and `slope` (B) are the terms beside the fit.
        """
        n = len(S)
        step = 1.0 / (self.steepest + pull)
        Y, momentum, gap = S, np.ones((n, 1)), np.inf
        for iteration in range(1, max_iter + 1):
            moved = Y - step * self._gradient(Y, pull, target, slope)
            np.fill_diagonal(moved, -np.inf)
            new = nearest_on_simplex(moved)
            uphill = np.einsum("ij,ij->i", Y - new, new - S)[:, None] > 0
            later = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            rate = np.where(uphill, 0.0, (momentum - 1) / later)
            momentum = np.where(uphill, 1.0, later)
            Y, S = new + rate * (new - S), new
            if iteration % _STEPS_BETWEEN_GAPS == 0 or iteration == max_iter:
                gap = self._gap(S, self._gradient(S, pull, target, slope))
                if gap <= tol:
                    break
        return S, iteration, gap

    def _gradient(self, S: np.ndarray, pull: object, target: object, slope: object) -> np.ndarray:
        return S @ self.gram - self.gram + pull * (S - target) + slope

    def _gap(self, S: np.ndarray, gradient: np.ndarray) -> float:
        own = np.einsum("ij,ij->i", gradient, S)
        np.fill_diagonal(gradient, np.inf)
        return float((own - gradient.min(axis=1)).max()) / self.mean_square

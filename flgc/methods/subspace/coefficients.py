"""From the coefficients of samples in the others to an affinity.

W = |C| + |C|',   each column of C divided by its largest |entry|
"""

from __future__ import annotations

import numpy as np

from flgc.self_expression import prune_columns


def affinity_of(C: np.ndarray, threshold: float) -> np.ndarray:
    """W from the largest entries of each column, up to a share `threshold` of its L1 norm."""
    sizes = np.abs(prune_columns(C, threshold))
    largest = sizes.max(axis=0)
    sizes /= np.where(largest > 0, largest, 1)
    return sizes + sizes.T

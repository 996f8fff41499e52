"""Readers: from the bytes of raw files to features and labels."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclasses.dataclass(frozen=True, eq=False)
class Parsed:
    """The result of a reader."""

    features: "np.ndarray | sp.csr_array"
    labels: np.ndarray
    edges: np.ndarray | None = None
    masks: Mapping[str, np.ndarray] | None = None


Reader = Callable[[Mapping[str, bytes], tuple[str, ...]], Parsed]
"""Takes the raw files by name and the class names; returns features and labels 0..C-1."""

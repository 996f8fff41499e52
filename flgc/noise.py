"""Seeded corruption of features, with the count of what was changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flgc.registry import Registry


class Corrupted(NamedTuple):
    """Corrupted features and the number of entries that differ from the original."""

    X: np.ndarray
    n_changed: int


def gaussian(
    X: ArrayLike, variance: float, *, seed: int, clip: tuple[float, float] | None = None
) -> Corrupted:
    """Add gaussian noise of the given variance to every entry, then clip to a range if asked."""
    original = _features(X)
    if not variance >= 0:
        raise ValueError(f"variance={variance!r} is not possible: give a number >= 0.")
    draws = np.random.default_rng(seed).standard_normal(original.shape)
    noisy = original + math.sqrt(variance) * draws.astype(original.dtype)
    if clip is not None:
        noisy = np.clip(noisy, *clip)
    return Corrupted(noisy, int(np.count_nonzero(noisy != original)))


def salt_and_pepper(
    X: ArrayLike, share: float, *, seed: int, clip: tuple[float, float] | None = None
) -> Corrupted:
    """Set a share of all entries, drawn without replacement, to 0 or 1, or to the ends of `clip`.

    An entry that already had that value does not count as changed.
    """
    original = _features(X)
    if not 0 <= share <= 1:
        raise ValueError(f"share={share!r} is not possible: give a number in [0, 1].")
    rng = np.random.default_rng(seed)
    hit = rng.choice(original.size, size=round(share * original.size), replace=False)
    noisy = original.copy()
    noisy.flat[hit] = np.where(rng.random(len(hit)) < 0.5, *(clip or (0.0, 1.0)))
    return Corrupted(noisy, int(np.count_nonzero(noisy != original)))


def _features(X: ArrayLike) -> np.ndarray:
    X = np.asarray(X)
    return X if X.dtype.kind == "f" else X.astype(np.float64)


# By the name that results carry; each takes features, an intensity, a seed, and a range to keep to.
NOISES: Registry[Callable[..., Corrupted]] = Registry(
    "noise", {"gaussian": gaussian, "salt_pepper": salt_and_pepper}
)

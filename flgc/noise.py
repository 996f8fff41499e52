"""Seeded noise in features, and how many entries it changed.

    X + sqrt(variance) G             gaussian
    0 or 1 where M, else X           salt and pepper

G and M are drawn for every entry ("independent"), or as one row for all rows ("shared").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flgc.checks import check_choice
from flgc.registry import Registry

INDEPENDENT, SHARED = PATTERNS = ("independent", "shared")


class Corrupted(NamedTuple):
    """Corrupted features and the number of entries that differ from the original."""

    X: np.ndarray
    n_changed: int


def gaussian(
    X: ArrayLike,
    variance: float,
    *,
    seed: int,
    clip: tuple[float, float] | None = None,
    pattern: str = INDEPENDENT,
) -> Corrupted:
    """Add gaussian noise of the given variance to every entry, then clip to a range if asked."""
    original = _features(X)
    if not variance >= 0:
        raise ValueError(f"variance={variance!r} is not possible: give a number >= 0.")
    draws = np.random.default_rng(seed).standard_normal(_drawn(original, pattern))
    noisy = original + math.sqrt(variance) * draws.astype(original.dtype)
    if clip is not None:
        noisy = np.clip(noisy, *clip)
    return Corrupted(noisy, int(np.count_nonzero(noisy != original)))


def salt_and_pepper(
    X: ArrayLike,
    share: float,
    *,
    seed: int,
    clip: tuple[float, float] | None = None,
    pattern: str = INDEPENDENT,
) -> Corrupted:
    """Set a share of all entries, drawn without replacement, to 0 or 1, or to the ends of `clip`.

    An entry that already had that value does not count as changed.
    """
    original = _features(X)
    if not 0 <= share <= 1:
        raise ValueError(f"share={share!r} is not possible: give a number in [0, 1].")
    rng = np.random.default_rng(seed)
    spots = np.full(_drawn(original, pattern), np.nan, dtype=original.dtype)
    hit = rng.choice(spots.size, size=round(share * spots.size), replace=False)
    spots.flat[hit] = np.where(rng.random(len(hit)) < 0.5, *(clip or (0.0, 1.0)))
    noisy = np.where(np.isnan(spots), original, spots)
    return Corrupted(noisy, int(np.count_nonzero(noisy != original)))


def _drawn(X: np.ndarray, pattern: str) -> tuple[int, ...]:
    """The shape of what is drawn: that of X, or of one row for all."""
    check_choice("pattern", pattern, PATTERNS)
    return (1, *X.shape[1:]) if pattern == SHARED else X.shape


def _features(X: ArrayLike) -> np.ndarray:
    X = np.asarray(X)
    return X if X.dtype.kind == "f" else X.astype(np.float64)


# By the name in results; each takes features, an intensity, a seed, a range and a pattern.
NOISES: Registry[Callable[..., Corrupted]] = Registry(
    "noise", {"gaussian": gaussian, "salt_pepper": salt_and_pepper}
)

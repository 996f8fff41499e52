"""Wilcoxon's signed-rank test of two paired columns, exact, with zeros and ties.

    R+ = sum_{d_i > 0} rank(|d_i|) + 1/2 sum_{d_i = 0} rank(|d_i|),      R- likewise with d_i < 0

with d_i the difference of two methods on dataset i; ties share their mean rank. Zero differences
are ranked too, and their rank sum is split evenly; if their number is odd, one is dropped first
(the convention of the KEEL tool, which made the paper's table of ranks).

Under the null hypothesis each non-zero difference is positive or negative with probability 1/2.
This gives the exact distribution of R+, also with ties, without a normal approximation.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan

import numpy as np
import numpy.typing as npt

# Differences closer than this share of the largest value are rounding, hence ties (or zeros).
ROUNDING = 1e-12


@dataclass(frozen=True)
class SignedRanks:
    """The signed-rank sums of one pair of methods, with the ranks for their null distribution.

    `moving_ranks` are the ranks of the non-zero differences, `zero_share` is half of the zeros'
    rank sum, which each side gets.
    """

    positive: float
    negative: float
    moving_ranks: tuple[float, ...]
    zero_share: float
    wins: int
    ties: int
    losses: int

    @property
    def p_value(self) -> float:
        """Exact two-sided p = min(1, 2 P(R+ <= min(R+, R-)))."""
        lower_tail = np.cumsum(_null_distribution(self.moving_ranks))
        reached = round(2 * (min(self.positive, self.negative) - self.zero_share))
        return min(1.0, 2 * float(lower_tail[reached]))

    @property
    def rank_biserial(self) -> float:
        """Matched-pairs rank-biserial correlation (R+ - R-) / (R+ + R-): 1 when all are wins."""
        total = self.positive + self.negative
        return (self.positive - self.negative) / total if total else 0.0


def signed_ranks(first: npt.ArrayLike, second: npt.ArrayLike) -> SignedRanks:
    """Compare two methods, dataset by dataset; positive differences favour the first."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"need two columns of equal length, found shapes {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        missing = np.flatnonzero(~(np.isfinite(a) & np.isfinite(b))).tolist()
        raise ValueError(f"no finite value for both methods in rows {missing}; drop those datasets")
    difference = a - b
    rounding = ROUNDING * max(np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    difference[np.abs(difference) <= rounding] = 0
    zeros = int((difference == 0).sum())
    if zeros % 2:
        difference = np.delete(difference, np.flatnonzero(difference == 0)[0])
    ranks = mid_ranks(np.abs(difference), rounding)
    zero_share = float(ranks[difference == 0].sum() / 2)
    return SignedRanks(
        positive=float(ranks[difference > 0].sum()) + zero_share,
        negative=float(ranks[difference < 0].sum()) + zero_share,
        moving_ranks=tuple(ranks[difference != 0].tolist()),
        zero_share=zero_share,
        wins=int((difference > 0).sum()),
        ties=zeros,
        losses=int((difference < 0).sum()),
    )


def critical_value(n: int, level: float) -> float:
    """Largest c with 2 P(R+ <= c) <= level for n differences without ties; nan if there is none.

    As in printed tables: 81 for n = 24 at 0.05, 91 at 0.1.
    """
    if n < 0 or not 0 < level < 1:
        raise ValueError(f"need n >= 0 and 0 < level < 1, found n={n}, level={level}")
    distribution = _null_distribution(range(1, n + 1))
    rare = np.flatnonzero((2 * np.cumsum(distribution) <= level) & (distribution > 0))
    return float(rare[-1]) / 2 if len(rare) else nan


def mid_ranks(values: npt.NDArray[np.float64], rounding: float) -> npt.NDArray[np.float64]:
    """Ranks from 1, neighbours closer than `rounding` sharing the mean of their ranks."""
    order = np.argsort(values, kind="stable")
    group = np.cumsum(np.diff(values[order], prepend=-np.inf) > rounding) - 1
    size = np.bincount(group)
    mean_rank = np.cumsum(size) - (size - 1) / 2
    ranks = np.empty(len(values))
    ranks[order] = mean_rank[group]
    return ranks


def _null_distribution(ranks: Iterable[float]) -> npt.NDArray[np.float64]:
    """P(sum of the ranks with a positive sign = s/2), s = 0, 1, ...: halves, as ranks are tied."""
    distribution = np.ones(1)
    for rank in ranks:
        step = round(2 * rank)
        longer = np.zeros(len(distribution) + step)
        longer[: len(distribution)] += distribution
        longer[step:] += distribution
        distribution = longer / 2
    return distribution

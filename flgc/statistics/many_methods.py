"""Is one method better than another over many datasets? Tests for a table of datasets x methods.

Every pair is compared by the exact signed-rank test of `signed_ranks.py`, whose zero and tie
conventions give back the paper's Table VI. Against one control the p-values are corrected by Holm's
procedure; Friedman's test asks first whether any method differs at all.

A table has one row per dataset and one column per method; a larger value is a better one. Missing
values are refused: a comparison over different datasets for different pairs would mean nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import chi2, rankdata

from flgc.statistics.signed_ranks import SignedRanks, critical_value, signed_ranks

__all__ = [
    "Friedman",
    "SignedRanks",
    "compare_with_control",
    "critical_value",
    "friedman",
    "holm",
    "p_value_matrix",
    "rank_sum_matrix",
    "signed_ranks",
    "verdict_matrix",
]


def rank_sum_matrix(table: pd.DataFrame) -> pd.DataFrame:
    """R+ of the row's method against the column's, for a table of datasets x methods."""
    return _every_pair(table, lambda pair: pair.positive, diagonal=nan)


def p_value_matrix(table: pd.DataFrame) -> pd.DataFrame:
    """Exact two-sided p of every pair of methods, uncorrected."""
    return _every_pair(table, lambda pair: pair.p_value, diagonal=nan)


def verdict_matrix(table: pd.DataFrame, *, upper: float = 0.1, lower: float = 0.05) -> pd.DataFrame:
    """Row against column: `better`, `equal` or `worse`; a level for each triangle, as Table VI."""
    above = _every_pair(table, lambda pair: pair.verdict(upper), diagonal="")
    below = _every_pair(table, lambda pair: pair.verdict(lower), diagonal="")
    return above.where(np.triu(np.ones(above.shape, dtype=bool)), below)


def compare_with_control(table: pd.DataFrame, control: str, *, level: float = 0.05) -> pd.DataFrame:
    """The control against each other method: rank sums, exact p, Holm's p, effect size, wins.

    `verdict` is the plain test's, `verdict_holm` the one that holds for all the rivals together.
    """
    _check_table(table)
    if control not in table.columns:
        raise ValueError(f"no method {control!r}; the table has {', '.join(map(str, table))}")
    rivals = [method for method in table.columns if method != control]
    pairs = [signed_ranks(table[control].to_numpy(), table[rival].to_numpy()) for rival in rivals]
    corrected = holm([pair.p_value for pair in pairs])
    return pd.DataFrame(
        {
            "rank_sum_for": [pair.positive for pair in pairs],
            "rank_sum_against": [pair.negative for pair in pairs],
            "wins": [pair.wins for pair in pairs],
            "ties": [pair.ties for pair in pairs],
            "losses": [pair.losses for pair in pairs],
            "rank_biserial": [pair.rank_biserial for pair in pairs],
            "p_value": [pair.p_value for pair in pairs],
            "p_holm": corrected,
            "verdict": [pair.verdict(level) for pair in pairs],
            "verdict_holm": [
                "equal" if p > level else "better" if pair.positive > pair.negative else "worse"
                for pair, p in zip(pairs, corrected, strict=True)
            ],
        },
        index=pd.Index(rivals, name="rival"),
    )


def holm(p_values: Sequence[float] | npt.NDArray[np.float64]) -> list[float]:
    """Holm's step-down correction, p~_(i) = max_{j <= i} min(1, (m - j + 1) p_(j)), as ordered."""
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p-values lie between 0 and 1, found {p.tolist()}")
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    corrected = np.empty_like(p)
    corrected[order] = stepped
    return [float(value) for value in corrected]


@dataclass(frozen=True)
class Friedman:
    """Friedman's statistic, its chi-squared p-value, and each method's mean rank (1 = best)."""

    statistic: float
    p_value: float
    mean_ranks: dict[str, float]


def friedman(table: pd.DataFrame) -> Friedman:
    """Do any of k methods differ over n datasets? Ranks within each dataset, corrected for ties.

        Q = (k - 1) sum_j (R_j - n (k+1)/2)^2 / (sum_ij r_ij^2 - n k (k+1)^2 / 4)

    with r_ij the rank of method j on dataset i and R_j the column sums; Q ~ chi2(k - 1).
    """
    _check_table(table)
    n, k = table.shape
    ranks = rankdata(-table.to_numpy(dtype=float), axis=1)
    spread = float((ranks**2).sum() - n * k * (k + 1) ** 2 / 4)
    between = float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum())
    statistic = (k - 1) * between / spread if spread > 0 else 0.0
    means = dict(zip(map(str, table.columns), ranks.mean(axis=0).tolist(), strict=True))
    return Friedman(statistic, float(chi2.sf(statistic, k - 1)), means)


def _every_pair(
    table: pd.DataFrame, measure: Callable[[SignedRanks], Any], *, diagonal: Any
) -> pd.DataFrame:
    _check_table(table)
    columns = [table[method].to_numpy(dtype=float) for method in table.columns]
    cells = [
        [
            diagonal if i == j else measure(signed_ranks(row, column))
            for j, column in enumerate(columns)
        ]
        for i, row in enumerate(columns)
    ]
    return pd.DataFrame(cells, index=table.columns, columns=table.columns)


def _check_table(table: pd.DataFrame) -> None:
    repeated = table.columns[table.columns.duplicated()].tolist()
    if repeated:
        raise ValueError(f"methods appear twice in the table: {repeated}; keep one column of each")
    if table.shape[0] < 1 or table.shape[1] < 2:
        raise ValueError(f"need at least one dataset and two methods, found a table {table.shape}")
    values = table.to_numpy(dtype=float)
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(
            f"no finite value for {table.columns[column]} on {table.index[row]}; "
            "drop that dataset or that method before comparing"
        )

"""Is one method better than another over many datasets? Tests for a table of datasets x methods.

Every pair is compared by the exact signed-rank test of `signed_ranks.py`, whose conventions for
zeros and ties reproduce the paper's Table VI. Holm's procedure corrects the p-values, over all
pairs or over the rivals of one control; Friedman's test asks whether any method differs at all.

A table has one row per dataset and one column per method; larger values are better. If a cell is
missing, its dataset is left out of the pairs that need the cell. Mean ranks, and what rests on
them, use the datasets that have all methods.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import ceil, log2

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import chi2

from flgc.statistics.signed_ranks import ROUNDING, SignedRanks, mid_ranks, signed_ranks

BETTER, UNDECIDED, WORSE = "better", "undecided", "worse"
FEWEST_DATASETS = 2  # of a pair: over one dataset there is nothing to test


@dataclass(frozen=True)
class Friedman:
    """Friedman's statistic and its chi-squared p-value over the datasets that have all methods.

    In `mean_ranks` 1 is the best. It is empty if no dataset is complete. Then there is no test, nor
    is there for two methods, which are compared as a pair.
    """

    datasets: int
    mean_ranks: dict[str, float]
    statistic: float | None
    p_value: float | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """The results of all tests on a table of datasets x methods.

    `pairs` has a row for each method (`row`) against each other (`column`): the number of
    `datasets` that have both, R+ and R- (`rank_sum_for`, `rank_sum_against`), `wins`, `ties`,
    `losses`, the effect size `rank_biserial`, the exact two-sided `p_value`, and `p_holm`,
    corrected over all pairs. `verdict` and `verdict_holm` (`better`, `undecided` or `worse`) are
    about the row's method, at the `level`.
    """

    table: pd.DataFrame
    control: str
    level: float
    pairs: pd.DataFrame
    friedman: Friedman

    @property
    def methods(self) -> list[str]:
        """In the order of the table."""
        return list(self.table.columns)

    @property
    def rank_sums(self) -> pd.DataFrame:
        """R+ of the row's method against the column's; nan on the diagonal."""
        return self._matrix(self.pairs["rank_sum_for"])

    @property
    def verdicts(self) -> pd.DataFrame:
        """Row against column: at twice the level above the diagonal, at the level below it.

        The paper's Table VI has 0.1 and 0.05.
        """
        above = self._matrix(_verdicts(self.pairs, self.pairs["p_value"], 2 * self.level))
        below = self._matrix(self.pairs["verdict"])
        return above.where(np.triu(np.ones(above.shape, dtype=bool)), below)

    def against(self, control: str | None = None) -> pd.DataFrame:
        """The control against each rival: as `pairs`, with Holm's correction over the rivals."""
        control = self.control if control is None else _method_named(control, self.methods)
        rows = pd.DataFrame(self.pairs.xs(control, level="row")).rename_axis(index="rival")
        corrected = pd.Series(holm(rows["p_value"].to_numpy()), index=rows.index)
        return rows.assign(p_holm=corrected, verdict_holm=_verdicts(rows, corrected, self.level))

    @property
    def ranking(self) -> list[str]:
        """Methods from the best mean rank to the worst; empty if no dataset has them all."""
        return sorted(self.friedman.mean_ranks, key=self.friedman.mean_ranks.__getitem__)

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """The bars of the critical-difference diagram: longest runs of neighbours in mean rank.

        In a run *no* pair differs after Holm's correction over all pairs. Its two ends are not
        enough: a method may differ from one in the middle but not from those at the ends.
        """
        ranking, runs, end = self.ranking, [], 0
        for start in range(len(ranking)):
            longest = start + 1
            while longest < len(ranking) and not any(
                self._differ(earlier, ranking[longest]) for earlier in ranking[start:longest]
            ):
                longest += 1
            if longest > max(end, start + 1):
                runs.append(tuple(ranking[start:longest]))
                end = longest
        return runs

    @property
    def unjoined(self) -> list[tuple[str, str]]:
        """Pairs that do not differ but share no bar, as a method between them differs."""
        joined = {pair for group in self.groups for pair in combinations(group, 2)}
        return [
            pair
            for pair in combinations(self.ranking, 2)
            if pair not in joined and not self._differ(*pair)
        ]

    def _differ(self, first: str, second: str) -> bool:
        return bool(self.pairs.at[(first, second), "verdict_holm"] != UNDECIDED)

    def _matrix(self, values: pd.Series) -> pd.DataFrame:
        return values.unstack().reindex(index=self.methods, columns=self.methods)


def comparison(
    table: pd.DataFrame, control: str | None = None, *, level: float = 0.05
) -> Comparison:
    """Compare all methods with each other; the control is the best in mean rank unless named."""
    if not 0 < level < 0.5:
        raise ValueError(f"the level must be between 0 and 0.5, found {level}")
    table = _checked(table)
    methods, ranks = list(table.columns), friedman(table)
    if control is None:
        if not ranks.mean_ranks:
            raise ValueError(
                "no dataset has values of all methods, so none is best in mean rank: name the "
                f"control, one of {', '.join(methods)}"
            )
        control = min(ranks.mean_ranks, key=ranks.mean_ranks.__getitem__)
    return Comparison(table, _method_named(control, methods), level, _pairs(table, level), ranks)


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


def friedman(table: pd.DataFrame) -> Friedman:
    """Do any of k methods differ over n datasets? Ranks within each dataset, corrected for ties.

        Q = (k - 1) sum_j (R_j - n (k+1)/2)^2 / (sum_ij r_ij^2 - n k (k+1)^2 / 4)

    with r_ij the rank of method j on dataset i and R_j the column sums; Q ~ chi2(k - 1). Datasets
    that lack a method are left out.
    """
    table = table.dropna()
    n, k = table.shape
    if n == 0:
        return Friedman(0, {}, None, None)
    values = table.to_numpy(dtype=float)
    ranks = np.stack([mid_ranks(-row, ROUNDING * np.abs(row).max()) for row in values])
    means = dict(zip(map(str, table.columns), ranks.mean(axis=0).tolist(), strict=True))
    if k < 3:
        return Friedman(n, means, None, None)
    spread = float((ranks**2).sum() - n * k * (k + 1) ** 2 / 4)
    between = float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum())
    statistic = (k - 1) * between / spread if spread > 0 else 0.0
    return Friedman(n, means, statistic, float(chi2.sf(statistic, k - 1)))


def smallest_p(n_datasets: int) -> float:
    """2^(1-n): the two-sided p if one method wins on all n datasets, the smallest of a pair."""
    return 2.0 ** (1 - n_datasets)


def datasets_needed(level: float, n_tests: int = 1) -> int:
    """The fewest datasets n with which one of m tests can reach the level after Holm.

    m 2^(1-n) <= level, so n >= 1 + log2(m / level).
    """
    return ceil(1 + log2(n_tests / level))


def _pairs(table: pd.DataFrame, level: float) -> pd.DataFrame:
    tests = {
        (row, column): _signed_ranks(table, row, column)
        for row, column in permutations(table.columns, 2)
    }
    rows = [
        {
            "datasets": test.wins + test.ties + test.losses,
            "rank_sum_for": test.positive,
            "rank_sum_against": test.negative,
            "wins": test.wins,
            "ties": test.ties,
            "losses": test.losses,
            "rank_biserial": test.rank_biserial,
            "p_value": test.p_value,
        }
        for test in tests.values()
    ]
    pairs = pd.DataFrame(rows, pd.MultiIndex.from_tuples(tests, names=["row", "column"]))
    once = list(combinations(table.columns, 2))
    corrected = dict(zip(once, holm([tests[pair].p_value for pair in once]), strict=True))
    both_ways = corrected | {(column, row): p for (row, column), p in corrected.items()}
    pairs["p_holm"] = [both_ways[pair] for pair in tests]
    pairs["verdict"] = _verdicts(pairs, pairs["p_value"], level)
    pairs["verdict_holm"] = _verdicts(pairs, pairs["p_holm"], level)
    return pairs


def _signed_ranks(table: pd.DataFrame, row: str, column: str) -> SignedRanks:
    both = table[[row, column]].dropna()
    if len(both) < FEWEST_DATASETS:
        raise ValueError(
            f"{row} and {column} have {len(both)} datasets in common, a pair needs "
            f"{FEWEST_DATASETS}: drop one of the two methods"
        )
    return signed_ranks(both[row].to_numpy(), both[column].to_numpy())


def _verdicts(pairs: pd.DataFrame, p: pd.Series, level: float) -> pd.Series:
    sides = np.where(pairs["rank_sum_for"] > pairs["rank_sum_against"], BETTER, WORSE)
    return pd.Series(np.where(p > level, UNDECIDED, sides), index=pairs.index, dtype=object)


def _checked(table: pd.DataFrame) -> pd.DataFrame:
    """The table with names as text and values as numbers; raises an error if that fails."""
    table = table.set_axis([str(name) for name in table.columns], axis=1)
    table = table.set_axis([str(name) for name in table.index], axis=0)
    for what, names in {"method": table.columns, "dataset": table.index}.items():
        repeated = list(dict.fromkeys(names[names.duplicated()]))
        if repeated:
            raise ValueError(f"{what} twice in the table: {', '.join(repeated)}; keep one of each")
    if table.shape[1] < 2:
        raise ValueError(f"need two methods to compare, found {list(table.columns) or 'none'}")
    if len(table) < FEWEST_DATASETS:
        raise ValueError(
            f"need {FEWEST_DATASETS} datasets to compare over, found {list(table.index) or 'none'}"
        )
    for method in table.columns:
        try:
            table[method] = table[method].astype(float)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{method} has values that are not numbers: {error}") from error
    absent = [method for method in table.columns if table[method].isna().all()]
    if absent:
        raise ValueError(f"no value at all for {', '.join(absent)}; drop it before comparing")
    infinite = np.argwhere(np.isinf(table.to_numpy()))
    if len(infinite):
        row, column = infinite[0]
        raise ValueError(f"infinite value for {table.columns[column]} on {table.index[row]}")
    return table


def _method_named(control: str, methods: Sequence[str]) -> str:
    if control not in methods:
        raise ValueError(f"no method {control!r}; the table has {', '.join(methods)}")
    return control

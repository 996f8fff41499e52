from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from flgc.statistics.many_methods import (
    Comparison,
    comparison,
    datasets_needed,
    friedman,
    holm,
    smallest_p,
)
from flgc.statistics.signed_ranks import critical_value, signed_ranks
from tasks.declared.published import TABLES, published
from tests.flgc.compared import paper_accuracies


@pytest.fixture(scope="module")
def uci() -> pd.DataFrame:
    return paper_accuracies()


@pytest.mark.parametrize("table", TABLES)
def test_published_tables_are_there(table: str) -> None:
    """Some standard deviations are not printed; every other cell is."""
    values = published(table).drop(columns="std", errors="ignore")
    assert len(values) > 2
    assert not values.isna().to_numpy().any()


def test_rank_sums_of_the_paper(uci: pd.DataFrame) -> None:
    ours = comparison(uci).rank_sums
    theirs = published("wilcoxon_ranks").pivot(
        index="row_method", columns="column_method", values="rank_sum"
    )
    gap = (ours - theirs.loc[ours.index, ours.columns]).abs().stack().dropna()
    assert len(gap) == 110
    assert (gap == 0).sum() >= 100
    assert gap.max() <= 1.0


def test_verdicts_of_the_paper(uci: pd.DataFrame) -> None:
    """All arrows but one: Table VI has none at 63.0, far below the 91 that it names as critical."""
    ours = comparison(uci).verdicts.stack()
    theirs = published("wilcoxon_ranks").set_index(["row_method", "column_method"])["verdict"]
    differ = theirs[theirs != ours.reindex(theirs.index)]
    assert differ.to_dict() == {("GCN", "FLGC"): "undecided"}
    assert ours[("GCN", "FLGC")] == "worse"


@pytest.mark.parametrize(
    ("n", "expected"), [(6, 0), (8, 3), (10, 8), (20, 52), (24, 81), (30, 137), (50, 434)]
)
def test_critical_values_of_the_printed_tables(n: int, expected: int) -> None:
    assert critical_value(n, 0.05) == expected
    assert critical_value(24, 0.1) == 91, "which the paper quotes"


def test_five_datasets_cannot_reach_significance() -> None:
    assert np.isnan(critical_value(5, 0.05))
    assert signed_ranks([1, 2, 3, 4, 5], np.zeros(5)).p_value == smallest_p(5) == 1 / 16
    assert datasets_needed(0.05) == 6


@pytest.mark.parametrize("level", [0.01, 0.05, 0.0625, 0.1])
@pytest.mark.parametrize("n_tests", [1, 2, 10, 55, 190])
def test_datasets_needed_are_the_fewest_that_holm_lets_through(level: float, n_tests: int) -> None:
    """The plain twin: one method that wins everywhere, among tests that find nothing."""
    needed = datasets_needed(level, n_tests)
    for n, reached in ((needed, True), (needed - 1, False)):
        p = signed_ranks(np.arange(1.0, n + 1), np.zeros(n)).p_value
        assert (holm([p, *[1.0] * (n_tests - 1)])[0] <= level) == reached


@pytest.mark.parametrize("n", [1, 5, 12, 24, 50])
def test_exact_p_equals_scipy_without_ties_and_zeros(n: int) -> None:
    for seed in range(5):
        first, second = np.random.default_rng([n, seed]).normal(size=(2, n))
        ours = signed_ranks(first, second)
        theirs = scipy.stats.wilcoxon(first, second, method="exact")
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
        assert min(ours.positive, ours.negative) == theirs.statistic


small_differences = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


@given(small_differences)
def test_exact_p_equals_all_sign_patterns_with_ties_and_zeros(differences: list[int]) -> None:
    """The plain twin: rank with scipy, then walk through all 2^n assignments of signs."""
    kept = sorted(differences, key=abs)[differences.count(0) % 2 :]
    ranks = scipy.stats.rankdata(np.abs(kept)) if kept else np.zeros(0)
    free = [rank for rank, d in zip(ranks, kept, strict=True) if d]
    fixed = sum(rank for rank, d in zip(ranks, kept, strict=True) if not d) / 2
    positive = fixed + sum(rank for rank, d in zip(ranks, kept, strict=True) if d > 0)
    sums = [fixed + sum(np.array(free) * signs) for signs in product([0, 1], repeat=len(free))]
    smaller = min(positive, sum(ranks) - positive)
    expected = min(1.0, 2 * np.mean([s <= smaller for s in sums]))

    ours = signed_ranks(differences, np.zeros(len(differences)))
    assert ours.positive == positive
    assert ours.p_value == expected


@given(small_differences)
def test_swapping_the_methods_mirrors_everything(differences: list[int]) -> None:
    zeros = np.zeros(len(differences))
    there, back = signed_ranks(differences, zeros), signed_ranks(zeros, differences)
    ranked = len(differences) - differences.count(0) % 2
    assert (there.positive, there.negative) == (back.negative, back.positive)
    assert there.positive + there.negative == ranked * (ranked + 1) / 2
    assert there.p_value == back.p_value
    assert there.rank_biserial == -back.rank_biserial
    assert (there.wins, there.ties, there.losses) == (back.losses, back.ties, back.wins)


def test_rounding_of_the_subtraction_makes_no_false_ranks() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 differ in their last bit; as accuracies they are a tie."""
    assert signed_ranks([0.3, 0.1], [0.2, 0.2]).moving_ranks == (1.5, 1.5)


def test_what_differs_by_rounding_is_no_win() -> None:
    """0.1 + 0.2 is a little more than 0.3."""
    result = signed_ranks([0.1 + 0.2, 0.3, 0.9], [0.3, 0.1 + 0.2, 0.5])
    assert (result.wins, result.ties, result.losses) == (1, 2, 0)


def test_many_datasets() -> None:
    result = signed_ranks(np.arange(1.0, 301.0), np.zeros(300))
    assert result.p_value == pytest.approx(2.0**-299)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_equals_a_plain_twin(p_values: list[float]) -> None:
    corrected = holm(p_values)
    running = 0.0
    for step, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        running = max(running, min(1.0, (len(p_values) - step) * p_values[index]))
        assert corrected[index] == pytest.approx(running, abs=1e-15)


@pytest.mark.parametrize("levels", [3, 1000])
def test_friedman_equals_scipy(levels: int) -> None:
    values = np.random.default_rng(0).integers(levels, size=(24, 5))
    ours = friedman(pd.DataFrame(values, columns=list("abcde")))
    theirs = scipy.stats.friedmanchisquare(*values.T)
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p_value == pytest.approx(theirs.pvalue)
    assert sum(ours.mean_ranks.values()) == pytest.approx(15)


def test_rounding_of_a_mean_makes_no_false_ranks() -> None:
    ranks = friedman(pd.DataFrame({"a": [0.1 + 0.2], "b": [0.3], "c": [0.2]})).mean_ranks
    assert ranks == {"a": 1.5, "b": 1.5, "c": 3}


def test_friedman_of_equal_methods() -> None:
    ours = friedman(pd.DataFrame(np.ones((4, 3)), columns=list("abc")))
    assert (ours.statistic, ours.p_value) == (0, 1)


def test_flgc_star_against_all(uci: pd.DataFrame) -> None:
    """The paper's claim on the paper's numbers: better than every rival, also after Holm."""
    assert comparison(uci).control == "FLGC*", "it has the smallest mean rank"
    table = comparison(uci, "FLGC*").against()
    assert set(table["verdict"]) == set(table["verdict_holm"]) == {"better"}
    assert (table["p_holm"] >= table["p_value"]).all()
    assert table[["wins", "ties", "losses"]].sum(axis=1).eq(24).all()
    assert table["datasets"].eq(24).all()


def test_one_significant_test_of_several_is_not_enough_for_holm() -> None:
    """Six wins of six have p = 1/32; of two rivals the smaller p counts twice."""
    control = np.arange(6.0)
    table = pd.DataFrame({"control": control, "below": control - 1, "above": control + 1})
    found = comparison(table, "control").against()
    assert found["p_value"].tolist() == [1 / 32, 1 / 32]
    assert found["p_holm"].tolist() == [1 / 16, 1 / 16]
    assert found["verdict"].tolist() == ["better", "worse"]
    assert found["verdict_holm"].tolist() == ["undecided", "undecided"]
    alone = comparison(table[["control", "above"]], "control").against()
    assert alone["verdict_holm"].tolist() == ["worse"]
    more = pd.concat([table, table + 10], ignore_index=True)
    found = comparison(more, "control").against()
    assert found["verdict_holm"].tolist() == ["better", "worse"]
    assert comparison(more).control == "above"
    assert comparison(more).against("below")["verdict_holm"].tolist() == ["worse", "worse"]


def test_all_pairs_are_corrected_together(uci: pd.DataFrame) -> None:
    """Over all 55 pairs once, the same both ways; with a control over its 10 rivals only."""
    found = comparison(uci, "FLGC")
    once = list(combinations(uci.columns, 2))
    assert found.pairs.loc[once, "p_holm"].tolist() == holm(found.pairs.loc[once, "p_value"])
    for row, column in once:
        assert found.pairs.at[(row, column), "p_holm"] == found.pairs.at[(column, row), "p_holm"]
    rivals = found.against()
    assert rivals["p_holm"].tolist() == holm(rivals["p_value"])
    assert list(rivals.index) == [method for method in uci if method != "FLGC"]


def test_a_missing_cell_drops_its_dataset_from_the_pairs_that_need_it(uci: pd.DataFrame) -> None:
    table = uci.copy()
    table.loc["iris", "GCN"] = np.nan
    table.loc[["wine", "zoo"], "SGC"] = np.nan
    found, whole = comparison(table), comparison(uci)
    for row, column in found.pairs.index:
        lost = ["iris"] * ("GCN" in (row, column)) + ["wine", "zoo"] * ("SGC" in (row, column))
        kept = uci.drop(index=lost)
        alone = signed_ranks(kept[row], kept[column])
        pair = found.pairs.loc[(row, column)]
        assert pair["datasets"] == 24 - len(lost)
        assert pair["rank_sum_for"] == alone.positive
        assert pair["p_value"] == alone.p_value
    untouched = ("FLGC*", "TSVM")
    assert found.pairs.loc[untouched, "p_value"] == whole.pairs.loc[untouched, "p_value"]
    complete = friedman(uci.drop(index=["iris", "wine", "zoo"]))
    assert found.friedman == complete
    assert complete.datasets == 21


def test_without_a_complete_dataset_there_are_no_mean_ranks() -> None:
    gaps = pd.DataFrame(
        {"a": [1.0, 2, 3, np.nan], "b": [2.0, 3, np.nan, 1], "c": [np.nan, 1, 2, 3]}
    )
    assert comparison(gaps).friedman.datasets == 1
    gaps.loc[1, "a"] = np.nan
    gaps.loc[len(gaps)] = [5.0, 4.0, np.nan]
    gaps.loc[len(gaps)] = [5.0, np.nan, 4.0]
    gaps.loc[1, "b"] = 3.0
    with pytest.raises(ValueError, match="name the control, one of a, b, c"):
        comparison(gaps)
    found = comparison(gaps, "b")
    assert found.friedman.statistic is None
    assert found.groups == found.ranking == found.unjoined == []
    assert found.against()["datasets"].tolist() == [2, 2]


def test_two_methods_have_ranks_and_no_friedman_test() -> None:
    found = comparison(pd.DataFrame({"a": [3.0, 2, 5], "b": [1.0, 2, 3]}))
    assert (found.friedman.statistic, found.friedman.p_value) == (None, None)
    assert found.friedman.mean_ranks == {"a": pytest.approx(7 / 6), "b": pytest.approx(11 / 6)}
    assert found.control == "a"
    assert found.groups == [("a", "b")]


def by_brute_force(found: Comparison) -> set[tuple[str, ...]]:
    """All runs of two and more, those kept that have no differing pair and are within no other."""
    ranking = found.ranking
    runs = [ranking[i:j] for i in range(len(ranking)) for j in range(i + 2, len(ranking) + 1)]
    equal = [
        run
        for run in runs
        if all(found.pairs.at[pair, "verdict_holm"] == "undecided" for pair in combinations(run, 2))
    ]
    return {tuple(run) for run in equal if not any(set(run) < set(other) for other in equal)}


def test_groups_equal_brute_force(uci: pd.DataFrame) -> None:
    some = set()
    for seed in range(0, 30, 3):
        draw = np.random.default_rng(seed)
        shift, size = draw.normal(size=(2, 7))
        values = shift * seed / 30 + draw.normal(size=(14, 7)) * np.exp(size)
        found = comparison(pd.DataFrame(values, columns=list("abcdefg")))
        groups, unjoined = found.groups, found.unjoined
        assert set(groups) == by_brute_force(found)
        assert len(set(groups)) == len(groups)
        some.add(len(groups))
        shared = {pair for group in groups for pair in combinations(group, 2)}
        for pair in combinations(found.ranking, 2):
            undecided = found.pairs.at[pair, "verdict_holm"] == "undecided"
            assert undecided == (pair in shared or pair in unjoined)
    assert len(some) > 2
    assert set(comparison(uci).groups) == by_brute_force(comparison(uci))


def test_a_run_is_no_group_where_one_in_the_middle_differs() -> None:
    """`steady` is a little above `base` everywhere; `wild` has its rank between, and no pattern."""
    base = np.arange(20.0)
    noise = np.where(np.arange(20) % 2, 50.0, -50.0) + np.linspace(0, 1, 20)
    table = pd.DataFrame({"steady": base + 1, "wild": base + noise, "base": base})
    found = comparison(table)
    assert found.ranking == ["steady", "wild", "base"]
    assert found.pairs.at[("steady", "base"), "verdict_holm"] == "better"
    assert found.groups == [("steady", "wild"), ("wild", "base")]


def test_pairs_that_share_no_bar_and_do_not_differ_are_named() -> None:
    """Ends that are alike, and one between them that differs from the first."""
    draw = np.random.default_rng(0)
    first = draw.normal(size=16)
    between = first - 0.1
    last = first + np.where(np.arange(16) < 4, 9.0, -4.0) + draw.normal(size=16) / 100
    found = comparison(pd.DataFrame({"first": first, "between": between, "last": last}))
    assert found.ranking == ["first", "between", "last"]
    assert found.groups == [("between", "last")]
    assert found.unjoined == [("first", "last")]


good = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0]}, index=["x", "y"])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (good.set_axis(["a", "a"], axis=1), "method twice in the table: a;"),
        (good.set_axis(["x", "x"], axis=0), "dataset twice in the table: x;"),
        (good[["a"]], r"two methods to compare, found \['a'\]"),
        (good[[]], "two methods to compare, found none"),
        (good[:1], r"2 datasets to compare over, found \['x'\]"),
        (good.astype(object).replace(3.0, "three"), "b has values that are not numbers: .*three"),
        (good.assign(c=np.nan), "no value at all for c;"),
        (good.replace(3.0, np.inf), "infinite value for b on y"),
        (good.replace(3.0, np.nan), "a and b have 1 datasets in common, a pair needs 2"),
    ],
)
def test_bad_tables_are_refused(table: pd.DataFrame, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        comparison(table)


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: comparison(paper_accuracies(), "GAT"), r"no method 'GAT'; .*APPNP"),
        (lambda: comparison(paper_accuracies()).against("GAT"), "no method 'GAT'"),
        (lambda: comparison(paper_accuracies(), level=5), r"between 0 and 0.5, found 5"),
        (lambda: signed_ranks([1, 2], [1]), "equal length"),
        (lambda: signed_ranks([1, np.inf], [1, 2]), r"rows \[1\]"),
        (lambda: critical_value(5, 2), "level=2"),
        (lambda: holm([1.5]), "between 0 and 1"),
        (lambda: published("table 5"), "uci_accuracy"),
    ],
)
def test_wrong_choices_are_refused(attempt: Callable, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attempt()

from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from flgc.statistics import many_methods as statistics
from flgc.statistics.many_methods import critical_value, friedman, holm, signed_ranks
from tasks.declared.published import TABLES, published


@pytest.fixture(scope="module")
def uci() -> pd.DataFrame:
    rows = published("uci_accuracy")
    methods = list(dict.fromkeys(rows["method"]))
    rows = rows[rows["dataset"] != "Average"]
    return rows.pivot(index="dataset", columns="method", values="mean")[methods]


@pytest.mark.parametrize("table", TABLES)
def test_published_tables_are_there(table: str) -> None:
    """Some standard deviations are not printed; every other cell is."""
    values = published(table).drop(columns="std", errors="ignore")
    assert len(values) > 2
    assert not values.isna().to_numpy().any()


def test_unknown_published_table_names_the_choices() -> None:
    with pytest.raises(ValueError, match="uci_accuracy"):
        published("table 5")


def test_rank_sums_of_the_paper(uci: pd.DataFrame) -> None:
    ours = statistics.rank_sum_matrix(uci)
    theirs = published("wilcoxon_ranks").pivot(
        index="row_method", columns="column_method", values="rank_sum"
    )
    gap = (ours - theirs.loc[ours.index, ours.columns]).abs().stack().dropna()
    assert len(gap) == 110
    assert (gap == 0).sum() >= 100
    assert gap.max() <= 1.0


def test_verdicts_of_the_paper(uci: pd.DataFrame) -> None:
    """All arrows but one: Table VI has none at 63.0, far below the 91 that it names as critical."""
    ours = statistics.verdict_matrix(uci, upper=0.1, lower=0.05).stack()
    theirs = published("wilcoxon_ranks").set_index(["row_method", "column_method"])["verdict"]
    differ = theirs[theirs != ours.reindex(theirs.index)]
    assert differ.to_dict() == {("GCN", "FLGC"): "equal"}
    assert ours[("GCN", "FLGC")] == "worse"


def test_critical_values_that_the_paper_quotes() -> None:
    assert critical_value(24, 0.05) == 81
    assert critical_value(24, 0.1) == 91


@pytest.mark.parametrize(
    ("n", "expected"), [(6, 0), (8, 3), (10, 8), (20, 52), (30, 137), (50, 434)]
)
def test_critical_values_of_the_printed_tables(n: int, expected: int) -> None:
    assert critical_value(n, 0.05) == expected


def test_five_datasets_cannot_reach_significance() -> None:
    assert np.isnan(critical_value(5, 0.05))
    assert signed_ranks([1, 2, 3, 4, 5], np.zeros(5)).verdict(0.05) == "equal"


@pytest.mark.parametrize("n", [1, 5, 12, 24, 50])
def test_exact_p_equals_scipy_without_ties_and_zeros(n: int) -> None:
    for seed in range(5):
        first, second = np.random.default_rng([n, seed]).normal(size=(2, n))
        ours, theirs = (
            signed_ranks(first, second),
            scipy.stats.wilcoxon(first, second, method="exact"),
        )
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
    for level in (0.05, 0.1, 0.5):
        assert (ours.verdict(level) != "equal") == (expected <= level)


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


def test_friedman_of_equal_methods() -> None:
    ours = friedman(pd.DataFrame(np.ones((4, 3)), columns=list("abc")))
    assert (ours.statistic, ours.p_value) == (0, 1)


def test_the_best_method_has_the_smallest_mean_rank(uci: pd.DataFrame) -> None:
    ranks = friedman(uci).mean_ranks
    assert min(ranks, key=ranks.__getitem__) == "FLGC*"


def test_flgc_star_against_all(uci: pd.DataFrame) -> None:
    """The paper's claim on the paper's numbers: better than every rival, also after Holm."""
    table = statistics.compare_with_control(uci, "FLGC*")
    assert set(table["verdict"]) == {"better"}
    assert (table["p_holm"] >= table["p_value"]).all()
    assert table[["wins", "ties", "losses"]].sum(axis=1).eq(24).all()


def test_one_significant_test_of_several_is_not_enough_for_holm() -> None:
    """Six wins of six have p = 1/32; of two rivals the smaller p counts twice."""
    control = np.arange(6.0)
    table = pd.DataFrame({"control": control, "below": control - 1, "above": control + 1})
    found = statistics.compare_with_control(table, "control")
    assert found["p_value"].tolist() == [1 / 32, 1 / 32]
    assert found["p_holm"].tolist() == [1 / 16, 1 / 16]
    assert found["verdict"].tolist() == ["better", "worse"]
    assert found["verdict_holm"].tolist() == ["equal", "equal"]
    alone = statistics.compare_with_control(table[["control", "above"]], "control")
    assert alone["verdict_holm"].tolist() == ["worse"]
    more = pd.concat([table, table + 10], ignore_index=True)
    found = statistics.compare_with_control(more, "control")
    assert found["verdict_holm"].tolist() == ["better", "worse"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"a": [1.0, np.nan], "b": [1.0, 2.0]}), "no finite value for a on 1"),
        (pd.DataFrame({"a": [1.0]}), "two methods"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "twice"),
    ],
)
def test_bad_tables_are_refused(table: pd.DataFrame, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        statistics.rank_sum_matrix(table)


def test_unknown_control_names_the_choices(uci: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="APPNP"):
        statistics.compare_with_control(uci, "GAT")


def test_unequal_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="equal length"):
        signed_ranks([1, 2], [1])
    with pytest.raises(ValueError, match=r"rows \[1\]"):
        signed_ranks([1, np.inf], [1, 2])
    with pytest.raises(ValueError, match="level=2"):
        critical_value(5, 2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([1.5])

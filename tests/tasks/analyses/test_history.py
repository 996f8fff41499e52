"""When a value has left the spread of its history, and how that is told."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flgc.benchmark.history import ALL_STAGES, COLUMNS, ONE_FIT, RATIO
from tasks.analyses.history import (
    BETTER,
    FEWEST,
    HALF_A_DIGIT,
    NO_HISTORY,
    RATIO_FLOOR,
    RECENT,
    WINDOW,
    WORSE,
    drift_sentences,
    drift_verdict,
    drifted_rows,
    history_text,
    judge_history,
    recent_runs,
)

METRICS = ("accuracy", "ACC", RATIO, ONE_FIT, ALL_STAGES)
TIMES = METRICS[2:]
metrics = st.sampled_from(METRICS)
shares = st.floats(0.001, 1.0)
long = st.integers(FEWEST, 3 * WINDOW)


def rows(values: list[float], metric: str = "accuracy", **more: str) -> pd.DataFrame:
    """One series, a run a day."""
    about = {"suite": "tiny", "dataset": "KarateClub", "method": "FLGC*", "protocol": "honest"}
    days = pd.date_range("2026-01-01", periods=len(values)).strftime("%Y-%m-%d")
    points = [{**about, **more, "when": w, "value": v} for w, v in zip(days, values, strict=True)]
    return pd.DataFrame(points, columns=COLUMNS).assign(metric=metric)


def drifts(values: list[float], metric: str = "accuracy") -> list[str]:
    return judge_history(rows(values, metric))["drift"].tolist()


@given(metrics, shares, long)
def test_what_never_changes_never_drifts(metric: str, value: float, number: int) -> None:
    assert set(drifts([value] * number, metric)) == {""}


@given(metrics, st.lists(shares, max_size=FEWEST))
def test_too_few_earlier_values_tell_nothing(metric: str, values: list[float]) -> None:
    assert set(drifts(values, metric)) <= {""}


@given(metrics, shares, long, st.sampled_from([0.25, 4.0]))
def test_a_far_value_drifts_to_its_side_after_enough_of_others(
    metric: str, value: float, number: int, factor: float
) -> None:
    found = drifts([value] * number + [factor * value], metric)
    better = (factor > 1) != (metric in (ONE_FIT, ALL_STAGES))
    assert found == [""] * number + [BETTER if better else WORSE]


@given(metrics, shares, st.permutations(range(2 * FEWEST)))
def test_the_order_of_the_history_does_not_matter(
    metric: str, value: float, order: list[int]
) -> None:
    earlier = [value * (1 + 0.01 * i) for i in range(len(order))]
    for last in (value / 2.5, value, 1.05 * value, 2.5 * value):
        mixed = [earlier[i] for i in order]
        assert drifts([*earlier, last], metric)[-1] == drifts([*mixed, last], metric)[-1]


@given(st.sampled_from(TIMES), st.lists(shares, min_size=FEWEST + 1), st.floats(0.01, 100))
def test_a_slower_machine_changes_no_verdict_on_times(
    metric: str, values: list[float], factor: float
) -> None:
    """Unless a value lies on a bound: so bounds are compared, not what follows from them."""
    ours, theirs = (judge_history(rows([f * v for v in values], metric)) for f in (1.0, factor))
    for bound in ("usual", "low", "high"):
        assert theirs[bound].tolist() == pytest.approx(
            (factor * ours[bound]).tolist(), rel=1e-9, nan_ok=True
        )


@given(metrics, shares, st.integers(WINDOW, 3 * WINDOW), st.integers(0, WINDOW // 2 - 1))
def test_outliers_in_the_history_hide_nothing_and_are_no_measure(
    metric: str, value: float, number: int, outliers: int
) -> None:
    earlier = [value] * number
    for i in range(outliers):
        earlier[-1 - i] = 100 * value
    assert drifts([*earlier, value], metric)[-1] == ""
    assert drifts([*earlier, 4 * value], metric)[-1] != ""


def test_the_floors_are_half_a_digit_and_a_quarter() -> None:
    same = [0.8] * FEWEST
    inside, outside = 0.9 * HALF_A_DIGIT, 1.1 * HALF_A_DIGIT
    assert drifts([*same, 0.8 - inside, 0.8 + inside]) == [""] * (FEWEST + 2)
    assert drifts([*same, 0.8 - outside])[-1] == WORSE
    assert drifts([*same, 0.8 * RATIO_FLOOR * 0.99], RATIO)[-1] == ""
    assert drifts([*same, 0.8 / RATIO_FLOOR * 0.99], RATIO)[-1] == WORSE
    assert drifts([*same, 0.8 * RATIO_FLOOR * 1.01], ONE_FIT)[-1] == ""


def test_a_noisy_history_has_wider_bounds() -> None:
    noisy = [0.80, 0.82, 0.78, 0.81, 0.79, 0.80, 0.83, 0.77]
    assert drifts([*noisy, 0.84])[-1] == ""
    assert drifts([*noisy, 0.9])[-1] == BETTER


def test_a_step_that_stays_becomes_what_is_usual() -> None:
    found = drifts([0.8] * WINDOW + [0.7] * WINDOW)
    told = found[WINDOW:].count(WORSE)
    assert found[WINDOW : WINDOW + told] == [WORSE] * told
    assert told == WINDOW // 2


def test_gaps_and_infinite_ratios_are_no_drift_and_do_not_count() -> None:
    gap = float("nan")
    assert drifts([0.8] * (FEWEST - 1) + [gap, 0.1]) == [""] * (FEWEST + 1)
    assert drifts([0.8] * FEWEST + [gap]) == [""] * (FEWEST + 1)
    assert drifts([float("inf")] * (FEWEST + 1), RATIO) == [""] * (FEWEST + 1)
    assert drifts([float("inf")] * FEWEST + [2.0], RATIO)[-1] == WORSE


def test_series_are_judged_apart_and_runs_by_their_time() -> None:
    one = rows([0.8] * (FEWEST + 1))
    other = rows([0.3] * FEWEST + [0.9], dataset="Cora")
    mixed = pd.concat([other, one]).sample(frac=1, random_state=0)
    found = judge_history(mixed)
    assert list(found["when"]) == sorted(mixed["when"])
    assert drifted_rows(found)[["dataset", "drift"]].to_numpy().tolist() == [["Cora", BETTER]]
    assert (
        drift_verdict(found) == "Drift: 1 of 2 values left the spread of their history (1 better)"
    )
    assert drift_sentences(found) == [
        "Cora FLGC* honest accuracy: 0.9, better; usually 0.3 (0.2995 to 0.3005)"
    ]


def test_only_the_last_run_is_told() -> None:
    found = judge_history(rows([0.8] * FEWEST + [0.9, 0.8]))
    assert found["drift"].tolist()[-2] == BETTER
    assert drifted_rows(found).empty
    assert drift_verdict(found) == "No drift: all 1 values are within the spread of their history"


def test_the_text_begins_with_the_verdict_and_ends_with_the_last_runs() -> None:
    text = history_text(rows([0.8] * 7 + [0.9]))
    assert text.startswith("**Drift: 1 of 1 values left")
    assert "8 runs from 2026-01-01 to 2026-01-08" in text
    assert text.count("2026-01-03") == 0
    shown = list(recent_runs(rows([0.8] * 7)))
    assert shown[-RECENT:] == [f"2026-01-0{day}" for day in (7, 6, 5, 4, 3)]
    assert "cannot be told yet" in history_text(rows([0.8]))
    assert history_text(rows([])) == NO_HISTORY

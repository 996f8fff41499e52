"""The history of scheduled runs: what is usual for each value, what has left its spread, in words.

A value drifts if it lies outside median ± width of the WINDOW values before it, of which there are
at least FEWEST. The width is 3 standard deviations, estimated by the median absolute deviation,
which one outlier in the history does not move; and at least a floor, since many values are
computed from fixed seeds and never differ at all, and since times always do. Times and ratios are
judged as logarithms: twice as slow is as far as twice as fast. An improvement is a drift too. A
step that stays is told about five times, then it is usual; a slow creep is not found, it has to be
seen in the time lines.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from flgc.benchmark.history import RATIO, SECONDS
from tasks.analyses.charts import grey_legend, open_scale
from tasks.analyses.lines import line_chart
from tasks.declared.looks import looks_of
from tasks.report.tables import as_text, markdown
from tasks.report.writers.inert import inert

STEADY, DRIFTED = "as before", "drifted"
UNSAID = "no protocol"
FEWEST, WINDOW = 5, 10
DEVIATIONS = 3.0
# How many standard deviations of a normal distribution its median absolute deviation is, inverted.
PER_MAD = 1.4826
# Half a printed digit: accuracies have one decimal in percent, ACC and NMI three.
HALF_A_DIGIT = 0.0005
# Factors: fits that take turns differ by some ten percent in their ratio, seconds by what else the
# machine does.
RATIO_FLOOR, SECONDS_FLOOR = 1.25, 2.0
SERIES = ["suite", "dataset", "method", "protocol", "metric"]
BETTER, WORSE = "better", "worse"
UNKNOWN = (math.nan, math.nan, math.nan, "")
RECENT = 5
NO_HISTORY = "This store has no history: `flgc up` runs `track` by the clock, which makes it."


class Spread(NamedTuple):
    """What is usual, and the bounds within which it stays."""

    usual: float
    low: float
    high: float


def spread(metric: str, earlier: Sequence[float]) -> Spread | None:
    """The spread of the values before one, or None if they are too few to tell."""
    known = [value for value in earlier if not math.isnan(value)][-WINDOW:]
    if len(known) < FEWEST:
        return None
    if not _is_time(metric):
        return Spread(*_bounds(np.array(known), HALF_A_DIGIT))
    floor = math.log(SECONDS_FLOOR if metric in SECONDS else RATIO_FLOOR)
    with np.errstate(divide="ignore", over="ignore"):
        return Spread(*np.exp(_bounds(np.log(known), floor)).tolist())


def judge_history(rows: pd.DataFrame) -> pd.DataFrame:
    """All rows, oldest first, each with what was `usual` before it, `low`, `high` and `drift`.

    `drift` is `better`, `worse` or empty: higher is better, but for seconds.
    """
    rows = rows.sort_values("when", kind="stable", ignore_index=True)
    judged: dict[int, tuple[float, float, float, str]] = {}
    for (*_, name), of_series in rows.groupby(SERIES, sort=False):
        metric, values = str(name), of_series["value"].tolist()
        for i, (at, value) in enumerate(zip(of_series.index, values, strict=True)):
            usual = spread(metric, values[:i])
            judged[at] = (*usual, _drift(metric, value, usual)) if usual else UNKNOWN
    columns = ["usual", "low", "high", "drift"]
    more = pd.DataFrame([judged[at] for at in rows.index], columns=columns, index=rows.index)
    return pd.concat([rows, more], axis=1)


def drifted_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Of judged rows, those of the last run that have drifted, the worse first."""
    last = rows[(rows["when"] == rows["when"].max()) & (rows["drift"] != "")]
    return last.sort_values("drift", ascending=False, kind="stable")


def drift_verdict(rows: pd.DataFrame) -> str:
    """Of judged rows, in one sentence: what has become of the last run's values."""
    last = rows[rows["when"] == rows["when"].max()]
    number = int(last["usual"].notna().sum())
    if not number:
        return f"Drift cannot be told yet: that needs {FEWEST} earlier runs"
    gone = last["drift"].value_counts()
    kinds = [f"{gone[kind]} {kind}" for kind in (WORSE, BETTER) if kind in gone]
    if not kinds:
        return f"No drift: all {number} values are within the spread of their history"
    left = gone.get(WORSE, 0) + gone.get(BETTER, 0)
    return f"Drift: {left} of {number} values left the spread of their history ({', '.join(kinds)})"


def drift_sentences(rows: pd.DataFrame) -> list[str]:
    """`Cora FLGC* honest accuracy: 0.81, worse; usually 0.83 (0.8295 to 0.8305)`, one per drift."""
    return [
        f"{_named(row)}: {row.value:.4g}, {row.drift}; usually {row.usual:.4g} "
        f"({row.low:.4g} to {row.high:.4g})"
        for row in drifted_rows(rows).itertuples()
    ]


def recent_runs(rows: pd.DataFrame) -> pd.DataFrame:
    """The last runs side by side, the newest first, one row per series."""
    names = SERIES[1:]
    wide = rows.pivot_table(index=names, columns="when", values="value", sort=False)
    wide = wide[sorted(wide.columns)[: -RECENT - 1 : -1]]
    return wide.rename(columns=_minute).reset_index().rename_axis(columns=None)


def history_text(rows: pd.DataFrame) -> str:
    """The history of one suite in words and tables: the verdict first, then what has drifted."""
    judged = judge_history(rows)
    runs = sorted(judged["when"].unique())
    if not runs:
        return NO_HISTORY
    number = f"{len(runs)} run{'' if len(runs) == 1 else 's'}"
    period = f"{number} from {_minute(runs[0])} to {_minute(runs[-1])}."
    drifted = [f"- {inert(line)}" for line in drift_sentences(judged)]
    parts = [f"**{drift_verdict(judged)}.** {period}", "", *drifted]
    return "\n".join([*parts, "", "## The last runs", "", markdown(recent_runs(judged)), ""])


def _minute(when: str) -> str:
    """`2026-11-18 10:37`: no seconds and no zone, which is always the same."""
    return when[:16].replace("T", " ")


def _named(row: object) -> str:
    words = [getattr(row, name) for name in ("dataset", "method", "protocol", "metric")]
    return " ".join(word for word in words if word)


def _is_time(metric: str) -> bool:
    return metric in SECONDS or metric == RATIO


def _bounds(values: np.ndarray, floor: float) -> tuple[float, float, float]:
    """Median, and what is a width away from it; where it is infinite there is no width."""
    usual = float(np.median(values))
    with np.errstate(invalid="ignore"):
        deviation = float(np.median(np.abs(values - usual)))
    width = float(np.fmax(DEVIATIONS * PER_MAD * deviation, floor))
    return usual, usual - width, usual + width


def _drift(metric: str, value: float, usual: Spread) -> str:
    if not (value < usual.low or value > usual.high):  # NaN is a gap, which is listed elsewhere
        return ""
    return BETTER if (value > usual.high) != (metric in SECONDS) else WORSE


def history_chart(rows: pd.DataFrame) -> dict[str, Any]:
    """Values over time by method, a panel for each suite, metric and dataset.

    Rows are those of `flgc.benchmark.history`, with a column `drift` where that is known.
    """
    import altair as alt

    drifted = rows["drift"].astype(bool) if "drift" in rows else pd.Series(False, rows.index)
    judged = rows[["when", "suite", "dataset", "method", "protocol", "metric"]].assign(
        panel=rows["metric"] + ", " + rows["dataset"] + " (" + rows["suite"] + ")",
        protocol=rows["protocol"].replace("", UNSAID),
        value=rows["value"].map(lambda value: float(f"{value:.5g}")),
        printed=rows["value"].map(as_text),
        drift=drifted.map({False: STEADY, True: DRIFTED}),
        x=pd.to_datetime(rows["when"], utc=True, format="ISO8601").map(
            lambda when: round(1000 * when.timestamp())
        ),
    )
    days = alt.Axis(format="%Y-%m-%d", labelOverlap=True, labelSeparation=10, labelFlush=True)
    kinds = alt.Scale(domain=[STEADY, DRIFTED], range=["circle", "triangle-up"])
    chart = line_chart(
        judged.sort_values("x", kind="stable"),
        "method",
        looks_of(list(dict.fromkeys(judged["method"]))),
        x=alt.X(
            "x:T",
            title="when (UTC)",
            scale=alt.Scale(type="utc", padding=10),
            axis=days,
        ),
        y=alt.Y("value:Q", title="value", scale=open_scale()),
        titles={
            **{name: name for name in ("method", "dataset", "suite", "protocol", "metric")},
            "printed": "value",
            "when": "when",
            "drift": "drift out of the spread of its history",
        },
        dash="protocol",
        shape=alt.Shape("drift:N", scale=kinds, legend=grey_legend(kinds.domain)),
    )
    words = "what was measured, over time: a line for each method; drifts are marked."
    return {**chart, "description": words}

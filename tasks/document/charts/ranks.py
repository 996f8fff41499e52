"""Mean ranks of methods, the best above; a bar beside neighbours that do not differ."""

from collections.abc import Mapping
from math import ceil, floor
from typing import Any

import pandas as pd

from flgc.statistics.diagram import COLOUR
from flgc.statistics.many_methods import Comparison
from tasks.document.charts.parts import finished, inline, told
from tasks.document.tables import as_text

# Pixels of a method; the distance of bars, in shares of the axis.
LINE, STEP = 22, 0.03


def rank_rows(found: Comparison) -> pd.DataFrame:
    """One row for each method: its mean rank, and what the control's test against it says."""
    tests: Any = found.against().to_dict("index")
    rows = []
    for method in found.ranking:
        rank = found.friedman.mean_ranks[method]
        test = "" if method == found.control else _said(tests[method], found.control)
        rows.append(
            {
                "method": method,
                "rank": round(rank, 3),
                "printed": f"{rank:.2f}",
                "datasets": str(found.friedman.datasets),
                "test": test,
            }
        )
    return pd.DataFrame(rows)


def _said(test: Mapping[str, Any], control: str) -> str:
    """`FLGC* is better, p 0.012 after Holm's correction; 15 wins, 0 ties, 5 losses`."""
    counts = ", ".join(f"{test[name]:.0f} {name}" for name in ("wins", "ties", "losses"))
    p = as_text(float(test["p_holm"]))
    return f"{control} is {test['verdict_holm']}, p {p} after Holm's correction; {counts}"


def rank_chart(found: Comparison) -> dict[str, Any]:
    """The critical-difference diagram, a line for each method."""
    import altair as alt

    rows = rank_rows(found)
    low, high = floor(rows["rank"].min() - 0.1), max(ceil(rows["rank"].max()), 2)
    step = STEP * (high - low)
    bars = pd.DataFrame(
        [
            {"first": group[0], "last": group[-1], "at": high + step * (i + 1)}
            for i, group in enumerate(found.groups)
        ],
        columns=["first", "last", "at"],
    )
    domain = [low, high + step * (len(bars) + 1)]
    scale = {
        "x": alt.Scale(domain=domain, nice=False),
        "y": alt.Scale(domain=list(rows["method"]), padding=0.5),
    }
    words = ["mean rank, the best above", "bars: no significant difference"]
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=80, opacity=1, color=COLOUR)
        .encode(
            x=alt.X(
                "rank:Q",
                title=words[: 1 + len(bars)],
                scale=scale["x"],
                axis=alt.Axis(tickMinStep=1),
            ),
            y=alt.Y(
                "method:N", title=None, scale=scale["y"], axis=alt.Axis(grid=True, labelLimit=0)
            ),
            tooltip=told(
                {
                    "method": "method",
                    "printed": "mean rank",
                    "datasets": "datasets",
                    "test": f"against {found.control}",
                }
            ),
        )
    )
    joined = (
        alt.Chart(inline(bars))
        .mark_rule(strokeWidth=4, color=COLOUR)
        .encode(
            x=alt.X("at:Q", scale=scale["x"]),
            y=alt.Y("first:N", scale=scale["y"]),
            y2=alt.Y2("last"),
            tooltip=told({"first": "no significant difference from", "last": "to"}),
        )
    )
    said = f"mean ranks of {len(rows)} methods over {found.friedman.datasets} datasets."
    return finished(alt.layer(dots, joined) if len(bars) else dots, rows, LINE * len(rows), said)

"""Time lines of what was measured again and again, with what has drifted."""

from typing import Any

import pandas as pd

from tasks.document.charts.lines import line_chart
from tasks.document.charts.parts import grey_legend, open_scale
from tasks.document.figures.analyses import styles
from tasks.document.tables import as_text

STEADY, DRIFTED = "as before", "drifted"
UNSAID = "no protocol"


def history_chart(rows: pd.DataFrame) -> dict[str, Any]:
    """Values over time by method, a panel for each suite, metric and dataset.

    Rows are those of `flgc.benchmark.history`, with a column `drift` where that is known.
    """
    import altair as alt

    drifted = rows["drift"].astype(bool) if "drift" in rows else pd.Series(False, rows.index)
    found = rows[["when", "suite", "dataset", "method", "protocol", "metric"]].assign(
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
    return line_chart(
        found.sort_values("x", kind="stable"),
        "method",
        styles(list(dict.fromkeys(found["method"]))),
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
        said="what was measured, over time: a line for each method; drifts are marked.",
        what="measured",
        dash="protocol",
        shape=alt.Shape("drift:N", scale=kinds, legend=grey_legend(kinds.domain)),
        large=f"datum.drift == '{DRIFTED}'",
    )

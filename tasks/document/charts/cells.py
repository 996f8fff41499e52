"""The cells of a table: a dot for each dataset, method and protocol, or bars."""

import re
from itertools import chain
from typing import Any

import pandas as pd

from tasks.declared.described import Described
from tasks.document.charts.parts import (
    FAINT,
    RING,
    SHAPES,
    clicked,
    coloured,
    fading,
    finished,
    grey_legend,
    open_scale,
    setting_text,
    told,
    width_of,
)
from tasks.document.figures.analyses import styles
from tasks.document.figures.dots import MARKS, in_words, shown_cells
from tasks.document.tables import SUBJECT, cell_text, printed_in, settings

CELL = ["subject", "method", "protocol"]
# Pixels: the height of a line of dots and of a bar, the area of a dot.
LINE, BAR, DOT = 13, 14, 50
# A long name is told in lines: dataset, noise and intensity, pattern.
BEFORE_WORDS = " (?=[A-Za-z])"
WORD_BY_WORD = f"split(datum.label, regexp('{BEFORE_WORDS}'))"
BARRED = "paper"  # the protocol whose values are the bars; others are marks on them


def cell_rows(table: Described, results: pd.DataFrame) -> pd.DataFrame:
    """One row for each cell: where it stands, what the table prints there, and its setting."""
    shown, metric = shown_cells(table, results), table.metrics[0]
    unit, digits = printed_in(metric, table)
    picked, rows = _picked(results), []
    groups: Any = shown.groupby(CELL, sort=False)
    for (subject, method, protocol), cell in groups:
        values = cell["value"]
        spread = values.std(ddof=0) if len(values) > 1 else cell["std"].max()
        at = tuple(cell.iloc[0][[*SUBJECT, "method", "protocol"]])
        rows.append(
            {
                "dataset": subject,
                "method": method,
                "protocol": protocol,
                "value": round(unit * values.mean(), digits + 1),
                "printed": cell_text(table, values, spread, metric, ""),
                "runs": "" if protocol == "published" else str(len(values)),
                "setting": picked.get(at, ""),
            }
        )
    return pd.DataFrame(rows)


def _picked(results: pd.DataFrame) -> dict[tuple, str]:
    """By cell the setting that most of its runs have, and how many if not all."""
    cell = {"dataset": "", "noise": "", "intensity": 0.0, "noise_pattern": ""}
    texts, found = {}, settings(results)
    rows: Any = found.to_dict("records")
    for row in rows:
        subject = (row.pop(name, none) for name, none in cell.items())
        at = (*subject, row.pop("method"), row.pop("protocol"))
        runs, different = row.pop("runs"), row.pop("different settings")
        texts[at] = setting_text(row) + (f" ({runs} runs)" if different > 1 else "")
    return texts


def _titles(table: Described) -> dict[str, str]:
    """What a tooltip says of a cell."""
    return {
        "method": "method",
        "dataset": "dataset",
        "protocol": "protocol",
        "printed": in_words(table),
        "runs": "runs",
        "setting": "setting",
    }


def dots_chart(table: Described, results: pd.DataFrame) -> dict[str, Any]:
    """A row for each dataset, with a line of dots for each protocol; colours are methods."""
    import altair as alt

    rows, chosen = cell_rows(table, results), clicked("method")
    ours = rows[rows["protocol"] != "published"]
    protocols = [name for name in MARKS if name in set(rows["protocol"])]
    shapes = [SHAPES[MARKS[name][1]] if MARKS[name][3] else RING for name in protocols]
    datasets = list(dict.fromkeys(ours["dataset"]))
    texts = [re.split(BEFORE_WORDS, name) for name in datasets]
    beside, above = width_of(chain.from_iterable(texts)), 7 * (max(map(len, texts)) - 1)
    base = alt.Chart().encode(
        x=alt.X("value:Q", title=in_words(table), scale=open_scale()),
        y=alt.Y(
            "dataset:N",
            sort=datasets,
            title=None,
            scale=alt.Scale(paddingInner=0.2),
            axis=alt.Axis(
                grid=True,
                tickBand="extent",
                ticks=False,
                labelLimit=0,
                labelExpr=WORD_BY_WORD,
                labelOffset=-above,
            ),
        ),
        yOffset=alt.YOffset("protocol:N", sort=protocols),
        color=coloured("method", _looks(table, rows), beside=beside),
        shape=alt.Shape(
            "protocol:N",
            scale=alt.Scale(domain=protocols, range=shapes),
            legend=grey_legend(protocols, beside=beside, symbolStrokeWidth=0),
        ),
    )
    faint = base.mark_point(filled=True, size=DOT, opacity=FAINT, tooltip=None)
    front = base.mark_point(filled=True, size=DOT, opacity=1).encode(tooltip=told(_titles(table)))
    chart = alt.layer(faint, front.transform_filter(chosen)).add_params(chosen)
    said = f"{in_words(table)} of {_counted(rows)}; a line of dots for each protocol."
    shown = rows[rows["dataset"].isin(datasets)]
    return finished(chart, shown, LINE * len(datasets) * (len(protocols) + 0.5), said)


def bars_chart(table: Described, results: pd.DataFrame) -> dict[str, Any]:
    """Bars of `paper`, for each dataset in the order of the table; a diamond on each is `honest`.

    What the paper prints of them is no mark: its bars are in its picture only.
    """
    import altair as alt

    rows, chosen = cell_rows(table, results), clicked("method")
    rows = rows[rows["protocol"] != "published"]
    looks = _looks(table, rows)
    datasets = [name for name in table.datasets if name in set(rows["dataset"])]
    base = alt.Chart().encode(
        x=alt.X("value:Q", title=f"{in_words(table)}; bars: `paper`, diamonds: `honest`"),
        y=alt.Y(
            "dataset:N",
            sort=datasets,
            title=None,
            scale=alt.Scale(paddingInner=0.15),
            axis=alt.Axis(ticks=False, labelLimit=0),
        ),
        yOffset=alt.YOffset("method:N", sort=list(looks)),
        opacity=fading(chosen),
        tooltip=told(_titles(table)),
    )
    bars = base.transform_filter(f"datum.protocol == '{BARRED}'").mark_bar()
    honest = base.transform_filter("datum.protocol == 'honest'").mark_point(
        shape="diamond", size=DOT, filled=True, fill="white", stroke="black", strokeWidth=1
    )
    chart = alt.layer(
        bars.encode(color=coloured("method", looks, beside=width_of(datasets))), honest
    ).add_params(chosen)
    said = f"{in_words(table)} of {_counted(rows)}, as bars."
    return finished(chart, rows, BAR * len(datasets) * (len(looks) + 1), said)


def _looks(table: Described, rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Those of the methods that are there, as in all figures of the table."""
    return {
        name: look for name, look in styles(table.methods).items() if name in set(rows["method"])
    }


def _counted(rows: pd.DataFrame) -> str:
    return f"{rows['method'].nunique()} methods on {rows['dataset'].nunique()} datasets"

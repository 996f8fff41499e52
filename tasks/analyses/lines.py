"""Lines: one for each method or dataset, a panel at a time; the nearest point says what it is."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tasks.analyses.charts import (
    FAINT,
    PANEL,
    SHAPES,
    clicked,
    coloured,
    fading,
    finished,
    grey_legend,
    in_panels,
    legend,
    tooltip,
)
from tasks.declared.looks import Looks

# Pixels: the height of a panel, the area of a point; the line of a method that has no width.
HEIGHT, POINT, WIDTH = 340, 45, 1.5
SOLID = [1, 0]
BREAKS = (SOLID, [6, 3], [2, 2])
# The bounds of the band around a line, if rows have these columns.
BAND = ("near", "far")


def line_chart(
    rows: pd.DataFrame,
    series: str,
    looks: Looks,
    x: Any,
    y: Any,
    titles: Mapping[str, str],
    dash: str = "",
    shape: Any = None,
) -> dict[str, Any]:
    """Lines and points by the column `series`, with the colours, dashes and markers of `looks`.

    Panels are a column of their own, and `titles` name the entries of tooltips. Lines are broken as
    their looks say, or by the values of the column `dash`; points have the markers of their looks,
    or those of `shape`.
    """
    import altair as alt

    looks = {name: look for name, look in looks.items() if name in set(rows[series])}
    chosen = clicked(series)
    base = alt.Chart().encode(x=x, y=y, color=coloured(series, looks))
    lines = base.mark_line().encode(
        opacity=fading(chosen),
        order=alt.Order("x:Q"),
        strokeDash=_dashes(rows, series, looks, dash),
        strokeWidth=_by_name(
            series, {name: look.get("width", WIDTH) for name, look in looks.items()}
        ),
    )
    if shape is None:
        markers = [SHAPES[look["marker"]] for look in looks.values()]
        scale = alt.Scale(domain=list(looks), range=markers)
        shape = alt.Shape(f"{series}:N", scale=scale, legend=legend(looks))
    near = alt.selection_point(name="near", nearest=True, on="pointerover", empty=False)
    size = alt.when(near).then(alt.value(4 * POINT)).otherwise(alt.value(POINT))
    points = base.mark_point(filled=True, opacity=1).encode(
        shape=shape, size=size, tooltip=tooltip(titles)
    )
    layers = [lines, points.add_params(near).transform_filter(chosen)]
    if set(BAND) <= set(rows):
        low, high = BAND
        area = base.mark_area(opacity=FAINT).encode(y=alt.Y(f"{low}:Q"), y2=alt.Y2(high))
        layers.insert(0, area.transform_filter(chosen))
    chart = alt.layer(*layers).add_params(chosen)
    same = "dataset" in rows and (rows[PANEL] == rows["dataset"]).all()
    chart = in_panels(chart, list(dict.fromkeys(rows[PANEL])), "dataset" if same else PANEL)
    return finished(chart, rows, HEIGHT)


def _dashes(rows: pd.DataFrame, series: str, looks: Looks, dash: str) -> Any:
    """How lines are broken."""
    import altair as alt

    if dash:
        kinds = list(dict.fromkeys(rows[dash]))
        scale = alt.Scale(domain=kinds, range=list(BREAKS[: len(kinds)]))
        stroke = grey_legend(kinds, symbolType="stroke")
        return alt.StrokeDash(f"{dash}:N", scale=scale, legend=stroke)
    return _by_name(series, {name: look.get("dash", SOLID) for name, look in looks.items()})


def _by_name(series: str, values: Mapping[str, Any]) -> Any:
    """A value for each, by conditions: a scale would be one more legend."""
    import altair as alt

    (first, start), *others = values.items()
    found = alt.when(_is(series, first)).then(alt.value(start))
    for name, value in others:
        found = found.when(_is(series, name)).then(alt.value(value))
    return found.otherwise(alt.value(start))


def _is(column: str, text: str) -> str:
    """An expression of Vega."""
    return f"datum.{column} == {json.dumps(text)}"

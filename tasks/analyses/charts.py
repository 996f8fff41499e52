"""What all charts have in common: data inside, a legend to click, a panel to choose, colours.

A chart is one Vega-Lite specification: the page shows it as it is, and `svg_of` prints it, all
panels side by side. Altair is imported where it is used: what draws nothing does not wait.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from math import cos, pi, sin
from typing import Any

import pandas as pd

from tasks.report.files import as_json

# After a click in the legend only the marks named here stay in sight.
CHOSEN = "chosen"
FAINT = 0.12
# The column of the panels, of which one is shown at a time.
PANEL = "panel"
# The parameter that says which.
SHOWN = "shown"
# Pixels of a printed chart: its width, or that of each panel, and how many stand in a row.
WIDTH, PANEL_WIDTH, MOST_IN_A_ROW = 640, 300, 3
# What a printed chart has no use for; names of views would be there once for each panel.
LEFT_OUT = ("params", "tooltip", "name")
PRINTED = "Arial, Helvetica, Liberation Sans, sans-serif"  # fonts whose letters are equally wide
# Pixels of a letter, and of the symbol with its distances in a legend.
LETTER, SYMBOL = 6.5, 26
GREY = "#808080"  # readable on every page; for marks of no method


# What is the same on every page. Marks are not read out one by one: a chart has a description, and
# its numbers are in tables.
LAYOUT: dict[str, Any] = {
    "font": "system-ui, sans-serif",
    "axis": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "aria": False},
    "legend": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "aria": False,
        # Several legends one below the other.
        "layout": {"bottom": {"anchor": "start", "direction": "vertical"}},
    },
    "title": {"fontSize": 13, "fontWeight": "normal"},
    "mark": {"aria": False},
}


WORDS = {"labelColor": "#222222", "titleColor": "#222222"}
# All colours but those of methods and datasets: charts stand on white, on dark pages too.
COLOURS: dict[str, Any] = {
    "axis": {**WORDS, "gridColor": "#dddddd", "domainColor": "#767676", "tickColor": "#767676"},
    "legend": WORDS,
    "title": {"color": "#222222"},
    "view": {"stroke": "#dddddd"},
    "rule": {"color": "#767676"},
}


def on_page(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The chart in the colours of the page."""
    own = spec.get("config", {})
    both = {each: COLOURS[each] | own[each] for each in COLOURS if each in own}
    return {**spec, "config": {**COLOURS, **own, **both}}


def _polygon(corners: int, inner: float = 1.0, turned: float = 0.0) -> str:
    """A path for Vega, the first corner above; with `inner` below 1 a star of that many points."""
    steps = corners if inner == 1 else 2 * corners
    points = []
    for i in range(steps):
        radius = inner if inner < 1 and i % 2 else 1.0
        angle = 2 * pi * (i + turned) / steps
        points.append(f"{radius * sin(angle):.3f},{-radius * cos(angle):.3f}")
    return f"M{'L'.join(points)}Z"


# The markers of the figures as shapes of Vega.
SHAPES = {
    "o": "circle",
    "s": "square",
    "D": "diamond",
    "P": "cross",
    "^": "triangle-up",
    "v": "triangle-down",
    "<": "triangle-left",
    ">": "triangle-right",
    "|": "M-.15,-1L.15,-1L.15,1L-.15,1Z",
    "*": _polygon(5, inner=0.45),
    "X": _polygon(4, inner=0.35, turned=1.0),
    "x": _polygon(4, inner=0.2, turned=1.0),
    "d": "M0,-1L.6,0L0,1L-.6,0Z",
    "p": _polygon(5),
    "h": _polygon(6),
    "8": _polygon(8, turned=0.5),
}

# A circle that is not filled, where all others are.
RING = "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0ZM.55,0A.55,.55,0,1,0,-.55,0A.55,.55,0,1,0,.55,0Z"


def inline(rows: pd.DataFrame) -> Any:
    """The rows inside the chart, as CSV: as JSON each would repeat all names."""
    import altair as alt

    numbers = {str(name): "number" for name in rows if pd.api.types.is_numeric_dtype(rows[name])}
    return alt.InlineData(
        values=rows.to_csv(index=False, lineterminator="\n"),
        format=alt.CsvDataFormat(type="csv", parse=numbers),
    )


def clicked(field: str) -> Any:
    """What was clicked in the legend of a column; a further click takes it away again."""
    import altair as alt

    return alt.selection_point(name=CHOSEN, fields=[field], bind="legend", toggle="true")


def fading(chosen: Any) -> Any:
    """Full strength for what was clicked, or for all as long as nothing was."""
    import altair as alt

    return alt.when(chosen).then(alt.value(1)).otherwise(alt.value(FAINT))


def legend(names: Iterable[str], beside: float = 60, **more: Any) -> Any:
    """Below the plot, in as many columns as there is room for; nothing abbreviated.

    `beside` is what the labels of the vertical axis take. The room is that of the place and not the
    signal `width`, which is settled after the height of the legend.
    """
    import altair as alt

    column = width_of(names) + SYMBOL
    room = f"(containerSize()[0] || width) - {beside:.0f}"
    columns = alt.ExprRef(f"max(1, floor(({room}) / {column:.0f}))")
    given: dict[str, Any] = {
        "orient": "bottom",
        "labelLimit": 0,
        "symbolOpacity": 1,
        "columns": columns,
    }
    return alt.Legend(title=None, **given, **more)


def width_of(texts: Iterable[str]) -> float:
    """Pixels that the longest of them takes, about."""
    return LETTER * max(map(len, texts))


def grey_legend(names: Iterable[str], **more: Any) -> Any:
    """Of shapes and dashes, whatever their colour."""
    return legend(names, symbolFillColor=GREY, symbolStrokeColor=GREY, **more)


def coloured(field: str, looks: Mapping[str, Mapping[str, Any]], **more: Any) -> Any:
    """The colours of methods or datasets, in their order, with the legend."""
    import altair as alt

    colours = [look["color"] for look in looks.values()]
    scale = alt.Scale(domain=list(looks), range=colours)
    return alt.Color(f"{field}:N", scale=scale, legend=legend(looks, **more))


def open_scale(**more: Any) -> Any:
    """As far as the values go and a little further, so that no mark is cut."""
    import altair as alt

    return alt.Scale(**({"zero": False, "nice": False, "padding": 10} | more))


def tooltip(titles: Mapping[str, str]) -> list[Any]:
    """The tooltip: columns of text, and `x`, which is a number, each with what it is called."""
    import altair as alt

    kinds: dict[str, Any] = {"x": {"type": "quantitative", "format": ".4~g"}}
    text = {"type": "nominal"}
    return [
        alt.Tooltip(name, title=title, **kinds.get(name, text)) for name, title in titles.items()
    ]


def in_panels(chart: Any, panels: Sequence[str], what: str) -> Any:
    """One panel at a time, by a list to choose from; a single one is the title."""
    import altair as alt

    if len(panels) == 1:
        return chart.properties(title=alt.Title(panels[0], anchor="start"))
    choice = alt.binding_select(options=list(panels), name=f"{what} ")
    shown = alt.param(name=SHOWN, bind=choice, value=panels[0])
    return chart.add_params(shown).transform_filter(f"datum.{PANEL} == {SHOWN}")


def finished(chart: Any, rows: pd.DataFrame, height: Any, description: str = "") -> dict[str, Any]:
    """The specification: as wide as its place, without colours of the page."""
    import altair as alt

    with alt.data_transformers.enable(consolidate_datasets=False):
        spec = chart.properties(
            data=inline(rows),
            width="container",
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
            height=height,
            description=description,
            background="transparent",
        ).to_dict()
    # Not Altair's own, which has colours: these settings override those of the page.
    return {**spec, "config": LAYOUT}


def svg_of(spec: Mapping[str, Any]) -> str:
    """The chart for print: on white, dark pages too, and without what needs a pointer."""
    import vl_convert

    still = on_page(printable(spec)) | {"background": "white"}
    still["config"]["font"] = PRINTED
    return vl_convert.vegalite_to_svg(as_json(still))


def printable(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The same chart without parameters, all panels side by side."""
    chosen = next((each for each in spec.get("params", ()) if each["name"] == SHOWN), None)
    panels = chosen["bind"]["options"] if chosen else []
    outside = ("data", "config", "background", "description", "$schema", "usermeta")
    whole = {name: value for name, value in spec.items() if name in outside}
    inside = {name: value for name, value in spec.items() if name not in (*outside, "autosize")}
    in_a_row = min(len(panels), MOST_IN_A_ROW)
    width = PANEL_WIDTH * in_a_row if panels else WIDTH
    still: dict[str, Any] = _still(inside, width)
    if not panels:
        return {**whole, **still, "width": width}
    filters = [each for each in still.get("transform", ()) if not _is_choice(each)]
    parts = [
        {
            **still,
            "width": PANEL_WIDTH,
            "title": {"text": panel, "anchor": "start"},
            "transform": [{"filter": f"datum.{PANEL} == {json.dumps(panel)}"}, *filters],
        }
        for panel in panels
    ]
    shared = dict.fromkeys(("color", "shape", "strokeDash"), "shared")
    return {**whole, "concat": parts, "columns": in_a_row, "resolve": {"scale": shared}}


def _is_choice(transform: Mapping[str, Any]) -> bool:
    return SHOWN in str(transform.get("filter", ""))


def _still(value: Any, width: float) -> Any:
    """A part of a chart without parameters, conditions that ask for them, and tooltips."""
    if isinstance(value, list):
        return [_still(each, width) for each in value if not _asks(each)]
    if not isinstance(value, dict):
        return value
    kept = {k: _still(v, width) for k, v in value.items() if k not in LEFT_OUT}
    given = value.get("condition")
    conditions = given if isinstance(given, list) else [given] if given else []
    for each in conditions:
        if each.get("param") == CHOSEN:  # nothing is chosen, so all is
            kept["value"] = each["value"]
    rest = [each for each in conditions if "param" not in each]
    kept.pop("condition", None)
    if rest:
        kept["condition"] = rest
    if kept.get("legend"):
        names = kept.get("scale", {}).get("domain", ["", ""])
        columns = max(1, int(width // (width_of(map(str, names)) + SYMBOL)))
        kept["legend"] = {**kept["legend"], "columns": columns}
    return kept


def _asks(value: Any) -> bool:
    """Whether it is a filter by what is chosen."""
    found = value.get("filter") if isinstance(value, dict) else None
    return isinstance(found, dict) and "param" in found

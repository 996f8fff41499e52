"""Charts of an experiment's analysis: curves, boxes, influence, training time and sensitivity."""

from collections.abc import Mapping
from math import nan
from typing import Any

import pandas as pd

from flgc.methods.base import axes_of
from flgc.methods.picking import usual
from tasks.declared.described import Described
from tasks.document.charts.lines import HEIGHT, line_chart
from tasks.document.charts.parts import (
    GREY,
    PANEL,
    finished,
    in_panels,
    open_scale,
    setting_text,
    told,
)
from tasks.document.figures import influence
from tasks.document.figures.analyses import profiles, styles
from tasks.document.figures.curves import BAND_AT_MOST, MEAN, MEDIAN, TICKS, X_AXES, line_styles
from tasks.document.tables import as_text, cell_text, printed_in, titled_as

# Accuracies are drawn by their distance to this, on a scale of logarithms.
ABOVE = 101
POINT = ["dataset", "method", "x"]
ACCURACY = "test accuracy in %"
# An expression of Vega for the numbers at an axis.
FEW_DIGITS = "format(datum.value, '.3~g')"
QUARTILES = {"lowest": 0.0, "lower": 0.25, "median": 0.5, "upper": 0.75, "highest": 1.0}


def curve_rows(table: Described, rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One row for each dataset, method and x: mean, spread and number of its runs, and setting."""
    unit, digits = printed_in(metric, table)
    axes, found = axes_of(rows), []
    groups: Any = rows.groupby(POINT, sort=False)
    for (dataset, method, x), here in groups:
        values = here[metric]
        spread = values.std(ddof=0) if len(values) > 1 else nan
        quartiles = {name: unit * values.quantile(share) for name, share in QUARTILES.items()}
        numbers = {"value": unit * values.mean(), "spread": unit * spread, **quartiles}
        found.append(
            {
                PANEL: titled_as(dataset, rows),
                "dataset": titled_as(dataset, rows),
                "method": method,
                "x": x,
                **{name: round(number, digits + 1) for name, number in numbers.items()},
                "printed": cell_text(table, values, spread, metric, ""),
                "runs": str(len(values)),
                "setting": setting_text(here.iloc[0][axes]),
            }
        )
    return pd.DataFrame(found)


def _titles(x: str, value: str) -> dict[str, str]:
    """What a tooltip says of a point."""
    return {
        **{name: name for name in ("method", "dataset")},
        "x": x,
        "printed": value,
        **{name: name for name in ("runs", "setting")},
    }


def curve_chart(table: Described, rows: pd.DataFrame, figure: str) -> dict[str, Any]:
    """Accuracy over x, its scale wider towards 100; where methods are few, with their spread."""
    import altair as alt

    looks, (words, *more) = line_styles(table), X_AXES[figure].splitlines()
    found = curve_rows(table, rows, "accuracy").drop(columns=list(QUARTILES))
    few = found["method"].nunique() <= BAND_AT_MOST
    found["spread"] = found["spread"].fillna(0)
    reach = found["spread"] if few else 0
    least = max(1.0, (ABOVE - found["value"] - reach).min()) / 1.1
    most = (ABOVE - found["value"] + reach).max() * 1.1
    ticks = [ABOVE - tick for tick in TICKS if least <= ABOVE - tick <= most]
    about = [*more, "bands: standard deviation"] if few else more
    return line_chart(
        found,
        "method",
        looks,
        x=alt.X("x:Q", title=[words, *about], axis=_whole(), scale=open_scale()),
        y=alt.Y(
            "error:Q",
            title=f"{ACCURACY}, wider towards 100",
            scale=alt.Scale(type="log", reverse=True, domain=[least, most], nice=False),
            axis=alt.Axis(values=ticks, labelExpr=f"{ABOVE} - datum.value"),
        ),
        titles=_titles(words, ACCURACY),
        said=f"{ACCURACY} over {words}: a line for each method.",
        band=("near", "far") if few else None,
        calculated={
            "error": f"{ABOVE} - datum.value",
            "near": f"max({least}, datum.error - datum.spread)",
            "far": "datum.error + datum.spread",
        },
    )


def box_chart(table: Described, rows: pd.DataFrame, figure: str) -> dict[str, Any]:
    """For each x a box over the runs, a line to the extremes, and a triangle for the mean."""
    import altair as alt

    found = curve_rows(table, rows, "accuracy").drop(columns="spread")
    methods = ", ".join(dict.fromkeys(found["method"]))
    words, *more = X_AXES[figure].splitlines()
    y = alt.Y("lowest:Q", title=f"test accuracy of {methods} in %", scale=open_scale())
    base = alt.Chart().encode(
        x=alt.X(
            "x:O",
            title=[words, *more, "lines reach to the extremes"],
            axis=alt.Axis(labelAngle=0),
        ),
        tooltip=told(_titles(words, ACCURACY) | {name: name for name in QUARTILES}),
    )
    wide = alt.RelativeBandSize(band=0.6)
    box = base.mark_bar(width=wide, color=GREY, fillOpacity=0.3)
    median = base.mark_bar(width=wide, stroke=MEDIAN, strokeWidth=2)
    mean = base.mark_point(shape="triangle-up", filled=True, opacity=1, size=50, color=MEAN)
    chart = alt.layer(
        base.mark_rule().encode(y=y, y2=alt.Y2("highest")),
        box.encode(y=alt.Y("lower:Q", scale=open_scale()), y2=alt.Y2("upper")),
        median.encode(y=alt.Y("median:Q", scale=open_scale()), y2=alt.Y2("median")),
        mean.encode(y=alt.Y("value:Q")),
    )
    panels = list(dict.fromkeys(found[PANEL]))
    said = f"{ACCURACY} of {methods} over {words}: a box over the runs for each."
    return finished(in_panels(chart, panels, "dataset"), found, HEIGHT, said)


def influence_chart(table: Described, curves: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """ACC of clusterings: a panel for each method of each figure, a line for each dataset."""
    import altair as alt

    panels = influence.panels_of(table, curves)
    every = pd.concat([rows for _, rows in panels.values()])
    looks = influence.dataset_styles(table, every)
    parts = [
        curve_rows(table, rows, "ACC").assign(
            panel=f"{name}, {influence.X_AXES[figure]}", axis=influence.X_AXES[figure]
        )
        for name, (figure, rows) in panels.items()
    ]
    found = pd.concat(parts, ignore_index=True).drop(columns=[*QUARTILES, "spread"])
    return line_chart(
        found,
        "dataset",
        {titled_as(name, every): look for name, look in looks.items()},
        x=alt.X("x:Q", title=" or ".join(dict.fromkeys(found["axis"])), scale=open_scale()),
        y=alt.Y("value:Q", title="ACC", scale=alt.Scale(domain=[0, 1])),
        titles=_titles("at", "ACC") | {"axis": "along"},
        said=f"ACC over {' and '.join(dict.fromkeys(found['axis']))}: a line for each dataset.",
        what="panel",
    )


def _whole() -> Any:
    """An axis with whole numbers alone."""
    import altair as alt

    return alt.Axis(tickMinStep=1, format="d")


def time_chart(table: Described, timings: pd.DataFrame) -> dict[str, Any]:
    """Accuracy against training time: one line per method over the hops."""
    import altair as alt

    _, digits = printed_in("accuracy", table)
    hops, axes = timings["hops"], axes_of(timings)
    found = pd.DataFrame(
        {
            PANEL: timings["dataset"],
            "dataset": timings["dataset"],
            "method": timings["method"],
            "x": hops,
            "value": (100 * timings["accuracy"]).round(digits + 1),
            "seconds": timings["training_time"].map(lambda seconds: float(f"{seconds:.4g}")),
            "printed": (100 * timings["accuracy"]).map(lambda value: f"{value:.{digits}f}"),
            "took": timings["training_time"].map(as_text),
            "setting": [setting_text(row[axes]) for _, row in timings.iterrows()],
        }
    )
    took = "training time in seconds, propagation included"
    return line_chart(
        found,
        "method",
        styles(table.methods),
        x=alt.X("seconds:Q", title=took, scale=alt.Scale(type="log", nice=False, padding=10)),
        y=alt.Y(
            "value:Q",
            title=f"{ACCURACY}, {hops.min()} to {hops.max()} hops or layers",
            scale=open_scale(),
        ),
        titles={
            **{name: name for name in ("method", "dataset")},
            "x": "hops or layers",
            "took": "seconds",
            "printed": ACCURACY,
            "setting": "setting",
        },
        said=f"{ACCURACY} against {took}: a line for each method over its hops.",
    )


def sensitivity_chart(
    table: Described,
    grids: Mapping[str, pd.DataFrame],
    picks: Mapping[str, Mapping[str, pd.DataFrame]],
) -> dict[str, Any]:
    """Accuracy against one axis of the grid, the others as `honest` picks them."""
    import altair as alt

    _, digits = printed_in("accuracy", table)
    rows = []
    for (axis, dataset, method), line in profiles(grids, picks).items():
        runs = grids[dataset]["run"].nunique()
        others = {k: v for k, v in usual(picks[dataset][method]).items() if k != axis}
        for nodes in ("test", "validation"):
            for x, value in (100 * line[nodes].dropna()).items():
                rows.append(
                    {
                        PANEL: f"{axis}, {dataset}",
                        "dataset": dataset,
                        "method": method,
                        "nodes": nodes,
                        "axis": axis,
                        "x": x,
                        "value": round(value, digits + 1),
                        "printed": f"{value:.{digits}f}",
                        "runs": str(runs),
                        "setting": setting_text(others),
                    }
                )
    found = pd.DataFrame(rows)
    axes = " or ".join(dict.fromkeys(found["axis"]))
    return line_chart(
        found,
        "method",
        styles(list(dict.fromkeys(found["method"]))),
        # Side by side as in the grid: values of one axis are powers, those of another are not.
        x=alt.X(
            "x:O", title=axes, axis=alt.Axis(labelAngle=0, labelOverlap=True, labelExpr=FEW_DIGITS)
        ),
        y=alt.Y("value:Q", title="accuracy in %", scale=open_scale()),
        titles={
            **{name: name for name in ("method", "dataset")},
            "axis": "along",
            "x": "at",
            "nodes": "on nodes of",
            "printed": "accuracy in %",
            "runs": "runs",
            "setting": "otherwise",
        },
        said=f"accuracy over {axes}, the rest of the setting as picked: a line for each method.",
        what="panel",
        dash="nodes",
    )

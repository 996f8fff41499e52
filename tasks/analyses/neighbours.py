"""Accuracy against the number of neighbours that make the graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from flgc.methods.base import AXIS, axes_of
from flgc.methods.varying import GRAPHS
from tasks.analyses.base import Product, TableSteps
from tasks.analyses.charts import GREY, PANEL, finished, in_panels, open_scale, tooltip
from tasks.analyses.curves import (
    QUARTILES,
    Curve,
    cells_with_curves,
    curve,
    curve_rows,
    in_words,
    titles_of,
)
from tasks.analyses.lines import HEIGHT
from tasks.report.blocks import Block, text
from tasks.report.values import in_points
from tasks.stages.cells import graph

if TYPE_CHECKING:
    from tasks.declared.described import Described
    from tasks.report.evidence import Evidence

MEAN, MEDIAN = "#0072b2", "#d55e00"  # colours in a box


@dataclass(frozen=True)
class Neighbours(Curve):
    """Accuracy of a method at a setting against the number of neighbours; with 0 only X is seen."""

    kind = "neighbours"
    along = "the number of neighbours"
    n_neighbors: tuple[int, ...]
    datasets: tuple[str, ...]
    runs: int
    method: str
    setting: Mapping[str, Any]

    def products(self, table: TableSteps) -> Iterator[Product]:
        """A curve for each dataset, on graphs of its own."""
        for cell in cells_with_curves(table, self.datasets):
            if cell.method != self.method:
                continue
            [preparation] = cell.preparations
            graphs = [
                table.steps.add(
                    graph,
                    f"{cell.subject.title} with {number} neighbours",
                    data=cell.data,
                    graph=preparation.graph,
                    n_neighbors=number,
                    without=cell.without,
                )
                for number in self.n_neighbors
            ]
            given = {"values": self.n_neighbors, "setting": self.setting, "graphs": graphs}
            yield curve(table, cell, self.name, self.runs, GRAPHS, **given)

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """A box over the runs for each number."""
        return {self.name: box_chart(evidence.table, rows)}

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """The best number of neighbours, the range, and the value without edges."""
        lines = []
        groups: Any = rows.groupby(["dataset", "method"], sort=False)
        for (dataset, method), group in groups:
            means, spreads = by_neighbours(evidence.table, group)
            best = max(means, key=lambda x: means[x])
            line = (
                f"- {dataset}, {method}: best with {best} neighbours ({means[best]:.2f}), range "
                f"{min(means.values()):.2f} to {means[best]:.2f}"
            )
            if 0 in means:
                line += f"; without edges {means[0]:.2f} ± {spreads[0]:.2f}"
            lines.append(line)
        setting = [f"{axis.removeprefix(AXIS)} {rows[axis].iloc[0]}" for axis in axes_of(rows)]
        return text([f"One setting throughout: {', '.join(setting)}.", "", *lines])


def by_neighbours(
    table: Described, group: pd.DataFrame
) -> tuple[dict[int, float], dict[int, float]]:
    """Of one dataset and method: means, and deviations over the runs, by number of neighbours."""
    of_x: Any = group.groupby("x")["accuracy"]
    means = {int(x): in_points(runs.mean(), table) for x, runs in of_x}
    return means, {int(x): in_points(runs.std(ddof=0), table) for x, runs in of_x}


def box_chart(table: Described, rows: pd.DataFrame) -> dict[str, Any]:
    """For each x a box over the runs, a line to the extremes, and a triangle for the mean."""
    import altair as alt

    points = curve_rows(table, rows).drop(columns="spread")
    methods = ", ".join(dict.fromkeys(points["method"]))
    words = "neighbours k (0: no edges, only X)"
    base = alt.Chart().encode(
        x=alt.X(
            "x:O",
            title=[words, "triangles are means, lines reach to the extremes"],
            axis=alt.Axis(labelAngle=0),
        ),
        tooltip=tooltip(titles_of(table, words) | {name: name for name in QUARTILES}),
    )
    y = alt.Y("lowest:Q", title=f"test accuracy of {methods} in %", scale=open_scale())
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
    panels = list(dict.fromkeys(points[PANEL]))
    description = f"{in_words(table)} of {methods} over {words}: a box over the runs for each."
    return finished(in_panels(chart, panels, "dataset"), points, HEIGHT, description)

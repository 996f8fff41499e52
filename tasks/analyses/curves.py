"""A method of `paper` at one setting while one thing varies: what all figures of curves share.

They go through the setting that all runs of a cell share, so `honest` has none. Variants of a row
are no curves: nobody could tell so many apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from flgc.methods.base import axes_of
from tasks.analyses.base import Analysis, CellSteps, Product, TableSteps
from tasks.analyses.charts import PANEL, open_scale
from tasks.analyses.lines import line_chart
from tasks.declared.looks import as_lines
from tasks.report.blocks import Block, listing, text
from tasks.report.tables import cell_text, printed_in, setting_text, titled_as
from tasks.report.values import in_points
from tasks.running.steps import Step
from tasks.stages.cells import splits
from tasks.stages.products import vary

if TYPE_CHECKING:
    from tasks.declared.described import Described
    from tasks.report.evidence import Evidence

BAND_AT_MOST = 4  # methods whose spread can be seen
MOST_TICKS = 12  # where there are more points, ticks are at round numbers
# Accuracies are drawn by their distance to this, on a scale of logarithms.
ABOVE = 101
TICKS = (0, 20, 40, 60, 70, 80, 85, 90, 92, 94, 96, 98, 99, 100)
QUARTILES = {"lowest": 0.0, "lower": 0.25, "median": 0.5, "upper": 0.75, "highest": 1.0}

# The value at each (dataset, x); and by method, in the order of the table.
Line = dict[tuple[str, float], float]
Means = dict[str, Line]


class Curve(Analysis):
    """What curves have in common: their rows have dataset, method, x, run, marks and metrics."""

    file: ClassVar[str] = "Its points as a file:"
    along: ClassVar[str] = ""  # what x is, in words

    @property
    def words(self) -> str:
        """The title of the axis."""
        return self.along

    def heading(self, evidence: Evidence) -> str:
        """With the number of runs."""
        runs = evidence.rows(self.name)["run"].nunique()
        metric = evidence.table.metrics[0].replace("accuracy", "Accuracy")
        return f"{metric} against {self.words}, {runs} run{'' if runs == 1 else 's'}"

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """A line for each method, a panel for each dataset."""
        return {self.name: curve_chart(evidence.table, rows, self.words)}


def cells_with_curves(table: TableSteps, datasets: Sequence[str]) -> list[CellSteps]:
    """The cells of `paper`, but for variants of a row."""
    return [each for each in table.of("paper", datasets) if not each.row.is_variant]


def title_of(cell: CellSteps, analysis: str) -> str:
    """`iris FLGC* for labels`."""
    return f"{cell.subject.title} {cell.method} for {analysis}"


def _splits(
    table: TableSteps, cell: CellSteps, analysis: str, kinds: str | list[str], runs: int
) -> Step | None:
    """Who is labelled in the runs of a figure, all kinds of split in one artifact, or nobody."""
    if not kinds:
        return None
    seeds = cell.subject.seeds(table.experiment, runs)
    about = f"{cell.subject.title} for {analysis}"
    return table.steps.add(splits, about, data=cell.data, split=kinds, seeds=seeds)


def curve(
    table: TableSteps, cell: CellSteps, analysis: str, runs: int, along: str, **given: Any
) -> Product:
    """The method of the cell once more, while the values `along` something vary.

    Unless an analysis says more it varies on the splits and graphs of the cell, and at what that
    picked.
    """
    kinds = given.pop("kinds", table.experiment.split)
    if "graphs" not in given:
        given |= {"graphs": cell.graphs_by_title, "picks": cell.picks}
    step = table.steps.add(
        vary,
        title_of(cell, analysis),
        data=cell.data,
        method=cell.spec,
        grid=cell.whole_grid,
        seeds=cell.subject.seeds(table.experiment, runs),
        without=cell.without,
        device=table.device,
        splits=_splits(table, cell, analysis, kinds, runs),
        along=along,
        **given,
    )
    return Product(analysis, (cell.subject.title, cell.method), step, cell.method)


def means_of(table: Described, rows: pd.DataFrame) -> Means:
    """Values of the first metric in points, as they are printed, in the order of the table."""
    points: Means = {}
    if len(rows):
        groups: Any = rows.groupby(["method", "dataset", "x"], sort=False)[table.metrics[0]]
        for (method, dataset, x), runs in groups:
            points.setdefault(method, {})[dataset, x] = in_points(runs.mean(), table)
    return {name: points[name] for name in table.methods if name in points}


def loss(line: Line, last: float) -> float:
    """The best value minus the one at `last`, a mean over the datasets."""
    best: dict[str, float] = {}
    for (dataset, _), value in line.items():
        best[dataset] = max(value, best.get(dataset, value))
    return float(pd.Series([top - line[name, last] for name, top in best.items()]).mean())


def at_paper(table: Described) -> list[Block]:
    """At which settings the methods are, and who has none."""
    note = "Every method has, at all points, the setting that `paper` picks for the table."
    absent = [row.name for row in table.rows if "paper" not in row.protocols]
    return text([f"{note} Not shown, as it picks none: {listing(absent)}." if absent else note])


def curve_rows(table: Described, rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each dataset, method and x: mean, spread and number of its runs, and setting."""
    metric = table.metrics[0]
    unit, digits = printed_in(metric, table)
    axes, points = axes_of(rows), []
    groups: Any = rows.groupby(["dataset", "method", "x"], sort=False)
    for (dataset, method, x), group in groups:
        values = group[metric]
        spread = values.std(ddof=0) if len(values) > 1 else nan
        quartiles = {name: unit * values.quantile(share) for name, share in QUARTILES.items()}
        numbers = {"value": unit * values.mean(), "spread": unit * spread, **quartiles}
        points.append(
            {
                PANEL: titled_as(dataset, rows),
                "dataset": titled_as(dataset, rows),
                "method": method,
                "x": x,
                **{name: round(number, digits + 1) for name, number in numbers.items()},
                "printed": cell_text(values.mean(), spread, metric, table),
                "runs": str(len(values)),
                "setting": setting_text(group.iloc[0][axes]),
            }
        )
    return pd.DataFrame(points)


def in_words(table: Described) -> str:
    """What the axis of the first metric is called: `accuracy in %`, or `ACC`."""
    unit, _ = printed_in(table.metrics[0], table)
    return f"{table.metrics[0]} in %" if unit == 100 else table.metrics[0]


def titles_of(table: Described, words: str) -> dict[str, str]:
    """What a tooltip says of a point."""
    same = {name: name for name in ("method", "dataset")}
    rest = {name: name for name in ("runs", "setting")}
    return {**same, "x": words, "printed": in_words(table), **rest}


def curve_chart(table: Described, rows: pd.DataFrame, words: str) -> dict[str, Any]:
    """The first metric over x; of few methods with their spread.

    The scale of accuracies is wider towards 100, where most methods are.
    """
    import altair as alt

    points = curve_rows(table, rows).drop(columns=list(QUARTILES))
    spread = points["spread"].fillna(0)
    few = points["method"].nunique() <= BAND_AT_MOST
    reach = spread if few else 0 * spread
    at = sorted(set(points["x"].tolist()))
    title = [words, "bands: standard deviation"] if few else [words]
    x_axis = alt.Axis(values=at) if len(at) <= MOST_TICKS else alt.Axis()
    own = [row.name for row in table.rows if row.own]
    methods = [row.name for row in table.rows if "paper" in row.protocols]
    y = alt.Y("value:Q", title=in_words(table), scale=open_scale())
    bounds = {"near": points["value"] + spread, "far": points["value"] - spread}
    if table.metrics[0] == "accuracy":
        least = max(1.0, (ABOVE - points["value"] - reach).min()) / 1.1
        most = (ABOVE - points["value"] + reach).max() * 1.1
        ticks = [ABOVE - tick for tick in TICKS if least <= ABOVE - tick <= most]
        points["error"] = (ABOVE - points["value"]).round(4)
        y = alt.Y(
            "error:Q",
            title=f"{in_words(table)}, wider towards 100",
            scale=alt.Scale(type="log", reverse=True, domain=[least, most], nice=False),
            axis=alt.Axis(values=ticks, labelExpr=f"{ABOVE} - datum.value"),
        )
        bounds = {
            "near": (points["error"] - spread).clip(lower=least),
            "far": points["error"] + spread,
        }
    if few:
        points = points.assign(**{name: column.round(4) for name, column in bounds.items()})
    chart = line_chart(
        points,
        "method",
        as_lines(methods, own),
        x=alt.X("x:Q", title=title, axis=x_axis, scale=open_scale()),
        y=y,
        titles=titles_of(table, words),
    )
    return {**chart, "description": f"{in_words(table)} over {words}: a line for each method."}

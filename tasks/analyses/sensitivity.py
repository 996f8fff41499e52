"""Accuracy against single axes of the grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from flgc.methods.base import AXIS, axes_of
from flgc.methods.picking import usual
from tasks.analyses.base import Analysis, Product, TableSteps
from tasks.analyses.charts import PANEL, open_scale
from tasks.analyses.lines import line_chart
from tasks.declared.looks import looks_of
from tasks.report.tables import printed_in, setting_text

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence

# An expression of Vega for the numbers at an axis.
FEW_DIGITS = "format(datum.value, '.3~g')"
SCORES = "scores"


@dataclass(frozen=True)
class Sensitivity(Analysis):
    """Accuracy against an axis of the grid, the others as `honest` picks them."""

    kind = "sensitivity"
    title = "Accuracy of the settings of a grid"
    axes: tuple[str, ...] = ("regularization", "teleport")

    def products(self, table: TableSteps) -> Iterator[Product]:
        """Scores of the grid in which our methods are picked, and their picks, by axis."""
        for cell in table.cells:
            if not cell.row.method.own or cell.row.combine != "best" or cell.row.is_variant:
                continue
            title = cell.subject.title
            yield Product(self.name, (SCORES, title), cell.scores[0])
            for axis in self.axes:
                if len({**cell.whole_grid, **cell.row.part}.get(axis, ())) > 1:
                    picks = table.picks(cell, "honest")
                    yield Product(self.name, (axis, title, cell.method), picks, cell.method)

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """Accuracy on test and validation nodes for each axis, dataset, method and x."""
        points = []
        products = evidence.products.get(self.name, {})
        for axis in (axis for axis in self.axes if axis in products):
            for dataset, of_methods in products[axis].items():
                scores = products.get(SCORES, {}).get(dataset)
                for method, picks in of_methods.items() if scores is not None else ():
                    line = profile(scores, picks, axis).reset_index(names="x")
                    others = {k: v for k, v in usual(picks).items() if k != axis}
                    about = {"axis": axis, "dataset": dataset, "method": method}
                    about |= {"runs": scores["run"].nunique(), "setting": setting_text(others)}
                    long = line.melt("x", var_name="nodes", value_name="accuracy")
                    points.append(long.dropna().assign(**about))
        return pd.concat(points, ignore_index=True) if points else pd.DataFrame()

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """A panel for each axis and dataset, dashed lines for validation nodes."""
        import altair as alt

        _, digits = printed_in("accuracy", evidence.table)
        values = 100 * rows["accuracy"]
        points = rows.drop(columns="accuracy").assign(
            **{
                PANEL: rows["axis"] + ", " + rows["dataset"],
                "value": values.round(digits + 1),
                "printed": values.map(lambda value: f"{value:.{digits}f}"),
                "runs": rows["runs"].astype(str),
            }
        )
        axes = " or ".join(dict.fromkeys(points["axis"]))
        # Side by side as in the grid: values of one axis are powers, those of another are not.
        labels = alt.Axis(labelAngle=0, labelOverlap=True, labelExpr=FEW_DIGITS)
        chart = line_chart(
            points,
            "method",
            looks_of(dict.fromkeys(points["method"])),
            x=alt.X("x:O", title=axes, axis=labels),
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
            dash="nodes",
        )
        words = f"accuracy over {axes}, the rest of the setting as picked: a line per method."
        return {self.name: {**chart, "description": words}}


def profile(scores: pd.DataFrame, picked: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Mean accuracies along one axis through the setting that most runs picked."""
    setting, line = usual(picked), scores
    for column in axes_of(scores):
        if column != f"{AXIS}{axis}":
            line = line[line[column] == setting[column.removeprefix(AXIS)]]
    return line.groupby(f"{AXIS}{axis}")[["test", "validation"]].mean()

"""Accuracy and training time against the number of hops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from flgc.methods.base import AXIS, axes_of
from flgc.methods.timing import REPEATS, SECONDS
from tasks.analyses.base import Analysis, CellSteps, Product, TableSteps
from tasks.analyses.charts import PANEL, open_scale
from tasks.analyses.curves import in_words
from tasks.analyses.lines import line_chart
from tasks.declared.looks import looks_of
from tasks.report.blocks import Block, Table, text
from tasks.report.rows import stack
from tasks.report.tables import as_text, printed_in, setting_text
from tasks.stages.products import time

if TYPE_CHECKING:
    from tasks.declared.described import Described
    from tasks.report.evidence import Evidence

MEASURED = (
    "One rule for all methods: one core, the setting that most runs picked in `honest`, the first "
    f"fit is not timed, then the median of {REPEATS} fits, or of as many as start within "
    f"{SECONDS:g} s."
)


@dataclass(frozen=True)
class TimedHops(Analysis):
    """Accuracy and training time of every method with the axis `hops`, over these."""

    kind = "time"
    title = "Training time and accuracy over the hops"
    file = "The same as a file:"
    after = True
    hops: tuple[int, ...]

    def products(self, table: TableSteps) -> Iterator[Product]:
        """A step for each dataset, at the settings that most runs picked in `honest`."""
        timed: dict[str, dict[str, CellSteps]] = {}
        for cell in table.cells:
            if cell.row.combine == "best" and "hops" in cell.row.method.axes:
                timed.setdefault(cell.subject.title, {})[cell.method] = cell
        for title, cells in timed.items():
            first = next(iter(cells.values()))
            step = table.steps.add(
                time,
                title,
                data=first.data,
                graph=first.graphs[0],
                splits=first.splits,
                picks={name: table.picks(cell, "honest") for name, cell in cells.items()},
                methods={name: cell.spec for name, cell in cells.items()},
                hops=self.hops,
                seeds=first.subject.seeds(table.experiment),
                without=first.without,
                device=table.device,
            )
            yield Product(self.name, (title,), step)

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """Those of all datasets, with the name of each."""
        return stack(evidence.products.get(self.name, {}), ("dataset",))

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """Accuracy against seconds: a line for each method over its hops."""
        return {self.name: time_chart(evidence.table, rows)}

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """What the most hops cost each method, in accuracy and in time."""
        lines = []
        groups: Any = rows.groupby(["dataset", "method"], sort=False)
        for (dataset, method), group in groups:
            by_hops, _ = accuracy_by_hops(group)
            seconds: Any = group.set_index("hops")["training_time"]
            best: Any = by_hops.idxmax()
            least, most = by_hops.index.min(), by_hops.index.max()
            teleport = group[f"{AXIS}teleport"].iloc[0] if f"{AXIS}teleport" in group else None
            lines.append(
                {
                    "dataset": dataset,
                    "method": method,
                    "teleport": as_text(teleport),
                    "best": f"{by_hops[best]:.1f} at {best} hops",
                    f"at {most} hops": f"{by_hops[most]:.1f}",
                    f"seconds at {least}": as_text(seconds[least]),
                    f"seconds at {most}": as_text(seconds[most]),
                }
            )
        frame = pd.DataFrame(lines)
        return [*text([MEASURED]), Table(f"{evidence.table.name}-time", frame, self.title)]


def accuracy_by_hops(group: pd.DataFrame) -> tuple[pd.Series, float]:
    """Accuracies of a method on a dataset by hops, and what it loses from the best to the most."""
    by_hops = (100 * group.set_index("hops")["accuracy"]).round(1)
    return by_hops, round(by_hops.max() - by_hops[by_hops.index.max()], 1)


def time_ratios(table: Described, timings: pd.DataFrame) -> dict[str, Any]:
    """By method of ours: each rival's seconds divided by its own, for dataset and hops."""
    if timings.empty:
        return {}
    seconds: Any = timings.pivot_table(
        index=["dataset", "hops"], columns="method", values="training_time", sort=False
    )
    own = [row.name for row in table.rows if row.own and row.name in seconds]
    rivals = [name for name in seconds if name not in own]
    return {name: seconds[rivals].div(seconds[name], axis=0) for name in own} if rivals else {}


def time_chart(table: Described, timings: pd.DataFrame) -> dict[str, Any]:
    """Accuracy against training time: one line per method over the hops."""
    import altair as alt

    _, digits = printed_in("accuracy", table)
    hops, axes, accuracy = timings["hops"], axes_of(timings), 100 * timings["accuracy"]
    points = pd.DataFrame(
        {
            PANEL: timings["dataset"],
            "dataset": timings["dataset"],
            "method": timings["method"],
            "x": hops,
            "value": accuracy.round(digits + 1),
            "seconds": timings["training_time"].map(lambda seconds: float(f"{seconds:.4g}")),
            "printed": accuracy.map(lambda value: f"{value:.{digits}f}"),
            "took": timings["training_time"].map(as_text),
            "setting": [setting_text(row[axes]) for _, row in timings.iterrows()],
        }
    )
    took = "training time in seconds, propagation included"
    chart = line_chart(
        points,
        "method",
        looks_of(table.methods),
        x=alt.X("seconds:Q", title=took, scale=alt.Scale(type="log", nice=False, padding=10)),
        y=alt.Y(
            "value:Q",
            title=f"{in_words(table)}, {hops.min()} to {hops.max()} hops or layers",
            scale=open_scale(),
        ),
        titles={
            **{name: name for name in ("method", "dataset")},
            "x": "hops or layers",
            "took": "seconds",
            "printed": in_words(table),
            "setting": "setting",
        },
    )
    words = f"{in_words(table)} against {took}: a line for each method over its hops."
    return {**chart, "description": words}

"""Scores against the values of an axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from tasks.analyses.base import Product, TableSteps
from tasks.analyses.curves import Curve, at_paper, cells_with_curves, curve, loss, means_of
from tasks.report.blocks import Block, Table
from tasks.report.tables import NONE, titled_as

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence

WORDS = {"hops": "propagation steps or layers"}


@dataclass(frozen=True)
class Along(Curve):
    """Scores against the values of an axis, all else as in `paper`.

    Of every method that has the axis, or of those that are named. The figure is called after the
    axis, unless it has a name of its own.
    """

    kind = "along"
    axis: str
    values: tuple[Any, ...]
    datasets: tuple[str, ...]
    runs: int
    methods: tuple[str, ...] = ()
    figure: str = ""

    @property
    def name(self) -> str:
        """The figure's."""
        return self.figure or self.axis

    @property
    def words(self) -> str:
        """What the values are of."""
        return WORDS.get(self.axis, self.axis)

    def products(self, table: TableSteps) -> Iterator[Product]:
        """A curve for each method and dataset."""
        for cell in cells_with_curves(table, self.datasets):
            wanted = cell.method in (self.methods or table.experiment.methods)
            if wanted and self.axis in cell.row.method.axes:
                yield curve(table, cell, self.name, self.runs, self.axis, values=self.values)

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """For each method the best value and those at both ends, and what is lost on the way."""
        means, first, last = means_of(evidence.table, rows), rows["x"].min(), rows["x"].max()
        digits, lines = evidence.table.decimals, []
        for method, line in means.items():
            whole = {dataset: (dataset, last) in line for dataset, _ in line}
            lost = f"{loss(line, last):.{digits}f}" if all(whole.values()) else NONE
            cells = {"method": method, f"lost to {last:g}, mean": lost}
            for dataset in whole:
                own = {x: value for (name, x), value in line.items() if name == dataset}
                best = max(own, key=lambda x: own[x])
                ends = [f"{own[x]:.{digits}f} at {x:g}" for x in (best, first, last) if x in own]
                cells[titled_as(dataset, rows)] = ", ".join(dict.fromkeys(ends))
            lines.append(cells)
        frame = pd.DataFrame(lines).fillna(NONE)
        title = f"In points: the best over {self.words}, then the first and the last"
        return [
            *at_paper(evidence.table),
            Table(f"{evidence.table.name}-{self.name}", frame, title),
        ]

"""Scores against the values of an axis: the paper's Figures 5 and 10."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tasks.analyses.base import Analysis, Product, Table
from tasks.analyses.curves import curve, shown


@dataclass(frozen=True)
class Along(Analysis):
    """Scores against the values of an axis, all else as in `paper`.

    Of every method that has the axis, or of those that are named. The figure is called after the
    axis, unless it has a name of its own.
    """

    axis: str
    values: tuple[Any, ...]
    datasets: tuple[str, ...]
    runs: int
    methods: tuple[str, ...] = ()
    figure: str = ""

    def products(self, table: Table) -> Iterator[Product]:
        """A curve for each method and dataset."""
        for cell in shown(table, self.datasets):
            wanted = cell.method in (self.methods or table.experiment.methods)
            if wanted and self.axis in cell.row.method.axes:
                figure = self.figure or self.axis
                yield curve(table, cell, figure, self.runs, self.axis, values=self.values)

"""Accuracy against the number of neighbours that make the graph (the paper's Figure 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flgc.methods.varying import GRAPHS
from tasks.analyses.base import Analysis, Product, Table
from tasks.analyses.curves import curve, shown
from tasks.stages.graph import graph


@dataclass(frozen=True)
class Neighbours(Analysis):
    """Accuracy of a method at a setting against the number of neighbours; with 0 only X is seen."""

    n_neighbors: tuple[int, ...]
    datasets: tuple[str, ...]
    runs: int
    method: str
    setting: Mapping[str, Any]

    def products(self, table: Table) -> Iterator[Product]:
        """A curve for each dataset, on graphs of its own."""
        for cell in shown(table, self.datasets):
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
            yield curve(table, cell, "neighbours", self.runs, GRAPHS, **given)

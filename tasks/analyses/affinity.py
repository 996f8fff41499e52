"""Affinity matrices, rows and columns in the order of the classes (the paper's Figure 9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tasks.analyses.base import Analysis, Product, Table
from tasks.analyses.curves import title_of
from tasks.stages.affinity import affinity


@dataclass(frozen=True)
class Affinities(Analysis):
    """The affinity matrix of a method as in `paper`, sorted by class."""

    datasets: tuple[str, ...]
    method: str = "FLGC*"

    def products(self, table: Table) -> Iterator[Product]:
        """A matrix for each dataset."""
        for cell in table.of("paper", self.datasets):
            if cell.method == self.method:
                step = table.steps.add(
                    affinity,
                    title_of(cell, "affinity"),
                    data=cell.data,
                    method=cell.spec,
                    grid=cell.whole_grid,
                    seeds=cell.subject.seeds(table.experiment, 1),
                    without=cell.without,
                    device=table.device,
                    picks=cell.picks,
                    graphs=cell.graphs_by_title,
                )
                yield Product("affinities", "", cell.subject.title, cell.method, step)

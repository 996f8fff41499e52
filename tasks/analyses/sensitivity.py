"""Accuracy against regularization and teleport (the paper's Figure 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tasks.analyses.base import Analysis, Product, Table


@dataclass(frozen=True)
class Sensitivity(Analysis):
    """Accuracy against regularization and teleport."""

    def products(self, table: Table) -> Iterator[Product]:
        """Scores of the grid in which the paper's methods are picked, and their honest picks."""
        for cell in table.cells:
            if cell.row.method.own and cell.row.combine == "best":
                title = cell.subject.title
                yield Product("scores", "", title, "", cell.scores[0])
                yield Product("picks", "", title, cell.method, table.picks(cell, "honest"))

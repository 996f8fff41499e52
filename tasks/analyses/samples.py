"""Some of the images of datasets (the paper's Figure 7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tasks.analyses.base import Analysis, Product, Table


@dataclass(frozen=True)
class Samples(Analysis):
    """Images of datasets: `columns` of each of `rows` classes, evenly over both."""

    datasets: tuple[str, ...]
    rows: int = 4
    columns: int = 8

    def products(self, table: Table) -> Iterator[Product]:
        """The datasets themselves."""
        for name in self.datasets:
            if name in table.datasets:
                yield Product("samples", "", name, "", table.datasets[name])

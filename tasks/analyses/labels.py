"""Accuracy against the number of labelled samples of each class (the paper's Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flgc.methods.varying import SPLITS
from tasks.analyses.base import Analysis, Product, Table
from tasks.analyses.curves import curve, shown


@dataclass(frozen=True)
class LabelCounts(Analysis):
    """Accuracy against the number of labelled samples of each class, every method as in `paper`."""

    counts: tuple[int, ...]
    datasets: tuple[str, ...]
    runs: int

    def products(self, table: Table) -> Iterator[Product]:
        """A curve for each method and dataset."""
        for cell in shown(table, self.datasets):
            yield curve(table, cell, "labels", self.runs, SPLITS, values=self.counts)

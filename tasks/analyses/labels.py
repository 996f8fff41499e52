"""Accuracy against the number of labelled samples of each class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from flgc.methods.varying import SPLITS
from tasks.analyses.base import Product, TableSteps
from tasks.analyses.curves import Curve, at_paper, cells_with_curves, curve, means_of
from tasks.report.blocks import Block, text

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence


@dataclass(frozen=True)
class LabelCounts(Curve):
    """Accuracy against the number of labelled samples of each class, every method as in `paper`."""

    kind = "labels"
    along = "labelled samples per class"
    counts: tuple[int, ...]
    datasets: tuple[str, ...]
    runs: int

    def products(self, table: TableSteps) -> Iterator[Product]:
        """A curve for each method and dataset."""
        given = {"values": self.counts, "kinds": [f"{count}-per-class" for count in self.counts]}
        for cell in cells_with_curves(table, self.datasets):
            yield curve(table, cell, self.name, self.runs, SPLITS, **given)

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """Where our methods stand with the fewest labels, and at how many points they lead."""
        means, fewest = means_of(evidence.table, rows), rows["x"].min()
        lines = []
        for name in (name for name in means if evidence.table.row(name).own):
            ranks, led = [], 0
            for (dataset, x), value in means[name].items():
                level = [line[dataset, x] for line in means.values() if (dataset, x) in line]
                better = sum(other > value for other in level)
                led += not better
                if x == fewest:
                    ranks.append(f"{better + 1} of {len(level)} on {dataset}")
            lines.append(
                f"- {name}: with {fewest} per class rank {', '.join(ranks)}; best, alone or level, "
                f"at {led} of {len(means[name])} points"
            )
        return [*at_paper(evidence.table), *text(lines)]

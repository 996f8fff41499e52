"""Accuracy against the share of nodes that are labelled."""

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
class LabelShares(Curve):
    """Accuracy against the share of labelled nodes in percent, every method as in `paper`."""

    kind = "shares"
    along = "labelled nodes in % of each class"
    shares: tuple[int, ...]
    datasets: tuple[str, ...]
    runs: int

    def products(self, table: TableSteps) -> Iterator[Product]:
        """A curve for each method and dataset."""
        given = {"values": self.shares, "kinds": [f"{share}%" for share in self.shares]}
        for cell in cells_with_curves(table, self.datasets):
            yield curve(table, cell, self.name, self.runs, SPLITS, **given)

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """What each method gains from the smallest share to the largest."""
        few, many = rows["x"].min(), rows["x"].max()
        lines = [
            f"- {method} on {dataset}: {line[dataset, few]:.1f} with {few} %, "
            f"{line[dataset, many]:.1f} with {many} %"
            for method, line in means_of(evidence.table, rows).items()
            for dataset in dict.fromkeys(name for name, _ in line)
            if (dataset, few) in line and (dataset, many) in line
        ]
        return [*at_paper(evidence.table), *text(lines)]

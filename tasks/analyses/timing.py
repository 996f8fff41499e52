"""Accuracy and training time against the number of hops (the paper's Figure 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tasks.analyses.base import Analysis, CellSteps, Product, Table
from tasks.stages.time import time


@dataclass(frozen=True)
class TimedHops(Analysis):
    """Accuracy and training time of every method with the axis `hops`, over these."""

    alone = True
    hops: tuple[int, ...]

    def products(self, table: Table) -> Iterator[Product]:
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
            yield Product("timings", "", title, "", step)

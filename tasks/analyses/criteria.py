"""What clusterings could be picked by without classes, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tasks.analyses.base import Analysis, Product, Table
from tasks.analyses.curves import title_of
from tasks.stages.criteria import criteria


@dataclass(frozen=True)
class Criteria(Analysis):
    """What clusterings could be picked by without classes: what each criterion picks, and its ACC.

    Of a method's rows, on the preparations of `honest`.
    """

    datasets: tuple[str, ...]
    method: str = "FLGC*"

    def products(self, table: Table) -> Iterator[Product]:
        """One step for each dataset, on the graphs that `honest` has."""
        for cell in table.of("honest", self.datasets):
            if cell.method == self.method:
                parts = {
                    other.method: other.row.part
                    for other in table.of("honest", (cell.subject.dataset,))
                    if other.row.method is cell.row.method
                    and other.row.combine == "best"
                    and not other.row.is_variant
                }
                step = table.steps.add(
                    criteria,
                    title_of(cell, "criteria"),
                    data=cell.data,
                    graphs=list(cell.graphs),
                    grids=cell.grids,
                    method=cell.spec,
                    parts=parts,
                    seed=cell.subject.seeds(table.experiment, 1)[0],
                )
                yield Product("criteria", "", cell.subject.title, cell.method, step)

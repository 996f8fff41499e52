"""The datasets of a table, ours beside the printed sizes, with the slips of those named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from flgc.datasets.dataset import titled
from flgc.datasets.sizes import SIZES
from tasks.analyses.base import Analysis, Product, TableSteps
from tasks.declared.published import published_in
from tasks.report.blocks import Block, Table
from tasks.stages.products import describe

if TYPE_CHECKING:
    from tasks.declared.types import Experiment
    from tasks.report.evidence import Evidence


@dataclass(frozen=True)
class Sizes(Analysis):
    """Sizes of the datasets, and where the `published` table of them says something else."""

    kind = "sizes"
    title = "Datasets"
    after = True
    published: str = ""

    def products(self, table: TableSteps) -> Iterator[Product]:
        """One step, of the datasets that have a cell."""
        data = {cell.subject.dataset: table.datasets[cell.subject.dataset] for cell in table.cells}
        splits = {cell.subject.dataset: cell.splits for cell in table.cells if cell.splits}
        if data:
            step = table.steps.add(describe, table.experiment.name, data=data, splits=splits)
            yield Product(self.name, (self.name,), step)

    def printed(self, experiment: Experiment) -> pd.DataFrame:
        """The published sizes."""
        return published_in(self.published, experiment)

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """A row for each dataset."""
        found: pd.DataFrame = evidence.products.get(self.name, {}).get(self.name, pd.DataFrame())
        return found

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """The table, with the slips of the printed one."""
        ours: Any = rows.set_index("dataset").to_dict("index")
        every, lines = evidence.table.printed.get(self.name, ()), []
        for name in evidence.table.datasets:
            printed = [row for row in every if row["dataset"] == name]
            here: dict[str, Any] = ours.get(name, {})
            known = here or (printed[0] if printed else {})
            marks = [mark for mark in (here.get("marks"), evidence.absent.get(name)) if mark]
            line = {"dataset": titled(name, marks)}
            line |= {size: known.get(size, "") for size in (*SIZES, "smallest class")}
            if every:
                line["the printed table"] = "; ".join(_slips(here, printed)) or "the same"
            lines.append(line)
        title = "Sizes of the datasets, and where the printed table says something else"
        return [Table(f"{evidence.table.name}-datasets", pd.DataFrame(lines), title)]


def _slips(here: Mapping[str, Any], printed: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where the printed rows of a dataset are not one, or say something else than the data."""
    if not printed:
        return ["not in it"]
    found = [f"in it {len(printed)} times"] if len(printed) > 1 else []
    if not here:
        return [*found, "its sizes, no data to compare"]
    return found + [
        f"{printed[0][size]} {size}"
        for size in SIZES
        if size in here and printed[0][size] != here[size]
    ]

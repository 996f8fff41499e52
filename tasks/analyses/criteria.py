"""What clusterings could be picked by without classes, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from flgc.methods.criteria import CRITERIA
from tasks.analyses.base import Analysis, Product, TableSteps
from tasks.analyses.curves import title_of
from tasks.report.blocks import Block, Table, Text
from tasks.report.tables import titled_as
from tasks.stages.products import criteria

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence

WORDS = {
    "silhouette": "silhouette in standardised features (what `honest` picks by)",
    "embedding": "silhouette in the setting's own spectral embedding",
    "eigengap": "eigengap of the setting's own affinity",
    "modularity": "modularity of the setting's own affinity",
    "common": "modularity on one graph for all: 10 neighbours in standardised features",
    "stability": "stability: agreement with the clusters of four samples in five",
    "ACC": "the best of all on the true classes",
}
CHOSEN = CRITERIA[0]


@dataclass(frozen=True)
class Criteria(Analysis):
    """What clusterings could be picked by without classes: what each criterion picks, and its ACC.

    Of a method's rows, on the preparations of `honest`.
    """

    kind = "criteria"
    title = "Picking without classes"
    datasets: tuple[str, ...]
    method: str

    def products(self, table: TableSteps) -> Iterator[Product]:
        """One step for each dataset, on the graphs that `honest` has."""
        for cell in table.of("honest", self.datasets):
            if cell.method != self.method:
                continue
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
            yield Product(self.name, (cell.subject.title, cell.method), step, cell.method)

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """ACC of what each picks, the mean over datasets and rows, and who is best."""
        titles = [titled_as(name, evidence.results) for name in rows["dataset"]]
        titled_rows = rows.assign(column=pd.Series(titles, rows.index) + " " + rows["row"])
        picked = titled_rows.pivot_table("ACC", "criterion", "column", sort=False).loc[[*WORDS]]
        ranks = titled_rows.groupby("criterion")["correlation"].mean()
        table = picked.assign(mean=picked.mean(axis=1)).map("{:.3f}".format)
        table["correlation with ACC"] = ranks[[*WORDS]].map("{:.2f}".format)
        table.insert(0, "picked by", [WORDS[criterion] for criterion in table.index])
        means = picked.loc[[*CRITERIA]].mean(axis=1)
        first, chosen = str(means.idxmax()), means[CHOSEN]
        verdict = "it is the best of these on average"
        if first != CHOSEN:
            verdict = (
                f"on average {WORDS[first]} is better here, {means[first]:.3f} to {chosen:.3f}"
            )
        title = "ACC of what each criterion picks among the settings of `honest`"
        return [
            Table(f"{evidence.table.name}-criteria", table.reset_index(drop=True), title),
            Text(
                "`honest` picks by the silhouette in standardised features: it needs no affinity, "
                "so every method has it, and its space is the same for all settings; "
                f"{verdict}."
            ),
        ]

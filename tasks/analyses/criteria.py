"""What clusterings could be picked by without classes, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from flgc.label_free import CHOSEN
from flgc.methods.criteria import CRITERIA
from tasks.analyses.base import Analysis, Product, TableSteps
from tasks.analyses.curves import title_of
from tasks.report.blocks import Block, Table, Text
from tasks.report.tables import titled_as
from tasks.stages.products import criteria

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence

WORDS = {
    "silhouette": "silhouette in standardised features",
    "embedding": "silhouette in the setting's own spectral embedding",
    "common": "modularity in one graph: 10 neighbours in standardised features",
    "mod4": "mod4: mean modularity in four graphs of 3 neighbours",
    "rate2": "coding rate in rows of unit length",
    "rate3": "coding rate in standardised rows of unit length",
    "rates": "both rates: rank(rate3) + rank(rate2)",
    "ranks": "R: rank(rate3) + rank(rate2) + 2 rank(mod4)",
    "medoid": "medoid: mean agreement with all other settings",
    "medoid-mod4": "medoid x mod4",
    "ACC": "the best of all on the true classes",
}


@dataclass(frozen=True)
class Criteria(Analysis):
    """What clusterings could be picked by without classes: what each criterion picks, and its ACC.

    Of a method's rows, and of those of `others`, on the preparations of `honest`.
    """

    kind = "criteria"
    title = "Picking without classes"
    file = "What each picks for each row as a file:"
    datasets: tuple[str, ...]
    method: str
    others: tuple[str, ...] = ()

    def products(self, table: TableSteps) -> Iterator[Product]:
        """One step for each dataset, on the graphs that `honest` has."""
        for cell in table.of("honest", self.datasets):
            if cell.method not in (self.method, *self.others):
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
        """ACC of what each picks, its mean and largest regret, by dataset and by row."""
        titles = [titled_as(name, evidence.results) for name in rows["dataset"]]
        named = rows.assign(dataset=titles)
        picked = named.pivot_table("ACC", "criterion", ["dataset", "row"], sort=False).loc[[*WORDS]]
        means = picked.mean(axis=1)
        numbers = {
            "mean": means,
            "largest regret": (picked.loc["ACC"] - picked).max(axis=1),
            "correlation with ACC": named.groupby("criterion")["correlation"].mean()[[*WORDS]],
        }
        digits = {"correlation with ACC": "{:.2f}"}
        texts = {name: of.map(digits.get(name, "{:.3f}").format) for name, of in numbers.items()}
        tables = []
        for level, words in (("dataset", "each dataset"), ("row", "each row")):
            of_level = picked.T.groupby(level=level, sort=False).mean().T.map("{:.3f}".format)
            table = pd.DataFrame({"picked by": pd.Series(WORDS), **texts}).join(of_level)
            tables.append(
                Table(
                    f"{evidence.table.name}-criteria-{level}",
                    table.reset_index(drop=True),
                    f"ACC of what each criterion picks among the settings of `honest`, for {words}",
                )
            )
        criteria = means[[*CRITERIA]]
        verdict = "it is the best of these on average"
        if criteria.max() > criteria[CHOSEN]:
            first = str(criteria.idxmax())
            verdict = (
                f"on average {WORDS[first]} is better here, "
                f"{criteria[first]:.3f} to {criteria[CHOSEN]:.3f}"
            )
        return [
            *tables,
            Text(
                f"`honest` picks by {WORDS[CHOSEN]}, in spaces that are the same for all settings "
                f"and methods, among settings that have not lost a cluster; {verdict}."
            ),
        ]

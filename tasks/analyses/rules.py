"""What runs could be picked or averaged by without test labels: how rules are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from tasks.analyses.base import Analysis, Product, TableSteps
from tasks.report.blocks import Block, Table, Text
from tasks.stages.products import rules

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence

BOUND = "the best on test nodes"  # no rule: nobody could do better by a pick


@dataclass(frozen=True)
class Rules(Analysis):
    """Test accuracy of rules for picking and averaging, on data that are there to choose them.

    From the scores of two rows: one with features as they are, one with a constant besides.
    """

    kind = "rules"
    title = "Rules for picking and averaging"
    file = "Every rule in every run as a file:"
    plain: str
    constant: str

    def products(self, table: TableSteps) -> Iterator[Product]:
        """One step for each dataset, from the scores of the rows that are there."""
        by_dataset: dict[str, dict] = {}
        rows = {"as they are": self.plain, "with a constant": self.constant}
        for features, name in rows.items():
            for cell in table.of("honest"):
                if cell.method == name:
                    by_dataset.setdefault(cell.subject.title, {})[features] = cell
        for title, cells in by_dataset.items():
            first = next(iter(cells.values()))
            step = table.steps.add(
                rules,
                title,
                data=first.data,
                graph=first.graphs[0],
                splits=first.splits,
                scores={features: cell.scores[0] for features, cell in cells.items()},
            )
            yield Product(self.name, (title,), step)

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """By dataset, rule, features and run."""
        products = evidence.products.get(self.name, {})
        tables = [table.assign(dataset=name) for name, table in products.items()]
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """The mean of each rule over the datasets, and its value on each."""
        picked = by_rule(rows)
        means = picked.mean(axis=1)
        best = picked.drop(index=BOUND, level="rule").max(axis=0)
        told = (100 * picked).map("{:.2f}".format)
        told.insert(0, "mean", (100 * means).map("{:.2f}".format))
        behind = 100 * (best - picked).max(axis=1)
        told.insert(1, "furthest behind", behind.map("{:.2f}".format))
        name, title = evidence.table.name, "Test accuracy in % of each rule, the mean of its runs"
        lead = means.drop(index=BOUND, level="rule")
        best_of_all: Any = lead.idxmax()
        first, features = best_of_all
        return [
            Table(f"{name}-rules", told.reset_index(), title),
            Text(
                f"The best mean has: {first}, features {features}, {100 * lead.max():.2f}. e is "
                "what a hit counts, p the power of the squared error; *furthest behind* is the "
                "largest distance to the best rule of a dataset."
            ),
        ]


def by_rule(rows: pd.DataFrame) -> pd.DataFrame:
    """The mean accuracy over the runs: (rule, features) x dataset."""
    named = [
        rule if pd.isna(e) else f"{rule}, e = {e:g}, p = {p:g}"
        for rule, e, p in zip(rows["rule"], rows["e"], rows["p"], strict=True)
    ]
    return rows.assign(rule=named).pivot_table(
        "accuracy", ["rule", "features"], "dataset", sort=False
    )

"""The columns of one's own table, as methods get them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from flgc.datasets.dataset import Dataset
from tasks.analyses.base import Analysis, Product, TableSteps
from tasks.report.blocks import Block, Table
from tasks.report.rows import stack

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence

MOST_COLUMNS = 20  # of a dataset


@dataclass(frozen=True)
class Columns(Analysis):
    """A summary of the columns of each dataset that is a table."""

    kind = "columns"
    leads = True

    def products(self, table: TableSteps) -> Iterator[Product]:
        """The datasets themselves."""
        for name, step in table.datasets.items():
            yield Product(self.name, (name,), step)

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """A row for each column of each dataset."""
        return stack(self._tables(evidence), ("dataset",))

    def opening(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """The summary of each dataset."""
        blocks: list[Block] = []
        for name, columns in self._tables(evidence).items():
            if len(columns):
                n_features = evidence.products[self.name][name].n_features
                more = n_features > len(columns)
                part = f", the first {len(columns)} of {n_features}" if more else ""
                blocks.append(Table(f"{name}-columns", columns, f"Columns of {name}{part}"))
        return blocks

    def _tables(self, evidence: Evidence) -> dict[str, pd.DataFrame]:
        products = evidence.products.get(self.name, {})
        return evidence.once(
            (self.name, "tables"),
            lambda: {name: column_table(data) for name, data in products.items()},
        )


def column_table(data: Dataset) -> pd.DataFrame:
    """One row per column of one's own table, as methods get it; nothing of other kinds of data."""
    if data.kind != "table" or not isinstance(data.features, np.ndarray):
        return pd.DataFrame()
    names = data.feature_names or [str(i) for i in range(data.n_features)]
    frame = pd.DataFrame(data.features[:, :MOST_COLUMNS], columns=list(names[:MOST_COLUMNS]))
    summary = {"different values": frame.nunique(), "smallest": frame.min()}
    summary |= {"median": frame.median(), "largest": frame.max()}
    return pd.DataFrame(summary).rename_axis("column").reset_index()

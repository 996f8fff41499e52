"""The cells of a table: what the runs of each gave, and what the paper prints of it.

Tables, sentences, charts and claims all read their numbers here. What is compared with a printed
value is rounded as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any, NamedTuple

import pandas as pd

from flgc.datasets.dataset import titled
from tasks.declared.described import Described

PUBLISHED = "published"
REDRAWN = "re-drawn"
SUBJECT = ["dataset", "noise", "intensity", "noise_pattern"]
CASE = [*SUBJECT, "metric"]
Case = tuple[str, str, float, str, str]
# By case, in points.
Column = dict[Case, float]


class Place(NamedTuple):
    """The place of a value; a published one has that word for a protocol."""

    dataset: str
    noise: str
    intensity: float
    noise_pattern: str
    metric: str
    method: str
    protocol: str

    @property
    def subject(self) -> tuple[str, str, float, str]:
        """Its data."""
        return self[:4]

    @property
    def case(self) -> Case:
        """Its data and metric."""
        return self[:5]


class Cell(NamedTuple):
    """The value of a cell, as a share: mean, deviation, lowest and highest of its runs.

    A deviation that is not printed is NaN, and what is published has no runs here.
    """

    mean: float
    std: float
    low: float = nan
    high: float = nan
    runs: int = 0

    @property
    def spread(self) -> float:
        """The deviation, if there is more than one run."""
        return nan if self.runs == 1 else self.std


@dataclass(frozen=True, eq=False)
class Values:
    """A table's cells and their published values, made from its results once."""

    table: Described
    results: pd.DataFrame

    @cached_property
    def cells(self) -> dict[Place, Cell]:
        """Ours, in the order of the results."""
        # The mean of a series: that of groups differs in the last bit, which decides a tie.
        groups: Any = self.results.groupby(list(Place._fields), sort=False)["value"]
        return {
            Place(*at): Cell(runs.mean(), runs.std(ddof=0), runs.min(), runs.max(), len(runs))
            for at, runs in groups
        }

    @cached_property
    def published(self) -> dict[Place, Cell]:
        """What the paper prints of each of our rows, then of its methods that we have no row of."""
        names = {row.name: row.published for row in self.table.rows}
        names |= {name: name for name in self.printed}
        return {
            Place(*_case(cell), method, PUBLISHED): Cell(
                cell["value"], nan if cell["std"] is None else cell["std"]
            )
            for method, name in names.items()
            for cell in self.table.published
            if cell["method"] == name
        }

    @property
    def printed(self) -> list[str]:
        """The methods that the paper prints, in its order."""
        return list(dict.fromkeys(cell["method"] for cell in self.table.published))

    @cached_property
    def redrawn(self) -> list[str]:
        """The datasets that are not the paper's own: its values are of others of their kind."""
        marks = self.results.drop_duplicates(["dataset", "marks"])
        marked = [REDRAWN in text.split(", ") for text in marks["marks"]]
        return marks.loc[marked, "dataset"].unique().tolist()

    @cached_property
    def ours(self) -> dict[tuple[str, str], Column]:
        """By method and protocol."""
        return self._columns(self.cells)

    @cached_property
    def theirs(self) -> dict[str, Column]:
        """By method, what is published of the same data: ours may be drawn anew."""
        same = {at: cell for at, cell in self.published.items() if at.dataset not in self.redrawn}
        return {method: column for (method, _), column in self._columns(same).items()}

    @cached_property
    def gaps(self) -> dict[tuple[str, str], Column]:
        """By method and protocol: ours minus the published value, both as printed."""
        found = {}
        for (method, protocol), column in self.ours.items():
            theirs = self.theirs.get(method, {})
            found[method, protocol] = {
                case: round(value - theirs[case], self.table.decimals)
                for case, value in column.items()
                if case in theirs
            }
        return found

    def wide(self, protocol: str, index: str = "dataset") -> Any:
        """Datasets x methods: means of the first metric over all runs, as shares."""
        rows = self.results[self.results["protocol"] == protocol]
        if protocol == PUBLISHED:
            means = [cell.mean for cell in self.published.values()]
            rows = pd.DataFrame([*self.published], columns=Place._fields).assign(value=means)
        return self._pivot(rows, index, ["method"])

    def complete(self, index: str = "dataset") -> list[str]:
        """The datasets on which every method that was run has its cell, in each protocol."""
        return list(self._pivot(self.results, index, ["method", "protocol"]).dropna().index)

    def _pivot(self, rows: pd.DataFrame, index: str, columns: list[str]) -> Any:
        rows = rows[rows["metric"] == self.table.metrics[0]]
        cases = rows[CASE].itertuples(index=False, name=None)
        rows = rows.assign(title=[case_title(case, self.table) for case in cases])
        return rows.pivot_table("value", index, columns, sort=False)

    def in_points(self, share: float) -> float:
        """A share as it is printed, in points: .82861 is 82.9."""
        return in_points(share, self.table)

    def left_out(self) -> list[str]:
        """The remark on re-drawn data where published values are compared."""
        names = ", ".join(titled(dataset, [REDRAWN]) for dataset in self.redrawn)
        note = "Not compared with published values, which are the original's"
        return [f"{note}: {names}."] if names else []

    def _columns(self, cells: Mapping[Place, Cell]) -> dict[tuple[str, str], Column]:
        found: dict[tuple[str, str], Column] = {}
        for at, cell in cells.items():
            found.setdefault((at.method, at.protocol), {})[at.case] = self.in_points(cell.mean)
        return found


def in_points(share: float, table: Described) -> float:
    """A share as it is printed, in points: .82861 is 82.9."""
    return round(100 * float(share), table.decimals)


def data_title(dataset: str, noise: str, intensity: float, pattern: str) -> str:
    """`iris`, or with its noise: `digits gaussian 0.1 shared`."""
    return f"{dataset} {noise} {intensity:g} {pattern}" if noise else dataset


def case_title(case: Case, table: Described) -> str:
    """With the metric where a table has several: `digits gaussian 0.1 shared NMI`."""
    title = data_title(*case[:4])
    return f"{title} {case[4]}" if len(table.metrics) > 1 else title


def printed_columns(printed: Sequence[Mapping[str, Any]], table: Described) -> dict[str, Column]:
    """Printed values by method, such as those of the literature."""
    columns: dict[str, Column] = {}
    for cell in printed:
        columns.setdefault(cell["method"], {})[_case(cell)] = in_points(cell["value"], table)
    return columns


def _case(cell: Mapping[str, Any]) -> Case:
    dataset, noise, intensity, pattern, metric = (cell[name] for name in CASE)
    return dataset, noise, intensity, pattern, metric

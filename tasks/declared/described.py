"""An experiment as the document sees it: what its table shows, and what the paper prints there."""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from flgc.methods.registry import contender
from tasks.declared.published import DECIMALS, LITERATURE, published_cells
from tasks.declared.types import Experiment


@dataclass(frozen=True)
class Row:
    """A method of the table: its name in the paper, and whether the paper's claims are about it."""

    name: str
    published: str
    own: bool
    protocols: tuple[str, ...]
    origin: str


@dataclass(frozen=True)
class Described:
    """What tables, figures and claims need to know; published values are data like any other."""

    name: str
    title: str
    datasets: tuple[str, ...]
    noises: tuple[tuple[str, float], ...]
    metrics: tuple[str, ...]
    rows: tuple[Row, ...]
    decimals: int
    published: tuple[dict[str, Any], ...] = ()
    literature: tuple[dict[str, Any], ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def methods(self) -> tuple[str, ...]:
        """Their names, in the order of the table."""
        return tuple(row.name for row in self.rows)

    def row(self, method: str) -> Row:
        """The row of a method."""
        return next(row for row in self.rows if row.name == method)

    def without_words(self) -> "Described":
        """For what shows numbers alone: a changed sentence does not touch it."""
        return replace(self, title="", remarks=())


def described(experiment: Experiment) -> Described:
    """The table of an experiment."""
    rows = [(name, contender(name, experiment.task)) for name in experiment.methods]
    return Described(
        name=experiment.name,
        title=experiment.title,
        datasets=experiment.datasets,
        noises=tuple((noise.kind, noise.intensity) for noise in experiment.noises),
        metrics=experiment.metrics,
        rows=tuple(
            Row(name, row.published or name, row.method.own, row.protocols, row.origin)
            for name, row in rows
        ),
        decimals=DECIMALS.get(experiment.published, 1),
        published=_records(published_cells(experiment)),
        literature=_records(published_cells(experiment, LITERATURE)),
        remarks=experiment.remarks,
    )


def _records(cells: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """Rows in the types of JSON, which has no NaN."""
    rows = cells.astype(object).where(cells.notna(), None)
    return tuple({str(k): v for k, v in row.items()} for row in rows.to_dict("records"))

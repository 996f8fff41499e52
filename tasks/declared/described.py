"""An experiment as the document sees it: what its table shows, and what the paper prints there."""

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import pandas as pd

from flgc.methods.registry import Contender, contender
from tasks.declared.published import DECIMALS, LITERATURE, published_cells
from tasks.declared.types import Experiment

MOST_VALUES = 8


@dataclass(frozen=True)
class Row:
    """A method of the table: its name in the paper, and whether the paper's claims are about it."""

    name: str
    published: str
    own: bool
    protocols: tuple[str, ...]
    origin: str

    @property
    def is_variant(self) -> bool:
        """Whether it is another row in the paper's tables, as `FLGC*, teleport .1` does."""
        return self.name != self.published


@dataclass(frozen=True)
class Described:
    """What tables, figures and claims need to know; published values are data like any other."""

    name: str
    title: str
    datasets: tuple[str, ...]
    noises: tuple[tuple[str, float, str], ...]
    metrics: tuple[str, ...]
    rows: tuple[Row, ...]
    decimals: int
    published: tuple[dict[str, Any], ...] = ()
    # By analysis, what is published of it.
    printed: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    # Values of each axis by method, as text.
    grids: dict[str, dict[str, str]] = field(default_factory=dict)
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
        return replace(self, title="", remarks=(), printed={}, grids={})


def described(experiment: Experiment) -> Described:
    """The table of an experiment."""
    rows = [(name, contender(name, experiment.task)) for name in experiment.methods]
    return Described(
        name=experiment.name,
        title=experiment.title,
        datasets=experiment.datasets,
        noises=tuple((n.kind, n.intensity, n.pattern) for n in experiment.noises),
        metrics=experiment.metrics,
        rows=tuple(
            Row(name, row.published or name, row.method.own, row.protocols, row.origin)
            for name, row in rows
        ),
        decimals=DECIMALS.get(experiment.published, 1),
        published=_records(published_cells(experiment)),
        printed={each.name: _records(each.printed(experiment)) for each in experiment.analyses},
        grids={name: _values(experiment, row) for name, row in rows},
        literature=_records(published_cells(experiment, LITERATURE)),
        remarks=experiment.remarks,
    )


def _values(experiment: Experiment, row: Contender) -> dict[str, str]:
    """The values of each axis that a row is picked from, in the order of the grid."""
    own = experiment.grids.get(row.method.name, {})
    found: dict[str, dict[str, None]] = {}
    tuned = chain.from_iterable(experiment.tuned.values())
    for preparation in (*experiment.preparations, *tuned):
        for axis, values in {**row.whole({**preparation.axes, **own}), **row.part}.items():
            found.setdefault(axis, {}).update(dict.fromkeys(map(_text, values)))
    return {axis: _listed(list(values)) for axis, values in found.items()}


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _listed(values: list[str]) -> str:
    """A few values in full, many by their ends."""
    if len(values) <= MOST_VALUES:
        return ", ".join(values)
    return f"{values[0]}, {values[1]} .. {values[-1]} ({len(values)})"


def _records(cells: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """Rows in the types of JSON, which has no NaN."""
    rows = cells.astype(object).where(cells.notna(), None)
    return tuple({str(k): v for k, v in row.items()} for row in rows.to_dict("records"))

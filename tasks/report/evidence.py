"""What is known of one table: its cells, what analyses made of them, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd

from tasks.declared.described import Described
from tasks.report.blocks import Note
from tasks.report.gaps import Gap, absent
from tasks.report.notes import digests_of, notes
from tasks.report.rows import joined
from tasks.report.values import Place, Values

if TYPE_CHECKING:
    from tasks.analyses.base import Analysis

Made = TypeVar("Made")


@dataclass(frozen=True)
class Declaration:
    """What a report needs to know of a table, beside what is in the store.

    `digests` are those of the cells, in their order; `command` computes a cell again.
    """

    table: Described
    analyses: Mapping[str, Analysis]
    protocols: tuple[str, ...]
    gaps: tuple[Gap, ...] = ()
    digests: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A table with all that the store has of it; `products` are by analysis, then by their path.

    `costs` are the seconds of each method's stages when they were computed, and `notes` what is
    known of each cell beyond its value.
    """

    declared: Declaration
    cells: Sequence[pd.DataFrame] = ()
    products: Mapping[str, Any] = field(default_factory=dict)
    costs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: dict[Place, Note] = field(default_factory=dict)
    _made: dict[Any, Any] = field(default_factory=dict)

    @property
    def table(self) -> Described:
        """What the table shows."""
        return self.declared.table

    @property
    def protocols(self) -> tuple[str, ...]:
        """Those that were run."""
        return self.declared.protocols

    @cached_property
    def results(self) -> pd.DataFrame:
        """The rows of all cells."""
        return joined(self.cells)

    @cached_property
    def values(self) -> Values:
        """Its cells, beside what the paper prints of them."""
        return Values(self.table, self.results)

    @cached_property
    def absent(self) -> dict[str, str]:
        """The datasets that are unavailable, and what the table says instead of their cells."""
        return absent(self.declared.gaps, self.table.datasets)

    def rows(self, name: str) -> pd.DataFrame:
        """The rows of an analysis; none where it was not asked for, or nothing was made."""
        analysis = self.declared.analyses.get(name)
        if analysis is None:
            return pd.DataFrame()
        return self.once(("rows", name), lambda: analysis.rows(self))

    def once(self, name: Any, make: Callable[[], Made]) -> Made:
        """What several parts of a report show: made for the first of them, then kept."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made


def notes_of(evidence: Evidence) -> dict[Place, Note]:
    """What is known of each cell beyond its value."""
    by_cell = digests_of(evidence.cells, evidence.declared.digests)
    return notes(evidence.values, by_cell, evidence.declared.command)

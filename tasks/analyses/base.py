"""An analysis of the cells of a table: one class holds everything about it.

What an experiment asks for, the steps that this needs, the rows that come of them, and how those
are drawn and put into words. The rows are what figures, files and claims are made from.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from flgc.methods.registry import Contender
from tasks.report.blocks import Block
from tasks.report.rows import stack
from tasks.running.steps import Step, Steps
from tasks.stages.cells import pick

if TYPE_CHECKING:
    from tasks.declared.described import Described
    from tasks.declared.types import Cell, Experiment, Preparation, Subject
    from tasks.report.evidence import Evidence


@dataclass(frozen=True, eq=False)
class CellSteps:
    """A cell of a table and all steps that lead to it; `result` is the last.

    `without` are features that are left out since they leak the label.
    """

    cell: Cell
    row: Contender
    preparations: tuple[Preparation, ...]
    without: tuple[str, ...]
    data: Step
    splits: Step | None
    graphs: tuple[Step, ...]
    scores: tuple[Step, ...]
    picks: Step
    result: Step

    @property
    def subject(self) -> Subject:
        """The data of its cell."""
        return self.cell.subject

    @property
    def method(self) -> str:
        """The row's name."""
        return self.cell.method

    @property
    def spec(self) -> str:
        """The method, as stages find it."""
        return self.cell.spec

    @property
    def graphs_by_title(self) -> dict[str, Step]:
        """Its graphs as picks name them."""
        titles = [preparation.title for preparation in self.preparations]
        return dict(zip(titles, self.graphs, strict=True))

    @property
    def grids(self) -> list[dict[str, tuple]]:
        """The method's grid on each graph."""
        return [self.cell.experiment.grid_of(self.row, each) for each in self.preparations]

    @property
    def whole_grid(self) -> dict[str, tuple]:
        """The values of each axis on any of its graphs."""
        grids = self.grids
        return {
            axis: tuple(dict.fromkeys(value for grid in grids for value in grid[axis]))
            for axis in grids[0]
        }


@dataclass(frozen=True, eq=False)
class TableSteps:
    """The cells of an experiment as steps, to which analyses add theirs."""

    experiment: Experiment
    described: Described
    protocols: tuple[str, ...]
    device: str
    datasets: Mapping[str, Step]
    cells: Sequence[CellSteps]
    steps: Steps

    def picks(self, cell: CellSteps, protocol: str) -> Step:
        """The settings that a cell's row has in a protocol, which may be another than its own."""
        return pick_step(self.steps, cell.cell, cell.row, cell.preparations, cell.scores, protocol)

    def of(self, protocol: str, datasets: Sequence[str] = ()) -> list[CellSteps]:
        """The cells of a protocol, on some datasets or on all."""
        return [
            each
            for each in self.cells
            if each.cell.protocol == protocol and (not datasets or each.subject.dataset in datasets)
        ]


def pick_step(
    steps: Steps,
    cell: Cell,
    row: Contender,
    preparations: Sequence[Preparation],
    scores: Sequence[Step],
    protocol: str,
) -> Step:
    """The settings of a row in a protocol, from its scores."""
    return steps.add(
        pick,
        f"{cell.subject.title} {cell.method} {protocol}",
        scores=list(scores),
        graphs=[preparation.title for preparation in preparations],
        protocol=protocol,
        part=row.part,
        combine=row.combine,
    )


@dataclass(frozen=True, eq=False)
class Product:
    """The last step of something that an analysis needs.

    Its `path` is where it belongs among the products of the analysis: mostly dataset and method.
    """

    analysis: str
    path: tuple[str, ...]
    step: Step
    method: str = ""


@dataclass(frozen=True)
class Analysis:
    """What an experiment can ask for beside its cells.

    An analysis is known by its `name`, which its figure and its file have too. The steps of one
    that comes `after` the cells are made of those that are there, when all other steps have ended:
    they have the machine to themselves. The opening of one that `leads` comes at the beginning
    of the report.
    """

    kind: ClassVar[str]
    title: ClassVar[str] = ""
    caption: ClassVar[str] = ""
    file: ClassVar[str] = ""  # the sentence before the link to its rows
    after: ClassVar[bool] = False
    leads: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """How it is found among the analyses of an experiment."""
        return self.kind

    @classmethod
    def is_implied(cls, experiment: Experiment) -> bool:
        """Whether an experiment has it without asking."""
        return False

    def products(self, table: TableSteps) -> Iterator[Product]:
        """What has to be computed besides the cells."""
        yield from ()

    def printed(self, experiment: Experiment) -> pd.DataFrame:
        """What a publication prints of it, beside which its rows stand."""
        return pd.DataFrame()

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """Tidy rows, made from its products by dataset and method; none where nothing was made."""
        return stack(evidence.products.get(self.name, {}), ("dataset", "method"))

    def heading(self, evidence: Evidence) -> str:
        """The title above it."""
        return self.title

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """By the name of the figure its Vega-Lite chart, or the SVG of what is no chart."""
        return {}

    def opening(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """What a reader sees of it without asking."""
        return []

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """What anybody can read off the rows."""
        return []

    def with_runs(self, runs: int) -> Analysis:
        """The same with so many runs at most."""
        own = getattr(self, "runs", None)
        return self if own is None else dataclasses.replace(self, **{"runs": min(runs, own)})

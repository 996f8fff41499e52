"""An analysis of the cells of a table: what an experiment asks for, and the steps that it needs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from flgc.methods.registry import Contender
from tasks.running.steps import Step, Steps
from tasks.stages.pick import pick

if TYPE_CHECKING:
    from tasks.declared.types import Cell, Experiment, Preparation, Subject


@dataclass(frozen=True, eq=False)
class CellSteps:
    """A cell of a table and the steps that lead to it; `result` is the last.

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
        return f"{self.cell.experiment.task}:{self.cell.method}"

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
class Table:
    """The cells of an experiment as steps, to which analyses add theirs."""

    experiment: Experiment
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
    """What an analysis asks for of one dataset and, mostly, one method: its last step.

    Products of a `kind` are of one form; curves have several figures.
    """

    kind: str
    figure: str
    dataset: str
    method: str
    step: Step


@dataclass(frozen=True)
class Analysis:
    """What an experiment can ask for besides its cells; a figure or a table of its report."""

    # Its steps have the machine for themselves, one after the other, when all others have ended.
    alone: ClassVar[bool] = False

    def products(self, table: Table) -> Iterator[Product]:
        """What has to be computed besides the cells: nothing, unless an analysis says more."""
        yield from ()

    def with_runs(self, runs: int) -> Analysis:
        """The same with so many runs at most."""
        own = getattr(self, "runs", None)
        return self if own is None else dataclasses.replace(self, **{"runs": min(runs, own)})

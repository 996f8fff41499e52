"""What a run would do: its cells, what the store has of them, and how long the rest may take.

The steps are those of `flows/dag.py`, looked up instead of run.
"""

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from flgc.datasets import DatasetError
from flows.dag import cells, dag_of
from flows.plan import Plan
from tasks.analyses.base import CellSteps
from tasks.declared.types import Cell
from tasks.running.steps import Step, steps_in, with_results
from tasks.store import Artifact, Store
from tasks.store.upkeep import list_artifacts

STORED, NEW, NO_DATA = "stored", "new", "no data"


class Lookup(NamedTuple):
    """A step of an experiment, and its artifact if the store has it."""

    experiment: str
    stage: str
    about: str
    artifact: Artifact | None

    @property
    def name(self) -> str:
        """`score iris FLGC*`."""
        return f"{self.stage} {self.about}"


@dataclass(frozen=True)
class DryCell:
    """A cell of the run, and how many settings it is picked from."""

    experiment: str
    data: str
    method: str
    protocol: str
    settings: int
    state: str


@dataclass(frozen=True)
class DryRun:
    """All cells, how many steps are missing, and their seconds where the store has similar ones.

    `unknown` is how many have none.
    """

    cells: tuple[DryCell, ...]
    steps: int
    seconds: float
    unknown: int


def dry_run(plan: Plan) -> DryRun:
    """Every cell of the plan; nothing is computed, and no Prefect is started."""
    rows, steps = look_up(plan)
    missing = [step for step in steps if step.artifact is None]
    costs = Costs(Store(plan.store)) if missing else None
    estimated = [costs.of(step.stage, step.about) for step in missing] if costs else []
    known = [seconds for seconds in estimated if seconds is not None]
    return DryRun(tuple(rows), len(missing), sum(known), len(missing) - len(known))


def look_up(plan: Plan) -> tuple[list[DryCell], list[Lookup]]:
    """The cells of a plan and its steps, in the order in which they are submitted.

    What is made of whole tables (figures, tests, the report) is not among the steps.
    """
    rows: list[DryCell] = []
    steps: list[Lookup] = []
    for experiment in plan.experiments:
        dag = dag_of(plan, experiment)
        dag.after(dag.cells)  # adds its steps
        made = stored(plan.store, dag.table.steps)
        rows += [_looked_up(cell, made[cell.result]) for cell in dag.cells]
        rows += [
            _listed(cell, 0, NO_DATA)
            for cell in cells(experiment, plan.protocols)
            if cell.subject.dataset not in dag.table.datasets
        ]
        steps += [
            Lookup(experiment.name, step.stage.name, step.about, artifact)
            for step, artifact in made.items()
        ]
    return rows, steps


def stored(store: str, steps: Iterable[Step]) -> dict[Step, Artifact | None]:
    """Each step with its artifact, if that and all that it is made from are in the store."""
    made: dict[Step, Artifact | None] = {}
    for step in steps:
        made[step] = None
        if all(made[need] for need in steps_in(step.given)):
            with contextlib.suppress(DatasetError):
                made[step] = step.stage.stored(store, **with_results(step.given, made))
    return made


def _looked_up(cell: CellSteps, artifact: Artifact | None) -> DryCell:
    own = cell.cell.experiment.grids.get(cell.row.method.name, {})
    settings = sum(cell.row.n_settings({**each.axes, **own}) for each in cell.preparations)
    return _listed(cell.cell, settings, STORED if artifact else NEW)


def _listed(cell: Cell, settings: int, state: str) -> DryCell:
    name, title = cell.experiment.name, cell.subject.title
    return DryCell(name, title, cell.method, cell.protocol, settings, state)


class Costs:
    """Seconds that steps took: of the same one, else of the same on other data."""

    def __init__(self, store: Store) -> None:
        # By stage and what is done, then by what it is about: `Cora FLGC* honest` for one.
        self.known: dict[tuple[str, str], dict[str, float]] = {}
        for listed in list_artifacts(store):
            if listed.record is not None:
                about = listed.record["provenance"].get("about", "")
                self.learn(listed.stage, about, listed.record["seconds"])

    def learn(self, stage: str, about: str, seconds: float) -> None:
        """A step took so long."""
        self.known.setdefault((stage, _rest(about)), {})[about] = seconds

    def of(self, stage: str, about: str) -> float | None:
        """An estimate, if there is anything to make one from."""
        alike = self.known.get((stage, _rest(about)), {})
        return alike.get(about, median(alike.values()) if alike else None)


def _rest(about: str) -> str:
    """`FLGC* honest` of `Cora FLGC* honest`: without the name of the data and the draw of noise."""
    return re.sub(r" run \d+", "", about.partition(" ")[2])

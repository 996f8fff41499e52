"""What a run would do: its cells, what the store has of them, and how long the rest may take.

The DAG is walked as it is run (`flows/dag.py`), but steps are looked up instead of submitted.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from flgc.datasets import DatasetError, state
from flows.curves import submit_curves
from flows.dag import Chain, Shared, submit_cells, submit_time, timed_chains
from flows.plan import Plan
from tasks.declared.types import Experiment
from tasks.stages.dataset import dataset
from tasks.store import Artifact, Store
from tasks.store.upkeep import list_artifacts

STORED, NEW, NO_DATA = "stored", "new", "no data"


@dataclass(frozen=True, eq=False)
class Step:
    """A step of the DAG and its artifact, if the store has it; stands where a future would."""

    experiment: str
    stage: str
    about: str
    artifact: Artifact | None

    @property
    def name(self) -> str:
        """`score iris FLGC*`."""
        return f"{self.stage} {self.about}"

    def result(self) -> "Step":
        """What a future would give; whoever takes it takes it for the artifact."""
        return self


@dataclass(frozen=True)
class DryCell:
    """A cell that would be there, and how many settings it would be picked from."""

    experiment: str
    data: str
    method: str
    protocol: str
    settings: int
    state: str


@dataclass(frozen=True)
class DryRun:
    """All cells; how many steps are missing, and the seconds of those whose like the store has."""

    cells: tuple[DryCell, ...]
    steps: int
    seconds: float
    unknown: int


class Looking(Shared):
    """Looks the steps of an experiment up instead of submitting them."""

    def __init__(self, plan: Plan, experiment: str) -> None:
        super().__init__(plan)
        self.experiment, self.steps = experiment, list[Step]()

    def submit(self, stage: Any, about: str, **given: Any) -> Any:
        """The step, with its artifact if that and all that it is made from are there."""
        given.pop("wait_for", None)
        known = all(each.artifact for each in _steps(given))
        artifact = stage.stored(self.plan.store, **_plainly(given)) if known else None
        self.steps.append(Step(self.experiment, stage.name, about, artifact))
        return self.steps[-1]


def dry_run(plan: Plan) -> DryRun:
    """Every cell of the plan; nothing is computed, and no Prefect is started."""
    found, steps = look_up(plan)
    missing = [step for step in steps if step.artifact is None]
    costs = Costs(Store(plan.store)) if missing else None
    estimated = [costs.of(step.stage, step.about) for step in missing] if costs else []
    known = [seconds for seconds in estimated if seconds is not None]
    return DryRun(tuple(found), len(missing), sum(known), len(missing) - len(known))


def look_up(plan: Plan) -> tuple[list[DryCell], list[Step]]:
    """The cells of a plan and its steps, in the order in which they are submitted.

    What is made of whole tables (figures, tests, the report) is not among the steps.
    """
    found: list[DryCell] = []
    steps: list[Step] = []
    for experiment in plan.experiments:
        looking = Looking(plan, experiment.name)
        here = {name: _data(plan, experiment.name, name) for name in experiment.datasets}
        raw: Any = {name: step for name, step in here.items() if step is not None}
        chains = submit_cells(looking, experiment, raw)
        submit_curves(looking, experiment, chains)
        for title, of_methods in timed_chains(experiment, chains).items():
            submit_time(looking, experiment, title, of_methods)
        found += [_cell(experiment, chain) for chain in chains]
        found += _without_data(plan, experiment, {name for name in here if name not in raw})
        steps += [*raw.values(), *looking.steps]
    return found, steps


def _data(plan: Plan, experiment: str, name: str) -> Step | None:
    """The dataset; None where it can be had from nowhere."""
    if state(name).status == "not available":
        return None
    try:
        artifact = dataset.stored(plan.store, dataset=name)
    except DatasetError:
        artifact = None
    return Step(experiment, "dataset", name, artifact)


def _cell(experiment: Experiment, chain: Chain) -> DryCell:
    row, cell = chain.row, chain.cell
    own = experiment.grids.get(row.method.name, {})
    settings = sum(row.n_settings({**each.axes, **own}) for each in chain.preparations)
    state_of = STORED if chain.result.artifact else NEW
    return DryCell(
        experiment.name, chain.subject.title, cell.method, cell.protocol, settings, state_of
    )


def _without_data(plan: Plan, experiment: Experiment, datasets: Iterable[str]) -> list[DryCell]:
    from flows.dag import cells

    return [
        DryCell(experiment.name, each.subject.title, each.method, each.protocol, 0, NO_DATA)
        for each in cells(experiment, plan.protocols)
        if each.subject.dataset in set(datasets)
    ]


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


def _steps(given: Any) -> list[Step]:
    """The steps in what is given: itself, or those of a list or mapping of them."""
    if isinstance(given, Step):
        return [given]
    values = given.values() if isinstance(given, Mapping) else given
    if isinstance(given, Mapping | list | tuple):
        return [step for value in values for step in _steps(value)]
    return []


def _plainly(given: Any) -> Any:
    """The same with artifacts in the place of steps."""
    if isinstance(given, Step):
        return given.artifact
    if isinstance(given, Mapping):
        return {name: _plainly(value) for name, value in given.items()}
    return [_plainly(value) for value in given] if isinstance(given, list) else given

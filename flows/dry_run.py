"""What a run would do: its cells, what the store has of them, and how long the rest may take.

The DAG is walked as it is run (`flows/dag.py`), but steps are looked up instead of submitted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from flgc.datasets import DatasetError, state
from flows.dag import Chain, Shared, submit_cells
from flows.plan import Plan
from tasks.declared.types import Experiment
from tasks.stages.dataset import dataset
from tasks.store import Artifact, Store
from tasks.store.upkeep import list_artifacts

STORED, NEW, NO_DATA = "stored", "new", "no data"


@dataclass(frozen=True, eq=False)
class Step:
    """A step of the DAG and its artifact, if the store has it; stands where a future would."""

    stage: str
    about: str
    artifact: Artifact | None

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
    """Looks steps up instead of submitting them."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.steps: list[Step] = []

    def step(self, steps: Any, stage: Any, about: str, what: Any, **given: Any) -> Any:
        """The step, with its artifact if that and all that it is made from are there."""
        key = f"{stage.name} {about} {what!r}"
        if key not in self.submitted:
            given.pop("wait_for", None)
            known = all(each.artifact for each in _steps(given))
            artifact = stage.stored(self.plan.store, **_plainly(given)) if known else None
            looked: Any = Step(stage.name, about, artifact)
            self.submitted[key] = looked
            self.steps.append(looked)
        steps[f"{stage.name} {about}"] = self.submitted[key]
        return self.submitted[key]


def dry_run(plan: Plan) -> DryRun:
    """Every cell of the plan; nothing is computed, and no Prefect is started."""
    found: list[DryCell] = []
    missing: list[Step] = []
    for experiment in plan.experiments:
        looking = Looking(plan)
        here = {name: _data(plan, name) for name in experiment.datasets}
        raw: Any = {name: step for name, step in here.items() if step is not None}
        chains = submit_cells(looking, experiment, raw)
        found += [_cell(experiment, chain) for chain in chains]
        found += _without_data(plan, experiment, {name for name in here if name not in raw})
        steps = [step for step in (*raw.values(), *looking.steps) if step.artifact is None]
        missing += steps
    costs = _Costs(Store(plan.store)) if missing else None
    estimated = [costs.of(step) for step in missing] if costs else []
    known = [seconds for seconds in estimated if seconds is not None]
    return DryRun(tuple(found), len(missing), sum(known), len(missing) - len(known))


def _data(plan: Plan, name: str) -> Step | None:
    """The dataset; None where it can be had from nowhere."""
    if state(name).status == "not available":
        return None
    try:
        return Step("dataset", name, dataset.stored(plan.store, dataset=name))
    except DatasetError:
        return Step("dataset", name, None)


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


class _Costs:
    """Seconds that steps took: of the same one, else of the same on other data."""

    def __init__(self, store: Store) -> None:
        self.same: dict[tuple[str, str], float] = {}
        self.alike: dict[tuple[str, str], list[float]] = {}
        for listed in list_artifacts(store):
            if listed.record is None:
                continue
            about = listed.record["provenance"].get("about", "")
            seconds = listed.record["seconds"]
            self.same[listed.stage, about] = seconds
            self.alike.setdefault((listed.stage, _rest(about)), []).append(seconds)

    def of(self, step: Step) -> float | None:
        """An estimate, if there is anything to make one from."""
        if (step.stage, step.about) in self.same:
            return self.same[step.stage, step.about]
        found = self.alike.get((step.stage, _rest(step.about)))
        return median(found) if found else None


def _rest(about: str) -> str:
    """`FLGC* honest` of `Cora FLGC* honest`: what is done, without the name of the data."""
    return about.partition(" ")[2]


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

"""What is submitted for an experiment: which steps, made from what, shared by whom."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("prefect")

from prefect.states import Completed, Failed

from flows.dag import (
    Chain,
    Shared,
    begun,
    broken_steps,
    cells,
    costs_of,
    submit_cells,
    time_hops,
)
from flows.plan import Plan
from tasks.declared.paper import prepared
from tasks.declared.types import Cell, Experiment, Subject, TimedHops
from tasks.running.stage import Stage
from tasks.store import Artifact
from tests.tasks.chain import IRIS, iris

BOTH = ("paper", "honest")
GLASS = dataclasses.replace(IRIS, datasets=("glass",))


@dataclass(eq=False)
class Step:
    """What was submitted; ends well unless there is an error."""

    stage: str
    about: str
    given: dict[str, Any]
    error: Exception | None = None

    @property
    def state(self) -> Any:
        return Failed(data=self.error) if self.error else Completed()

    def wait(self) -> None:
        return

    def result(self) -> Artifact:
        return Artifact(f"{self.stage} {self.about}", "", self.stage, 1, 1.5, cached=False)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """Grows with what is submitted."""
    found: list[Step] = []

    def submit(stage: Stage, store: str, about: str, *, wait_for: Any = (), **given: Any) -> Step:
        found.append(Step(stage.name, about, given))
        return found[-1]

    monkeypatch.setattr(Stage, "submit", submit)
    return found


def submitted(experiment: Experiment) -> tuple[Shared, list[Chain]]:
    shared = Shared(Plan("", (experiment,), BOTH, "cpu", "nowhere"))
    raw: Any = {name: Step("dataset", name, {}) for name in experiment.datasets}
    return shared, submit_cells(shared, experiment, raw)


def of(steps: list[Step], stage: str) -> list[Step]:
    return [step for step in steps if step.stage == stage]


def test_what_cells_share_is_submitted_once(steps: list[Step]) -> None:
    _, chains = submitted(IRIS)
    counts = {stage: len(of(steps, stage)) for stage in ("splits", "graph", "score", "pick", "fit")}
    # FLGC and FLGC* share their scores in both protocols; the average has a constant.
    assert counts == {"splits": 1, "graph": 1, "score": 2, "pick": 5, "fit": 5}
    assert len(chains) == 5
    assert len(set(of(steps, "splits")[0].given["seeds"])) == IRIS.runs
    assert {step.about for step in of(steps, "fit")} == {chain.cell.title for chain in chains}


def test_a_row_is_picked_from_its_part_by_its_rule(steps: list[Step]) -> None:
    submitted(IRIS)
    found = {step.about: (step.given["part"], step.given["combine"]) for step in of(steps, "pick")}
    assert found["iris FLGC honest"] == ({"teleport": (0.0,)}, "best")
    assert found["iris FLGC* honest"] == ({}, "best")
    assert found["iris FLGC* averaged honest"] == ({}, "average")


def test_an_average_has_no_cell_in_paper() -> None:
    found = [(cell.method, cell.protocol) for cell in cells(IRIS, BOTH)]
    assert found == [("FLGC", "paper"), ("FLGC*", "paper"), *((m, "honest") for m in IRIS.methods)]


def test_honest_never_sees_what_leaks_the_label(steps: list[Step]) -> None:
    _, chains = submitted(GLASS)
    assert {(c.cell.protocol, c.without) for c in chains} == {("paper", ()), ("honest", ("Id",))}
    assert len(of(steps, "splits")) == 1, "rows are the same"
    for chain in chains:
        made_from = [*chain.graphs, *chain.scores, chain.result]
        assert {step.given["without"] for step in made_from} == {chain.without}
    assert len(of(steps, "graph")) == 2
    assert len(of(steps, "score")) == 3


def test_a_preparation_that_was_tuned_for_a_dataset_is_of_paper_alone(steps: list[Step]) -> None:
    tuned, all_have = prepared("min-max", "unit-length", 3), prepared("min-max", "min-max", 7)
    experiment = dataclasses.replace(IRIS, preparation=all_have, exceptions={"iris": tuned})
    _, chains = submitted(experiment)
    for chain in chains:
        wanted = tuned if chain.cell.protocol == "paper" else all_have
        assert chain.preparations == (wanted,)
        assert [step.given["n_neighbors"] for step in chain.graphs] == [wanted.n_neighbors]
        assert [step.given["graph"] for step in chain.graphs] == [wanted.graph]


def test_honest_has_its_own_preparations_to_pick_from() -> None:
    several = (prepared("min-max", "min-max", 7), prepared("raw", "raw", 7))
    experiment = dataclasses.replace(IRIS, honest=several, exceptions={"iris": several[0]})
    for protocol, wanted in (("paper", several[:1]), ("honest", several)):
        cell = Cell(experiment, Subject("iris"), "FLGC*", protocol)
        assert begun(cell, None).preparations == wanted  # type: ignore[arg-type]


def test_methods_are_timed_at_what_they_picked_in_honest(steps: list[Step]) -> None:
    experiment = dataclasses.replace(IRIS, analyses=(TimedHops((1, 2)),))
    shared, chains = submitted(experiment)
    before = len(steps)
    timed, failed = time_hops(shared, experiment, chains)
    assert (list(timed), failed) == (["iris"], [])
    [step] = of(steps, "time")
    assert len(steps) == before + 1, "all picks were there"
    assert {name: pick.given["protocol"] for name, pick in step.given["picks"].items()} == {
        "FLGC": "honest",
        "FLGC*": "honest",
    }
    assert step.given["hops"] == (1, 2)


def test_cells_wait_for_the_first_step_that_broke() -> None:
    sour, stale = ValueError("sour"), ValueError("stale")
    split = Step("splits", "iris", {})
    graph, score = Step("graph", "iris", {}, sour), Step("score", "iris", {}, stale)
    chains = [begun(iris(protocol=protocol), split) for protocol in BOTH]  # type: ignore[arg-type]
    for chain in chains:
        steps: Any = {"splits iris": split, "graph iris": graph, "score iris": score}
        chain.steps |= steps
    [gap] = broken_steps(IRIS, chains)
    assert (gap.what, gap.reason, gap.cells) == ("small: graph iris", "ValueError: sour", 2)


def test_what_a_methods_cells_share_is_paid_for_once(steps: list[Step]) -> None:
    _, chains = submitted(IRIS)
    costs = costs_of(chains)
    assert costs["FLGC"]["score"] == costs["FLGC*"]["score"] == 1.5
    assert costs["FLGC"]["fit"] == 3.0
    assert costs["FLGC* averaged"]["fit"] == 1.5

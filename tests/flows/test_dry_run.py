"""What `--dry-run` says of a store: exactly what a run would find there."""

import json
from pathlib import Path
from typing import Any

import pytest

from flows.plan import Plan
from tasks.declared.paper import MIN_MAX, closed_form
from tasks.declared.types import Cell, Experiment, Subject
from tasks.running.steps import Steps
from tasks.stages.cells import dataset, graph, propagate
from tests.flows.conftest import Command
from tests.tasks.chain import run_cell

pytest.importorskip("prefect")


def experiment(**changes: Any) -> Experiment:
    given: dict[str, Any] = {
        "name": "small",
        "flow": "uci",
        "task": "classification",
        "title": "Small",
        "datasets": ("iris",),
        "methods": ("FLGC", "FLGC*"),
        "grids": closed_form((0, 2), (0.0, 0.1), (1.0,)),
        "preparations": (MIN_MAX,),
        "split": "10%",
        "runs": 2,
    }
    return Experiment(**given | changes)


def plan_of(store: Path, **changes: Any) -> Plan:
    return Plan("small", (experiment(**changes),), ("honest",), "cpu", str(store))


def test_what_is_stored_is_known_and_the_rest_is_counted(tmp_path: Path) -> None:
    from flows.dry_run import dry_run

    empty = dry_run(plan_of(tmp_path))
    assert [cell.state for cell in empty.cells] == ["new", "new"]
    assert [cell.settings for cell in empty.cells] == [2, 4]
    # The dataset, its splits and graph, one score for both rows, and a pick and a fit for each.
    assert (empty.steps, empty.unknown) == (8, 8)
    assert not list(tmp_path.rglob("*.parquet")), "nothing is computed"
    run_cell(tmp_path, Cell(experiment(), Subject("iris"), "FLGC*", "honest"))
    found = dry_run(plan_of(tmp_path))
    assert {cell.method: cell.state for cell in found.cells} == {"FLGC": "new", "FLGC*": "stored"}
    assert found.steps == 2, "a pick and a fit are left to do"


def test_a_step_is_not_stored_while_something_that_it_is_made_from_is_missing(
    tmp_path: Path,
) -> None:
    """Picks that are not there are something else than no picks, with which it may be stored."""
    from flows.dry_run import stored

    data = dataset(str(tmp_path), "iris", dataset="iris")
    P = graph(str(tmp_path), "iris", data=data, graph="min-max", n_neighbors=None, without=())
    given: dict[str, Any] = {"data": data, "graph": P, "without": (), "device": "cpu"}
    given |= {"scaling": "min-max", "hops": 2, "teleport": 0.1}
    propagate(str(tmp_path), "iris", **given)
    steps = Steps()
    alone, missing = steps.add(propagate, "iris", **given), steps.add(dataset, "x", dataset="wine")
    behind = steps.add(propagate, "iris", **given, picks=missing)
    found = stored(str(tmp_path), steps)
    assert found[alone]
    assert (found[missing], found[behind]) == (None, None)


def test_seconds_are_those_of_the_same_steps_or_of_others_data(tmp_path: Path) -> None:
    from flows.dry_run import dry_run

    run_cell(tmp_path, Cell(experiment(), Subject("iris"), "FLGC*", "honest"))
    again = dry_run(plan_of(tmp_path, runs=3))
    assert {cell.state for cell in again.cells} == {"new"}, "other runs are other cells"
    assert again.seconds > 0, "the score has the same name in the store"
    other = dry_run(plan_of(tmp_path, datasets=("wine",)))
    assert 0 < other.unknown < other.steps
    assert other.seconds > 0


def test_data_that_nobody_has_are_told(tmp_path: Path) -> None:
    from flows.dry_run import dry_run

    found = dry_run(plan_of(tmp_path, datasets=("air",)))
    assert {cell.state for cell in found.cells} == {"no data"}
    assert found.steps == 0


@pytest.mark.usefixtures("no_flow")
def test_the_command_starts_no_flow(command: Command) -> None:
    chosen = ["--suite", "tiny", "-d", "iris", "-m", "FLGC*", "--dry-run"]
    text = command("reproduce", *chosen)
    assert text.exit_code == 0, text.output
    assert "4 cells: 0 stored, 4 new." in text.output
    assert "the store has no such steps" in " ".join(text.output.split())
    found = json.loads(command("reproduce", *chosen, "--json").stdout)
    assert {cell["data"] for cell in found["cells"]} == {"iris"}
    assert found["unknown"] == found["steps"]

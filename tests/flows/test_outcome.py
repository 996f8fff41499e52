"""How a run ends, without a server: what is missing, what broke, and what was asked for."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("prefect")

from prefect.logging import disable_run_logger
from prefect.states import Completed, Failed

from flows.section import Section
from flows.tables import outcome
from tasks.declared.tiny import TINY
from tasks.report.gaps import FAILED, NOT_AVAILABLE, NOT_REACHABLE, Gap
from tasks.store import Artifact
from tests.flows.conftest import Command

CELL = Artifact("fit-0", "", "fit", 1, 0.0, cached=True)


@pytest.fixture(autouse=True)
def _silent() -> Iterator[None]:
    with disable_run_logger():
        yield


def section(*kinds: str, results: int = 1) -> Section:
    gaps = tuple(Gap(kind, "iris", "why", 2) for kind in kinds)
    return Section(TINY[0], ("paper",), (CELL,) * results, gaps=gaps)


@pytest.mark.parametrize(
    ("kinds", "strict", "completed"),
    [
        ((NOT_AVAILABLE,), False, True),
        ((NOT_AVAILABLE,), True, True),
        ((NOT_REACHABLE,), False, True),
        ((NOT_REACHABLE,), True, False),
        ((NOT_AVAILABLE, NOT_REACHABLE), True, False),
        ((FAILED,), False, False),
        ((FAILED,), True, False),
    ],
)
def test_what_is_missing_decides_with_strict_how_a_run_ends(
    kinds: tuple[str, ...], strict: bool, completed: bool
) -> None:
    state = outcome([section(), section(*kinds)], strict)
    assert state.is_completed() is completed
    assert state.message.startswith("2 cells complete, ")


def test_a_run_without_a_single_cell_fails_unless_it_is_a_part() -> None:
    nothing = [section(NOT_REACHABLE, results=0)]
    assert outcome(nothing, strict=False).is_failed()
    assert outcome(nothing, strict=False, whole=False).is_completed()


def test_rows_without_a_cell_in_the_protocol_are_a_run_without_a_cell() -> None:
    nothing = [section(results=0)]
    state = outcome(nothing, strict=False)
    assert state.is_failed()
    assert state.message == "0 cells complete: no row that was chosen has a cell in `paper`."
    assert outcome(nothing, strict=False, whole=False) is nothing


def test_without_gaps_the_sections_are_the_result() -> None:
    sections = [section()]
    assert outcome(sections, strict=True) is sections


@pytest.mark.parametrize(("state", "code"), [(Completed, 0), (Failed, 1)])
def test_the_command_ends_as_its_flow_did(
    state: Any, code: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.cli.terminal import Ended

    given: dict[str, Any] = {}

    def ended(name: str, flow: Any, parameters: dict[str, Any], *_: Any) -> Ended:
        given.update(parameters)
        return Ended(state(message="ended", data=[]), 0.0, 0.0)

    monkeypatch.setattr("flows.cli.reproduce.run_flow", ended)
    chosen = ["--suite", "tiny", "--strict", "--protocol", "honest", "--store", "memory://here"]
    assert command("reproduce", *chosen).exit_code == code
    assert (given["strict"], given["protocols"]) == (True, ["honest"])

"""How far a run is: what is left by the cost of it, and what a person sees meanwhile."""

import dataclasses
import io
import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

pytest.importorskip("prefect")

from prefect.logging import disable_run_logger

from flows.cli.progress import Outlook, Screen, show_progress
from flows.dry_run import Costs, Lookup
from flows.execute import StepEnded, TableEnded, listeners, tell
from flows.section import Section
from flows.tables import headline
from tasks.declared.tiny import TINY
from tasks.running.stage import Stage, at_work
from tasks.store import Artifact, Store


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def made(seconds: float, *, cached: bool = False) -> Artifact:
    return Artifact("fit-0", "", "fit", 1, seconds, cached=cached)


def outlook(
    tmp_path: Path, *steps: Lookup, workers: int = 1, **took: float
) -> tuple[Outlook, Clock]:
    """Of these steps, where `score_iris_FLGC=3` says what one took before."""
    costs, clock = Costs(Store(str(tmp_path))), Clock()
    for step, seconds in took.items():
        stage, *about = step.split("_")
        costs.learn(stage, " ".join(about), seconds)
    return Outlook(steps, costs, workers, clock), clock


def step(stage: str, about: str, artifact: Artifact | None = None, of: str = "uci") -> Lookup:
    return Lookup(of, stage, about, artifact)


def test_time_left_goes_by_what_steps_take_and_not_by_how_many_there_are(tmp_path: Path) -> None:
    quick = [step("pick", f"{i} FLGC") for i in range(100)]
    whole, clock = outlook(
        tmp_path, *quick, step("score", "iris SSC"), pick_0_FLGC=0.01, score_iris_SSC=600.0
    )
    assert whole.left({}) == "about 10 min left"
    for each in quick:
        clock.now += 0.01
        whole.end(StepEnded("uci", each.name, made(0.01)))
    assert whole.left({}) == "about 10 min left"
    assert whole.left({"score iris SSC": 540.0}) == "about 60 s left"


def test_work_is_shared_by_workers_and_what_comes_on_top_of_each_step_is_learnt(
    tmp_path: Path,
) -> None:
    steps = [step("fit", f"{i} FLGC") for i in range(40)]
    whole, clock = outlook(tmp_path, *steps, workers=2, fit_0_FLGC=2.0)
    assert whole.left({}) == "about 40 s left"
    for each in steps[:20]:
        clock.now += 2.0  # of which 1 s is its share of the work
        whole.end(StepEnded("uci", each.name, made(2.0)))
    assert whole.left({}) == "about 40 s left"


def test_time_left_does_not_grow_while_a_long_step_runs(tmp_path: Path) -> None:
    whole, clock = outlook(
        tmp_path, step("fit", "iris FLGC"), step("fit", "wine FLGC"), fit_iris_FLGC=10.0
    )
    clock.now += 10
    whole.end(StepEnded("uci", "fit iris FLGC", made(10.0)))
    assert whole.left({}) == "about 10 s left"
    clock.now += 100
    assert whole.left({"fit wine FLGC": 8.0}) == "about 2 s left"


def test_what_is_stored_takes_no_time_and_counts_as_kept(tmp_path: Path) -> None:
    stored = [step("fit", f"{i} FLGC", made(60.0, cached=True)) for i in range(30)]
    whole, clock = outlook(tmp_path, *stored, step("fit", "30 FLGC"), fit_0_FLGC=60.0)
    assert (whole.kept, whole.done()) == (30, (30, 31))
    clock.now += 1
    for each in stored:
        whole.end(StepEnded("uci", each.name, made(60.0, cached=True)))
    assert (whole.kept, whole.done()) == (30, (30, 31))
    assert whole.left({}) == "about 60 s left"


def test_a_step_is_estimated_by_its_like_on_other_data_as_soon_as_that_has_ended(
    tmp_path: Path,
) -> None:
    whole, clock = outlook(tmp_path, step("score", "iris SSC"), step("score", "wine SSC"))
    assert whole.left({}) == "", "nothing is known"
    clock.now += 40
    whole.end(StepEnded("uci", "score iris SSC", made(40.0)))
    assert whole.left({}) == "about 40 s left"
    noise = "digits gaussian 0.1 shared run {} FLGC"
    whole.costs.learn("score", noise.format(0), 7.0)
    assert whole.costs.of("score", noise.format(1)) == 7.0
    assert whole.costs.of("score", noise.replace("0.1", "0.3").format(1)) is None


def test_where_something_is_unknown_the_rest_is_a_lower_bound(tmp_path: Path) -> None:
    steps = [step("fit", "iris FLGC"), step("fit", "wine FLGC"), step("fit", "iris SSC")]
    whole, _ = outlook(tmp_path, *steps, fit_iris_FLGC=30.0)
    assert whole.left({}) == "at least 60 s left"


def test_what_failed_is_not_kept_and_a_table_that_has_ended_leaves_nothing(tmp_path: Path) -> None:
    steps = [step("fit", "iris FLGC"), step("fit", "wine FLGC"), step("fit", "digits FLGC", of="x")]
    whole, _ = outlook(tmp_path, *steps, fit_iris_FLGC=30.0)
    whole.end(StepEnded("uci", "fit iris FLGC", None))
    assert (whole.kept, whole.done("uci")) == (0, (1, 2))
    whole.end_table("uci")
    assert (whole.done("uci"), whole.done("x"), whole.done()) == ((2, 2), (0, 1), (2, 3))
    assert whole.left({}) == "about 30 s left"


@pytest.mark.parametrize("width", [40, 80, 100])
def test_a_terminal_shows_two_lines_with_what_runs_and_not_what_has_ended(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = outlook(tmp_path, step("fit", "iris FLGC"), fit_iris_FLGC=30.0)
    name = "vary digits salt_pepper 0.1 independent run 0 FLGC* averaged for a figure of many words"
    monkeypatch.setattr("flows.cli.progress.at_work", lambda: {name: 3.0, "fit wine FLGC": 1.0})
    screen = Screen(whole)
    screen.experiment = "uci"
    console = Console(file=io.StringIO(), width=width)
    console.print(screen)
    first, second = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(len(first), len(second)) <= width
    assert "0 of 1 cells" in first
    assert width < 80 or first.endswith("0 s, about 30 s left")
    assert second.startswith("uci: 0 of 1, vary digits")


@pytest.mark.parametrize(("width", "lowest"), [(80, ""), (100, ", lowest GCN-Linear 87.9")])
def test_the_line_of_a_table_that_has_ended_fits_and_cuts_no_number(
    width: int, lowest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = {"FLGC": 93.9, "FLGC*": 93.9, "FLGC* averaged": 93.9, "GCN-Linear": 87.9}
    means = {"honest": pd.Series(level)}
    monkeypatch.setattr("flows.tables._means", lambda *_: means)
    monkeypatch.setattr("flows.tables.verdict", lambda _: "15 cells complete")
    section = Section(dataclasses.replace(TINY[1], name="citation-tiny"), ("honest",))
    line = headline("memory://none", section, width)
    assert line == f"citation-tiny: 15 cells, honest: best FLGC and 2 more 93.9{lowest}"
    assert headline("memory://none", section).endswith(", lowest GCN-Linear 87.9")
    means["honest"] = pd.Series({"FLGC": 71.2, "FLGC*": 71.2})
    assert headline("memory://none", section).endswith("honest: both methods 71.2")


def test_the_name_shown_is_that_of_a_step_while_it_runs() -> None:
    seen: list[Any] = []

    def run(store: str, about: str) -> Artifact:
        seen.append(list(at_work()))
        return made(0.1)

    stage = Stage.__new__(Stage)  # without an entry among the stages that there are
    stage.name, stage.routed = "graph", run
    stage._as_task("", "iris", {}, SimpleNamespace())
    assert seen == [["graph iris"]]
    assert at_work() == {}


def test_a_listener_that_raises_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr("flows.execute.listeners", [lambda _: 1 / 0, seen.append])
    event = StepEnded("uci", "fit iris FLGC paper", None)
    with disable_run_logger():
        tell(event)
    assert seen == [event]


def test_without_a_terminal_progress_is_a_line_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("flows.cli.progress.EVERY_SECONDS", 0.2)
    names = ("iris FLGC paper", "wine FLGC paper")
    whole, _ = outlook(tmp_path, *(step("fit", name) for name in names), fit_iris_FLGC_paper=90.0)
    with show_progress(whole):
        tell(StepEnded("uci", "fit iris FLGC paper", made(0.1)))
        time.sleep(0.5)
        tell(TableEnded(str(tmp_path), Section(TINY[1], ("paper",))))
    assert not listeners
    first, start, *waiting, end = capsys.readouterr().err.splitlines()
    assert (first, start) == ("starting Prefect ...", "uci: 2 cells ...")
    assert waiting
    assert all(re.fullmatch(r"uci: 1 of 2 cells, about [01] s left", line) for line in waiting)
    assert re.fullmatch(r"uci-tiny: 0 cells, \d+ s", end)

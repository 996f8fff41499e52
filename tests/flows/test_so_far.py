"""The report while a run goes on: what it shows, when it is written, and what Ctrl-C leaves."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("prefect")

from flows import so_far as module
from flows.execute import run_experiment
from flows.parameters import Selection
from flows.plan import plan_of
from flows.section import Section
from flows.so_far import so_far
from tasks.store import Store
from tasks.store.upkeep import artifact_keys
from tests.flows.plainly import called

ROWS = ["FLGC", "FLGC*", "FLGC* averaged"]
CHOSEN: dict[str, Any] = {"suite": "tiny", "datasets": ["iris"], "methods": ROWS, "runs": 1}


@pytest.fixture(autouse=True)
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path / "reports"))
    return tmp_path / "reports"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The titles of the last section, as it was in each report that was written."""
    titles, write = [], module.SoFar.write

    def noted(self: module.SoFar) -> None:
        write(self)
        titles.append(list(self.sections.values())[-1]().experiment.title)

    monkeypatch.setattr(module.SoFar, "write", noted)
    return titles


def run_alone(store: Path, *, stopped: bool = False, **chosen: Any) -> Section:
    """The table without Prefect, and its report so far; or Ctrl-C at its end."""
    plan = plan_of(("uci",), Selection(**{**CHOSEN, "store": str(store), **chosen}))
    with called(), so_far(plan, "mine") as report:
        section = run_experiment(plan, plan.experiments[0], report)
        report.add(section)
        if stopped:
            raise KeyboardInterrupt
    return section


def count(titles: list[str]) -> list[str]:
    return [title.partition("so far: ")[2].partition(" methods")[0] for title in titles]


def test_a_report_is_written_for_each_finished_method(
    tmp_path: Path, reports: Path, written: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHARE", float("inf"))
    section = run_alone(tmp_path / "store")
    assert count(written) == ["1 of 3", "2 of 3", "3 of 3", ""]  # the last with the figures
    assert section.experiment.title == written[-1]
    text = (reports / "mine" / "report.md").read_text()
    assert text.startswith("# Reproduction: suite `mine`, so far")
    assert not [k for k in artifact_keys(Store(tmp_path / "store")) if k.startswith("report-")]


def test_a_part_is_as_if_no_other_methods_had_been_asked_for(
    tmp_path: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    monkeypatch.setattr(module, "SHARE", float("inf"))
    offer = module.SoFar.offer

    def noted(self: module.SoFar, *given: Any) -> None:
        offer(self, *given)
        texts.append(table(reports / "mine"))

    monkeypatch.setattr(module.SoFar, "offer", noted)
    run_alone(tmp_path / "store")
    assert "FLGC" in texts[0]
    assert "FLGC*" not in texts[0]
    assert "FLGC*" in texts[1]
    assert "averaged" not in texts[1]
    assert "FLGC* averaged" in texts[2]
    assert not any("failed" in text for text in texts)


def table(folder: Path) -> str:
    """Whichever way round it is."""
    return (folder / "uci-tiny.csv").read_text()


def test_writing_stays_a_small_share_of_the_time_and_a_stopped_run_writes_the_rest(
    tmp_path: Path, reports: Path, written: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHARE", 1e-9)  # so the next one is due in years
    run_alone(tmp_path / "store")
    assert count(written) == ["1 of 3"]
    assert "averaged" not in table(reports / "mine")
    with pytest.raises(KeyboardInterrupt):
        run_alone(tmp_path / "other", stopped=True)
    assert count(written)[1:] == ["1 of 3", ""]
    assert "FLGC* averaged" in table(reports / "mine")


def test_what_was_there_before_is_no_news(
    tmp_path: Path, reports: Path, written: list[str]
) -> None:
    run_alone(tmp_path / "store", methods=["FLGC"])
    written.clear()
    (reports / "mine" / "report.md").write_text("the report of the run before")
    run_alone(tmp_path / "store", methods=["FLGC"])
    assert written == []
    assert (reports / "mine" / "report.md").read_text() == "the report of the run before"
    run_alone(tmp_path / "store", methods=["FLGC", "FLGC* averaged"])
    assert count(written)[0] == "2 of 2"


def test_a_report_that_cannot_be_written_does_not_end_the_run(
    tmp_path: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports.write_text("a file where a folder should be")
    assert run_alone(tmp_path / "store", methods=["FLGC"]).cells


@pytest.fixture
def stopped_in_averages(reports: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ctrl-C once the report has two methods; the third waits for it."""
    import flgc.methods.flgc as place

    stopped, average = threading.Event(), place.average_grid

    def waiting(*args: Any, **given: Any) -> Any:
        assert stopped.wait(300)
        return average(*args, **given)

    def stop() -> None:
        for _ in range(2500):
            texts = [report.read_text() for report in reports.glob("tiny-*/report.md")]
            if any("so far: 2 of 3 methods" in text for text in texts):
                time.sleep(0.5)  # the report is written, and the flow waits for the third
                os.kill(os.getpid(), signal.SIGINT)
                break
            time.sleep(0.1)
        time.sleep(0.5)  # the flow has heard of it
        stopped.set()

    monkeypatch.setattr(place, "average_grid", waiting)
    monkeypatch.setattr(module, "SHARE", float("inf"))
    # A shell that runs the tests in the background has it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=stop)
    thread.start()
    yield
    thread.join()
    signal.signal(signal.SIGINT, before)
    monkeypatch.undo()


@pytest.mark.slow
def test_ctrl_c_leaves_a_report_of_the_finished_methods_and_a_rerun_completes_it(
    prefect_server: str, tmp_path: Path, reports: Path, stopped_in_averages: None
) -> None:
    from flows.reproduce_paper import reproduce_paper

    chosen = {**CHOSEN, "store": str(tmp_path / "store"), "return_state": True}
    with pytest.raises(KeyboardInterrupt):
        reproduce_paper(**chosen)
    [folder] = reports.glob("tiny-*")
    text = (folder / "report.md").read_text()
    assert "(so far: 2 of 3 methods; the run was going on)" in text
    assert "FLGC*" in table(folder)
    assert "averaged" not in table(folder)
    state: Any = reproduce_paper(**chosen)
    assert state.is_completed(), state.message
    assert "so far" not in (folder / "report.md").read_text()
    assert "FLGC* averaged" in table(folder)

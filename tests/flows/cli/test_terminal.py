"""What a person sees on a terminal: tables within its width, and the time that is left."""

import io
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import typer
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning

from flows.cli.terminal import (
    INTERRUPTED,
    answer,
    errors,
    parts_within,
    print_table,
    print_text,
    report_unconverged,
    run_flow,
)
from flows.parameters import Selection
from flows.plan import plan_of
from tasks.running.stage import Stage
from tasks.store import Artifact

METHODS = ("FLGC", "FLGC*", "GCN-Linear", "K-Means", "SS-ELM", "TSVM", "LapRLS")
KINDS = ("published", "paper", "honest")
ROWS = ("iris", "average over 21 of 24 datasets", "x8d5k (re-drawn)")
WIDE = pd.DataFrame(
    {
        "dataset": ROWS,
        **{f"{method} {kind}": ["96.30 ± 0.66"] * 3 for method, kind in product(METHODS, KINDS)},
    }
)


def printed(table: pd.DataFrame, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    print_table("A title [of 3]", table, console)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_table_of_21_columns_fits_a_terminal(width: int) -> None:
    lines = printed(WIDE, width)
    assert lines[1] == "A title [of 3]"
    assert max(map(len, lines)) <= width
    # No cell is broken in two: each row has its values in one line of each part.
    cells = sum(line.count("96.30 ± 0.66") for line in lines)
    assert cells == len(ROWS) * len(METHODS) * len(KINDS)
    parts = sum(line.startswith("iris ") for line in lines)
    assert sum(line.startswith("average over") for line in lines) == parts


@pytest.mark.parametrize("width", [80, 100, 160])
def test_what_belongs_to_one_method_stays_in_one_part(width: int) -> None:
    parts = [list(part.columns) for part in parts_within(WIDE, width)]
    assert [column for part in parts for column in part[1:]] == list(WIDE.columns[1:])
    for part in parts:
        assert part[0] == "dataset"
        assert len(part[1:]) % len(KINDS) == 0


@pytest.mark.parametrize(
    ("table", "width", "sizes"),
    [
        (WIDE, 45, [2] * len(METHODS) * len(KINDS)),  # a method is too wide alone: it is split
        (WIDE[["dataset", "FLGC paper"]], 80, [2]),
        (WIDE[["dataset"]], 80, [1]),
    ],
)
def test_a_table_has_as_many_parts_as_it_needs(
    table: pd.DataFrame, width: int, sizes: list[int]
) -> None:
    assert [len(part.columns) for part in parts_within(table, width)] == sizes


def test_no_name_becomes_a_picture(capsys: pytest.CaptureFixture) -> None:
    print_text(errors, "mine:Three: ValueError [of 3]")
    assert capsys.readouterr().err == "mine:Three: ValueError [of 3]\n"


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (("iris SSC", "wine SSC", "wine SSC"), "iris SSC and 1 more: not converged in 3 fits, at"),
        (("", "", ""), "test_terminal: not converged in 3 fits, at"),  # of no step: the solver
    ],
)
def test_what_does_not_converge_is_told_of_once_by_data_and_method(
    steps: tuple[str, ...], text: str, capsys: pytest.CaptureFixture
) -> None:
    def solve(store: str, about: str) -> Artifact:
        warnings.warn("residual 1", ConvergenceWarning, stacklevel=1)
        warnings.warn("something else", UserWarning, stacklevel=1)
        return Artifact("score-0", "", "score", 1, 0.0, cached=False)

    stage = Stage.__new__(Stage)  # without an entry among the stages that there are
    stage.name, stage.routed = "score", solve

    def run() -> None:
        with report_unconverged():
            for about in steps:
                stage._as_task("", about, {}, SimpleNamespace())

    with pytest.warns(UserWarning, match="something else") as others:
        run()
    assert {each.category for each in others} == {UserWarning}
    assert " ".join(capsys.readouterr().err.split()) == f"{text} first: residual 1"


def test_the_end_repeats_what_the_report_says_first(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    assert answer(report) == []
    report.write_text("# Title\n\n171 cells\ncomplete.\n\n**Does it?** Yes.\n\n| claim |\n")
    assert answer(report) == ["171 cells complete.", "Does it? Yes."]


Start = Callable[[float], subprocess.Popen[str]]
WAITING = """
import time
from concurrent.futures import ThreadPoolExecutor
from flows.cli.terminal import stoppable

with stoppable(), ThreadPoolExecutor() as pool:
    task = pool.submit(time.sleep, {seconds})
    print("running", flush=True)
    task.result()
"""


@pytest.fixture
def run_waiting() -> Iterator[Start]:
    started = []

    def start(seconds: float) -> subprocess.Popen[str]:
        program = [sys.executable, "-c", WAITING.format(seconds=seconds)]
        process = subprocess.Popen(
            program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_ctrl_c_lets_running_tasks_end(run_waiting: Start) -> None:
    process = run_waiting(1.0)
    _, said = process.communicate(timeout=60)
    assert "Ctrl-C again stops at once" in said
    assert said.rstrip().endswith("KeyboardInterrupt")


def test_ctrl_c_twice_does_not_wait(run_waiting: Start) -> None:
    process = run_waiting(600.0)
    assert process.stderr is not None
    assert "Ctrl-C again stops at once" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == INTERRUPTED


@pytest.mark.usefixtures("prefect_server")
def test_code_that_exits_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_of(["uci"], Selection("tiny", ["iris"], ["FLGC"], store=str(tmp_path)))
    flow = SimpleNamespace(with_options=lambda **_: lambda **_: sys.exit(0))
    with pytest.raises(typer.Exit) as raised:
        run_flow("reproduce", flow, {}, plan, tmp_path / "report.html")
    assert raised.value.exit_code == 1
    assert "flgc reproduce: the run was ended from within: SystemExit(0)" in capsys.readouterr().err


@pytest.mark.usefixtures("prefect_server")
def test_ctrl_c_before_the_run_stops_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(plan: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("flows.cli.terminal._outlook", interrupt)
    plan = plan_of(["uci"], Selection("tiny", ["iris"], ["FLGC"], store=str(tmp_path)))
    with pytest.raises(typer.Exit) as raised:
        run_flow("reproduce", SimpleNamespace(), {}, plan, tmp_path / "report.html")
    assert raised.value.exit_code == INTERRUPTED
    assert capsys.readouterr().err == "Stopped; rerun to resume.\n"

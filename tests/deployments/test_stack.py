"""`flgc up` as it is typed: a real server, scheduler and workers, and what happens when one dies.

The tests share one stack and run in the order of the file; the last one stops it.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

pytest.importorskip("prefect")

from deployments import processes
from tests.deployments.standin import Up, start_up, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.stack]

ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    folder = tmp_path_factory.mktemp("up")
    running = start_up(folder, "--gpu-workers", "1", "--silent-seconds", "31")
    try:
        yield running
    finally:
        running.stop()


def members(up: Up, *words: str) -> list[psutil.Process]:
    """Processes of the stack whose command line has all of these words."""
    found = []
    for process in processes.members(up.stack_id):
        try:
            line = process.cmdline()
        except psutil.Error:
            continue
        if all(word in line for word in words):
            found.append(process)
    return found


def test_the_bare_command_runs_to_its_end(up: Up) -> None:
    """No server is named: the plugin finds the one that `flgc up` keeps."""
    result = up.prefect("deployment", "run", "reproduce-paper", "--watch", "--param", "suite=tiny")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "finished successfully" in result.stdout
    artifacts = up.ask("POST", "/artifacts/latest/filter", {})
    assert [artifact["key"] for artifact in artifacts] == ["cells"]
    assert "prefect deployment run reproduce-paper" in up.output


def test_a_run_that_fails_says_so(up: Up) -> None:
    result = up.prefect("deployment", "run", "reproduce-paper", "--watch", "--param", "nothing=1")
    assert result.returncode == 1
    assert "nothing" in result.stdout + result.stderr


def test_the_scheduler_creates_the_runs(up: Up) -> None:
    for name, hour in (("benchmark", "T03:00:00Z"), ("benchmark-nightly-tiny", "T02:30:00Z")):
        deployment = up.ask("GET", f"/deployments/name/benchmark/{name}")
        wanted = {"deployments": {"id": {"any_": [deployment["id"]]}}}
        runs = wait_until(lambda wanted=wanted: up.ask("POST", "/flow_runs/filter", wanted), 90)
        assert all(run["auto_scheduled"] for run in runs)
        assert all(run["expected_start_time"].endswith(hour) for run in runs)


def test_a_fit_goes_to_the_gpu_worker(up: Up) -> None:
    """The worker's machine may have no GPU: its fit then takes the CPU."""
    run = up.begin(result=str(up.home / "fit"))
    assert up.wait_for(run, *ENDED)["type"] == "COMPLETED"
    assert (up.home / "fit.where").read_text() == "flgc-gpu: True"
    assert (up.home / "fit").read_text().endswith("GPU 0")


def test_a_second_stack_is_refused(up: Up) -> None:
    command = [sys.executable, "-m", "deployments.stack_cli", "--port"]
    for home, said in ((up.home, "a stack is running"), (up.home / "o", "a Prefect server is")):
        second = subprocess.run(
            [*command, str(up.port)],
            env=up.environment | {"PREFECT_HOME": str(home)},
            cwd=up.checkout,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert second.returncode == 1
        assert said in second.stderr
        assert "Traceback" not in second.stderr
    assert members(up, "server", "start")


def test_a_run_whose_worker_was_killed_does_not_stay_running(up: Up) -> None:
    run = up.begin(seconds=300)
    up.wait_for(run, "RUNNING")
    (worker,) = members(up, "worker", "start", "flgc-cpu")
    for process in (worker, *worker.children(recursive=True)):
        process.kill()
    state = up.wait_for(run, "CRASHED", seconds=60)
    assert "No sign of life" in state["message"]
    wait_until(lambda: members(up, "worker", "start", "flgc-cpu"), 30)
    assert "worker cpu-0 ended" in up.output


def test_a_run_outlives_a_restart_of_the_server(up: Up) -> None:
    run = up.begin(seconds=15)
    up.wait_for(run, "RUNNING")
    (server,) = members(up, "server", "start")
    for process in (server, *server.children(recursive=True)):
        process.kill()
    wait_until(lambda: "the server ended" in up.output, 20)
    state = up.wait_for(run, *ENDED, seconds=90)
    print(f"the run ended {state['name']}: {state['message']}")
    assert state["type"] == "COMPLETED" or state["message"]


def test_ctrl_c_leaves_nothing_behind(up: Up) -> None:
    run = up.begin(seconds=300)
    up.wait_for(run, "RUNNING")
    stack_id = up.stack_id
    assert len(processes.members(stack_id)) >= 4
    assert up.stop(signal.SIGINT) == 0, up.output
    assert processes.members(stack_id) == []
    assert not (up.home / "flgc-stack.json").exists()
    assert up.output.endswith("everything is stopped\n")


def test_it_starts_again_where_it_was_stopped(up: Up) -> None:
    """The history is still there, and TERM during the start ends it just as cleanly."""
    log = (up.home / "again.log").open("wb")
    again = subprocess.Popen(
        [sys.executable, "-m", "deployments.stack_cli", "--port", str(up.port), "--no-schedules"],
        env=up.environment,
        cwd=up.checkout,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        wait_until(lambda: "registered: rules" in (up.home / "again.log").read_text(), 120)
        benchmark = up.ask("GET", "/deployments/name/benchmark/benchmark")
        assert [schedule["active"] for schedule in benchmark["schedules"]] == [False]
        assert up.ask("POST", "/flow_runs/count", {}) > 3
        stack_id = up.stack_id
    finally:
        again.send_signal(signal.SIGTERM)
        code = again.wait(60)
    assert code == 0, (up.home / "again.log").read_text()
    assert processes.members(stack_id) == []
    assert os.environ.get("PREFECT_API_URL") is None

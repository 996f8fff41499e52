"""How `flgc up` refuses, fails and stops; `test_real_stack.py` has what it runs.

The tests share one stack and run in the order of the file; the last ones stop it.
"""

import signal
import subprocess
from collections.abc import Iterator

import pytest

pytest.importorskip("prefect")

from deployments import processes
from tests.deployments.live import REPOSITORY, Up, program, start_up, type_up, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.stack]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    running = start_up(tmp_path_factory.mktemp("up"), "--gpu-workers", "1")
    try:
        yield running
    finally:
        running.stop()


def test_a_run_that_fails_says_so(up: Up) -> None:
    result = up.prefect("deployment", "run", "reproduce-paper", "--watch", "--param", "nothing=1")
    assert result.returncode == 1
    assert "nothing" in result.stdout + result.stderr


def test_a_second_stack_is_refused(up: Up) -> None:
    for home, reason in ((up.home, "a stack is running"), (up.home / "o", "a Prefect server is")):
        second = subprocess.run(
            [program("flgc"), "up", "--port", str(up.port)],
            env=up.environment | {"PREFECT_HOME": str(home)},
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert second.returncode == 1
        assert reason in second.stderr
        assert "Traceback" not in second.stderr
    assert up.members("deployments.server")


def test_ctrl_c_leaves_nothing_behind(up: Up) -> None:
    """Neither a run in the middle of its work nor a fit that it has sent to the GPU worker."""
    up.begin()
    on_gpu = {"name": {"any_": ["fit-on-gpu"]}}
    running = {"state": {"type": {"any_": ["RUNNING"]}}}
    wait_until(lambda: up.flow_runs(flows=on_gpu, flow_runs=running), 120)
    stack_id = up.stack_id
    assert len(processes.members(stack_id)) >= 5
    assert up.stop(signal.SIGINT) == 0, up.output
    assert processes.members(stack_id) == []
    assert not (up.home / "flgc-stack.json").exists()
    assert up.output.endswith("everything is stopped\n")


def test_it_starts_again_where_it_was_stopped(up: Up) -> None:
    """The history is still there, and TERM during the start ends it just as cleanly."""
    log = up.home / "again.log"
    again = type_up(log, up.environment, "--port", str(up.port), "--no-schedules")
    try:
        line = "registered: rules"
        wait_until(lambda: line in log.read_text() or again.poll() is not None, 120, log.read_text)
        assert again.poll() is None, log.read_text()
        weekly = up.ask("GET", "/deployments/name/track/track-paper")
        assert [schedule["active"] for schedule in weekly["schedules"]] == [False]
        assert up.flow_runs(flows={"name": {"any_": ["reproduce-paper"]}})
        stack_id = up.stack_id
    finally:
        again.send_signal(signal.SIGTERM)
        code = again.wait(60)
    assert code == 0, log.read_text()
    assert processes.members(stack_id) == []

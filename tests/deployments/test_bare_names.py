"""`prefect deployment run <name>` through the real command, a real server and the entry point."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("prefect")

from tests.deployments.live import PLUGINS, REPOSITORY, free_port, install_entry_point

SILENT = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}

DEPLOYMENTS = """
import sys
from prefect import flow, get_client

@flow(name=sys.argv[1])
def served():
    pass

with get_client(sync_client=True) as client:
    flow_id = client.create_flow(served)
    for name in sys.argv[2:]:
        client.create_deployment(flow_id, name=name)
"""

SERVED = """
from prefect import flow

@flow(name="served")
def served():
    pass

if __name__ == "__main__":
    served.serve(name="watched")
"""


@dataclass(frozen=True)
class PrefectShell:
    """A server of its own, and commands that talk to it."""

    environment: dict[str, str]

    def run(self, *arguments: str, cwd: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            arguments, env=self.environment, cwd=cwd, capture_output=True, text=True, timeout=120
        )

    def deployment_run(self, *arguments: str, cwd: Path = REPOSITORY) -> tuple[int, str]:
        command = [sys.executable, "-m", "prefect", "deployment", "run", *arguments]
        result = self.run(*command, cwd=cwd)
        return result.returncode, result.stdout + result.stderr


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectShell]:
    home = tmp_path_factory.mktemp("prefect")
    install_entry_point(home / "site")
    api = f"http://127.0.0.1:{(port := free_port())}/api"
    environment = {name: value for name, value in os.environ.items() if "PREFECT" not in name}
    environment |= SILENT | {
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": api,
        "PYTHONPATH": f"{home / 'site'}{os.pathsep}{REPOSITORY}",
        "COLUMNS": "200",
    }
    server = subprocess.Popen(
        [sys.executable, "-m", "prefect", "server", "start", "--port", str(port), "--no-ui"],
        env=environment,
        cwd=home,
        stdout=(home / "server.log").open("w"),
        stderr=subprocess.STDOUT,
    )
    try:
        _wait_until_healthy(f"{api}/health", server, home / "server.log")
        made = PrefectShell(environment)
        for flow, *names in (("paper", "reproduce-paper", "twin"), ("other", "twin")):
            result = made.run(sys.executable, "-c", DEPLOYMENTS, flow, *names)
            assert result.returncode == 0, result.stderr
        yield made
    finally:
        _stop(server)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            assert server.poll() is None, log.read_text()
            time.sleep(0.5)
    raise TimeoutError(f"no server at {url} after two minutes:\n{log.read_text()}")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reproduce-paper", "paper/reproduce-paper", "other/twin"])
def test_a_name_that_says_enough_creates_the_run(shell: PrefectShell, name: str) -> None:
    code, output = shell.deployment_run(name)
    assert code == 0, output
    assert "Created flow run" in output


@pytest.mark.slow
def test_two_of_that_name_are_listed(shell: PrefectShell) -> None:
    code, output = shell.deployment_run("twin")
    assert code == 1
    assert "2 deployments are named 'twin'" in output
    assert "'paper/twin'" in output
    assert "'other/twin'" in output
    assert "Traceback" not in output


@pytest.mark.slow
def test_an_unknown_name_is_named(shell: PrefectShell) -> None:
    code, output = shell.deployment_run("nothing")
    assert code == 1
    assert "'nothing' not found" in output
    assert "Traceback" not in output


@pytest.fixture
def served(shell: PrefectShell, tmp_path: Path) -> Iterator[None]:
    """A process that runs what is asked of the deployment `served/watched`."""
    (tmp_path / "served.py").write_text(SERVED)
    process = subprocess.Popen(
        [sys.executable, "served.py"],
        env=shell.environment | {"PREFECT_RUNNER_POLL_FREQUENCY": "1"},
        cwd=tmp_path,
        stdout=(tmp_path / "served.log").open("w"),
        stderr=subprocess.STDOUT,
    )
    try:
        deadline = time.monotonic() + 60
        while "served/watched" not in (log := (tmp_path / "served.log").read_text()):
            assert process.poll() is None, log
            assert time.monotonic() < deadline, log
            time.sleep(0.5)
        yield
    finally:
        _stop(process)


@pytest.mark.slow
@pytest.mark.usefixtures("served")
def test_watching_by_bare_name(shell: PrefectShell) -> None:
    code, output = shell.deployment_run("watched", "--watch", "--watch-timeout", "90")
    assert code == 0, output
    assert "finished successfully" in output


@pytest.mark.slow
def test_elsewhere_prefect_is_left_alone(shell: PrefectShell, tmp_path: Path) -> None:
    """The setting stands in this repository's pyproject.toml, so it holds at its root."""
    code, output = shell.deployment_run("reproduce-paper", cwd=tmp_path)
    assert code == 1
    assert "Invalid deployment name" in output


@pytest.mark.slow
def test_a_missing_module_does_not_stop_prefect(shell: PrefectShell, tmp_path: Path) -> None:
    """The library alone, plugins on: Prefect logs that it could not load ours, and works."""
    metadata = tmp_path / "library_only-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: library-only\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text(
        f"[{PLUGINS}]\nlonely = no_such_package.bare_names\n"
    )
    environment = shell.environment | {
        "PYTHONPATH": str(tmp_path),
        "PREFECT_PLUGINS_ENABLED": "true",
        "PREFECT_PLUGINS_ALLOW": "lonely",
    }
    code, output = PrefectShell(environment).deployment_run("paper/reproduce-paper", cwd=tmp_path)
    assert code == 0, output
    assert "Failed to load plugin lonely" in output
    assert "Created flow run" in output

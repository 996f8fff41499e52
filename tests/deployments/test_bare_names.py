"""`prefect deployment run <name>` through the real command, a real server and the entry point."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("prefect")

from tests.deployments.live import REPOSITORY, environment, wait_until

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


pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class PrefectShell:
    """Commands that talk to a server."""

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
def shell(prefect_server: str, tmp_path_factory: pytest.TempPathFactory) -> PrefectShell:
    home = tmp_path_factory.mktemp("prefect")
    made = PrefectShell(environment(home, PREFECT_API_URL=prefect_server))
    for flow, *names in (("paper", "reproduce-paper", "twin"), ("other", "twin")):
        result = made.run(sys.executable, "-c", DEPLOYMENTS, flow, *names)
        assert result.returncode == 0, result.stderr
    return made


@pytest.mark.parametrize("name", ["reproduce-paper", "paper/reproduce-paper", "other/twin"])
def test_a_name_that_says_enough_creates_the_run(shell: PrefectShell, name: str) -> None:
    code, output = shell.deployment_run(name)
    assert code == 0, output
    assert "Created flow run" in output


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("twin", ("2 deployments are named 'twin'", "'paper/twin'", "'other/twin'")),
        ("nothing", ("'nothing' not found",)),
    ],
)
def test_two_of_a_name_are_listed_and_an_unknown_name_is_named(
    shell: PrefectShell, name: str, texts: tuple[str, ...]
) -> None:
    code, output = shell.deployment_run(name)
    assert code == 1
    assert all(text in output for text in texts), output
    assert "Traceback" not in output


@pytest.fixture
def served(shell: PrefectShell, tmp_path: Path) -> Iterator[None]:
    """A process that runs what is asked of the deployment `served/watched`."""
    (tmp_path / "served.py").write_text(SERVED)
    log = tmp_path / "served.log"
    process = subprocess.Popen(
        [sys.executable, "served.py"],
        env=shell.environment | {"PREFECT_RUNNER_POLL_FREQUENCY": "1"},
        cwd=tmp_path,
        stdout=log.open("w"),
        stderr=subprocess.STDOUT,
    )
    try:
        wait_until(lambda: "served/watched" in log.read_text(), 60, log.read_text)
        yield
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.usefixtures("served")
def test_watching_by_bare_name(shell: PrefectShell) -> None:
    code, output = shell.deployment_run("watched", "--watch", "--watch-timeout", "90")
    assert code == 0, output
    assert "finished successfully" in output


def test_elsewhere_prefect_is_left_alone(shell: PrefectShell, tmp_path: Path) -> None:
    """The setting stands in this repository's pyproject.toml, so it holds at its root."""
    code, output = shell.deployment_run("reproduce-paper", cwd=tmp_path)
    assert code == 1
    assert "Invalid deployment name" in output


def test_a_missing_module_does_not_stop_prefect(shell: PrefectShell, tmp_path: Path) -> None:
    """The library alone, plugins on: Prefect logs that it could not load ours, and works."""
    metadata = tmp_path / "library_only-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: library-only\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text(
        "[prefect.plugins]\nlonely = no_such_package.bare_names\n"
    )
    plugins = {"PREFECT_PLUGINS_ENABLED": "true", "PREFECT_PLUGINS_ALLOW": "lonely"}
    alone = PrefectShell(shell.environment | plugins | {"PYTHONPATH": str(tmp_path)})
    code, output = alone.deployment_run("paper/reproduce-paper", cwd=tmp_path)
    assert code == 0, output
    assert "Failed to load plugin lonely" in output
    assert "Created flow run" in output

"""A checkout whose flows are stand-ins of seconds, and the real `flgc up` started in it.

Everything but the flows is this repository's own, by links, so what is tested is the declared
deployments, the command and the plugin, not the arithmetic.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from deployments import api

REPOSITORY = Path(__file__).parents[2]
PLUGINS = "prefect.plugins"

REPRODUCE = """
import time
from pathlib import Path
from prefect import flow, get_client, task
from prefect.artifacts import create_table_artifact
from tasks.routing import fit_on_gpu_pool, fit_where

@task
def fit(result: str) -> str:
    with get_client(sync_client=True) as client:
        where = fit_where(client)
        if where == "flgc-gpu":
            done = fit_on_gpu_pool(
                client, "tasks.standin_fit:fit", {"result": result}, label="fit iris"
            )
            return f"{where}: {done}"
    return where

@flow(name="reproduce-paper")
def reproduce_paper(suite: str = "paper", seconds: float = 0, result: str = "") -> str:
    if result:
        Path(result + ".where").write_text(fit(result))
    for _ in range(int(seconds * 10)):
        time.sleep(0.1)
    create_table_artifact([{"suite": suite}], key="cells")
    return suite
"""

BENCHMARK = """
from prefect import flow

@flow(name="benchmark")
def benchmark(suite: str = "paper") -> str:
    return suite
"""

FIT = """
import os
from pathlib import Path
from flgc.device import resolve_device

def fit(result: str) -> None:
    device = resolve_device("auto")
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    Path(result).write_text(f"device {device}, GPU {visible}")
"""


def make_checkout(folder: Path) -> Path:
    """Links to the real packages, with stand-ins for the flows."""
    for name in ("deployments", "flgc", "pyproject.toml"):
        (folder / name).symlink_to(REPOSITORY / name)
    (folder / "tasks").mkdir()
    for module in (REPOSITORY / "tasks").iterdir():
        (folder / "tasks" / module.name).symlink_to(module)
    (folder / "tasks" / "standin_fit.py").write_text(FIT)
    (folder / "flows").mkdir()
    (folder / "flows" / "__init__.py").touch()
    (folder / "flows" / "fit_on_gpu.py").symlink_to(REPOSITORY / "flows" / "fit_on_gpu.py")
    (folder / "flows" / "reproduce_paper.py").write_text(REPRODUCE)
    (folder / "flows" / "benchmark.py").write_text(BENCHMARK)
    return folder


def install_entry_point(folder: Path) -> None:
    """What installing the project writes, when it is not installed with it already."""
    if any(point.name == "flgc" for point in entry_points(group=PLUGINS)):
        return
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    metadata = folder / "flgc_checkout-0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: flgc-checkout\nVersion: 0\n")
    points = project["entry-points"][PLUGINS]
    lines = [f"[{PLUGINS}]", *(f"{name} = {target}" for name, target in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(what: Callable[[], Any], seconds: float, why: Callable[[], str] = str) -> Any:
    """The first true answer; asking twice a second."""
    deadline = time.monotonic() + seconds
    while not (answer := what()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {why()}"
        time.sleep(0.5)
    return answer


@dataclass
class Up:
    """A running `flgc up`, with a Prefect home of its own."""

    home: Path
    checkout: Path
    port: int
    command: subprocess.Popen[bytes]
    environment: dict[str, str]
    auth: str | None = None

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    @property
    def output(self) -> str:
        return (self.home / "up.log").read_text()

    @property
    def stack_id(self) -> str:
        return str(json.loads((self.home / "flgc-stack.json").read_text())["stack_id"])

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request, repeated while the server says that its database is busy, as clients do."""
        for _ in range(20):
            try:
                return api.ask(self.api_url, method, path, body, self.auth)
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    raise
                time.sleep(0.5)
        raise TimeoutError(f"{method} {path}: 503 for ten seconds")

    def prefect(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Prefect's command, typed at the root of the checkout, told of no server."""
        return subprocess.run(
            [sys.executable, "-m", "prefect", *arguments],
            env=self.environment,
            cwd=self.checkout,
            capture_output=True,
            text=True,
            timeout=150,
        )

    def begin(self, **parameters: Any) -> str:
        """Create a run of reproduce-paper; its id."""
        deployment = self.ask("GET", "/deployments/name/reproduce-paper/reproduce-paper")
        path = f"/deployments/{deployment['id']}/create_flow_run"
        return str(self.ask("POST", path, {"parameters": parameters})["id"])

    def state(self, run: str) -> dict[str, Any]:
        return dict(self.ask("GET", f"/flow_runs/{run}")["state"])

    def wait_for(self, run: str, *types: str, seconds: float = 90) -> dict[str, Any]:
        """The run's state once it is of one of these types; a server may be away meanwhile."""

        def reached() -> dict[str, Any] | None:
            try:
                state = self.state(run)
            except OSError:
                return None
            return state if state["type"] in types else None

        return dict(wait_until(reached, seconds, lambda: f"{run} {types}\n{self.output}"))

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        if self.command.poll() is None:
            self.command.send_signal(number)
        return self.command.wait(60)


def prepare(folder: Path) -> tuple[Path, Path, dict[str, str]]:
    """(Prefect home, checkout, environment) for commands that know of nothing else."""
    home = folder / "home"
    home.mkdir()
    (folder / "checkout").mkdir()
    checkout = make_checkout(folder / "checkout")
    install_entry_point(folder / "site")
    kept = {name: value for name, value in os.environ.items() if "PREFECT" not in name}
    environment = kept | {
        "PREFECT_HOME": str(home),
        "PYTHONPATH": f"{folder / 'site'}{os.pathsep}{checkout}",
        "COLUMNS": "200",
        "DO_NOT_TRACK": "1",
    }
    return home, checkout, environment


def start_up(folder: Path, *options: str, auth: str | None = None) -> Up:
    """Start `flgc up` and wait until it says where the UI is."""
    home, checkout, environment = prepare(folder)
    port = free_port()
    if auth:
        environment["PREFECT_SERVER_API_AUTH_STRING"] = auth
    command = subprocess.Popen(
        [sys.executable, "-m", "deployments.stack_cli", "--port", str(port), *options],
        env=environment,
        cwd=checkout,
        stdout=(home / "up.log").open("wb"),
        stderr=subprocess.STDOUT,
    )
    up = Up(home, checkout, port, command, environment, auth)
    try:
        wait_until(
            lambda: "The UI is at" in up.output or command.poll() is not None,
            180,
            lambda: up.output,
        )
        assert command.poll() is None, up.output
    except BaseException:
        up.stop()
        raise
    return up

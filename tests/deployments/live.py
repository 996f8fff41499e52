"""The real `flgc up`, started in this checkout with folders of its own, and questions to it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil
from prefect.client.orchestration import SyncPrefectClient

from deployments import api, processes
from deployments.addresses import LOOPBACK, bind

REPOSITORY = Path(__file__).parents[2]
ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
START_SECONDS = 300.0
RUN_SECONDS = 400.0
"""A run of the suite `tiny` takes less than a minute on an idle machine."""


def program(name: str) -> str:
    """A command as the installation put it beside the interpreter."""
    return str(Path(sys.executable).with_name(name))


def environment(home: Path, **more: str) -> dict[str, str]:
    """For commands with a Prefect home of their own: nothing that Prefect is set to here."""
    kept = {name: value for name, value in os.environ.items() if "PREFECT" not in name}
    silent = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}
    own = {"PREFECT_HOME": str(home), "PYTHONPATH": str(REPOSITORY), "COLUMNS": "200"}
    return kept | silent | own | more


def free_port(host: str = LOOPBACK) -> int:
    with bind(host, 0) as probe:
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
    """A running `flgc up`, with a Prefect home, a store and reports of its own."""

    folder: Path
    port: int
    command: subprocess.Popen[bytes]
    environment: dict[str, str]
    auth: str | None = None

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def store(self) -> Path:
        return self.folder / "store"

    @property
    def reports(self) -> Path:
        return self.folder / "reports" / "tiny"

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    @property
    def output(self) -> str:
        return (self.home / "up.log").read_text()

    @property
    def logs(self) -> str:
        """What the command printed, and the ends of the logs of its processes."""
        parts = [f"--- flgc up\n{self.output}"]
        for log in sorted((self.home / "flgc-logs").glob("*.log")):
            parts.append(f"--- {log.name}\n{processes.last_lines(log, 60)}")
        return "\n".join(parts)

    @property
    def stack_id(self) -> str:
        return str(json.loads((self.home / "flgc-stack.json").read_text())["stack_id"])

    def members(self, *words: str) -> list[psutil.Process]:
        """Processes of the stack whose command line has all of these words."""
        chosen = []
        for process in processes.members(self.stack_id):
            with suppress(psutil.Error):  # ended meanwhile
                if set(words) <= set(process.cmdline()):
                    chosen.append(process)
        return chosen

    def kill(self, *words: str) -> None:
        """KILL the one process with these words in its command line, and all that it started."""
        (process,) = self.members(*words)
        for each in (process, *process.children(recursive=True)):
            each.kill()

    @cached_property
    def client(self) -> SyncPrefectClient:
        return api.client_of(self.api_url, self.auth)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request, repeated while the server says that its database is busy."""
        answer = self.client._client.request(method, path, json=body)
        return answer.json() if answer.content else None

    def prefect(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Prefect's command, typed at the root of the checkout, without a server's address."""
        return subprocess.run(
            [program("prefect"), *arguments],
            env=self.environment,
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
        )

    def watch(self) -> str:
        """The tiny suite by the command of the documentation; the id of the run that ended well."""
        typed = ("deployment", "run", "reproduce-paper", "--watch", "--param", "suite=tiny")
        result = self.prefect(*typed)
        assert result.returncode == 0, result.stdout + result.stderr
        assert "finished successfully" in result.stdout
        created = re.search(r"UUID: (\S+)", result.stdout)
        assert created, result.stdout
        return created[1]

    def begin(self, **parameters: Any) -> str:
        """Create a run of reproduce-paper; its id."""
        deployment = self.ask("GET", "/deployments/name/reproduce-paper/reproduce-paper")
        path = f"/deployments/{deployment['id']}/create_flow_run"
        return str(self.ask("POST", path, {"parameters": {"suite": "tiny", **parameters}})["id"])

    def run(self, **parameters: Any) -> str:
        """The same, once it has ended well.

        Crashed is not the last word: on a loaded machine a server with SQLite was seen to stand
        still for two minutes, to take a live run for dead, and to note its good end all the same.
        """
        run = self.begin(**parameters)
        state = self.wait_for(run, "COMPLETED", "FAILED", "CANCELLED")
        assert state["type"] == "COMPLETED", state
        return run

    def state(self, run: str) -> dict[str, Any]:
        return dict(self.ask("GET", f"/flow_runs/{run}")["state"])

    def wait_for(self, run: str, *types: str, seconds: float = RUN_SECONDS) -> dict[str, Any]:
        """The run's state once it is of one of these types; a server may be away meanwhile."""

        def reached() -> dict[str, Any] | None:
            with suppress(*api.FAULTS):
                state = self.state(run)
                return state if state["type"] in types else None
            return None

        return dict(wait_until(reached, seconds, lambda: f"{run} {types}"))

    def flow_runs(self, **wanted: Any) -> list[dict[str, Any]]:
        return list(self.ask("POST", "/flow_runs/filter", wanted))

    def subflows(self, run: str) -> list[dict[str, Any]]:
        return self.flow_runs(flow_runs={"parent_flow_run_id": {"any_": [run]}})

    def task_states(self, run: str) -> Counter[str]:
        """State names of the task runs of a run and its subflows, once all have ended."""

        def ended() -> Counter[str] | None:
            ids = [run, *(subflow["id"] for subflow in self.subflows(run))]
            wanted = {"flow_runs": {"id": {"any_": ids}}}
            found = [task["state"] for task in self.ask("POST", "/task_runs/filter", wanted)]
            if not all(state["type"] in ENDED for state in found):
                return None
            calls = [s for s in found if s["state_details"].get("child_flow_run_id")]
            assert len(calls) == len(ids) - 1
            return Counter(state["name"] for state in found if state not in calls)

        return Counter(wait_until(ended, 60))

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        if self.command.poll() is None:
            self.command.send_signal(number)
        return self.command.wait(60)


def type_up(log: Path, variables: dict[str, str], *options: str) -> subprocess.Popen[bytes]:
    """Type `flgc up` at the root of the checkout."""
    command = [program("flgc"), "up", *options]
    with log.open("wb") as sink:
        return subprocess.Popen(
            command, env=variables, cwd=REPOSITORY, stdout=sink, stderr=subprocess.STDOUT
        )


def start_up(folder: Path, *options: str, auth: str | None = None) -> Up:
    """Type `flgc up` and wait until it says where the UI is."""
    home, port = folder / "home", free_port()
    home.mkdir()
    folders = {"FLGC_STORE": str(folder / "store"), "FLGC_REPORTS": str(folder / "reports")}
    variables = environment(home, **folders)
    if auth:
        variables["PREFECT_SERVER_API_AUTH_STRING"] = auth
    command = type_up(home / "up.log", variables, "--port", str(port), *options)
    up = Up(folder, port, command, variables, auth)
    try:
        wait_until(
            lambda: "The UI is at" in up.output or command.poll() is not None,
            START_SECONDS,
            lambda: up.logs,
        )
        assert command.poll() is None, up.logs
    except BaseException:
        up.stop()
        raise
    return up

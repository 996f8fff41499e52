"""The local stack: server, pools, deployments and workers, started and stopped as a whole."""

import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from prefect.client.schemas.actions import WorkPoolUpdate

from deployments import api, processes
from deployments.addresses import bind
from deployments.orphans import crash_orphans
from deployments.registration import create_pools, create_rules
from deployments.settings import CHECKOUT, StackSettings
from deployments.state import read_note, remove_note, write_note
from tasks.running.pools import CPU_POOL, GPU_POOL

PREFECT = ["-m", "prefect", "--no-prompt"]
SERVER_SECONDS = 180.0
WORKER_SECONDS = 90.0
POLL_SECONDS = 0.5
RESTARTS = 3
"""If the server ends more often within `RESTART_WINDOW` seconds, the stack gives up."""
RESTART_WINDOW = 600.0
LONGEST_WAIT = 300.0
"""Seconds between two starts of a worker that ends again and again."""

Say = Callable[[str], None]
Process = subprocess.Popen[bytes]


class StackError(RuntimeError):
    """The stack cannot start or go on; the message says why and what to do."""


@dataclass
class Worker:
    """A worker's process, and how often in a row those of its name ended soon after their start."""

    process: Process
    started: float
    ended_soon: int = 0
    due: float | None = None
    """When the next one is to be started; None while this one runs."""

    def end(self, now: float) -> float:
        """Note that it has ended; the seconds until the next starts: 1, 2, 4, ... up to the cap."""
        if now - self.started > 2 * LONGEST_WAIT:
            self.ended_soon = 0
        wait = min(2.0**self.ended_soon, LONGEST_WAIT)
        self.ended_soon += 1
        self.due = now + wait
        return wait


class LocalStack:
    """Use it as a context: whatever `start` has started is stopped at the end, come what may."""

    def __init__(self, settings: StackSettings, say: Say = print) -> None:
        self.settings = settings
        self.say = say
        self.environment = settings.environment()
        self.client = api.client_of(settings.api_url, settings.auth)
        self.server: Process | None = None
        self.workers: dict[str, Worker] = {}
        self.gpu_awaited = not settings.gpu_workers
        self.restarts: list[float] = []

    def __enter__(self) -> "LocalStack":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Server, pools, deployments, workers, in this order; returns when all are healthy."""
        self.clear_the_way()
        write_note(self.settings.stack_id, self.settings.api_url)
        self.start_server()
        self.register()
        for name, pool, more in self.settings.workers():
            self.start_worker(name, pool, more)
        self.wait_for_workers()

    def clear_the_way(self) -> None:
        """Stop what a killed stack left behind; raise if the port is taken."""
        note = read_note()
        if note and note.is_alive:
            raise StackError(
                f"a stack is running already (process {note.pid}): its UI is at "
                f"{note.api_url.removesuffix('/api')}; stop it there with Ctrl-C"
            )
        if note and (left := processes.members(note.stack_id)):
            self.say(f"stopping {len(left)} processes that a killed stack left behind")
            processes.stop(left)
        if api.is_healthy(self.client):
            raise StackError(
                f"a Prefect server is running already at {self.settings.ui_url}; stop it, or "
                "choose another --port"
            )
        try:
            bind(self.settings.host, self.settings.port).close()
        except OSError as error:
            raise StackError(
                f"port {self.settings.port} of {self.settings.host} is not available "
                f"({error.strerror}): choose another --port"
            ) from error

    def start_server(self) -> None:
        """Start the server and wait until it answers; a new database takes it about 20 s."""
        self.say("starting the server ...")
        where = ["--host", self.settings.host, "--port", str(self.settings.port)]
        for name in self.settings.allowed_hosts:
            where += ["--allowed-host", name]
        self.server = self._start("server", ["-m", "deployments.server", *where])
        seconds = self._wait(
            lambda: set() if api.is_healthy(self.client) else {"server"},
            {"server": self.server},
            SERVER_SECONDS,
        )
        self.say(f"the server is healthy after {seconds:.0f} s")

    def register(self) -> None:
        """Pools, then the deployments that name them, then the rules that name the deployments."""
        try:
            create_pools(self.client, gpu=bool(self.settings.gpu_workers))
            self.say("registered: work pools")
            self._deploy()
            self.say("registered: deployments")
            patience, schedules = self.settings.silent_seconds, self.settings.schedules
            create_rules(self.client, patience, schedules=schedules)
            self.say("registered: rules for silent runs")
        except api.FAULTS as error:
            reason = self.settings.without_secrets(str(error))
            raise StackError(f"the server did not take all of it: {reason}") from error

    def _deploy(self) -> None:
        """Prefect's own command reads the YAML."""
        command = [*PREFECT, "deploy", "--all", "--prefect-file", "deployments/prefect.yaml"]
        if self._start("registration", command).wait():
            raise StackError(f"registering deployments failed:\n{self._end_of('registration')}")

    def start_worker(self, name: str, pool: str, more: dict[str, str]) -> None:
        """A worker that takes one run at a time: fits do not share a GPU, runs not the cores."""
        command = [*PREFECT, "worker", "start", "--pool", pool, "--name", name, "--limit", "1"]
        process = self._start(name, command, more)
        ended_soon = self.workers[name].ended_soon if name in self.workers else 0
        self.workers[name] = Worker(process, time.monotonic(), ended_soon)

    def wait_for_workers(self) -> None:
        """Wait until the server has heard of every worker."""
        names = set(self.workers)
        running = {name: worker.process for name, worker in self.workers.items()}
        self._wait(lambda: names - self._online(), running, WORKER_SECONDS)
        self.say(f"{len(names)} worker(s) online: {', '.join(sorted(names))}")

    def _wait(
        self, missing: Callable[[], set[str]], running: Mapping[str, Process], limit: float
    ) -> float:
        """Wait until nothing is missing; the seconds that it took. What is missing must not end."""
        began = time.monotonic()
        while names := missing():
            for name in names:
                if running[name].poll() is not None:
                    raise StackError(f"{name} ended:\n{self._end_of(name)}")
            if time.monotonic() - began > limit:
                logs = ", ".join(str(self._log(name)) for name in sorted(names))
                raise StackError(f"not ready after {limit:.0f} s: see {logs}")
            time.sleep(POLL_SECONDS)
        return time.monotonic() - began

    def watch(self) -> None:
        """Never return: replace what ended, and end what a crash left over.

        It raises if the server ends again and again.
        """
        with api.ask_once():
            while True:
                self.replace_server()
                self.replace_workers()
                for log in self.settings.log_folder.glob(f"{self.settings.port}-*.log"):
                    processes.rotate(log)
                with suppress(*api.FAULTS):
                    crash_orphans(self.client)
                    self.open_gpu_pool()
                time.sleep(4 * POLL_SECONDS)

    def replace_server(self) -> None:
        """Start another if the server has ended, but not again and again."""
        if self.server is None or self.server.poll() is None:
            return
        now = time.monotonic()
        self.restarts = [at for at in self.restarts if now - at < RESTART_WINDOW]
        if len(self.restarts) >= RESTARTS:
            raise StackError(f"the server ended again and again:\n{self._end_of('server')}")
        self.restarts.append(now)
        self.say(f"the server ended with code {self.server.returncode}; starting another")
        self.start_server()

    def open_gpu_pool(self) -> None:
        """Open the pool that was paused without a worker, once one has come from elsewhere."""
        if self.gpu_awaited and api.online_workers(self.client, GPU_POOL):
            self.client.update_work_pool(GPU_POOL, WorkPoolUpdate(is_paused=False))
            self.gpu_awaited = False  # a pause from now on is a person's
            self.say("a GPU worker is online: fits go to it")

    def replace_workers(self) -> None:
        """Replace each worker that has ended, ever later if it ends again and again."""
        now = time.monotonic()
        for name, pool, more in self.settings.workers():
            worker = self.workers[name]
            if worker.due is None and worker.process.poll() is not None:
                wait = worker.end(now)
                self.say(f"worker {name} ended ({self._log(name)}); another starts in {wait:.0f} s")
            if worker.due is not None and now >= worker.due:
                self.start_worker(name, pool, more)

    def stop(self) -> None:
        """Stop runs and workers, while the server can note how they ended, then the server."""
        everything = processes.members(self.settings.stack_id)
        server = self.server.pid if self.server else None
        processes.stop([process for process in everything if process.pid != server])
        processes.stop(processes.members(self.settings.stack_id))
        left = processes.members(self.settings.stack_id)
        remove_note(self.settings.stack_id)
        if left:
            raise StackError(f"could not be stopped: processes {[p.pid for p in left]}")

    def _log(self, name: str) -> Path:
        return self.settings.log_folder / f"{self.settings.port}-{name}.log"

    def _end_of(self, name: str) -> str:
        """The end of that process's log, and where it is."""
        log = self._log(name)
        return f"{self.settings.without_secrets(processes.last_lines(log))}\n(from {log})"

    def _start(self, name: str, command: list[str], more: dict[str, str] | None = None) -> Process:
        environment = self.environment | (more or {})
        return processes.start(command, environment, self._log(name), CHECKOUT)

    def _online(self) -> set[str]:
        """Workers that the server has heard of; none while it does not answer."""
        with suppress(*api.FAULTS):
            pools = (CPU_POOL, GPU_POOL)
            return set().union(*(api.online_workers(self.client, pool) for pool in pools))
        return set()


def count_gpus() -> int:
    """How many GPUs the driver lists; 0 where there is no driver."""
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return sum(line.startswith("GPU ") for line in done.stdout.splitlines())

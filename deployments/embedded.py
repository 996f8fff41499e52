"""The server of a command that runs a flow in its own process: it ends with that process.

The command lines of `flows/cli/` import this module and no other of `deployments/`, which imports
nothing of `flows/`: flows need not know which server they report to.
"""

import atexit
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import IO, Any

import psutil  # type: ignore[import-untyped]

from deployments import processes
from deployments.addresses import LOOPBACK, bind, url_of
from deployments.settings import python_path
from flgc.addresses import without_secrets

START_SECONDS = 180.0
"""An idle machine needs 10 s, with a new database 20 s."""


class NoServer(RuntimeError):
    """The embedded server does not start; the message says why."""


def use_any_api() -> AbstractContextManager[Any]:
    """The context of the API that Prefect is set to, else of an embedded server.

    The server starts at once, and to enter the context is to wait for it. Its database is that of
    `flgc up` with the same settings, which shows its runs later.
    """
    from prefect.settings import PREFECT_API_URL

    return nullcontext() if PREFECT_API_URL.value() else _use_embedded(launch_server("--embedded"))


@contextmanager
def _use_embedded(wait_for_api: Callable[[], str]) -> Iterator[None]:
    """Without heartbeats, which nobody hears there: at its end each flow waits for their thread."""
    from prefect.settings import temporary_settings

    with temporary_settings({"api.url": wait_for_api(), "flows.heartbeat_frequency": None}):
        yield


def start_server(*more: str) -> str:
    """Start a server that is stopped when this process ends; the address of its API."""
    return launch_server(*more)()


def launch_server(*more: str) -> Callable[[], str]:
    """The same without waiting for it: call what is returned to wait, and for the address.

    The server is not stopped before this process ends: Prefect's threads send what is left then.
    `more` are further options.
    """
    with bind(LOOPBACK, 0) as probe:
        port = probe.getsockname()[1]
    options = ["--port", str(port), "--parent", str(os.getpid()), *more]
    log = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the server
    server = subprocess.Popen(
        [sys.executable, "-P", "-m", "deployments.server", *options],
        env=os.environ | {"PYTHONPATH": python_path()},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,  # Ctrl-C is for the flow, which reports its end to the server
    )
    atexit.register(processes.stop, [psutil.Process(server.pid)])
    return partial(_wait_until_healthy, f"{url_of(LOOPBACK, port)}/api", server, log)


def _wait_until_healthy(api_url: str, server: subprocess.Popen[bytes], log: IO[bytes]) -> str:
    deadline = time.monotonic() + START_SECONDS
    while not _is_healthy(api_url):
        if server.poll() is not None:
            log.seek(0)
            end = log.read().decode(errors="replace").splitlines()[-15:]
            raise NoServer(without_secrets("\n".join(["Prefect's server ended:", *end])))
        if time.monotonic() > deadline:
            raise NoServer(f"Prefect's server does not answer after {START_SECONDS:.0f} s")
        time.sleep(0.1)
    return api_url


def _is_healthy(api_url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{api_url}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False

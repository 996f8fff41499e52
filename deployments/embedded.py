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
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import psutil  # type: ignore[import-untyped]

from deployments import processes
from deployments.addresses import LOOPBACK, bind, url_of
from deployments.settings import python_path
from flgc.addresses import without_secrets

START_SECONDS = 180.0
"""An idle machine needs 10 s, with a new database 20 s."""


class NoServer(RuntimeError):
    """The embedded server does not start; the message says why."""


@contextmanager
def use_any_api() -> Iterator[None]:
    """Use the API that Prefect is set to, else that of an embedded server.

    Its database is that of `flgc up` with the same settings, which shows its runs later.
    """
    from prefect.settings import PREFECT_API_URL, temporary_settings

    if PREFECT_API_URL.value():
        yield
        return
    with temporary_settings({PREFECT_API_URL: start_server("--embedded")}):
        yield


def start_server(*more: str) -> str:
    """Start a server with `more` options; the address of its API.

    It is stopped when this process ends, and not before: Prefect's threads send what is left then.
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
    api_url = f"{url_of(LOOPBACK, port)}/api"
    _wait_until_healthy(api_url, server, log)
    return api_url


def _wait_until_healthy(api_url: str, server: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _is_healthy(api_url):
        if server.poll() is not None:
            log.seek(0)
            end = log.read().decode(errors="replace").splitlines()[-15:]
            raise NoServer(without_secrets("\n".join(["Prefect's server ended:", *end])))
        if time.monotonic() > deadline:
            raise NoServer(f"Prefect's server does not answer after {START_SECONDS:.0f} s")
        time.sleep(0.1)


def _is_healthy(api_url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{api_url}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False

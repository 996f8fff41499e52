"""Passwords that `flgc up` is given are seen in nothing that it says or starts."""

import os
import subprocess
import time
from pathlib import Path

import psutil
import pytest

pytest.importorskip("prefect")

from deployments.settings import STACK_VARIABLE
from tests.deployments.live import REPOSITORY, free_port, program

pytestmark = pytest.mark.slow

DATABASE = "postgresql+asyncpg://me:open-sesame@127.0.0.1:1/none"
AUTH = "me:shibboleth"
SECRETS = ("sesame", "shibboleth")


@pytest.mark.parametrize("by", ["option", "variable"])
def test_a_stack_that_cannot_start_keeps_its_secrets(tmp_path: Path, by: str) -> None:
    environment = {name: value for name, value in os.environ.items() if "PREFECT" not in name}
    environment |= {"PREFECT_HOME": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    command = [program("flgc"), "up", "--port", str(free_port())]
    if by == "option":
        command += ["--database-url", DATABASE, "--auth", AUTH]
    else:
        environment["PREFECT_SERVER_DATABASE_CONNECTION_URL"] = DATABASE
        environment["PREFECT_SERVER_API_AUTH_STRING"] = AUTH
    output = tmp_path / "output"
    up = subprocess.Popen(
        command,
        env=environment,
        cwd=REPOSITORY,
        stdout=output.open("wb"),
        stderr=subprocess.STDOUT,
    )
    lines: set[str] = set()
    deadline = time.monotonic() + 200
    try:
        while up.poll() is None:
            assert time.monotonic() < deadline, output.read_text()
            lines |= command_lines_of_children(up.pid)
            time.sleep(0.1)
    finally:
        up.kill()
        up.wait()
    said = output.read_text()
    assert up.returncode == 1
    assert "flgc up: server ended" in said
    assert "Connect call failed" in said
    assert any("deployments.server" in line for line in lines)
    logs = [path.read_text() for path in (tmp_path / "flgc-logs").iterdir()]
    assert logs
    for secret in SECRETS:
        assert not [text for text in (said, *lines, *logs) if secret in text]
    for option in ("--database-url", "--auth"):
        assert (f"others see {option} in the list of processes" in said) is (by == "option")


def command_lines_of_children(pid: int) -> set[str]:
    """Of every process that this one started, however deep; each has the secrets all the same."""
    found = set()
    for process in psutil.Process(pid).children(recursive=True):
        try:
            line = " ".join(process.cmdline())
            if STACK_VARIABLE in process.environ():
                assert process.environ()["PREFECT_SERVER_DATABASE_CONNECTION_URL"] == DATABASE
                found.add(line)
        except (psutil.Error, OSError):
            continue
    return found

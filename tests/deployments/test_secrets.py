"""Passwords given to `flgc up` show in nothing that it prints or starts."""

import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

pytest.importorskip("prefect")

from deployments.settings import STACK_VARIABLE
from tests.deployments.live import environment, free_port, type_up

pytestmark = pytest.mark.slow

DATABASE = "postgresql+asyncpg://me:open-sesame@127.0.0.1:1/none"
AUTH = "me:shibboleth"
SECRETS = ("sesame", "shibboleth")


@pytest.mark.parametrize("by", ["option", "variable"])
def test_a_stack_that_cannot_start_keeps_its_secrets(tmp_path: Path, by: str) -> None:
    variables, options = environment(tmp_path), ["--port", str(free_port())]
    if by == "option":
        options += ["--database-url", DATABASE, "--auth", AUTH]
    else:
        variables["PREFECT_SERVER_DATABASE_CONNECTION_URL"] = DATABASE
        variables["PREFECT_SERVER_API_AUTH_STRING"] = AUTH
    output = tmp_path / "output"
    up = type_up(output, variables, *options)
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
    text = output.read_text()
    assert up.returncode == 1
    assert "flgc up: server ended" in text
    assert "Connect call failed" in text
    assert any("deployments.server" in line for line in lines)
    logs = [path.read_text() for path in (tmp_path / "flgc-logs").iterdir()]
    assert logs
    for secret in SECRETS:
        assert not [each for each in (text, *lines, *logs) if secret in each]
    for option in ("--database-url", "--auth"):
        assert (f"others see {option} in the list of processes" in text) is (by == "option")


def command_lines_of_children(pid: int) -> set[str]:
    """Of every process that this one started, however deep; each has the secrets all the same."""
    lines = set()
    for process in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error, OSError):  # ended meanwhile
            line, variables = " ".join(process.cmdline()), process.environ()
            if STACK_VARIABLE in variables:
                assert variables["PREFECT_SERVER_DATABASE_CONNECTION_URL"] == DATABASE
                lines.add(line)
    return lines

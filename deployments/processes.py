"""Start the processes of a stack and stop every one of them: TERM first, KILL for what stays.

Workers start each flow run in a session of its own: a signal to the worker's group does not reach
it, and it outlives a worker that is killed. So the processes of a stack are found by a variable in
their environment, which they inherit however they were started.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from deployments.settings import STACK_VARIABLE

TERM_SECONDS = 15.0
KILL_SECONDS = 5.0
LOG_BYTES = 10_000_000
"""The size at which a log starts anew; the one before is kept."""


def start(
    command: list[str], environment: dict[str, str], log: Path, cwd: Path
) -> subprocess.Popen[bytes]:
    """Start a command that writes to a log; Ctrl-C in the terminal reaches only the starter."""
    log.parent.mkdir(parents=True, exist_ok=True)
    rotate(log)
    with log.open("ab") as sink:
        return subprocess.Popen(
            [sys.executable, *command],
            env=environment,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def rotate(log: Path, limit: int = LOG_BYTES) -> None:
    """Move the content of a log to `<log>.1` once it is larger than the limit.

    It is copied and emptied, since its writers have it open to append. What they write between the
    two steps is lost.
    """
    if log.exists() and log.stat().st_size > limit:
        shutil.copyfile(log, log.with_name(f"{log.name}.1"))
        os.truncate(log, 0)


def last_lines(log: Path, count: int = 15) -> str:
    """The end of a log, for an error message."""
    if not log.exists():
        return ""
    return "\n".join(log.read_text(errors="replace").splitlines()[-count:])


def members(stack_id: str) -> list[psutil.Process]:
    """Every process of the stack but this one, whoever started it."""
    others = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):  # ended meanwhile, or another user's
            if process.environ().get(STACK_VARIABLE) == stack_id and process.pid != os.getpid():
                others.append(process)
    return others


def stop(processes: Iterable[psutil.Process], term_seconds: float = TERM_SECONDS) -> None:
    """TERM each, wait for all, KILL those that stay."""
    alive = list(processes)
    for number, seconds in ((signal.SIGTERM, term_seconds), (signal.SIGKILL, KILL_SECONDS)):
        for process in alive:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        _, alive = psutil.wait_procs(alive, timeout=seconds)

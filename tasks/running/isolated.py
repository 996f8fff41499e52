"""A step with a method that is not of this library runs in a process of its own.

That code may end its process, hang, eat memory, fork, print, or change what it was given and what
all share (seeds, warnings, the environment): then this step fails by the method's name, or nothing
is noticed, and the rest of the run goes on. It is a fence against mistakes, no prison: the process
has the user's rights.
"""

import math
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from flgc.methods.registry import contender, is_built_in

SECONDS, GIGABYTES = "FLGC_METHOD_SECONDS", "FLGC_METHOD_GB"
DEFAULT_SECONDS = 3600.0
# What the process says of its step.
ASKS, GIVES, RAISES, DIED = "asks", "gives", "raises", "died"


class MethodFailed(Exception):
    """What a method that is not of this library did instead of giving a result."""


def with_methods(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same with methods in place of their names, "task:name"."""
    found = dict(given)
    if "method" in given:
        found["method"] = _named(given["method"])
    if "methods" in given:
        found["methods"] = {name: _named(spec) for name, spec in given["methods"].items()}
    return found


def from_elsewhere(given: Mapping[str, Any]) -> list[str]:
    """The names of the methods among what is given that are not of this library."""
    specs = [given["method"]] if "method" in given else [*given.get("methods", {}).values()]
    names = [spec.partition(":")[2] for spec in specs]
    return [name for name in names if not is_built_in(name)]


def run_isolated(
    names: list[str],
    work: Callable[..., Any],
    given: Mapping[str, Any],
    asked: Mapping[str, Callable[..., Any]],
) -> Any:
    """`work` of what is given, in a process that ends with it; MethodFailed if it gave no result.

    Methods are given by their names. `asked` are functions that the work may call, and which run
    here.
    """
    who, seconds, gigabytes = " or ".join(names), seconds_allowed(), gigabytes_allowed()
    ours, theirs = Pipe()
    with ours:
        with theirs:
            process = _started(theirs)
        late = threading.Event()
        ending = [process, late]
        limit = threading.Timer(min(seconds, threading.TIMEOUT_MAX), _end_late, ending)
        limit.start()
        try:
            with suppress(OSError):  # it has died: that is what is heard next
                ours.send((work, dict(given), list(asked), gigabytes))
            while (heard := _heard(ours))[0] == ASKS:
                answer = asked[heard[1]](*heard[2:])
                with suppress(OSError):
                    ours.send(answer)
            if heard[0] == DIED:
                process.wait()
        finally:
            limit.cancel()
            _end(process)
    if heard[0] == GIVES:
        return heard[1]
    if late.is_set():
        reason = f"was stopped after {seconds:g} s; set {SECONDS} to allow more"
    elif heard[0] == DIED:
        reason = _ending(process.returncode)
    else:
        reason = heard[1]
    raise MethodFailed(f"{who}: {reason}")


def seconds_allowed() -> float:
    """How long a step may take that runs a method from elsewhere."""
    return _limit(SECONDS, DEFAULT_SECONDS)


def gigabytes_allowed() -> float:
    """How much memory it may take: half of the machine's, unless that is set."""
    return _limit(GIGABYTES, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2e9)


def _limit(name: str, default: float) -> float:
    text = os.environ.get(name) or str(default)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value > 0:
        raise ValueError(f"{name}={text!r}: give a number above 0")
    return value


def _named(spec: str) -> Any:
    task, _, name = spec.partition(":")
    return contender(name, task).method


def _started(theirs: Connection) -> "subprocess.Popen[bytes]":
    """A fresh interpreter: a fork of a process with threads may hang before it does anything."""
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from tasks.running.isolated import serve; serve({theirs.fileno()})"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,  # it ends when this process does, which closes it
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
        start_new_session=True,  # to be ended with all that it has started
    )


def _heard(ours: Connection) -> tuple[Any, ...]:
    try:
        heard: tuple[Any, ...] = ours.recv()
        return heard
    except (EOFError, OSError):
        return (DIED,)
    except Exception as error:  # a result of classes that cannot be read here
        return RAISES, _in_words(error)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """The process and all that it has started, which may have outlived it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin:
        process.stdin.close()


def _end_late(process: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    late.set()
    _end(process)


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended its process with code {code}"
    why = ", as systems do where memory is short" if -code == signal.SIGKILL else ""
    return f"its process was killed by {signal.Signals(-code).name}{why}"


def serve(handle: int) -> None:
    """In the process of its own: the one step that it is for."""
    connection = Connection(handle)
    os.register_at_fork(after_in_child=connection.close)  # what it forks has no say
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(OSError):  # to a fork, and to a parent that is gone, nothing can be said
        try:
            connection.send((GIVES, _work(connection)))
        except BaseException as error:
            connection.send((RAISES, _in_words(error)))
    os._exit(0)  # threads that a method has left behind are not waited for


def _work(connection: Connection) -> Any:
    work, given, asked, gigabytes = connection.recv()
    _bound(gigabytes)

    def ask(name: str, *arguments: Any) -> Any:
        connection.send((ASKS, name, *arguments))
        return connection.recv()

    try:
        return work(**with_methods(given), **{name: partial(ask, name) for name in asked})
    except MemoryError as error:
        text = f"{_in_words(error)}; set {GIGABYTES} to allow more than {gigabytes:.3g} GB"
        raise MethodFailed(text) from error


def _bound(gigabytes: float) -> None:
    """So much memory at most; and where the machine's own ends first, this process ends first."""
    import resource

    room = int(min(gigabytes * 1e9, sys.maxsize))
    with suppress(ValueError):  # a lower limit holds already
        resource.setrlimit(resource.RLIMIT_DATA, (room, room))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _end_with_parent() -> None:
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)


def _in_words(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip()

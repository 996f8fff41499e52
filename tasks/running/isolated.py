"""A step with a method from outside this library runs in a process of its own.

Such a method may end its process, hang, use up memory, fork, print, or change its arguments or
global state (seeds, warnings, the environment). Then only this step fails, with an error that names
the method, or nothing happens at all, and the rest of the run goes on. This protects against
mistakes, not against malice: the process has the user's rights.
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
from tasks.running.nested import leaves, map_leaves

SECONDS, GIGABYTES = "FLGC_METHOD_SECONDS", "FLGC_METHOD_GB"
DEFAULT_SECONDS = 3600.0
# Under these names a stage is given a method, or several by what they are called.
METHODS = ("method", "methods")
# What the process sends, and the mark for its silence.
CALL, RESULT, ERROR, DEATH = "call", "result", "error", "death"


class MethodFailed(Exception):
    """What a method from outside this library did instead of returning a result."""


def methods_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """The method or methods among these arguments, where each is named "task:name"."""
    return {name: map_leaves(_method, given[name]) for name in METHODS if name in given}


def outside_methods(given: Mapping[str, Any]) -> list[str]:
    """The names of those methods among the arguments that are not of this library."""
    specs = leaves([given[name] for name in METHODS if name in given])
    names = [spec.partition(":")[2] for spec in specs]
    return [name for name in names if not is_built_in(name)]


def run_isolated(
    names: list[str],
    work: Callable[..., Any],
    given: Mapping[str, Any],
    callbacks: Mapping[str, Callable[..., Any]],
) -> Any:
    """What `work` returns from a process of its own; MethodFailed if it returns nothing.

    Methods are given by their names. The work may call the `callbacks`, which run here.
    """
    seconds, gigabytes = limit_of(SECONDS), limit_of(GIGABYTES)
    ours, theirs = Pipe()
    with ours:
        with theirs:
            process = _start(theirs)
        late = threading.Event()
        limit = threading.Timer(min(seconds, threading.TIMEOUT_MAX), _end_late, (process, late))
        limit.start()
        try:
            with suppress(OSError):  # it has died, which the next `_receive` tells
                ours.send((work, dict(given), list(callbacks), gigabytes))
            while (message := _receive(ours))[0] == CALL:
                answer = callbacks[message[1]](*message[2:])
                with suppress(OSError):
                    ours.send(answer)
            if message[0] == DEATH:
                process.wait()
        finally:
            limit.cancel()
            _end(process)
    if message[0] == RESULT:
        return message[1]
    if late.is_set():
        reason = f"was stopped after {seconds:g} s; set {SECONDS} to allow more"
    elif message[0] == DEATH:
        reason = _cause_of_death(process.returncode)
    else:
        reason = message[1]
    raise MethodFailed(f"{' or '.join(names)}: {reason}")


def limit_of(name: str) -> float:
    """The environment's limit of that name; else an hour, or half of the machine's memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    text = os.environ.get(name) or str(DEFAULT_SECONDS if name == SECONDS else memory / 2e9)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value > 0:
        raise ValueError(f"{name}={text!r}: give a number above 0")
    return value


def _method(spec: str) -> Any:
    task, _, name = spec.partition(":")
    return contender(name, task).method


def _start(theirs: Connection) -> "subprocess.Popen[bytes]":
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
        start_new_session=True,  # a process group, to be killed as a whole
    )


def _receive(ours: Connection) -> tuple[Any, ...]:
    try:
        message: tuple[Any, ...] = ours.recv()
        return message
    except (EOFError, OSError):
        return (DEATH,)
    except Exception as error:  # a result of classes that cannot be read here
        return ERROR, _in_one_line(error)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process and all that it has started, which may have outlived it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin:
        process.stdin.close()


def _end_late(process: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    late.set()
    _end(process)


def _cause_of_death(code: int) -> str:
    if code >= 0:
        return f"ended its process with code {code}"
    why = ", as systems do where memory is short" if -code == signal.SIGKILL else ""
    return f"its process was killed by {signal.Signals(-code).name}{why}"


def serve(handle: int) -> None:
    """The main function of the process: run its one step."""
    connection = Connection(handle)
    os.register_at_fork(after_in_child=connection.close)  # what it forks sends nothing
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(OSError):  # a fork, or a process whose parent is gone, can send nothing
        try:
            connection.send((RESULT, _work(connection)))
        except BaseException as error:
            connection.send((ERROR, _in_one_line(error)))
    os._exit(0)  # threads that a method has left behind are not waited for


def _work(connection: Connection) -> Any:
    work, given, callbacks, gigabytes = connection.recv()
    _limit_memory(gigabytes)

    def call(name: str, *arguments: Any) -> Any:
        connection.send((CALL, name, *arguments))
        return connection.recv()

    try:
        callback = {name: partial(call, name) for name in callbacks}
        return work(**given | methods_in(given), **callback)
    except MemoryError as error:
        text = f"{_in_one_line(error)}; set {GIGABYTES} to allow more than {gigabytes:.3g} GB"
        raise MethodFailed(text) from error


def _limit_memory(gigabytes: float) -> None:
    """Limit the memory; if the machine runs out of it first, this process is the first to go."""
    import resource

    room = int(min(gigabytes * 1e9, sys.maxsize))
    with suppress(ValueError):  # a lower limit holds already
        resource.setrlimit(resource.RLIMIT_DATA, (room, room))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _end_with_parent() -> None:
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)


def _in_one_line(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip()

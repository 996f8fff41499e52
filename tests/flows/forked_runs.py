"""Runs of the flow in processes of their own, forked from one that has imported everything.

kill STORE 7.25 ... STORE ...   one run for each number, killed 0.25 s after the store before it
                                has got 7 more artifacts; prints what `verify` finds then
twins STORE                     two runs at once; ends with 0 if both completed
"""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import matplotlib.figure  # noqa: F401  (what stages import when they run)
import sklearn.cluster  # noqa: F401

from flows.reproduce_paper import reproduce_paper
from tasks.store import Store
from tasks.store.upkeep import verify

CHOSEN = {"suite": "tiny", "datasets": ["iris", "wine"], "runs": 2}


def started(store: str) -> int:
    """The process that runs the flow and ends with 0 if it completed."""
    pid = os.fork()
    if pid:
        return pid
    try:
        state = reproduce_paper(**CHOSEN, store=store, return_state=True)  # type: ignore[arg-type]
        os._exit(0 if state.is_completed() else 1)
    finally:
        os._exit(2)


def artifacts(store: str) -> int:
    return sum(1 for _ in Path(store).rglob("*.parquet"))


def killed(store: str, moment: float) -> None:
    wanted = artifacts(store) + int(moment)
    pid = started(store)
    while artifacts(store) < wanted and os.waitpid(pid, os.WNOHANG) == (0, 0):
        time.sleep(0.005)
    time.sleep(moment % 1)
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    print(json.dumps(dict(verify(Store(store))), default=str), flush=True)


if __name__ == "__main__":
    what, store, *rest = sys.argv[1:]
    if what == "twins":
        ends = [os.waitpid(pid, 0)[1] for pid in [started(store), started(store)]]
        sys.exit(any(ends))
    for argument in rest:
        try:
            killed(store, float(argument))
        except ValueError:
            store = argument

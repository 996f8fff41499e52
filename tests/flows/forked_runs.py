"""Runs of the flow in processes of their own, forked from one that has imported everything.

python -m tests.flows.forked_runs STORE 7.25 ...   one run per number, killed 0.25 s after the
                                                   store has got 7 more artifacts
python -m tests.flows.forked_runs STORE STORE      two runs at once, to their ends

Prints what `verify` finds in the store after each kill; ends with 0 if every other run completed.
"""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from flows.reproduce_paper import reproduce_paper
from tasks.store import Store
from tasks.store_upkeep import verify

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
    print(json.dumps(dict(verify(Store(store)))), flush=True)


if __name__ == "__main__":
    store, *rest = sys.argv[1:]
    if rest == [store]:
        ends = [os.waitpid(pid, 0)[1] for pid in [started(store), started(store)]]
        sys.exit(any(ends))
    for moment in rest:
        killed(store, float(moment))

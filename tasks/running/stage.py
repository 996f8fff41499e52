"""A stage of the pipeline as a Prefect task.

The plain function holds the work and gives an `Artifact`; the task adds a name that says what is
done to what, retries where they can help, and the state `Cached` where the store had the result.
"""

import functools
import time
from collections.abc import Callable
from typing import Any

from prefect import Task
from prefect.cache_policies import NO_CACHE
from prefect.states import Completed

from flgc.datasets.errors import NotReachable
from tasks.store.store import Artifact

# When stages were at work in this process: what is left of a run's time is orchestration.
_busy: list[tuple[float, float]] = []


def as_task(work: Callable[..., Artifact], run_name: str, *, retries: int = 0) -> Task[..., Any]:
    """The task of a stage; `run_name` may use the function's parameters: `fit {dataset}`.

    Prefect's own cache stays out of it: the store knows what is there.
    """

    @functools.wraps(work)
    def run(*args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        try:
            artifact = work(*args, **kwargs)
        finally:
            _busy.append((started, time.perf_counter()))
        if artifact.cached:
            return Completed(name="Cached", message=f"in the store: {artifact.key}", data=artifact)
        return artifact

    return Task(
        run,
        name=work.__name__.replace("_", " "),
        task_run_name=run_name,
        retries=retries,
        retry_delay_seconds=[2.0 * 4**i for i in range(retries)],
        retry_condition_fn=_may_pass,
        cache_policy=NO_CACHE,
        persist_result=False,
    )


def _may_pass(task: Any, task_run: Any, state: Any) -> bool:
    """Whether a fault may be gone in seconds; every source was tried before `NotReachable`."""
    return not isinstance(state.data, NotReachable)


def busy_seconds(since: float = float("-inf")) -> float:
    """How long at least one stage of this process was at work, since a `time.perf_counter()`."""
    total, reached = 0.0, since
    for start, end in sorted(_busy):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total

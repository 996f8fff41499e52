"""A stage of the pipeline as a Prefect task.

The plain function holds the work and gives an `Artifact`; the task adds a name that says what is
done to what, retries where they can help, and the state `Cached` where the store had the result.
"""

import functools
from collections.abc import Callable
from typing import Any

from prefect import Task
from prefect.cache_policies import NO_CACHE
from prefect.states import Completed

from tasks.store import Artifact


def as_task(work: Callable[..., Artifact], run_name: str, *, retries: int = 0) -> Task[..., Any]:
    """The task of a stage; `run_name` may use the function's parameters: `fit {dataset}`.

    Prefect's own cache stays out of it: the store knows what is there.
    """

    @functools.wraps(work)
    def run(*args: Any, **kwargs: Any) -> Any:
        artifact = work(*args, **kwargs)
        if artifact.cached:
            return Completed(name="Cached", message=f"in the store: {artifact.key}", data=artifact)
        return artifact

    return Task(
        run,
        name=work.__name__.replace("_", " "),
        task_run_name=run_name,
        retries=retries,
        retry_delay_seconds=[2.0 * 4**i for i in range(retries)],
        cache_policy=NO_CACHE,
        persist_result=False,
    )

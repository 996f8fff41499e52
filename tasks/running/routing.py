"""Where a fit runs: on a worker of the GPU pool if one is online, else in this process.

A worker gets store keys and small arguments, and returns nothing: it writes its result into the
store that both share, where the sender finds it under the key that its own result would have.
"""

import dataclasses
import time
from collections.abc import Callable, Mapping
from typing import Any

from prefect import get_client, runtime
from prefect.context import TaskRunContext
from prefect.exceptions import ObjectNotFound
from prefect.logging import get_logger
from prefect.states import Cancelled
from pydantic_core import to_jsonable_python

from tasks.running.pools import GPU_DEPLOYMENT, GPU_FLOW, GPU_POOL
from tasks.store import Artifact

ARTIFACT = {field.name for field in dataclasses.fields(Artifact)}
START_SECONDS = 3600.0
"""How long a fit may wait for a worker, which may have others to run first."""


def gpu_workers_online(client: Any) -> int:
    """How many workers of the GPU pool can take a fit; 0 without a pool.

    Workers of a paused pool, or of a paused queue (deployments use the default one), are online but
    take nothing.
    """
    try:
        pool = client.read_work_pool(GPU_POOL)
        if pool.is_paused or client.read_work_queue(pool.default_queue_id).is_paused:
            return 0
    except ObjectNotFound:
        return 0
    workers = client.read_workers_for_work_pool(GPU_POOL)
    return sum(worker.status == "ONLINE" for worker in workers)


def fit_on_gpu_pool(
    client: Any,
    stage: str,
    arguments: dict[str, Any],
    *,
    label: str,
    poll_seconds: float = 1.0,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Have a GPU worker run a stage, and wait for it; False if the caller must run it itself.

    That is so if the pool lost its last worker, was paused, or did not start the fit in time, and
    if the run failed there: the reason is logged, and may be the GPU's alone (its memory).
    """
    logger = get_logger(__name__)
    try:
        deployment = client.read_deployment_by_name(GPU_DEPLOYMENT)
    except ObjectNotFound:
        logger.warning("no deployment %s: `flgc up` makes it; fitting in process", GPU_DEPLOYMENT)
        return False
    run = client.create_flow_run_from_deployment(
        deployment.id,
        parameters={"stage": stage, **arguments},
        name=label,
        tags=["gpu"],
    )
    waited = 0.0
    while not (state := client.read_flow_run(run.id).state).is_final():
        # If its worker dies, the rule for silent runs ends the run.
        if not state.is_running():
            waited += poll_seconds
            if waited > START_SECONDS or not gpu_workers_online(client):
                client.set_flow_run_state(run.id, Cancelled(message="no GPU worker takes it"))
                logger.warning("%s: no GPU worker took it; fitting in process", label)
                return False
        sleep(poll_seconds)
    if not state.is_completed():
        logger.warning("%s on a GPU worker ended %s: %s", label, state.name, state.message)
    return bool(state.is_completed())


def gpu_first(stage: Any) -> Callable[..., Artifact]:
    """The same stage, but a GPU worker computes what is not stored yet, if one is online.

    The result is read from the store; if it is not there, it is computed here.
    """

    def routed(store: str, about: str, **given: Any) -> Artifact:
        if given.get("device") == "cpu" or TaskRunContext.get() is None:
            return stage(store, about, **given)
        stored: Artifact | None = stage.stored(store, **given)
        if stored is not None:
            return stored
        sent = _send(stage.name, store, about, given)
        artifact = stage(store, about, **given)
        if sent and not artifact.cached:
            get_logger(__name__).warning(
                "a GPU worker did %s, but its result is not in this store, so it was computed "
                "again: do both have the same FLGC_STORE and the same code?",
                runtime.task_run.name,
            )
        return dataclasses.replace(artifact, cached=False) if sent else artifact

    return routed


def _send(stage: str, store: str, about: str, given: dict[str, Any]) -> bool:
    """Did a GPU worker run it? A worker sends nothing itself: it would wait for itself."""
    with get_client(sync_client=True) as client:
        if runtime.flow_run.flow_name == GPU_FLOW or not gpu_workers_online(client):
            return False
        arguments = {"store": store, "about": about, "given": to_jsonable_python(given)}
        return fit_on_gpu_pool(client, stage, arguments, label=runtime.task_run.name or stage)


def unpacked(value: Any) -> Any:
    """The arguments of a stage, from JSON: what has the fields of an artifact is one."""
    if isinstance(value, Mapping):
        pairs = {name: unpacked(each) for name, each in value.items()}
        return Artifact(**pairs) if pairs.keys() == ARTIFACT else pairs
    return [unpacked(each) for each in value] if isinstance(value, list) else value

"""The flow that GPU workers run: one stage, into the store that they share with its sender."""

from typing import Any

from prefect import flow

from tasks.running.pools import GPU_FLOW
from tasks.running.routing import unpacked
from tasks.running.stage import Stage
from tasks.stages.cells import fit, score

# Nothing else runs there.
GPU_STAGES = {stage.name: stage for stage in (score, fit)}


@flow(name=GPU_FLOW)
def fit_on_gpu(stage: str, store: str, about: str, given: dict[str, Any]) -> None:
    """Run a stage; its result is what it writes into the store."""
    stage_named(stage)(store, about, **unpacked(given))


def stage_named(name: str) -> Stage:
    """A stage that may run on a GPU worker."""
    if name not in GPU_STAGES:
        raise ValueError(f"stage={name!r} is not one of {', '.join(GPU_STAGES)}")
    return GPU_STAGES[name]

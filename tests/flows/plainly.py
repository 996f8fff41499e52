"""Whole experiments without Prefect: every task is called where the flow would submit it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from prefect.logging import disable_run_logger
from prefect.states import Completed

from flows import execute, reports
from flows.parameters import Selection
from flows.plan import FLOWS, plan_of
from tasks.running.nested import map_leaves
from tasks.running.stage import Stage
from tasks.store import Artifact


class Ended:
    """A future of what is there already."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact, self.state = artifact, Completed()

    def result(self, raise_on_failure: bool = True) -> Artifact:
        return self.artifact

    def wait(self) -> None:
        return


class Step(NamedTuple):
    """A task that was submitted."""

    experiment: str
    stage: str
    about: str
    artifact: Artifact


class Called(list[Step]):
    """The steps that were called, and the experiment that is at work."""

    experiment = ""


@contextmanager
def called() -> Iterator[Called]:
    """Stages are called when they are submitted; gives the list of steps, which grows."""
    steps = Called()

    def submit(stage: Stage, store: str, about: str, *, wait_for: Any = (), **given: Any) -> Ended:
        artifact = stage(store, about, **_resolved(given))
        steps.append(Step(steps.experiment, stage.name, about, artifact))
        return Ended(artifact)

    with pytest.MonkeyPatch.context() as patch, disable_run_logger():
        patch.setattr(Stage, "submit", submit)
        patch.setattr(execute, "as_completed", list)
        yield steps


def _resolved(value: Any) -> Any:
    return map_leaves(lambda leaf: leaf.artifact if isinstance(leaf, Ended) else leaf, value)


def run_plainly(store: str, flows: Sequence[str] = FLOWS, **chosen: Any) -> list[Step]:
    """All steps of a suite and its report."""
    plan = plan_of(flows, Selection(**{"suite": "tiny", "device": "cpu", "store": store, **chosen}))
    with called() as steps:
        sections = []
        for experiment in plan.experiments:
            steps.experiment = experiment.name
            sections.append(execute.run_experiment(plan, experiment))
        steps.experiment = ""
        reports.write(plan, plan.report, sections)
    return steps


def computed(steps: list[Step]) -> list[str]:
    """The steps that the store did not have, as `experiment: stage about`."""
    return [f"{s.experiment}: {s.stage} {s.about}" for s in steps if not s.artifact.cached]

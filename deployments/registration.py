"""What a server must know before workers and runs come: pools, and what to do with silent runs.

`flgc up` calls these functions. By hand it is `python -m deployments.registration pools` before the
deployments are registered, and `... rules` after. Both may be repeated: what exists is updated.
"""

import argparse
from contextlib import suppress
from datetime import timedelta
from typing import Any

from prefect import get_client
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.client.schemas.filters import WorkPoolFilter, WorkPoolFilterName
from prefect.client.schemas.objects import StateType
from prefect.events import EventTrigger, ResourceSpecification
from prefect.events.actions import ChangeFlowRunState
from prefect.events.schemas.automations import AutomationCore, Posture
from prefect.exceptions import ObjectAlreadyExists

from deployments.settings import SILENT_SECONDS
from tasks.running.pools import CPU_POOL, GPU_POOL

HEARTBEAT = "prefect.flow-run.heartbeat"
ENDS = ("Completed", "Cached", "Failed", "TimedOut", "Crashed", "Cancelled", "Paused", "Suspended")
"""Names of the states after which no heartbeat is due."""
PATIENT_SECONDS = 540
"""Three of the heartbeats of a run that was started elsewhere, where Prefect's default holds."""


def create_pools(client: Any, *, gpu: bool = True) -> None:
    """Both pools, of the process type; that of GPUs is paused while no worker is to come.

    Prefect would call it Not Ready, in red, where it is only not needed.
    """
    for name, purpose in ((CPU_POOL, "flows"), (GPU_POOL, "fits, one at a time per worker")):
        with suppress(ObjectAlreadyExists):
            client.create_work_pool(
                WorkPoolCreate(name=name, type="process", description=f"flgc: {purpose}")
            )
    client.update_work_pool(GPU_POOL, WorkPoolUpdate(is_paused=not gpu))


def silent_runs_crash(whose: str, seconds: int, related: dict[str, Any]) -> AutomationCore:
    """The rule that ends a run whose worker died with it: it would stay Running for ever.

    Each running flow sends heartbeats. After its start and after each heartbeat, another heartbeat
    or the end of the run must follow.
    """
    return AutomationCore(
        name=f"flgc: silent runs of {whose} have crashed",
        description=f"No heartbeat for {seconds} s: the process of the run is gone.",
        trigger=EventTrigger(
            after={HEARTBEAT, "prefect.flow-run.Running"},
            expect={HEARTBEAT, *(f"prefect.flow-run.{state}" for state in ENDS)},
            match=ResourceSpecification({"prefect.resource.id": ["prefect.flow-run.*"]}),
            match_related=ResourceSpecification(related),
            for_each={"prefect.resource.id"},
            posture=Posture.Proactive,
            threshold=1,
            within=timedelta(seconds=seconds),
        ),
        actions=[
            ChangeFlowRunState(
                state=StateType.CRASHED,
                name="Crashed",
                force=False,
                message=f"No sign of life for {seconds} s: its process or machine is gone. "
                "A rerun does only what is missing.",
            )
        ],
    )


def create_rules(
    client: Any, silent_seconds: int = SILENT_SECONDS, *, schedules: bool = True
) -> None:
    """A quick rule for our deployments, whose heartbeats are ours to set, and a patient one.

    Rules of an earlier start are replaced: their patience may differ. Without `schedules` our
    deployments stay, but none starts by the clock.
    """
    ids = [f"prefect.deployment.{deployment.id}" for deployment in our_deployments(client)]
    ours = {"prefect.resource.role": "deployment", "prefect.resource.id": ids}
    for rule in (
        silent_runs_crash("the deployments", silent_seconds, ours),
        silent_runs_crash("any flow", max(PATIENT_SECONDS, silent_seconds), {}),
    ):
        for earlier in client.read_automations_by_name(rule.name):
            client.delete_automation(earlier.id)
        client.create_automation(rule)
    for deployment in () if schedules else our_deployments(client):
        for schedule in deployment.schedules:
            client.update_deployment_schedule(deployment.id, schedule.id, active=False)


def our_deployments(client: Any) -> list[Any]:
    """The deployments of this project, known by their pools."""
    pools = WorkPoolFilter(name=WorkPoolFilterName(any_=[CPU_POOL, GPU_POOL]))
    return list(client.read_deployments(work_pool_filter=pools))


def main() -> None:
    """Register with the server that PREFECT_API_URL names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["pools", "rules"])
    what = parser.parse_args().what
    with get_client(sync_client=True) as client:
        create_pools(client) if what == "pools" else create_rules(client)


if __name__ == "__main__":
    main()

"""Subflow runs end with the run that called them.

They live in its process, but the server does not know that: it shows them as Running after the run
itself is marked Crashed. The rule for silent runs cannot tell them from runs started by hand, whose
heartbeats are rare, and waits nine minutes for both.
"""

from typing import Any

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import FlowRunFilter, TaskRunFilter
from prefect.client.schemas.objects import FlowRun
from prefect.states import Crashed

UNDER_WAY = {"type": {"any_": ["RUNNING", "PENDING"]}}


def crash_orphans(client: SyncPrefectClient) -> list[str]:
    """Mark the subflow runs of crashed runs Crashed too; their names."""
    ended = []
    for parent in _crashed_parents(client):
        children = {"parent_flow_run_id": {"any_": [parent.id]}, "state": UNDER_WAY}
        for run in _flow_runs(client, children):
            message = f"It ran in the process of {parent.name}, which has crashed."
            client.set_flow_run_state(run.id, Crashed(message=message))
            ended.append(run.name)
    return ended


def _crashed_parents(client: SyncPrefectClient) -> list[FlowRun]:
    """Crashed runs that called a subflow which the server takes for running."""
    subflows = {"parent_task_run_id": {"is_null_": False}, "state": UNDER_WAY}
    calls = [run.parent_task_run_id for run in _flow_runs(client, subflows)]
    if not calls:
        return []
    return _flow_runs(client, {"state": {"type": {"any_": ["CRASHED"]}}}, {"id": {"any_": calls}})


def _flow_runs(
    client: SyncPrefectClient, wanted: dict[str, Any], calls: dict[str, Any] | None = None
) -> list[FlowRun]:
    return client.read_flow_runs(
        flow_run_filter=FlowRunFilter.model_validate(wanted),
        task_run_filter=TaskRunFilter.model_validate(calls) if calls else None,
    )

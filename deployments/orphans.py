"""Subflow runs end with the run that called them.

They live in its process, but the server knows of no such bond: it goes on showing them as Running
after the run itself is marked Crashed. The rule for silent runs cannot tell them from runs that
were started by hand, which are heard of too seldom for a quick verdict, and gives both nine
minutes.
"""

from typing import Any

from deployments import api

UNDER_WAY = {"type": {"any_": ["RUNNING", "PENDING"]}}


def crash_orphans(api_url: str, auth: str | None) -> list[str]:
    """Mark the subflow runs of crashed runs Crashed too; their names."""
    ended = []
    for parent in _crashed_parents(api_url, auth):
        children = {"parent_flow_run_id": {"any_": [parent["id"]]}, "state": UNDER_WAY}
        for run in _flow_runs(api_url, auth, flow_runs=children):
            message = f"It ran in the process of {parent['name']}, which has crashed."
            state = {"type": "CRASHED", "name": "Crashed", "message": message}
            api.ask(api_url, "POST", f"/flow_runs/{run['id']}/set_state", {"state": state}, auth)
            ended.append(run["name"])
    return ended


def _crashed_parents(api_url: str, auth: str | None) -> list[dict[str, Any]]:
    """Crashed runs that called a subflow which seems to be under way."""
    subflows = {"parent_task_run_id": {"is_null_": False}, "state": UNDER_WAY}
    calls = [run["parent_task_run_id"] for run in _flow_runs(api_url, auth, flow_runs=subflows)]
    if not calls:
        return []
    crashed = {"state": {"type": {"any_": ["CRASHED"]}}}
    return _flow_runs(api_url, auth, flow_runs=crashed, task_runs={"id": {"any_": calls}})


def _flow_runs(api_url: str, auth: str | None, **wanted: Any) -> list[dict[str, Any]]:
    return list(api.ask(api_url, "POST", "/flow_runs/filter", wanted, auth))

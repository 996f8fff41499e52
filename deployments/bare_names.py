"""Let `prefect deployment run reproduce-paper` do what it says, without the name of the flow.

Prefect's command wants `<flow>/<deployment>`. This plugin, which Prefect loads by the entry point
`prefect.plugins` of the installed project, looks a name without a slash up among the deployments
and takes the only one of that name. Names with a slash are left alone. Where no server is set, the
commands talk to the one that `flgc up` keeps, instead of to a database of their own.
"""

import functools
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from prefect.plugins import HookContext, SetupResult, register_hook

from deployments.state import read_note


@register_hook
def setup_environment(*, ctx: HookContext) -> SetupResult | None:
    """Prefect calls this when it starts; only `deployment run` pays for importing the client.

    `ctx` must be keyword-only, as it is in Prefect's own declaration of the hook.
    """
    if ("deployment", "run") in pairwise(sys.argv[1:]):
        _accept_bare_names()
    if ctx.api_url is None and _is_command_for_a_server():
        note = read_note()
        if note is not None and note.is_alive:
            return SetupResult(env={"PREFECT_API_URL": note.api_url}, note="the stack of `flgc up`")
    return None


def _is_command_for_a_server() -> bool:
    """Whether this is Prefect's command line, and not about to start a server itself."""
    prefect = Path(sys.argv[0]).name == "prefect" or ("-m", "prefect") in pairwise(sys.orig_argv)
    return prefect and "server" not in sys.argv[1:3]


def _accept_bare_names() -> None:
    """Extend the client's look-up to names that only one deployment has."""
    from prefect.client import orchestration

    client: Any = orchestration.PrefectClient
    read_by_full_name = client.read_deployment_by_name

    @functools.wraps(read_by_full_name)
    async def read_by_any_name(self: Any, name: str) -> Any:
        return await (read_by_full_name if "/" in name else _read_the_only)(self, name)

    client.read_deployment_by_name = read_by_any_name


async def _read_the_only(client: Any, name: str) -> Any:
    from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterName
    from prefect.exceptions import ObjectNotFound

    wanted = DeploymentFilter(name=DeploymentFilterName(any_=[name]))
    deployments = await client.read_deployments(deployment_filter=wanted)
    if not deployments:
        message = f"no deployment is named {name!r}; `prefect deployment ls` lists all"
        raise ObjectNotFound(LookupError(message), help_message=message)
    if len(deployments) > 1:
        flows = [await client.read_flow(deployment.flow_id) for deployment in deployments]
        full_names = sorted(f"{flow.name}/{name}" for flow in flows)
        raise SystemExit(
            f"{len(deployments)} deployments are named {name!r}; choose one:\n"
            + "\n".join(f"  prefect deployment run {full_name!r}" for full_name in full_names)
        )
    return deployments[0]

"""Prefect's client, as the stack uses it: its own server may be away or busy."""

from contextlib import AbstractContextManager

import httpx
from prefect.client.orchestration import SyncPrefectClient
from prefect.exceptions import PrefectException
from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings

TIMEOUT_SECONDS = 5.0
FAULTS = (httpx.HTTPError, PrefectException, ValueError)
"""What can go wrong: refused, broken off, an error code, an answer that is not Prefect's."""


def client_of(api_url: str, auth: str | None) -> SyncPrefectClient:
    """A client of the server there, which need not answer yet."""
    return SyncPrefectClient(api_url, auth_string=auth, httpx_settings={"timeout": TIMEOUT_SECONDS})


def ask_once() -> AbstractContextManager:
    """Prefect's client asks six times, ever later: too long for a caller that repeats itself."""
    return temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0})


def is_healthy(client: SyncPrefectClient) -> bool:
    """Whether a Prefect server answers there."""
    try:
        with ask_once():
            return bool(client.api_version())
    except httpx.HTTPStatusError as error:
        # Some other program answers 404; a guarded Prefect server does not.
        return error.response.status_code in (401, 403)
    except FAULTS:
        return False


def online_workers(client: SyncPrefectClient, pool: str) -> set[str]:
    """Names of the workers of a pool that the server has heard of lately."""
    workers = client.read_workers_for_work_pool(pool)
    return {worker.name for worker in workers if worker.status == "ONLINE"}

"""The few questions that the stack asks its server, over plain HTTP.

The command that starts a stack needs no more of Prefect than these, and importing Prefect's client
would cost it seconds.
"""

import base64
import json
import urllib.error
import urllib.request
from typing import Any

TIMEOUT_SECONDS = 5.0


def is_healthy(api_url: str) -> bool:
    """Whether a Prefect server answers there."""
    try:
        return ask(api_url, "GET", "/health") is True
    except urllib.error.HTTPError as error:
        # Some other program answers 404; a guarded Prefect server does not.
        return error.code in (401, 403)
    except (OSError, ValueError):
        return False


def online_workers(api_url: str, pool: str, auth: str | None) -> set[str]:
    """Names of the workers of a pool that the server has heard of lately."""
    workers = ask(api_url, "POST", f"/work_pools/{pool}/workers/filter", {}, auth)
    return {worker["name"] for worker in workers if worker["status"] == "ONLINE"}


def ask(api_url: str, method: str, path: str, body: Any = None, auth: str | None = None) -> Any:
    """One request; the answer's JSON."""
    headers = {"Content-Type": "application/json"}
    if auth:
        headers["Authorization"] = "Basic " + base64.b64encode(auth.encode()).decode()
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(api_url + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        return json.loads(answer.read() or "null")

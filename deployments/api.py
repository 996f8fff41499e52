"""The few questions that the stack asks its server, over plain HTTP.

The command that starts a stack needs no more of Prefect than these, and importing Prefect's client
would cost it seconds.
"""

import base64
import http.client
import json
import urllib.error
import urllib.request
import uuid
from typing import Any

TIMEOUT_SECONDS = 5.0
CLIENT = str(uuid.uuid4())
"""By which the server knows whom it gave a token; see `_tokens`."""

_tokens: dict[str, str | None] = {}
"""What each server wants to see with changes, so that no web page can ask for them."""


class NoAnswer(OSError):
    """What came back over the wire is no answer: it broke off, or is not what Prefect sends.

    An `OSError`, as are refused connections and answers of an error code: to callers that ask again
    all of them are one.
    """


def is_healthy(api_url: str) -> bool:
    """Whether a Prefect server answers there."""
    try:
        return ask(api_url, "GET", "/health") is True
    except urllib.error.HTTPError as error:
        # Some other program answers 404; a guarded Prefect server does not.
        return error.code in (401, 403)
    except OSError:
        return False


def online_workers(api_url: str, pool: str, auth: str | None) -> set[str]:
    """Names of the workers of a pool that the server has heard of lately."""
    workers = ask(api_url, "POST", f"/work_pools/{pool}/workers/filter", {}, auth)
    return {worker["name"] for worker in workers if worker["status"] == "ONLINE"}


def ask(api_url: str, method: str, path: str, body: Any = None, auth: str | None = None) -> Any:
    """One request; the answer's JSON. Whatever goes wrong on the way is an `OSError`."""
    if method == "GET":
        return _ask(api_url, method, path, body, auth, None)
    known = api_url in _tokens
    if not known:
        _tokens[api_url] = _new_token(api_url, auth)
    try:
        return _ask(api_url, method, path, body, auth, _tokens[api_url])
    except urllib.error.HTTPError as error:
        if error.code != 403 or not known:
            raise
    del _tokens[api_url]  # it has grown old: they last an hour
    return ask(api_url, method, path, body, auth)


def _new_token(api_url: str, auth: str | None) -> str | None:
    """None where the server wants none."""
    try:
        path = f"/csrf-token?client={CLIENT}"
        return str(_ask(api_url, "GET", path, None, auth, None)["token"])
    except urllib.error.HTTPError as error:
        if error.code in (404, 422):
            return None
        raise


def _ask(
    api_url: str, method: str, path: str, body: Any, auth: str | None, token: str | None
) -> Any:
    headers = {"Content-Type": "application/json"}
    if auth:
        headers["Authorization"] = "Basic " + base64.b64encode(auth.encode()).decode()
    if token:
        headers |= {"Prefect-Csrf-Token": token, "Prefect-Csrf-Client": CLIENT}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(api_url + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return json.loads(answer.read() or "null")
    except (http.client.HTTPException, ValueError) as error:
        raise NoAnswer(f"{method} {path}: {error!r}") from error

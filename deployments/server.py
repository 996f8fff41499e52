"""A Prefect server that answers programs and its own pages, and no page of anybody else.

Prefect's own server lets every web page that is open in a browser read and start things: it allows
all origins, asks for no token, and accepts any `Host`, so that a foreign name that is made to point
here (DNS rebinding) passes for its own. This one is guarded, whoever starts it: `flgc up` runs
`python -m deployments.server --port 4200`; commands such as `flgc reproduce` add `--embedded`, for
a server without pages that ends with the process that started it.
"""

import argparse
import ipaddress
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from deployments.addresses import EVERYWHERE, LOOPBACK, bind, url_of

STOP_SECONDS = 10.0
# By default the server writes each state of a task in a transaction of its own, and a run of
# thousands of stored tasks waits for it. What a person has set already stays.
IN_BATCHES = {
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
}
# Without pages and automations nobody reads events.
EMBEDDED = {
    "PREFECT__SERVER_EPHEMERAL": "1",
    "PREFECT_SERVER_UI_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
}


class Guard:
    """An ASGI app that passes on requests to this server's names that no foreign page sent.

    A browser sends `Origin` with every request whose answer a page may read or that changes
    something, web sockets included. Programs send none.
    """

    def __init__(self, app: ASGIApp, host: str, names: Sequence[str] = ()) -> None:
        self.app = app
        self.names = {name.lower() for name in ("localhost", LOOPBACK, "::1", host, *names)}
        self.by_any_address = host in EVERYWHERE
        if self.by_any_address:
            self.names.add(socket.gethostname().lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 with the reason, or call the app."""
        refusal = None
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            refusal = self.refusal(headers.get("host", ""), headers.get("origin"))
        if refusal is None:
            await self.app(scope, receive, _forbid_frames(send))
        elif scope["type"] == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        else:
            await PlainTextResponse(refusal, 403)(scope, receive, send)

    def refusal(self, host: str, origin: str | None) -> str | None:
        """Why a request is not answered; None if it is."""
        name = _name(host)
        if name not in self.names and not (self.by_any_address and _is_address(name)):
            return f"this server is not {name!r}; `flgc up --allowed-host NAME` gives it a name\n"
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            return f"pages of {origin!r} may not use this server\n"
        return None


def _name(host: str) -> str:
    """The name or address in a `Host` header, which may have a port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    """Whether this is an IP address, which cannot be made to point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _forbid_frames(send: Send) -> Send:
    """Let no foreign page show an answer in a frame, where its visitor might click."""

    async def send_forbidding(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)["x-frame-options"] = "SAMEORIGIN"
        await send(message)

    return send_forbidding


def end_with(parent: int) -> None:
    """End this process when that one, which started it, is gone, however it went."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def serve(listening: socket.socket, host: str, names: Sequence[str], embedded: bool) -> None:
    """Run Prefect's server behind the guard, with all of its services unless it is embedded."""
    port = listening.getsockname()[1]
    os.environ |= {
        "PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED": "true",
        "PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS": url_of(host, port),
        # Pages call the server by the name that they were loaded from.
        "PREFECT_SERVER_UI_API_URL": "/api",
        "PREFECT__SERVER_FINAL": "1",
    }
    if embedded:
        os.environ |= EMBEDDED
    for name, value in IN_BATCHES.items():
        os.environ.setdefault(name, value)
    # Prefect reads its settings when it is imported.
    import uvicorn
    from prefect.server.api.server import create_app
    from prefect.settings import get_current_settings

    settings = get_current_settings().server
    config = uvicorn.Config(
        # Around Prefect's app, not in it: the server's own services call that one directly.
        Guard(create_app(), host, names),
        log_level="error" if embedded else settings.logging_level.lower(),
        timeout_keep_alive=settings.api.keepalive_timeout,
        ws_ping_interval=settings.api.websocket_ping_interval,
        ws_ping_timeout=settings.api.websocket_ping_timeout,
        lifespan="on",
    )
    uvicorn.Server(config).run(sockets=[listening])


def main() -> None:
    """Serve until asked to stop, or until the parent is gone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default=LOOPBACK)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--allowed-host", action="append", default=[])
    parser.add_argument("--embedded", action="store_true")
    parser.add_argument("--parent", type=int)
    options = parser.parse_args()
    if options.parent is not None:
        end_with(options.parent)
    try:
        listening = bind(options.host, options.port)
    except OSError as error:
        sys.exit(f"{options.host} port {options.port} is not available: {error}")
    serve(listening, options.host, options.allowed_host, options.embedded)


if __name__ == "__main__":
    main()

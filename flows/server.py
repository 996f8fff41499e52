"""A Prefect server that answers programs and its own pages, and no page of anybody else.

Prefect's own server lets every web page that is open in a browser read and start things: it allows
all origins, asks for no token, and believes whatever `Host` it is called by, so that a foreign name
that is made to point here (DNS rebinding) passes for its own. This one is guarded, whoever starts
it: `flgc up` as `python -m flows.server --port 4200`, `flgc reproduce` with `--embedded`, for a
server without pages that ends with the process that started it.
"""

import argparse
import atexit
import ipaddress
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from flgc.addresses import without_secrets

CHECKOUT = Path(__file__).parents[1]
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
START_SECONDS = 180.0
"""An idle machine needs 10 s, with a new database 20 s."""
STOP_SECONDS = 10.0
# Who runs thousands of stored tasks waits for the server, which by default writes each of their
# states in a transaction of its own. What a person has set already stays.
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

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class NoServer(RuntimeError):
    """The embedded server does not start; the message says why."""


class Guard:
    """An ASGI app that passes on what is meant for this server and comes from no foreign page.

    A browser sends `Origin` with all that a page may read or change, web sockets included, for
    which it asks no leave otherwise; programs send none.
    """

    def __init__(self, app: App, host: str, further: Sequence[str] = ()) -> None:
        self.app = app
        self.names = {name.lower() for name in ("localhost", LOOPBACK, "::1", host, *further)}
        self.by_any_address = host in EVERYWHERE
        if self.by_any_address:
            self.names.add(socket.gethostname().lower())

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer 403 with the reason, or call the app."""
        refusal = None
        if scope["type"] in ("http", "websocket"):
            headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
            refusal = self.refusal(headers.get(b"host", ""), headers.get(b"origin"))
        if refusal is None:
            await self.app(scope, receive, _unframed(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            plain = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 403, "headers": plain})
            await send({"type": "http.response.body", "body": refusal.encode()})

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
    """Whether this is an IP address: those cannot be made to point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _unframed(send: Send) -> Send:
    """Answers that no foreign page may show in a frame, to have its own visitor click there."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"x-frame-options", b"SAMEORIGIN")]
        await send(message)

    return sending


def bound(host: str, port: int) -> socket.socket:
    """A socket at that address, which may be of IPv6; port 0 takes a free one."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made


def url_of(host: str, port: int) -> str:
    """Where a server that listens there is reached from this machine."""
    reached = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


@contextmanager
def any_api() -> Iterator[None]:
    """The API that Prefect is told of, else one of an embedded server, for flows of this process.

    Its database is that of `flgc up` with the same settings, so its runs are seen there later.
    """
    from prefect.settings import PREFECT_API_URL, temporary_settings

    if PREFECT_API_URL.value():
        yield
        return
    with temporary_settings({PREFECT_API_URL: start_embedded()}):
        yield


def start_embedded() -> str:
    """The API's address of a new server, which is stopped when this process ends.

    Not before: what Prefect's threads have still to tell it they tell when Python ends.
    """
    with bound(LOOPBACK, 0) as probe:
        port = probe.getsockname()[1]
    options = ["--port", str(port), "--embedded", "--parent", str(os.getpid())]
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    log = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the server
    server = subprocess.Popen(
        [sys.executable, "-P", "-m", "flows.server", *options],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,  # Ctrl-C is for the flow, which has to tell the server of its end
    )
    atexit.register(_stop, server)
    api_url = f"{url_of(LOOPBACK, port)}/api"
    _wait_until_healthy(api_url, server, log)
    return api_url


def _wait_until_healthy(api_url: str, server: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _is_healthy(api_url):
        if server.poll() is not None:
            log.seek(0)
            said = log.read().decode(errors="replace").splitlines()[-15:]
            raise NoServer(without_secrets("\n".join(["Prefect's server ended:", *said])))
        if time.monotonic() > deadline:
            raise NoServer(f"Prefect's server does not answer after {START_SECONDS:.0f} s")
        time.sleep(0.1)


def _is_healthy(api_url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{api_url}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def end_with(parent: int) -> None:
    """End this process when that one, which started it, is gone, however it went."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def serve(listening: socket.socket, host: str, further: Sequence[str], embedded: bool) -> None:
    """Run Prefect's server behind the guard, with all of its services unless it is embedded."""
    port = listening.getsockname()[1]
    os.environ |= {
        "PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED": "true",
        "PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS": url_of(host, port),
        # The pages ask where they came from, by whichever name that was.
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
        Guard(create_app(), host, further),
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
    given = parser.parse_args()
    if given.parent is not None:
        end_with(given.parent)
    try:
        listening = bound(given.host, given.port)
    except OSError as error:
        sys.exit(f"{given.host} port {given.port} cannot be had: {error}")
    serve(listening, given.host, given.allowed_host, given.embedded)


if __name__ == "__main__":
    main()

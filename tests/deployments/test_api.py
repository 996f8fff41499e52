"""Questions to a server that breaks off, talks nonsense, or wants a token."""

import json
import socket
import threading
import urllib.error
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("prefect")

from deployments import api
from deployments.orphans import crash_orphans

Serve = Callable[[type[BaseHTTPRequestHandler]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with this handler; the address of its API."""
    running: list[ThreadingHTTPServer] = []

    def start(handler: type[BaseHTTPRequestHandler]) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        running.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/api"

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


class Quiet(BaseHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def answer(self, code: int, body: bytes, length: int | None = None) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(code)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()


class BreaksOff(Quiet):
    def do_GET(self) -> None:
        self.answer(200, b"[", length=1000)


class Hangs(Quiet):
    def do_GET(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)


class Nonsense(Quiet):
    def do_GET(self) -> None:
        self.answer(200, b"<html>\xff")


class NoStatus(Quiet):
    def do_GET(self) -> None:
        self.wfile.write(b"nonsense\r\n\r\n")


class Busy(Quiet):
    def do_GET(self) -> None:
        self.answer(503, b"")


@pytest.mark.parametrize("handler", [BreaksOff, Hangs, Nonsense, NoStatus, Busy])
def test_every_fault_on_the_way_is_one_that_callers_suppress(
    serve: Serve, handler: type[Quiet]
) -> None:
    """`flgc up` must not end because its server was killed in the middle of an answer."""
    address = serve(handler)
    for question in (
        lambda: api.ask(address, "GET", "/flows"),
        lambda: api.ask(address, "POST", "/flows/filter", {}),
        lambda: crash_orphans(address, None),
        lambda: api.online_workers(address, "flgc-gpu", None),
    ):
        with pytest.raises(OSError):  # noqa: PT011 - that it is one is what is tested
            question()
    assert not api.is_healthy(address)


class WantsToken(Quiet):
    """As Prefect does; its tokens can be made to expire."""

    given = 0
    expired = False

    def do_GET(self) -> None:
        kind = type(self)
        if self.path.startswith("/api/csrf-token?client="):
            kind.given, kind.expired = kind.given + 1, False
            self.answer(200, json.dumps({"token": f"token {kind.given}"}).encode())
        elif self.headers.get("Prefect-Csrf-Token") != f"token {kind.given}" or kind.expired:
            self.answer(403, b"{}")
        else:
            self.answer(200, json.dumps(self.headers["Prefect-Csrf-Client"]).encode())


def test_changes_carry_a_token_that_is_asked_for_once_and_renewed(serve: Serve) -> None:
    class Mine(WantsToken):
        pass

    address = serve(Mine)
    assert [api.ask(address, "POST", "/x", {}) for _ in range(3)] == 3 * [api.CLIENT]
    assert Mine.given == 1
    Mine.expired = True
    assert api.ask(address, "POST", "/x", {}) == api.CLIENT
    assert Mine.given == 2


class Forbids(Quiet):
    def do_GET(self) -> None:
        self.answer(422 if "csrf" in self.path else 403, b"{}")


def test_a_server_without_tokens_is_asked_without(serve: Serve) -> None:
    address = serve(Forbids)
    for _ in range(2):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            api.ask(address, "POST", "/x", {})

"""Questions to a server that breaks off, talks nonsense, or refuses."""

import socket
import threading
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
def test_every_fault_on_the_way_is_one_that_the_stack_survives(
    serve: Serve, handler: type[Quiet]
) -> None:
    """`flgc up` must not end because its server was killed in the middle of an answer."""
    client = api.client_of(serve(handler), None)
    with api.ask_once():  # as `watch` does
        for question in (
            lambda: crash_orphans(client),
            lambda: api.online_workers(client, "flgc-gpu"),
        ):
            with pytest.raises(api.FAULTS):
                question()
    assert not api.is_healthy(client)


def test_a_server_that_is_away_is_not_healthy() -> None:
    assert not api.is_healthy(api.client_of("http://127.0.0.1:1/api", None))


class Forbids(Quiet):
    def do_GET(self) -> None:
        self.answer(403, b"{}")


def test_a_guarded_server_is_a_server(serve: Serve) -> None:
    assert api.is_healthy(api.client_of(serve(Forbids), None))

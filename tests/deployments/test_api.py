"""Questions to a server that breaks off, talks nonsense, or refuses."""

import threading
from collections.abc import Callable, Iterator
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest

pytest.importorskip("prefect")

from deployments import api
from deployments.orphans import crash_orphans

Serve = Callable[[bytes], str]
FAULTS = {
    "breaks off": b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[",
    "hangs up": b"",
    "nonsense": b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n<html>\xff",
    "no status": b"nonsense\r\n\r\n",
    "busy": b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
}


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server that gives this answer to every request; the address of its API."""
    running: list[ThreadingTCPServer] = []

    def start(answer: bytes) -> str:
        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                length = 0
                while (line := self.rfile.readline()).strip():
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                self.rfile.read(length)
                self.wfile.write(answer)

        running.append(ThreadingTCPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=running[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{running[-1].server_address[1]}/api"

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_on_the_way_is_one_that_the_stack_survives(serve: Serve, fault: str) -> None:
    """`flgc up` must not end because its server was killed in the middle of an answer."""
    client = api.client_of(serve(FAULTS[fault]), None)
    with api.ask_once():  # as `watch` does
        with pytest.raises(api.FAULTS):
            crash_orphans(client)
        with pytest.raises(api.FAULTS):
            api.online_workers(client, "flgc-gpu")
    assert not api.is_healthy(client)


def test_a_server_that_is_away_is_not_healthy_and_a_guarded_one_is(serve: Serve) -> None:
    assert not api.is_healthy(api.client_of("http://127.0.0.1:1/api", None))
    forbids = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n{}"
    assert api.is_healthy(api.client_of(serve(forbids), None))

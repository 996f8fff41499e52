"""Bytes from a URL, with a deadline that holds, retries that can help, and a limit on the size.

The time-out of a socket starts anew with every byte, so it does not bound a transfer. Each try
therefore runs in its own thread, and the caller stops waiting at the deadline, whatever the server,
a proxy or a name server is doing. Then the sockets are shut down, which ends the thread.
"""

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flgc.addresses import without_secrets
from flgc.datasets.errors import AGAIN, SourceFailed, Unreached
from flgc.datasets.fetching.progress import Show, bar

if TYPE_CHECKING:
    import requests

TIMEOUT = (3.05, 10.0)  # seconds to connect; seconds without a byte
DEADLINE = 600.0  # seconds for a whole file with all its tries, in case a server drips
TRIES = 3
PAUSE = 0.5  # seconds before the second try; doubled for each further one
MAX_BYTES = 64 * 2**20  # the largest raw file has 8 MB
CHUNK = 2**16
REMEMBER = 60.0  # seconds in which an unreachable host is not tried again

_unreachable: dict[str, tuple[float, str]] = {}


class _Failed(Exception):
    """One try failed; `final` if another cannot help, `host` if the host is unreachable.

    `wrong` if the server sent something that cannot be the file.
    """

    def __init__(
        self, reason: str, *, final: bool = True, host: bool = False, wrong: bool = False
    ) -> None:
        super().__init__(reason)
        self.final, self.host, self.wrong = final, host, wrong


def download(url: str) -> bytes:
    """The content at a URL; raises `Unreached` or `SourceFailed` with a reason without the URL."""
    host = host_of(url)
    when, reason = _unreachable.get(host, (-REMEMBER, ""))
    if time.monotonic() - when < REMEMBER:
        raise Unreached(reason + AGAIN)
    deadline = time.monotonic() + DEADLINE
    for attempt in itertools.count(1):
        transfer = _Transfer(url)
        failure = transfer.outcome(deadline)
        if failure is None:
            break
        pause = PAUSE * 2 ** (attempt - 1)
        if failure.final or attempt == TRIES or time.monotonic() + pause > deadline:
            reason = f"{failure}, {attempt} times" if attempt > 1 else str(failure)
            if failure.host:
                _unreachable[host] = (time.monotonic(), reason)
            raise SourceFailed(reason) if failure.wrong else Unreached(reason)
        time.sleep(pause)
    return bytes(transfer.content)


def host_of(address: str) -> str:
    """The host and port of an address, without user and password; empty if it has none."""
    try:
        return urlsplit(address).netloc.rpartition("@")[2]
    except ValueError:
        return ""


class _Transfer(threading.Thread):
    """One try; the received bytes are in `content`."""

    def __init__(self, url: str) -> None:
        super().__init__(name="flgc-download", daemon=True)
        self.url, self.content = url, bytearray()
        self._session = _session(self._opened)
        self._failure: _Failed | None = None
        self._show: Show
        self._sockets: list[socket.socket] = []
        self._given_up = False

    def outcome(self, deadline: float) -> _Failed | None:
        """The failure, or None; at the deadline at the latest."""
        title = without_secrets(self.url).partition("?")[0].rsplit("/", 1)[-1]
        try:
            with bar(title) as self._show:
                self.start()
                self.join(max(0.0, deadline - time.monotonic()))
            if self.is_alive():
                return _Failed(f"not done after {DEADLINE:.0f} s", host=True)
            return self._failure
        finally:
            self._give_up()

    def run(self) -> None:
        try:
            self._receive()
        except _Failed as failure:
            self._failure = failure
        except Exception as error:  # servers and proxies fail in ways that requests did not foresee
            self._failure = _failure_of(error, len(self.content))

    def _receive(self) -> None:
        with (
            self._session as session,
            session.get(self.url, timeout=TIMEOUT, stream=True) as response,
        ):
            response.raise_for_status()
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() else None
            for chunk in response.iter_content(CHUNK):
                if len(self.content) + len(chunk) > MAX_BYTES:
                    raise _Failed(f"refused: more than {MAX_BYTES} bytes", wrong=True)
                self.content += chunk
                self._show(len(self.content), total)

    def _opened(self, connection: socket.socket) -> None:
        self._sockets.append(connection)
        if self._given_up:  # a redirect that came too late
            self._give_up()

    def _give_up(self) -> None:
        self._given_up = True
        for connection in self._sockets:
            with contextlib.suppress(OSError):  # most are closed already
                connection.shutdown(socket.SHUT_RDWR)


def _session(opened: Callable[[socket.socket], None]) -> "requests.Session":
    """A session that calls `opened` with each socket that it opens."""
    import requests
    from requests.adapters import HTTPAdapter

    class Adapter(HTTPAdapter):
        def get_connection_with_tls_context(self, *args: Any, **options: Any) -> Any:
            pool = super().get_connection_with_tls_context(*args, **options)
            plain = type(pool).ConnectionCls

            def connect(connection: Any) -> None:
                plain.connect(connection)
                opened(connection.sock)

            pool.ConnectionCls = type("Watched", (plain,), {"connect": connect})
            return pool

    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, Adapter())
    return session


def _failure_of(error: Exception, received: int) -> _Failed:
    """The failure that an exception means, in words without an address."""
    import requests
    from urllib3.exceptions import NewConnectionError

    errors = requests.exceptions
    name = type(error).__name__
    if isinstance(error, errors.HTTPError):
        status = error.response.status_code if error.response is not None else 0
        return _Failed(f"HTTP status {status}", final=status < 500 and status != 429)
    if isinstance(error, errors.ContentDecodingError):
        return _Failed("the content is not compressed as the server says", wrong=True)
    if isinstance(error, errors.SSLError):
        return _Failed("no secure connection (SSLError)", host=True)
    cause = getattr(error.args[0], "reason", None) if error.args else None
    if isinstance(error, (errors.ConnectTimeout, errors.ProxyError)) or isinstance(
        cause, NewConnectionError
    ):
        return _Failed("the host cannot be reached", host=True)
    if isinstance(error, (errors.ConnectionError, errors.Timeout, errors.ChunkedEncodingError)):
        return _Failed(f"{name} after {received} bytes", final=False, host=True)
    return _Failed(f"not a usable address, proxy or answer ({name})")

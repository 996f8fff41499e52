"""Bytes from a URL: time-outs that fail fast, retries where one can help, a limit on the size."""

import io
import time
from typing import Any
from urllib.parse import urlparse

from flgc.datasets.errors import SourceFailed
from flgc.datasets.progress import bar

TIMEOUT = (3.05, 10.0)  # seconds to connect; seconds without a byte
DEADLINE = 600.0  # seconds for a whole file, against a server that drips
TRIES = 3
PAUSE = 0.5  # seconds before the second try; doubled for each further one
MAX_BYTES = 64 * 2**20  # the largest raw file has 8 MB
REMEMBER = 60.0  # seconds for which an unreachable host is not tried again

_unreachable: dict[str, float] = {}


class _Failed(Exception):
    """Why one try failed; `final` if another one cannot help, `host` if the host is to blame."""

    def __init__(self, reason: str, *, final: bool, host: bool = False) -> None:
        super().__init__(reason)
        self.final, self.host = final, host


class _Sink(io.BytesIO):
    """Memory that refuses to grow past the limit: whatever a redirect leads to stays small."""

    def __init__(self) -> None:
        super().__init__()
        self.deadline = time.monotonic() + DEADLINE

    def write(self, chunk: Any) -> int:
        if self.tell() + len(chunk) > MAX_BYTES:
            raise _Failed(f"refused: more than {MAX_BYTES} bytes", final=True)
        if time.monotonic() > self.deadline:
            raise _Failed(f"not done after {DEADLINE:.0f} s", final=True)
        return super().write(chunk)


def download(url: str) -> bytes:
    """The content at a URL, or `SourceFailed` with the reason."""
    host = urlparse(url).netloc
    if time.monotonic() - _unreachable.get(host, -REMEMBER) < REMEMBER:
        raise SourceFailed(f"{url}: {host} could not be reached a moment ago")
    for attempt in range(1, TRIES + 1):
        try:
            return _attempt(url)
        except _Failed as failure:
            if failure.final or attempt == TRIES:
                if failure.host:
                    _unreachable[host] = time.monotonic()
                raise SourceFailed(f"{url}: {failure} (try {attempt} of {TRIES})") from failure
        time.sleep(PAUSE * 2 ** (attempt - 1))
    raise AssertionError("unreachable: the last try returns or raises")


def _attempt(url: str) -> bytes:
    import pooch
    import requests
    from urllib3.exceptions import NewConnectionError

    errors = requests.exceptions
    hopeless = (errors.ConnectTimeout, errors.ProxyError, errors.SSLError)
    sink = _Sink()
    try:
        with bar(url.rsplit("/", 1)[-1]) as progress:
            get = pooch.HTTPDownloader(progressbar=progress, timeout=TIMEOUT, chunk_size=2**16)
            get(url, sink, None)
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        raise _Failed(f"HTTP status {status}", final=status < 500 and status != 429) from error
    except requests.RequestException as error:
        cause = getattr(error.args[0], "reason", None) if error.args else None
        if isinstance(error, hopeless) or isinstance(cause, NewConnectionError):
            raise _Failed("the host cannot be reached", final=True, host=True) from error
        reason = f"{type(error).__name__} after {sink.tell()} bytes"
        raise _Failed(reason, final=False, host=True) from error
    return sink.getvalue()

"""The guarded server, asked by real requests what a foreign page, a foreign name and ours may."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("prefect")

from deployments import processes
from deployments.addresses import bind, url_of
from deployments.server import Guard
from tests.deployments.live import REPOSITORY, wait_until

FOREIGN = "http://evil.example"


@pytest.mark.parametrize(
    ("host", "origin", "answered"),
    [
        ("127.0.0.1:4200", None, True),
        ("localhost:4200", None, True),
        ("LOCALHOST", None, True),
        ("[::1]:4200", None, True),
        ("localhost:9000", "http://localhost:9000", True),  # through a tunnel
        ("evil.example:4200", None, False),
        ("localhost.evil.example", None, False),
        ("10.1.2.3:4200", None, False),
        ("", None, False),
        ("[", None, False),
        ("127.0.0.1:4200", FOREIGN, False),
        ("127.0.0.1:4200", "null", False),
        ("127.0.0.1:4200", "http://127.0.0.1:8888", False),
        ("127.0.0.1:4200", "http://localhost:4200", False),
        ("evil.example:4200", "http://evil.example:4200", False),
    ],
)
def test_a_server_of_this_machine_goes_by_its_own_names(
    host: str, origin: str | None, answered: bool
) -> None:
    assert (Guard(None, "127.0.0.1").refusal(host, origin) is None) is answered  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("host", "answered"),
    [
        ("10.1.2.3:4200", True),
        ("[fd00::2]:4200", True),
        (f"{socket.gethostname()}:4200", True),
        ("flgc.example.org", True),
        ("evil.example", False),
    ],
)
def test_a_server_for_other_machines_goes_by_addresses_and_by_the_names_it_is_given(
    host: str, answered: bool
) -> None:
    """An address cannot be made to point elsewhere; a name can."""
    guard = Guard(None, "0.0.0.0", ["flgc.example.org"])  # type: ignore[arg-type]
    assert (guard.refusal(host, None) is None) is answered


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:4200"),
        ("0.0.0.0", "http://127.0.0.1:4200"),
        ("::1", "http://[::1]:4200"),
        ("::", "http://[::1]:4200"),
        ("localhost", "http://localhost:4200"),
    ],
)
def test_addresses_of_ipv6_stand_in_brackets(host: str, url: str) -> None:
    assert url_of(host, 4200) == url


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers in lower case, text."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, body, named, method=method)
        try:
            answer = urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            found = {name.lower(): value for name, value in answer.headers.items()}
            return answer.status, found, answer.read().decode()


@pytest.fixture(scope="module")
def served(prefect_server: str) -> Served:
    return Served(prefect_server.removesuffix("/api"))


FLOW = b'{"name": "made by a page"}'


def test_a_foreign_page_reads_nothing(served: Served) -> None:
    for method, path, body in (
        ("GET", "/api/admin/settings", None),
        ("GET", "/api/csrf-token?client=page", None),
        ("POST", "/api/flows/filter", b"{}"),
        ("GET", "/ui-settings", None),
    ):
        status, headers, text = served.ask(method, path, body, Origin=FOREIGN)
        assert status == 403
        assert "access-control-allow-origin" not in headers
        assert text == f"pages of '{FOREIGN}' may not use this server\n"


def test_a_foreign_page_is_not_told_that_it_may(served: Served) -> None:
    wanted = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "*"}
    status, headers, _ = served.ask("OPTIONS", "/api/flows/", Origin=FOREIGN, **wanted)
    assert status == 403
    assert not [name for name in headers if name.startswith("access-control")]


def test_what_comes_without_an_origin_is_executed_but_not_readable(served: Served) -> None:
    """Images and scripts of foreign pages ask so; the browser hides the answer from the page."""
    status, headers, _ = served.ask("GET", "/api/flows/count", **{"Sec_Fetch_Site": "cross-site"})
    assert status in (200, 405)
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
@pytest.mark.parametrize("origin", [None, FOREIGN, "null"])
def test_nothing_is_changed_without_a_token(served: Served, kind: str, origin: str | None) -> None:
    named = {"Content_Type": kind} | ({"Origin": origin} if origin else {})
    status, headers, text = served.ask("POST", "/api/flows/", FLOW, **named)
    assert status == 403
    assert "access-control-allow-origin" not in headers
    assert "CSRF" in text or origin


def test_a_foreign_name_is_nobody(served: Served) -> None:
    for path in ("/", "/api/health", "/api/admin/settings"):
        status, _, text = served.ask("GET", path, Host="evil.example:4200")
        assert status == 403
        assert "this server is not 'evil.example'" in text
    same = {"Host": "evil.example", "Origin": "http://evil.example"}
    assert served.ask("POST", "/api/flows/", FLOW, **same)[0] == 403


def test_its_own_page_does_what_it_always_did(served: Served) -> None:
    """As the pages of Prefect do: they read where the API is, take a token, and send it along."""
    status, headers, text = served.ask("GET", "/ui-settings", Origin=served.url)
    settings = json.loads(text)
    assert (status, settings["api_url"], settings["csrf_enabled"]) == (200, "/api", True)
    assert headers["x-frame-options"] == "SAMEORIGIN"
    status, _, text = served.ask("GET", "/api/csrf-token?client=page", Origin=served.url)
    assert status == 200
    token = {"Prefect_Csrf_Token": json.loads(text)["token"], "Prefect_Csrf_Client": "page"}
    given = {"Origin": served.url, "Content_Type": "application/json"} | token
    status, headers, text = served.ask("POST", "/api/flows/", FLOW, **given)
    assert status == 201, text
    assert headers["access-control-allow-origin"] == served.url


async def socket_answer(url: str, origin: str | None) -> str:
    """What the server says to one who wants to hear of all events."""
    import websockets

    address = url.replace("http", "ws") + "/api/events/out"
    options: dict[str, Any] = {"subprotocols": ["prefect"], "origin": origin}
    try:
        async with websockets.connect(address, **options) as opened:
            await opened.send(json.dumps({"type": "auth", "token": None}))
            return str(json.loads(await opened.recv())["type"])
    except websockets.InvalidStatus as error:
        return str(error.response.status_code)


def test_events_are_told_to_programs_and_to_no_foreign_page(served: Served) -> None:
    assert asyncio.run(socket_answer(served.url, None)) == "auth_success"
    assert asyncio.run(socket_answer(served.url, served.url)) == "auth_success"
    assert asyncio.run(socket_answer(served.url, FOREIGN)) == "403"


@pytest.mark.slow
def test_a_server_of_ipv6_is_guarded_too(tmp_path: Path) -> None:
    with bind("::1", 0) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "deployments.server", "--host", "::1", "--port", str(port)]
    server = subprocess.Popen(command, env=environment(tmp_path), cwd=tmp_path)
    served = Served(url_of("::1", port))
    try:
        wait_until(lambda: answers(served), 180)
        assert served.ask("GET", "/api/health", Origin=served.url)[0] == 200
        assert served.ask("GET", "/api/health", Origin=FOREIGN)[0] == 403
        assert served.ask("GET", "/api/health", Host="evil.example:4200")[0] == 403
    finally:
        server.terminate()
        server.wait(30)


def answers(served: Served) -> bool:
    try:
        return served.ask("GET", "/api/health")[0] == 200
    except OSError:
        return False


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if "PREFECT" not in name}
    silent = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}
    return kept | silent | {"PREFECT_HOME": str(home), "PYTHONPATH": str(REPOSITORY)}


FLOW_OF_ITS_OWN = """
import os, sys, time
from prefect import flow
from prefect.settings import get_current_settings
from deployments.embedded import use_any_api

@flow
def one():
    assert get_current_settings().flows.heartbeat_frequency is None
    print(os.getpid(), flush=True)
    if len(sys.argv) > 1:
        time.sleep(300)

with use_any_api():
    one()
"""


@pytest.mark.slow
def test_the_embedded_server_ends_with_the_process(tmp_path: Path) -> None:
    """Also when that is killed; and its runs are in the database that `flgc up` uses."""
    home = tmp_path / "home"
    given = environment(home)
    command = [sys.executable, "-c", FLOW_OF_ITS_OWN]
    run = subprocess.run(command, env=given, capture_output=True, text=True, timeout=200)
    assert run.returncode == 0, run.stderr
    assert servers(home) == []
    assert (home / "prefect.db").exists()

    killed = subprocess.Popen([*command, "wait"], env=given, stdout=subprocess.PIPE)
    try:
        assert killed.stdout is not None
        assert int(killed.stdout.readline()) == killed.pid
        (server,) = servers(home)
    finally:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    try:
        server.wait(60)
    finally:
        processes.stop([server])
    again = subprocess.run(command, env=given, capture_output=True, text=True, timeout=200)
    assert again.returncode == 0, again.stderr


def servers(home: Path) -> list[psutil.Process]:
    """Processes but the flow's own that have this home: its server."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("PREFECT_HOME") == str(home) and "-c" not in process.cmdline():
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


@pytest.mark.slow
def test_an_embedded_server_that_cannot_start_says_why_without_secrets(tmp_path: Path) -> None:
    url = "postgresql+asyncpg://me:open-sesame@127.0.0.1:1/none"
    given = environment(tmp_path) | {"PREFECT_SERVER_DATABASE_CONNECTION_URL": url}
    result = subprocess.run(
        [str(Path(sys.executable).with_name("flgc")), "reproduce", "--suite", "tiny"],
        env=given,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert result.returncode == 1
    assert "flgc reproduce: Prefect's server ended" in result.stderr
    assert "Connect call failed" in result.stderr
    assert "open-sesame" not in result.stdout + result.stderr

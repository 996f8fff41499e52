"""The guarded server: what a foreign page, a foreign name and its own pages may do."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

pytest.importorskip("prefect")

from deployments import processes
from deployments.addresses import url_of
from deployments.server import Guard
from tests.deployments.live import environment, free_port, program, wait_until

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

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> httpx.Response:
        """Its answer; `_` stands for the `-` in the name of a header."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx.request(method, self.url + path, content=body, headers=named, timeout=30)


@pytest.fixture(scope="module")
def served(prefect_server: str) -> Served:
    return Served(prefect_server.removesuffix("/api"))


FLOWS, FLOW = "/api/flows/", '{"name": "made by a page"}'
NAME = "evil.example"
AS_JSON = {"Content_Type": "application/json"}


@pytest.mark.parametrize(
    ("request_line", "body", "headers", "reason"),
    [
        ("GET /api/admin/settings", "", {"Origin": FOREIGN}, FOREIGN),
        ("GET /api/csrf-token?client=page", "", {"Origin": FOREIGN}, FOREIGN),
        ("GET /ui-settings", "", {"Origin": FOREIGN}, FOREIGN),
        ("POST /api/flows/filter", "{}", {"Origin": FOREIGN}, FOREIGN),
        (f"POST {FLOWS}", FLOW, {"Origin": FOREIGN} | AS_JSON, FOREIGN),
        (f"POST {FLOWS}", FLOW, {"Origin": "null", "Content_Type": "text/plain"}, "null"),
        (
            f"OPTIONS {FLOWS}",
            "",
            {"Origin": FOREIGN} | {"Access_Control_Request_Method": "POST"},
            "",
        ),
        # Whatever a foreign page does without `Origin` has no token.
        (f"POST {FLOWS}", FLOW, AS_JSON, "CSRF"),
        (f"POST {FLOWS}", FLOW, {"Content_Type": "text/plain"}, "CSRF"),
        ("GET /", "", {"Host": f"{NAME}:4200"}, "this server is not 'evil.example'"),
        ("GET /api/health", "", {"Host": NAME}, "this server is not 'evil.example'"),
        (f"POST {FLOWS}", FLOW, {"Host": NAME, "Origin": FOREIGN}, "this server is not"),
    ],
)
def test_foreign_pages_and_names_and_calls_without_a_token_get_403_with_the_reason(
    served: Served, request_line: str, body: str, headers: dict[str, str], reason: str
) -> None:
    method, path = request_line.split()
    answer = served.ask(method, path, body, **headers)
    assert answer.status_code == 403
    assert reason in answer.text
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_what_comes_without_an_origin_is_executed_but_not_readable(served: Served) -> None:
    """Images and scripts of foreign pages ask so; the browser hides the answer from the page."""
    answer = served.ask("GET", "/api/health", Sec_Fetch_Site="cross-site")
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_its_own_page_does_what_it_always_did(served: Served) -> None:
    """As the pages of Prefect do: they read where the API is, take a token, and send it along."""
    answer = served.ask("GET", "/ui-settings", Origin=served.url)
    settings = answer.json()
    assert (settings["api_url"], settings["csrf_enabled"]) == ("/api", True)
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    token = served.ask("GET", "/api/csrf-token?client=page", Origin=served.url).json()["token"]
    page = {"Prefect_Csrf_Token": token, "Prefect_Csrf_Client": "page", "Origin": served.url}
    answer = served.ask("POST", FLOWS, FLOW, **page, **AS_JSON)
    assert answer.status_code == 201, answer.text
    assert answer.headers["access-control-allow-origin"] == served.url


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
    port = free_port("::1")
    command = [sys.executable, "-m", "deployments.server", "--host", "::1", "--port", str(port)]
    server = subprocess.Popen(command, env=environment(tmp_path), cwd=tmp_path)
    served = Served(url_of("::1", port))

    def status(**headers: str) -> int:
        with suppress(httpx.HTTPError):
            return served.ask("GET", "/api/health", **headers).status_code
        return 0

    try:
        wait_until(status, 180)
        codes = [status(Origin=served.url), status(Origin=FOREIGN), status(Host="evil.example")]
        assert codes == [200, 403, 403]
    finally:
        server.terminate()
        server.wait(30)


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
    variables, command = environment(home), [sys.executable, "-c", FLOW_OF_ITS_OWN]

    def run() -> None:
        ended = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=200)
        assert ended.returncode == 0, ended.stderr

    run()
    assert servers(home) == []
    assert (home / "prefect.db").exists()

    killed = subprocess.Popen([*command, "wait"], env=variables, stdout=subprocess.PIPE)
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
    run()


def servers(home: Path) -> list[psutil.Process]:
    """Processes but the flow's own that have this home: its server."""
    others = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):  # ended meanwhile, or another user's
            if process.environ().get("PREFECT_HOME") == str(home) and "-c" not in process.cmdline():
                others.append(process)
    return others


@pytest.mark.slow
def test_an_embedded_server_that_cannot_start_says_why_without_secrets(tmp_path: Path) -> None:
    url = "postgresql+asyncpg://me:open-sesame@127.0.0.1:1/none"
    result = subprocess.run(
        [program("flgc"), "reproduce", "--suite", "tiny"],
        env=environment(tmp_path, PREFECT_SERVER_DATABASE_CONNECTION_URL=url),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert result.returncode == 1
    assert "flgc reproduce: Prefect's server ended" in result.stderr
    assert "Connect call failed" in result.stderr
    assert "open-sesame" not in result.stdout + result.stderr

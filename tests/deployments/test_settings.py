"""What a stack is told and how its processes are found and ended, without a server."""

import os
import pwd
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("prefect")

from deployments import bare_names, processes, stack
from deployments.settings import HEARTBEAT_SECONDS, STACK_VARIABLE, StackSettings
from deployments.stack import LocalStack, StackError
from deployments.state import note_path, read_note, remove_note, write_note
from deployments.up import other_users, welcome
from tests.deployments.live import REPOSITORY, free_port, wait_until

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"port": 0}, "port 0"),
        ({"cpu_workers": 0}, "at least one CPU worker"),
        ({"auth": "password"}, "user:password"),
        ({"auth": ":password"}, "user:password"),
        ({"database_url": "postgresql://host/name"}, r"postgresql\+asyncpg://"),
        ({"database_url": "me:secret@host/name"}, "starts with ''"),
        ({"silent_seconds": 30}, "every 30 s"),
    ],
)
def test_bad_settings_are_refused_by_name(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        StackSettings(**wrong)


def test_the_environment_is_silent_guarded_and_marked() -> None:
    settings = StackSettings(auth="me:secret", database_url="postgresql+asyncpg://h/n", port=4321)
    made = settings.environment()
    assert made["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert made["DO_NOT_TRACK"] == "1"
    assert made["PREFECT_API_URL"] == "http://127.0.0.1:4321/api"
    assert made["PREFECT_SERVER_API_AUTH_STRING"] == made["PREFECT_API_AUTH_STRING"] == "me:secret"
    assert made["PREFECT_SERVER_DATABASE_CONNECTION_URL"] == "postgresql+asyncpg://h/n"
    assert made[STACK_VARIABLE] == settings.stack_id
    assert "secret" not in welcome(settings)


def test_secrets_are_hidden_wherever_a_process_says_them() -> None:
    """A password with a slash must be quoted in a URL; one that is not makes odd messages."""
    url = "postgresql+asyncpg://me:open/sesame@host/name"
    settings = StackSettings(auth="me:secret", database_url=url)
    text = f"cannot reach {url}; password open/sesame of postgresql://you:other@host; me:secret"
    hidden = "cannot reach ***; password *** of postgresql://***@host; ***"
    assert settings.without_secrets(text) == hidden
    assert "secret" not in repr(settings)
    assert "sesame" not in repr(settings)


def test_an_address_of_ipv6_is_probed_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deployments.api.TIMEOUT_SECONDS", 0.2)
    with socket.socket(socket.AF_INET6) as taken:
        taken.bind(("::1", 0))
        taken.listen()
        settings = StackSettings(host="::1", port=taken.getsockname()[1])
        assert settings.api_url == f"http://[::1]:{settings.port}/api"
        with pytest.raises(StackError, match=r"port \d+ of ::1 is not available"):
            LocalStack(settings).clear_the_way()
    LocalStack(StackSettings(host="::1", port=free_port())).clear_the_way()


def test_a_log_that_has_grown_is_begun_anew_under_its_writer(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = "import sys, time\nwhile True: print('x' * 99, flush=True); time.sleep(.001)"
    writer = started(code, "writer", tmp_path)
    try:
        for _ in range(3):
            wait_until(lambda: log.exists() and log.stat().st_size > 10_000, 20)
            processes.rotate(log, 10_000)
            assert log.stat().st_size < 10_000
            kept = (tmp_path / "log.1").read_bytes()
            assert len(kept) > 10_000
            assert b"\0" not in kept, "it went on at its old end"
    finally:
        writer.kill()
        writer.wait()
    assert sorted(path.name for path in tmp_path.glob("log*")) == ["log", "log.1"]


@pytest.mark.parametrize(("size", "text"), [(5, "xxxxxnew\n"), (processes.LOG_BYTES + 1, "new\n")])
def test_a_large_log_is_begun_anew_at_the_start(tmp_path: Path, size: int, text: str) -> None:
    (tmp_path / "log").write_bytes(b"x" * size)
    started("print('new')", "new", tmp_path).wait(20)
    assert (tmp_path / "log").read_text() == text


def test_a_worker_that_does_not_stay_is_started_ever_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    now = 1000.0
    monkeypatch.setattr(stack.time, "monotonic", lambda: now)
    lines: list[str] = []
    made = LocalStack(StackSettings(), lines.append)
    monkeypatch.setattr(made, "_start", lambda *_: started("pass", "worker", tmp_path))
    made.start_worker("cpu-0", "flgc-cpu", {})
    waits = []
    for _ in range(12):
        first = made.workers["cpu-0"]
        first.process.wait(20)
        ended = now
        while made.workers["cpu-0"] is first:
            made.replace_workers()
            now += 0.5
        waits.append(now - ended - 0.5)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    assert len(lines) == len(waits), "one message for each end"
    assert lines[3].endswith("another starts in 8 s")
    now += 700  # it has stayed for a while
    made.workers["cpu-0"].process.wait(20)
    made.replace_workers()
    assert lines[-1].endswith("another starts in 1 s")


def test_each_gpu_worker_sees_one_gpu() -> None:
    workers = StackSettings(gpu_workers=2).workers()
    assert [(name, pool) for name, pool, _ in workers] == [
        ("cpu-0", "flgc-cpu"),
        ("gpu-0", "flgc-gpu"),
        ("gpu-1", "flgc-gpu"),
    ]
    assert [further.get("CUDA_VISIBLE_DEVICES") for _, _, further in workers] == [None, "0", "1"]


def test_an_open_door_is_warned_of() -> None:
    assert "Warning" in welcome(StackSettings(host="0.0.0.0"))
    assert "Warning" not in welcome(StackSettings(host="0.0.0.0", auth="me:secret"))
    assert "Warning" not in welcome(StackSettings())
    text = welcome(StackSettings(), ["ann", "ben", "cem", "dan"])
    assert "\nWarning: other users of this machine (ann, ben, cem, ...) can run" in text
    assert "Warning" not in welcome(StackSettings(auth="me:secret"), ["ann"])
    assert "http://127.0.0.1:4200" in welcome(StackSettings(host="0.0.0.0"))


def test_other_users_are_people_who_can_log_in(monkeypatch: pytest.MonkeyPatch) -> None:
    shells = {"root": 0, "daemon": 1, "me": os.getuid() or 1000, "ann": 1001, "nobody": 65534}
    users = [pwd.struct_passwd((n, "x", u, u, "", "/", "/bin/sh")) for n, u in shells.items()]
    users.append(pwd.struct_passwd(("robot", "x", 1002, 1002, "", "/", "/usr/sbin/nologin")))
    monkeypatch.setattr(pwd, "getpwall", lambda: users)
    monkeypatch.setattr(os, "getuid", lambda: users[2].pw_uid)
    assert other_users() == ["ann"]


def test_what_is_declared_needs_no_git_and_has_its_pool() -> None:
    declared = yaml.safe_load((REPOSITORY / "deployments" / "prefect.yaml").read_text())
    assert "pull" not in declared
    by_name = {each["name"]: each for each in declared["deployments"]}
    assert set(by_name) == {"reproduce-paper", "track-paper", "track-tiny", "fit-on-gpu"}
    assert by_name["track-paper"]["parameters"] == {"suite": "paper", "strict": True}
    assert by_name["track-tiny"]["parameters"] == {"suite": "tiny", "strict": True}
    pools = {name: each["work_pool"]["name"] for name, each in by_name.items()}
    assert pools.pop("fit-on-gpu") == "flgc-gpu"
    assert set(pools.values()) == {"flgc-cpu"}
    for each in by_name.values():
        heard = each["work_pool"]["job_variables"]["env"]["PREFECT_FLOWS_HEARTBEAT_FREQUENCY"]
        assert int(heard) == HEARTBEAT_SECONDS


def started(code: str, stack_id: str, tmp_path: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {STACK_VARIABLE: stack_id}
    return processes.start(["-c", code], environment, tmp_path / "log", tmp_path)


def test_members_are_found_through_sessions_and_killed_when_stubborn(tmp_path: Path) -> None:
    grandchild = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {STUBBORN!r}], "
    grandchild += "start_new_session=True)"
    parent = started(grandchild, "mine", tmp_path)
    other = started(STUBBORN, "other", tmp_path)
    try:
        assert parent.wait(20) == 0
        time.sleep(0.5)
        found = processes.members("mine")
        assert len(found) == 1
        processes.stop(found, term_seconds=1)
        assert processes.members("mine") == []
        assert len(processes.members("other")) == 1
    finally:
        other.kill()
        other.wait()


def test_leftovers_of_a_killed_stack_are_stopped(tmp_path: Path) -> None:
    left = started("import time; time.sleep(60)", "killed", tmp_path)
    write_note("killed", "http://127.0.0.1:1/api")
    pid_of_nobody = 2**22 + 1
    note_path().write_text(note_path().read_text().replace(str(os.getpid()), str(pid_of_nobody)))
    lines: list[str] = []
    LocalStack(StackSettings(port=free_port()), lines.append).clear_the_way()
    assert left.wait(20) is not None
    assert processes.members("killed") == []
    assert lines == ["stopping 1 processes that a killed stack left behind"]


def test_a_running_stack_is_named() -> None:
    write_note("mine", "http://127.0.0.1:4200/api")
    with pytest.raises(StackError, match=rf"process {os.getpid()}.*http://127.0.0.1:4200;"):
        LocalStack(StackSettings(port=free_port())).clear_the_way()
    remove_note("another")
    assert read_note() is not None
    remove_note("mine")
    assert read_note() is None


def test_a_port_of_another_program_is_named(tmp_path: Path) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        port = other.server_port
        with pytest.raises(StackError, match=rf"port {port} .* choose another --port"):
            LocalStack(StackSettings(port=port)).clear_the_way()
        other.shutdown()


def test_no_driver_means_no_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert stack.count_gpus() == 0
    lister = tmp_path / "nvidia-smi"
    lister.write_text("#!/bin/sh\necho 'GPU 0: a (UUID: x)'\necho 'GPU 1: b (UUID: y)'\n")
    lister.chmod(0o755)
    assert stack.count_gpus() == 2


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["prefect", "deployment", "ls"], True),
        (["prefect", "server", "start"], False),
        (["pytest", "deployment", "ls"], False),
    ],
)
def test_commands_without_a_server_are_told_of_the_stack(
    monkeypatch: pytest.MonkeyPatch, command: list[str], told: bool
) -> None:
    from prefect.logging import get_logger
    from prefect.plugins import HookContext

    monkeypatch.setattr(sys, "argv", command)
    monkeypatch.setattr(sys, "orig_argv", command)
    write_note("mine", "http://127.0.0.1:4321/api")

    def answer(api_url: str | None) -> Any:
        context = HookContext(prefect_version="3", api_url=api_url, logger_factory=get_logger)
        return bare_names.setup_environment(ctx=context)

    found = answer(None)
    assert (found is not None) is told
    if told:
        assert found.env == {"PREFECT_API_URL": "http://127.0.0.1:4321/api"}
    assert answer("http://elsewhere/api") is None

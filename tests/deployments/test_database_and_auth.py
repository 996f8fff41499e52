"""The stack on PostgreSQL with its door locked: calls with and without the key, a real run."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("prefect")

from deployments import api
from flgc.methods.picking import PROTOCOLS
from flows.dag import cells
from tasks.declared.suites import suite_named
from tests.deployments.live import Up, free_port, start_up

pytestmark = [pytest.mark.slow, pytest.mark.stack]

AUTH = "reader:open sesame"


def postgres_programs() -> Path | None:
    """Debian keeps them apart from the path, one folder per version."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    on_path = shutil.which("initdb")
    return versions[0].parent if versions else Path(on_path).parent if on_path else None


PROGRAMS = postgres_programs()


@pytest.fixture(scope="module")
def database_url() -> Iterator[str]:
    if PROGRAMS is None:
        pytest.skip("postgresql is not installed (Debian: apt-get install postgresql)")
    # Not below pytest's own folder, which no other user may enter.
    folder = Path(tempfile.mkdtemp(prefix="flgc-postgres-"))
    as_owner = _as_another_user(folder)
    port, data = free_port(), folder / "data"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "check": True, "cwd": "/", **as_owner}
    initdb = [PROGRAMS / "initdb", "-D", data, "-U", "flgc", "-A", "trust", "--no-sync"]
    subprocess.run(initdb, **quiet)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    control = [PROGRAMS / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    subprocess.run([*control, "-o", options, "start"], **quiet)
    try:
        yield f"postgresql+asyncpg://flgc@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
        shutil.rmtree(folder)


def _as_another_user(folder: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root: give the folder to its own user."""
    if os.geteuid() != 0:
        return {}
    try:
        owner = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user 'postgres'")
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}


@pytest.fixture(scope="module")
def up(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    folder = tmp_path_factory.mktemp("guarded")
    running = start_up(folder, "--database-url", database_url, auth=AUTH)
    try:
        yield running
    finally:
        running.stop()


def test_a_call_without_the_string_gets_401(up: Up) -> None:
    for wrong in (None, "reader:guess"):
        with pytest.raises(httpx.HTTPStatusError, match="401"):
            api.client_of(up.api_url, wrong).read_deployments()
    names = {found["name"] for found in up.ask("POST", "/deployments/filter", {})}
    assert "reproduce-paper" in names
    assert "sesame" not in up.output


def test_the_command_without_the_string_is_refused(up: Up) -> None:
    result = up.prefect("deployment", "run", "reproduce-paper")
    assert result.returncode == 1
    assert "401" in result.stdout + result.stderr


def test_the_suite_runs_with_the_string_on_postgresql(up: Up, database_url: str) -> None:
    up.environment["PREFECT_API_AUTH_STRING"] = AUTH
    run = up.watch()
    assert up.state(run)["name"] == "Completed"
    _, tiny = suite_named("tiny")
    n_cells = sum(len(cells(experiment, PROTOCOLS)) for experiment in tiny)
    assert f"\n{n_cells} cells complete.\n" in (up.reports / "report.md").read_text()
    keys = {artifact["key"] for artifact in up.ask("POST", "/artifacts/latest/filter", {})}
    assert {"report-tiny", "uci-tiny-table"} <= keys
    assert not list(up.home.glob("*.db")), "SQLite was used after all"
    assert rows(database_url, f"select name from flow_run where id = '{run}'") == [
        "reproduce-paper tiny"
    ]


def rows(database_url: str, query: str) -> list[str]:
    """What PostgreSQL itself says, asked by its own client."""
    assert PROGRAMS is not None
    url = database_url.replace("+asyncpg", "")
    command = [PROGRAMS / "psql", "--no-psqlrc", "-At", "-c", query, url]
    return subprocess.check_output(command, text=True, timeout=60).splitlines()

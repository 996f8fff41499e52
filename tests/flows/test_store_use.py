"""What a run shows of its store: that it is in use, and none of its secrets."""

import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tasks.store import Store
from tasks.store.leases import running_since
from tasks.store.upkeep import artifact_keys
from tests.tasks.store.test_store_secrets import assert_silent
from tests.tasks.store.vault import address

prefect = pytest.importorskip("prefect")
pytestmark = pytest.mark.slow


def everything_known() -> str:
    """All that the server was told: runs with their parameters, states and logs, artifacts."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        found: list[Any] = [*client.read_flow_runs(), *client.read_task_runs()]
        found += client.read_logs()
        found += client.read_artifacts()
        return "\n".join(item.model_dump_json() for item in found)


def test_a_run_leaves_a_lease_while_it_lives_and_no_secret_anywhere(
    prefect_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows import execute
    from flows.cli.reproduce import app

    monkeypatch.setenv("FLGC_STORE", address(tmp_path / "store"))
    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path / "reports"))
    store, seen = Store(), []

    def listen(*_: object) -> None:
        seen.append(running_since(store.files, time.time()))

    monkeypatch.setattr(execute, "listeners", [listen])
    chosen = ["--suite", "tiny", "--dataset", "iris", "--method", "FLGC", "--runs", "1"]
    result = CliRunner().invoke(app, chosen)
    assert result.exit_code == 0, result.output
    assert seen
    assert None not in seen
    assert running_since(store.files, time.time()) is None
    assert len(artifact_keys(store)) > 5
    known = everything_known()
    assert "vault://***@" in known
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in files).decode(errors="ignore")
    for text in (known, result.output, kept):
        assert_silent(text)


def test_a_parameter_with_secrets_is_refused(
    prefect_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.cli.reproduce import app

    monkeypatch.delenv("FLGC_STORE", raising=False)
    result = CliRunner().invoke(app, ["--suite", "tiny", "--store", address(tmp_path)])
    assert result.exit_code == 2
    assert "taken from FLGC_STORE only" in result.output
    assert_silent(result.output)

"""`flgc store` and the functions behind it."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner, Result

from tasks.store.cli import app
from tasks.store.store import Artifact, Store, file_name
from tasks.store.upkeep import find_key, list_artifacts, prune, verify


def one(value: int) -> pa.Table:
    return pa.table({"value": [value]})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def chain(store: Store) -> dict[str, Artifact]:
    """raw -> graph -> fit, and a graph that nothing was made from."""
    raw = store.get_or_compute("download", (), lambda: one(1), inputs={"source": "f" * 64})
    graph = store.get_or_compute(
        "graph", (), lambda: one(2), parameters={"k": 5}, inputs={"raw": raw}
    )
    other = store.get_or_compute(
        "graph", (), lambda: one(3), parameters={"k": 9}, inputs={"raw": raw}
    )
    fit = store.get_or_compute("fit", (), lambda: one(4), inputs={"graph": graph})
    return {"raw": raw, "graph": graph, "other": other, "fit": fit}


def run(store: Store, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--store", store.url])


def run_json(store: Store, *arguments: str) -> Any:
    return json.loads(run(store, *arguments, "--json").stdout)


def break_file(store: Store, artifact: Artifact, keep: int = 30) -> None:
    path = Path(store.url) / file_name(artifact.key)
    path.write_bytes(path.read_bytes()[:keep])


def test_ls(store: Store, chain: dict[str, Artifact]) -> None:
    assert {row["key"] for row in run_json(store, "ls")} == {a.key for a in chain.values()}
    assert [row["key"] for row in run_json(store, "ls", "fit")] == [chain["fit"].key]
    shown = run(store, "ls")
    assert shown.exit_code == 0
    assert "4 artifacts" in shown.stdout


def test_ls_of_nothing_and_of_damage(store: Store) -> None:
    assert run_json(store, "ls") == []
    artifact = store.get_or_compute("fit", (), lambda: one(1))
    break_file(store, artifact)
    assert run_json(store, "ls")[0]["readable"] is False
    assert "unreadable" in run(store, "ls").stdout


def test_show(store: Store, chain: dict[str, Artifact]) -> None:
    record = run_json(store, "show", chain["graph"].key[:20])
    assert record["parameters"] == {"k": 5}
    assert record["digest"] == chain["graph"].digest
    assert "1 rows of value: int64" in run(store, "show", chain["graph"].key).stdout


@pytest.mark.parametrize(
    ("beginning", "message"), [("graph", "2 artifacts"), ("zzz", "no artifact")]
)
def test_show_needs_one_artifact(
    store: Store, chain: dict[str, Artifact], beginning: str, message: str
) -> None:
    result = run(store, "show", beginning)
    assert result.exit_code == 1
    assert message in result.stderr
    with pytest.raises(KeyError, match=message):
        find_key(store, beginning)


def test_verify(store: Store, chain: dict[str, Artifact]) -> None:
    assert run(store, "verify").exit_code == 0
    break_file(store, chain["graph"])
    assert run(store, "verify").exit_code == 1
    assert set(run_json(store, "verify")["damaged"]) == {chain["graph"].key}
    assert dict(verify(store))[chain["fit"].key] is None
    assert run(store, "show", chain["graph"].key).exit_code == 1


def test_prune_says_first(store: Store, chain: dict[str, Artifact]) -> None:
    break_file(store, chain["other"])
    assert "add --delete" in run(store, "prune").stdout
    assert len(list_artifacts(store)) == 4
    assert run_json(store, "prune", "--delete")["deleted"] is True
    assert len(list_artifacts(store)) == 3


def test_prune_what_results_do_not_need(store: Store, chain: dict[str, Artifact]) -> None:
    files = run_json(store, "prune", "--keep", chain["fit"].key)["files"]
    assert [file["name"] for file in files] == [file_name(chain["other"].key)]


def test_prune_by_stage_and_age(store: Store, chain: dict[str, Artifact]) -> None:
    assert len(run_json(store, "prune", "--stage", "graph")["files"]) == 2
    assert run_json(store, "prune", "--older-than", "1")["files"] == []
    in_a_week = max(listed.created for listed in list_artifacts(store)) + 7 * 86400
    assert len(prune(store, older_than_days=5, now=in_a_week)) == 4


def test_a_result_that_is_not_there_prunes_nothing(
    store: Store, chain: dict[str, Artifact]
) -> None:
    """A misspelt key must not make everything unreachable."""
    result = run(store, "prune", "--keep", "fit-0000", "--delete")
    assert result.exit_code == 1
    assert len(list_artifacts(store)) == 4


def test_a_store_that_cannot_be_opened() -> None:
    result = CliRunner().invoke(app, ["ls", "--store", "nosuch://x"])
    assert result.exit_code == 1
    assert "nosuch://x" in result.stderr


def test_the_same_on_another_filesystem(chain: dict[str, Artifact]) -> None:
    remote = Store("memory://cli-test/store")
    artifact = remote.get_or_compute("fit", (), lambda: one(1))
    assert [row["key"] for row in run_json(remote, "ls")] == [artifact.key]
    assert run(remote, "verify").exit_code == 0
    assert len(run_json(remote, "prune", "--stage", "fit", "--delete")["files"]) == 1
    assert run_json(remote, "ls") == []

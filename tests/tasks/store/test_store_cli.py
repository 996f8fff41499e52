"""`flgc store` and the functions behind it."""

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from flows.cli.store import _enough_digits, app
from tasks.store.store import Artifact, Store
from tasks.store.upkeep import Listed, list_artifacts, verify
from tests.tasks.store.kit import chain_in, cut, keys, one, run, run_json


@pytest.fixture
def chain(store: Store) -> dict[str, Artifact]:
    return chain_in(store)


def test_ls(store: Store, chain: dict[str, Artifact]) -> None:
    assert {row["key"] for row in run_json(store, "ls")} == keys(*chain.values())
    assert [row["key"] for row in run_json(store, "ls", "--stage", "fit")] == [chain["fit"].key]


def test_ls_is_a_line_for_each_with_totals_by_stage(
    store: Store, chain: dict[str, Artifact]
) -> None:
    wide = store.get_or_compute(
        "fit",
        (),
        lambda: pa.table({"value": range(5000)}),
        parameters={"grid": list(range(500))},
        provenance={"about": "Cora FLGC* honest"},
    )
    result = run(store, "ls", "--sort", "size")
    assert result.exit_code == 0
    artifacts, totals, (last,) = (part.splitlines() for part in result.stdout.split("\n\n"))
    assert len(artifacts) == 1 + 6
    assert artifacts[-1].startswith("fit      Cora FLGC* honest")
    assert artifacts[-1].endswith(wide.key.rpartition("-")[2][:8])
    assert [line.split()[:2] for line in totals[1:]] == [
        ["dataset", "1"],
        ["history", "1"],
        ["graph", "2"],
        ["fit", "2"],
    ]
    assert last.startswith("6 artifacts, ")
    for line in artifacts[1:]:
        assert run(store, "show", line.split()[-1]).exit_code == 0


def test_ls_shows_so_many_digits_that_each_artifact_can_be_told() -> None:
    keys = [f"fit-{'ab' * 6}{last * 52}" for last in "01"]
    listed = [Listed(f"fit/{key}.parquet", 1, None, None) for key in keys]
    assert _enough_digits(listed) == 13
    assert _enough_digits(listed[:1]) == _enough_digits([]) == 8


@pytest.mark.parametrize("width", [60, 200])
def test_on_a_terminal_each_artifact_has_one_line(
    store: Store, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = "a long text " * 8
    monkeypatch.setattr("flows.cli.store._width", lambda: width)
    store.get_or_compute("fit", (), lambda: one(1), provenance={"about": about})
    line = run(store, "ls").stdout.splitlines()[1]
    assert len(line) <= width
    assert ("…" in line) is (width == 60)
    assert (about.strip() in line) is (width == 200)


def test_ls_of_a_stage_that_is_not_there(store: Store, chain: dict[str, Artifact]) -> None:
    result = run(store, "ls", "--stage", "fits")
    assert result.exit_code == 2
    assert "no artifact of stage fits; there are dataset, fit, graph, history" in result.stderr


def test_ls_of_nothing_and_of_damage(store: Store) -> None:
    assert run_json(store, "ls") == []
    artifact = store.get_or_compute("fit", (), lambda: one(1))
    cut(store, artifact)
    assert run_json(store, "ls")[0]["readable"] is False
    assert "unreadable" in run(store, "ls").stdout


def test_show(store: Store, chain: dict[str, Artifact]) -> None:
    record = run_json(store, "show", chain["graph"].key[:20])
    assert record["parameters"] == {"k": 5}
    assert record["digest"] == chain["graph"].digest
    assert record["columns"] == {"value": "int64"}
    output = run(store, "show", chain["graph"].key).stdout
    for part in (chain["graph"].key, "k  5", f"raw  {chain['raw'].key}", "1 row\n  value  int64"):
        assert part in output


@pytest.mark.parametrize(
    ("beginning", "message"), [("graph", "2 artifacts"), ("zzz", "no artifact")]
)
def test_show_needs_one_artifact(
    store: Store, chain: dict[str, Artifact], beginning: str, message: str
) -> None:
    result = run(store, "show", beginning)
    assert result.exit_code == 2
    assert message in result.stderr


def test_verify(store: Store, chain: dict[str, Artifact]) -> None:
    assert run(store, "verify").exit_code == 0
    cut(store, chain["graph"])
    assert run(store, "verify").exit_code == 1
    assert set(json.loads(run(store, "verify", "--json").stdout)["damaged"]) == {chain["graph"].key}
    assert dict(verify(store))[chain["fit"].key] is None
    assert run(store, "show", chain["graph"].key).exit_code == 1


def test_prune_says_first(store: Store, chain: dict[str, Artifact]) -> None:
    cut(store, chain["other"])
    assert "add --delete" in run(store, "prune").stdout
    assert len(list_artifacts(store)) == 5
    assert run_json(store, "prune", "--delete")["deleted"] is True
    assert len(list_artifacts(store)) == 4


def test_a_store_that_cannot_be_opened() -> None:
    result = CliRunner().invoke(app, ["ls", "--store", "nosuch://x"])
    assert result.exit_code == 2
    assert "nosuch://x" in result.stderr

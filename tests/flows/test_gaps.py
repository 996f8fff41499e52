"""What a run says and ends with when data cannot be had, through a real server."""

import dataclasses
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from flgc.datasets import REGISTRY
from flgc.datasets.catalogue.entry import RawFile, Route, Url
from flgc.datasets.readers.reader import Parsed

prefect = pytest.importorskip("prefect")
pytestmark = pytest.mark.slow

REFUSED = "http://127.0.0.1:9/raw.data"  # nobody listens there, on any machine


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Store, cache and reports of all runs here: iris is computed once."""
    return tmp_path_factory.mktemp("gaps")


@pytest.fixture(autouse=True)
def _settings(prefect_server: str, places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLGC_CACHE", str(places / "cache"))
    monkeypatch.setenv("FLGC_REPORTS", str(places / "reports"))
    monkeypatch.delenv("FLGC_MIRROR", raising=False)
    for name in ("PREFECT_LOGGING_LEVEL", "PREFECT_LOGGING_SERVER_LEVEL", "DO_NOT_TRACK"):
        monkeypatch.setenv(name, "CRITICAL")


@pytest.fixture(autouse=True)
def _upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wine comes from an address that refuses connections, as all do without network."""
    route = Route(read, (RawFile("raw.data", (Url(REFUSED),)),))
    monkeypatch.setitem(REGISTRY, "wine", dataclasses.replace(REGISTRY["wine"], routes=(route,)))


def read(files: Mapping[str, bytes], classes: tuple[str, ...]) -> Parsed:
    table = np.loadtxt(io.BytesIO(files["raw.data"]))
    return Parsed(table[:, 1:], table[:, 0].astype(int))


def reproduce(places: Path, *arguments: str) -> Any:
    from flows.cli.reproduce import app

    chosen = ["--suite", "tiny", "--method", "FLGC", "--runs", "1"]
    return CliRunner().invoke(app, [*chosen, "--store", str(places / "store"), *arguments])


IRIS_AND_WINE = ("--dataset", "iris", "--dataset", "wine")


def lines(text: str, start: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(start)]


def test_what_is_not_reachable_is_one_line_and_no_failure(places: Path) -> None:
    from prefect.artifacts import Artifact

    result = reproduce(places, *IRIS_AND_WINE)
    assert result.exit_code == 0, result.output
    assert "4 cells complete, 4 not reachable:" in result.stdout
    assert len(lines(result.stdout, "- ")) == 1
    (line,) = lines(result.stdout, "- wine: no source could be reached (4 cells): ")
    assert "127.0.0.1:9" in line
    assert "not reachable" in lines(result.stdout, "wine ")[0]
    assert "Upstream" not in result.output
    first, *_, last = lines(result.stderr, "uci-tiny: ")
    assert first.endswith(" cells ...")
    assert last.endswith(" s")
    [folder] = (places / "reports").glob("tiny-iris-wine-*")
    report = (folder / "report.md").read_text()
    assert "4 cells complete, 4 not reachable.\n" in report
    assert "### Failed" not in report
    _, *tables = report.split("### Not available\n\n")
    assert len(tables) == 2
    for table in tables:
        assert table.startswith("- wine: no source could be reached (2 cells): ")
    summary: Any = Artifact.get(f"uci-{folder.name}-summary")
    assert len(lines(summary.data, "- wine: no source could be reached (2 cells): ")) == 1


def test_the_states_of_the_flows_say_it_too(places: Path) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter

    from flows.uci import uci

    chosen: dict[str, Any] = {
        "suite": "tiny",
        "datasets": ["iris", "wine"],
        "methods": ["FLGC"],
        "runs": 1,
        "store": str(places / "store"),
        "return_state": True,
    }
    states = {
        "one table": uci(**chosen),
        "strict": uci(**chosen, strict=True),
        "nothing": uci(**{**chosen, "datasets": ["wine"]}),
    }
    assert {name: state.is_completed() for name, state in states.items()} == {
        "one table": True,
        "strict": False,
        "nothing": False,
    }
    for state in states.values():
        assert len(lines(state.message, "- wine: no source could be reached (")) == 1
        assert "Upstream" not in state.message
    nothing = states["nothing"]
    assert nothing.message.startswith("0 cells complete, 2 not reachable:")
    wanted = {"id": {"any_": [str(nothing.state_details.flow_run_id)]}}
    with get_client(sync_client=True) as client:
        runs = client.read_task_runs(flow_run_filter=FlowRunFilter.model_validate(wanted))
    tries = [(run.name, run.run_count) for run in runs if run.name == "dataset wine"]
    assert tries == [("dataset wine", 1)], "what is not reachable is not tried again"


def test_a_wrong_digest_ends_with_1_and_its_reason(
    places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tasks.stages.cells import dataset

    monkeypatch.setattr(dataset.task, "retry_delay_seconds", 0)
    (tmp_path / "wine").mkdir()
    (tmp_path / "wine" / "raw.data").write_text("sour")
    monkeypatch.setenv("FLGC_MIRROR", str(tmp_path))
    result = reproduce(places, *IRIS_AND_WINE)
    assert result.exit_code == 1
    assert "4 cells complete, 4 failed:" in result.stderr
    (line,) = lines(result.stderr, "- ")
    assert line.startswith("- wine: failed (4 cells): ")
    assert "not the expected content" in line
    assert "Upstream" not in result.output


def test_tracking_without_a_graph_says_so(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import flows.track

    entry = dataclasses.replace(REGISTRY["wine"], name="KarateClub")
    monkeypatch.setitem(REGISTRY, "KarateClub", entry)
    state: Any = flows.track.track(suite="tiny", store=str(places / "store"), return_state=True)
    assert state.is_failed()
    assert "- KarateClub: no source could be reached (15 cells): " in state.message

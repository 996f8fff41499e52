import logging
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("prefect")

from flgc.benchmark.history import ALL_STAGES, COLUMNS, ONE_FIT, RATIO
from tasks.analyses.history import FEWEST
from tasks.stages.history import history, past
from tasks.store import Store
from tasks.store.store import file_name
from tasks.store.upkeep import IRREPLACEABLE


def point(store: Store, when: str) -> Path:
    row = dict.fromkeys(COLUMNS, "x") | {"when": when, "value": 1.0}
    artifact = store.get_or_compute(
        "history", (), lambda: pd.DataFrame([row]), parameters={"when": when}
    )
    return Path(store.url) / file_name(artifact.key)


def test_a_damaged_point_of_history_is_left_out_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("prefect"), "propagate", True)
    assert history.name in IRREPLACEABLE
    store = Store(tmp_path)
    paths = [point(store, f"2026-01-0{day}") for day in (3, 1, 2)]
    assert list(past(store.url)["when"]) == ["2026-01-01", "2026-01-02", "2026-01-03"]
    paths[1].write_bytes(paths[1].read_bytes()[:-9])
    with caplog.at_level(logging.WARNING):
        found = past(store.url)
    assert list(found["when"]) == ["2026-01-02", "2026-01-03"]
    assert found["value"].dtype == float
    assert paths[1].stem in caplog.text
    for path in paths:
        path.write_bytes(b"")
    assert list(past(store.url).columns) == COLUMNS


CHOSEN: dict[str, Any] = {"suite": "tiny", "methods": ["FLGC"], "protocols": ["honest"], "runs": 1}


def inject(store: Store, metric: str, value: float) -> None:
    """Enough earlier runs in which FLGC on the karate club had this value."""
    row = {"suite": "tiny", "dataset": "KarateClub", "method": "FLGC", "protocol": "honest"}
    for day in range(1, FEWEST + 1):
        point = pd.DataFrame(
            [{**row, "metric": metric, "value": value, "when": f"2026-01-0{day}"}], columns=COLUMNS
        )
        store.get_or_compute("history", (), lambda point=point: point, parameters={"day": day})


def tracked(store: Store, **chosen: Any) -> Any:
    from flows.track import track

    return track(**{**CHOSEN, "store": store.url, **chosen}, return_state=True)


def said_in_the_ui() -> str:
    from prefect.artifacts import Artifact

    found: Any = Artifact.get("track-tiny")
    return found.data


def as_the_server_knows(state: Any) -> Any:
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        return client.read_flow_run(state.state_details.flow_run_id).state


@pytest.mark.slow
def test_a_run_that_drifts_ends_in_a_state_of_its_own(prefect_server: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    inject(store, "accuracy", 0.01)
    state = tracked(store)
    known = as_the_server_knows(state)
    assert (known.name, known.is_completed()) == ("Drifted", True)
    verdict, line = known.message.splitlines()
    assert verdict == "Drift: 1 of 1 values left the spread of their history (1 better):"
    assert line.startswith("- KarateClub FLGC honest accuracy: ")
    assert line.endswith(", better; usually 0.01 (0.0095 to 0.0105)")
    assert said_in_the_ui().splitlines()[2].startswith(f"**{verdict[:-1]}.** {FEWEST + 1} runs ")
    assert line in said_in_the_ui()
    [section] = state.result()
    assert section.cells


@pytest.mark.slow
def test_a_run_that_does_not_drift_ends_as_ever(prefect_server: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert tracked(store).name == "Completed"
    assert "Drift cannot be told yet" in said_in_the_ui()
    rows = past(store.url)
    found = set(rows["metric"])
    assert found == {"accuracy", ALL_STAGES, "accuracy of one fit", ONE_FIT, RATIO}
    assert rows.loc[rows["metric"] == ALL_STAGES, ["method"]].to_numpy().tolist() == [["FLGC"]]
    own = rows[(rows["method"] == "flgc") & (rows["metric"] == RATIO)]
    assert set(own["value"]) == {1}
    inject(store, "accuracy", float(rows.loc[rows["metric"] == "accuracy", "value"].iloc[0]))
    time.sleep(1)  # points are told apart by seconds
    state = tracked(store)
    assert as_the_server_knows(state).name == "Completed"
    assert "No drift: all 1 values" in said_in_the_ui()
    assert past(store.url)["when"].nunique() == FEWEST + 2


@pytest.mark.parametrize(
    ("last", "broke", "name"),
    [
        (0.8, False, "Completed"),
        (0.9, False, "Drifted"),
        (0.8, True, "Failed"),
        (0.9, True, "Failed"),
    ],
)
def test_a_drift_is_named_whatever_else_became_of_a_run(
    last: float, broke: bool, name: str
) -> None:
    from prefect.logging import disable_run_logger
    from prefect.states import Completed, Failed

    from flows.track import with_drift

    row = dict.fromkeys(COLUMNS, "accuracy")
    values = [*[0.8] * FEWEST, last]
    rows = pd.DataFrame([{**row, "value": v, "when": str(i)} for i, v in enumerate(values)])
    ended = Failed(message="no graph today") if broke else Completed(data=[])
    with disable_run_logger():
        state = with_drift(ended, rows)
    assert (state.name, state.is_failed()) == (name, broke)
    assert ("Drift: 1 of 1" in (state.message or "")) is (last > 0.8)
    assert ("no graph today" in (state.message or "")) is broke


def test_the_command_shows_what_was_measured_and_what_drifted(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from flows.cli.history import app

    def typed(*more: str) -> tuple[int, str]:
        ended = CliRunner().invoke(app, ["--store", str(tmp_path), *more])
        return ended.exit_code, " ".join(ended.output.split())

    code, said = typed()
    assert (code, "This store has no history" in said) == (2, True)
    store = Store(tmp_path)
    inject(store, "accuracy", 0.83)
    row = dict(zip(COLUMNS, ("2026-02-01T02:30", "tiny", "KarateClub", "FLGC"), strict=False))
    row |= {"protocol": "honest", "metric": "accuracy", "value": 0.8}
    store.get_or_compute("history", (), lambda: pd.DataFrame([row]), parameters={"day": "last"})
    code, said = typed("--suite", "tiny")
    assert code == 0
    assert "KarateClub FLGC honest accuracy 0.8 0.83 0.83" in said
    assert "Drift: 1 of 1 values left the spread of their history (1 worse)." in said
    assert "- KarateClub FLGC honest accuracy: 0.8, worse; usually 0.83" in said
    assert typed("--suite", "huge") == (
        2,
        "flgc history: no history of 'huge'; choose from tiny",
    )

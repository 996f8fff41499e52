import logging
from pathlib import Path

import pandas as pd
import pytest

from flgc.benchmark.history import COLUMNS
from tasks.store import Store
from tasks.store.store import file_name
from tasks.store.upkeep import IRREPLACEABLE

prefect = pytest.importorskip("prefect")


def point(store: Store, when: str) -> Path:
    row = dict.fromkeys(COLUMNS, "x") | {"when": when, "value": 1.0}
    artifact = store.get_or_compute(
        "history", (), lambda: pd.DataFrame([row]), parameters={"when": when}
    )
    return Path(store.url) / file_name(artifact.key)


def test_a_damaged_point_of_history_is_left_out_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.benchmark import history, past

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

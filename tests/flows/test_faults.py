"""What happens to a run in real life: kills, damaged artifacts, a twin on its store, no space."""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tasks.store import Store
from tasks.store.upkeep import verify
from tests.flows.conftest import cells_of

prefect = pytest.importorskip("prefect")
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _reports(prefect_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path / "reports"))


def run(store: Path) -> Any:
    from flows.reproduce_paper import reproduce_paper
    from tests.flows.forked_runs import CHOSEN

    return reproduce_paper(**CHOSEN, store=str(store), return_state=True)  # type: ignore[arg-type]


@pytest.fixture
def forked(prefect_server: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """`forked_runs` with these arguments; gives its output."""
    monkeypatch.setenv("PREFECT_API_URL", prefect_server)
    command = [sys.executable, "-m", "tests.flows.forked_runs"]

    def forked(*arguments: Any) -> str:
        done = subprocess.run(
            [*command, *map(str, arguments)], capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return forked


def assert_intact(store: Path) -> None:
    assert set(dict(verify(Store(store))).values()) <= {None}


@pytest.fixture(scope="module")
def undisturbed(prefect_server: str, tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    store = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLGC_REPORTS", str(store / "reports"))
        state = run(store)
    assert state.is_completed(), state.message
    return cells_of(store, state)


def assert_completes(store: Path, undisturbed: pd.DataFrame) -> None:
    state = run(store)
    assert state.is_completed(), state.message
    pd.testing.assert_frame_equal(cells_of(store, state), undisturbed, check_exact=True)
    assert_intact(store)


def test_killed_at_20_moments_a_rerun_ends_with_the_same_tables(
    undisturbed: pd.DataFrame, forked: Callable[..., str], tmp_path: Path
) -> None:
    chance, survivors = random.Random(4), set()
    stores = [tmp_path / str(attempt) for attempt in range(5)]
    moments = [chance.randrange(12) + chance.uniform(0, 0.2) for _ in range(20)]
    arguments = [a for i, store in enumerate(stores) for a in (store, *moments[4 * i : 4 * i + 4])]
    for line in forked("kill", *arguments).splitlines():
        left = json.loads(line)
        assert set(left.values()) <= {None}, "a partial artifact could be read"
        survivors.add(len(left))
    assert len(survivors) > 5, "the kills did not fall into the work"
    for store in stores:
        assert_completes(store, undisturbed)


def test_a_flipped_byte_in_any_artifact_is_noticed_and_recomputed(
    undisturbed: pd.DataFrame, tmp_path: Path
) -> None:
    store, chance = tmp_path / "store", random.Random(7)
    assert_completes(store, undisturbed)
    paths = sorted(store.rglob("*.parquet"))
    for path in paths:
        data = bytearray(path.read_bytes())
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
    assert None not in dict(verify(Store(store))).values()
    assert_completes(store, undisturbed)
    assert sorted(store.rglob("*.parquet")) == paths


def test_two_runs_at_once_on_one_store_are_both_right(
    undisturbed: pd.DataFrame, forked: Callable[..., str], tmp_path: Path
) -> None:
    forked("twins", tmp_path / "store")
    assert_completes(tmp_path / "store", undisturbed)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=96k", "tmpfs", str(folder)]
    if subprocess.run(["mount", *options], capture_output=True).returncode:
        pytest.skip("mounting a small tmpfs needs privileges")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_fails_cells_clearly_and_damages_nothing(
    undisturbed: pd.DataFrame, small_disk: Path
) -> None:
    state = run(small_disk / "store")
    assert state.is_failed()
    assert "no space for an artifact" in state.message
    assert_intact(small_disk / "store")
    larger = ["mount", "-o", "remount,size=64m", str(small_disk)]
    subprocess.run(larger, check=True)
    assert_completes(small_disk / "store", undisturbed)

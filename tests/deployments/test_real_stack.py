"""The paper's pipeline as it is deployed: `flgc up`, the suite `tiny`, and what dies on the way.

Nothing stands in for anything: the flows, the workers, the scheduler and the rules are those of
this checkout. The tests share one stack and run in the order of the file.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest

pytest.importorskip("prefect")

from deployments import api, processes
from deployments.settings import SILENT_SECONDS
from tasks.report.rows import COLUMNS
from tasks.store import Store
from tasks.store.upkeep import list_artifacts
from tests.deployments.live import ENDED, REPOSITORY, Up, program, start_up, wait_until

pytestmark = pytest.mark.slow

GPU_POOL = "/work_pools/flgc-gpu"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    folder = tmp_path_factory.mktemp("real")
    running = start_up(folder, "--gpu-workers", "0")
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def cold(up: Up) -> str:
    """The first run of the whole suite, by the command of the documentation; its id."""
    return up.watch()


@pytest.fixture(scope="module")
def gpu_worker(up: Up, cold: str) -> Iterator[None]:
    """A worker of the GPU pool, started by the documentation's command on this very machine.

    After the first run, all of whose fits it would take otherwise, ten seconds each.
    """
    log = up.home / "flgc-logs" / "gpu-by-hand.log"
    worker = subprocess.Popen(
        [program("prefect"), "worker", "start", "--pool", "flgc-gpu", "--limit", "1"],
        env=up.environment
        | {"PREFECT_API_URL": up.api_url, "PREFECT_WORKER_QUERY_SECONDS": "2"}
        | {"CUDA_VISIBLE_DEVICES": "0"},
        cwd=REPOSITORY,
        stdout=log.open("wb"),
        stderr=subprocess.STDOUT,
    )
    try:
        assert up.ask("GET", GPU_POOL)["status"] == "PAUSED", "not red while nobody needs it"
        wait_until(lambda: not up.ask("GET", GPU_POOL)["is_paused"], 90)
        assert api.online_workers(up.client, "flgc-gpu")
        yield
    finally:
        processes.stop([psutil.Process(worker.pid)])


def cells(store: Path) -> dict[str, pd.DataFrame]:
    """The rows of every cell that a store has, by key; what each took is no part of them."""
    opened = Store(store)
    keys = [artifact.key for artifact in list_artifacts(opened)]
    filled = [key for key in keys if key.startswith("fit-")]
    return {key: opened.read(key).to_pandas()[list(COLUMNS)] for key in filled}


def assert_same_cells(store: Path, reference: Path, count: int) -> None:
    """So many cells, each with the rows that another run computed for it."""
    found, known = cells(store), cells(reference)
    assert len(found) == count
    for key, rows in found.items():
        pd.testing.assert_frame_equal(rows, known[key], check_exact=True)


def gpu_runs(up: Up) -> list[dict[str, Any]]:
    return up.flow_runs(flows={"name": {"any_": ["fit-on-gpu"]}})


def test_the_typed_command_reproduces_the_suite(up: Up, cold: str) -> None:
    tables = {"citation-tiny", "uci-tiny", "clustering-tiny", "robustness-tiny"}
    kinds = {
        found["key"]: found["type"] for found in up.ask("POST", "/artifacts/latest/filter", {})
    }
    assert kinds.pop("report-tiny") == "markdown"
    assert kinds.pop("report-tiny-file") == "markdown"
    # Bars instead of dots, and what is looked at beside them.
    figures = [*(tables - {"clustering-tiny"}), "robustness-tiny-samples"]
    figures += [f"clustering-tiny-{name}" for name in ("bars", "hops", "teleport", "affinity")]
    figures += ["citation-tiny-time", "citation-tiny-sensitivity"]
    figures += [f"uci-tiny-{name}" for name in ("labels", "depths", "neighbours")]
    figures += [f"uci-tiny-ranks-{protocol}" for protocol in ("paper", "honest")]
    shown = {f"{name}-summary": "markdown" for name in tables}
    shown |= {f"{name}-table": "table" for name in tables}
    shown |= {f"{name}-figure": "image" for name in figures}
    shown |= {"summary-tiny": "markdown", "summary-tiny-tables": "table"}
    assert {key: kind for key, kind in kinds.items() if kind != "progress"} == shown
    assert len(cells(up.store)) == 171
    assert {file.suffix for file in up.store.rglob("*") if file.is_file()} == {".parquet"}
    assert "171 cells complete." in (up.reports / "report.md").read_text()
    assert {path.stem for path in up.reports.glob("*-tiny.csv")} == tables
    assert {run["state"]["type"] for run in up.subflows(cold)} == {"COMPLETED"}
    assert set(up.task_states(cold)) >= {"Completed"}


def test_the_second_run_computes_nothing(up: Up, cold: str) -> None:
    first = up.task_states(cold)
    assert up.task_states(up.watch()) == {"Cached": sum(first.values())}


def test_the_scheduler_creates_the_runs(up: Up) -> None:
    for name, hour in (("track-paper", "T03:00:00Z"), ("track-tiny", "T02:30:00Z")):
        deployment = up.ask("GET", f"/deployments/name/track/{name}")
        wanted = {"id": {"any_": [deployment["id"]]}}
        runs = wait_until(lambda wanted=wanted: up.flow_runs(deployments=wanted), 90)
        assert all(run["auto_scheduled"] for run in runs)
        assert all(run["expected_start_time"].endswith(hour) for run in runs)


CHOSEN = {"datasets": ["iris", "wine"], "methods": ["FLGC"], "device": "cpu"}
CHOSEN_CELLS = 8  # two tables, two datasets, two protocols
ONE_CELL_A_TABLE = {"datasets": ["iris"], "methods": ["FLGC"], "protocols": ["paper"]}


def begin_and_reach_the_middle(up: Up, store: Path) -> str:
    """A run that has stored some results and lacks others; its id."""
    run = up.begin(store=str(store), **CHOSEN)
    wait_until(lambda: any(store.glob("score/*.parquet")), 180, lambda: str(up.state(run)))
    return run


@pytest.fixture(scope="module")
def killed(up: Up, cold: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A run that was killed in its middle, together with its worker, and its store."""
    store = tmp_path_factory.mktemp("killed")
    run = begin_and_reach_the_middle(up, store)
    up.kill("worker", "start", "flgc-cpu")
    return run, store


def test_a_rerun_does_what_a_killed_worker_left(up: Up, killed: tuple[str, Path]) -> None:
    """It need not wait until the killed run is found out."""
    _, store = killed
    up.run(store=str(store), **CHOSEN)
    assert_same_cells(store, up.store, CHOSEN_CELLS)
    assert "worker cpu-0 ended" in up.output


@pytest.mark.usefixtures("gpu_worker")
def test_fits_go_to_a_gpu_worker(up: Up, cold: str, tmp_path: Path) -> None:
    """The worker's machine may have no GPU: its fit then takes the CPU, with the same results."""
    assert gpu_runs(up) == []
    up.run(store=str(tmp_path), **ONE_CELL_A_TABLE)
    sent = gpu_runs(up)
    assert {run["state"]["type"] for run in sent} == {"COMPLETED"}
    assert sorted(run["name"] for run in sent) == [
        "fit iris FLGC paper",
        "fit iris FLGC paper",
        "score iris FLGC*",
        "score iris on standardised FLGC*",
        "score iris on unit-length FLGC*",
        "score iris on unit-length, 5 neighbours FLGC*",
    ]
    assert_same_cells(tmp_path, up.store, 2)


@pytest.mark.usefixtures("gpu_worker")
@pytest.mark.parametrize("paused", [GPU_POOL, f"{GPU_POOL}/queues/default"])
def test_fits_stay_in_process_while_the_gpu_pool_is_paused(
    up: Up, cold: str, tmp_path: Path, paused: str
) -> None:
    """Its worker is online all the same, and would never begin them."""
    assert api.online_workers(up.client, "flgc-gpu")
    sent = len(gpu_runs(up))
    up.ask("PATCH", paused, {"is_paused": True})
    try:
        up.run(store=str(tmp_path), **ONE_CELL_A_TABLE)
    finally:
        up.ask("PATCH", paused, {"is_paused": False})
    assert len(gpu_runs(up)) == sent
    assert_same_cells(tmp_path, up.store, 2)


def test_the_killed_run_and_its_subflows_do_not_stay_running(
    up: Up, killed: tuple[str, Path]
) -> None:
    """Other tests stand between the kill and this one, so that the rule's patience costs less."""
    run, _ = killed
    state = up.wait_for(run, "CRASHED", seconds=SILENT_SECONDS + 120)
    assert "No sign of life" in state["message"]
    subflows = [subflow["id"] for subflow in up.subflows(run)]
    ends = [up.wait_for(subflow, *ENDED, seconds=90)["type"] for subflow in subflows]
    assert "CRASHED" in ends


@pytest.mark.usefixtures("gpu_worker")
def test_a_killed_server_comes_back_and_a_rerun_completes(
    up: Up, cold: str, tmp_path: Path
) -> None:
    """A GPU worker is online meanwhile, which `device="cpu"` keeps the fits away from."""
    assert api.online_workers(up.client, "flgc-gpu")
    sent = len(gpu_runs(up))
    run = begin_and_reach_the_middle(up, tmp_path)
    up.kill("deployments.server")
    wait_until(lambda: "the server ended" in up.output, 30)
    state = up.wait_for(run, *ENDED)
    print(f"the run ended {state['name']}: {state['message']}")
    assert state["type"] == "COMPLETED" or state["message"]
    up.run(store=str(tmp_path), **CHOSEN)
    assert_same_cells(tmp_path, up.store, CHOSEN_CELLS)
    assert len(gpu_runs(up)) == sent

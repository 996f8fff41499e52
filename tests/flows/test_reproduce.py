"""The whole pipeline on embedded data, through a real server: one cold run serves most tests."""

import re
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pandas as pd
import pytest

from tasks.report.values import SUBJECT
from tests.flows.conftest import cells_of
from tests.flows.plainly import computed, run_plainly

prefect = pytest.importorskip("prefect")
slow = pytest.mark.slow
CHROMIUM = shutil.which("chromium")

# Wherever a stage calls the library for what takes time.
FITS = (
    "flgc.methods.flgc.score_grid",
    "flgc.methods.flgc.average_grid",
    "flgc.methods.flgc.ridge_weights",
    "flgc.methods.flgc.fit_weights",
    "flgc.methods.flgc_clustering.block_affinity",
    "flgc.methods.flgc_clustering.FLGCClustering.fit_embedding",
    "flgc.methods.estimators.Estimator._clusters",
    "flgc.methods.trained.method.train",
    "flgc.preparing.propagate",
    "flgc.preparing.knn_graph",
)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def run(prefect_server: str, reports: Path) -> Callable[..., Any]:
    from flows.reproduce_paper import reproduce_paper

    def run(**parameters: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("FLGC_REPORTS", str(reports))
            return reproduce_paper(**{"suite": "tiny", **parameters}, return_state=True)

    return run


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def cold(run: Callable[..., Any], store: str) -> Any:
    """The state of the first run."""
    return run(store=store)


def sections(state: Any) -> list[Any]:
    return state.result(raise_on_failure=False)


def task_states(state: Any) -> Counter:
    """State names of all task runs below a flow run, its subflows' included."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter

    found: Counter = Counter()
    with get_client(sync_client=True) as client:
        waiting: list[UUID] = [state.state_details.flow_run_id]
        while waiting:
            of_flow = FlowRunFilter.model_validate({"id": {"any_": [str(waiting.pop())]}})
            for task_run in client.read_task_runs(flow_run_filter=of_flow, limit=200):
                # Of a task that has just begun the server may know the run before its state.
                if task_run.state is None:
                    found["Pending"] += 1
                elif child := task_run.state.state_details.child_flow_run_id:
                    waiting.append(child)
                else:
                    found[task_run.state.name] += 1
    return found


def settled(state: Any) -> Counter:
    """The same once the server has heard of every end."""
    for _ in range(100):
        found = task_states(state)
        if not set(found) & {"Pending", "Running"}:
            break
        time.sleep(0.1)
    return found


def test_every_cell_is_there(cold: Any, store: str) -> None:
    assert cold.is_completed(), cold.message
    found = cells_of(store, cold)
    cells = found.drop_duplicates(["experiment", *SUBJECT, "method", "protocol"])
    assert Counter(cells["experiment"]) == {
        "citation-tiny": 15,
        "uci-tiny": 15,
        "clustering-tiny": 117,  # three datasets, 19 rows in both protocols and an average
        "robustness-tiny": 16,
    }
    assert found["value"].between(0, 1).all()


def test_report_has_both_protocols_and_no_published_values_of_whole_grids(
    cold: Any, reports: Path
) -> None:
    text = (reports / "tiny" / "report.md").read_text()
    assert "| dataset | FLGC paper | FLGC honest |" in text
    assert not [line for line in text.splitlines() if line.startswith("|") and "publish" in line]
    assert "standings" not in text
    assert (reports / "tiny" / "uci-tiny.svg").read_text().startswith("<svg")


def test_figures_of_clusterings_stand_in_the_report(cold: Any, reports: Path) -> None:
    [section] = [each for each in sections(cold) if each.experiment.name == "clustering-tiny"]
    assert {name: sorted(lines) for name, lines in section.products.items()} == {
        "hops": ["iris", "wine"],
        "teleport": ["iris", "wine"],
        "affinity": ["iris"],
        "criteria": ["iris"],
    }
    assert list(section.products["affinity"]["iris"]) == ["FLGC*"]
    text = (reports / "tiny" / "report.md").read_text()
    for figure in ("bars", "hops", "teleport", "affinity"):
        assert f"(clustering-tiny-{figure}.svg)" in text
        assert (reports / "tiny" / f"clustering-tiny-{figure}.svg").is_file()
    for words in (
        "ACC against propagation steps or layers, 2 runs",
        "ACC against teleport, 2 runs",
    ):
        assert f"\n### {words}\n" in text
    assert "% of the affinity between different samples is within classes; 32.9% if" in text


def test_artifacts_are_in_the_ui(cold: Any) -> None:
    from prefect.artifacts import Artifact

    for key, kind in {
        "report-tiny": "markdown",
        "summary-tiny": "markdown",
        "summary-tiny-tables": "table",
        "uci-tiny-table": "table",
        "uci-tiny-summary": "markdown",
        "uci-tiny-figure": "image",
    }.items():
        found: Any = Artifact.get(key)
        assert found.type == kind
    there = sum(len(section.cells) for section in sections(cold))
    summary: Any = Artifact.get("summary-tiny")
    assert summary.data.startswith(f"# {there} cells complete\n")
    assert summary.description == f"{there} cells complete"
    assert "(data:image/svg+xml" in Artifact.get("report-tiny").data  # type: ignore[union-attr]


def test_second_run_recomputes_nothing(
    cold: Any, run: Callable[..., Any], store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for fit in FITS:
        monkeypatch.setattr(fit, lambda *_, fit=fit, **__: calls.append(fit))
    warm = run(store=store)
    assert warm.is_completed(), warm.message
    assert set(settled(warm)) == {"Cached"}
    assert calls == []
    pd.testing.assert_frame_equal(cells_of(store, warm), cells_of(store, cold), check_exact=True)


@slow
def test_no_step_is_submitted_twice_and_other_ways_to_run_find_the_same(
    cold: Any, store: str
) -> None:
    """Called one after the other and without Prefect, they are all in the store."""
    steps = run_plainly(store, device="auto")
    assert computed(steps) == []
    submitted = Counter((step.experiment, step.stage, step.about) for step in steps)
    assert set(submitted.values()) == {1}
    scores = [step.about for step in steps if step[:2] == ("citation-tiny", "score")]
    rivals = ["GCN", "GCN-Linear", "SGC", "APPNP"]
    shared = ["FLGC*", "FLGC*, constant"]  # four rows, two protocols
    assert scores == [f"KarateClub {method}" for method in [*shared, *rivals]]


@slow
def test_a_failed_cell_fails_alone_and_a_rerun_does_only_it(
    cold: Any,
    run: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import flgc.preparing

    build = flgc.preparing.knn_graph

    def broken(X: Any, n_neighbors: int) -> Any:
        if X.shape == (178, 13):
            raise ValueError("wine has gone sour")
        return build(X, n_neighbors)

    chosen = {"store": str(tmp_path), "datasets": ["iris", "wine"], "methods": ["FLGC"], "runs": 1}
    with monkeypatch.context() as patch:
        patch.setattr(flgc.preparing, "knn_graph", broken)
        first = run(**chosen)
    assert first.is_failed()
    assert [line for line in first.message.splitlines() if line.startswith("- ")] == [
        "- uci-tiny: graph wine, clustering-tiny: graph wine on standardised: failed (4 cells): "
        "ValueError: wine has gone sour"
    ]
    assert set(cells_of(tmp_path, first)["dataset"]) == {"iris"}
    again = run(**chosen)
    assert again.is_completed(), again.message
    done = settled(again)
    # wine's graphs, scores, picks, cells and statistics, and the reports: the rest is there.
    assert done["Cached"] >= 12
    assert set(cells_of(tmp_path, again)["dataset"]) == {"iris", "wine"}


# What each stage calls, and the steps that break if that does.
BREAKS = {
    "flgc.preparing.knn_graph": ["graph wine"],
    "flgc.datasets.splits.with_folds": ["splits wine"],
    "flgc.methods.flgc.score_grid": ["score wine FLGC*"],
    "flgc.methods.picking.weighting": [
        f"pick wine {method} {protocol}"
        for protocol in ("paper", "honest")
        for method in ("FLGC", "FLGC*")
    ],
    "flgc.preparing.propagate": ["propagate wine FLGC paper", "propagate wine FLGC* paper"],
    "flgc.methods.fitting.is_pick": [
        f"fit wine {method} {protocol}"
        for protocol in ("paper", "honest")
        for method in ("FLGC", "FLGC*")
    ],
}


@slow
@pytest.mark.parametrize("place", list(BREAKS))
def test_cells_are_missing_for_the_reason_of_the_first_step_that_broke(
    place: str, prefect_server: str, reports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.uci import uci

    def broken(*_: Any, **__: Any) -> Any:
        raise ValueError(f"{place} broke")

    monkeypatch.setenv("FLGC_REPORTS", str(reports))
    monkeypatch.setattr(place, broken)
    chosen: dict[str, Any] = {"datasets": ["wine"], "methods": ["FLGC", "FLGC*"], "runs": 2}
    state: Any = uci(suite="tiny", store=str(tmp_path), **chosen, return_state=True)
    assert state.is_failed()
    steps = BREAKS[place]
    cells = 2 if steps[0].startswith("propagate") else 4
    assert [line for line in state.message.splitlines() if line.startswith("- ")] == [
        f"- {', '.join(f'uci-tiny: {step}' for step in steps)}: failed ({cells} cells): "
        f"ValueError: {place} broke"
    ]


def test_bad_parameters_start_no_task(prefect_server: str, run: Callable[..., Any]) -> None:
    state = run(datasets=["irsi"])
    assert state.is_failed()
    assert "choose from KarateClub" in state.message
    assert not task_states(state)


def test_literal_parameters_are_refused_with_their_choices(prefect_server: str) -> None:
    from prefect.exceptions import ParameterTypeError

    from flows.uci import uci

    with pytest.raises(ParameterTypeError, match="'tiny', 'development' or 'heterophilous'"):
        uci(suite="huge")  # type: ignore[arg-type]


@slow
def test_dask_gives_the_same_digests(
    cold: Any, run: Callable[..., Any], store: str, tmp_path: Path
) -> None:
    pytest.importorskip("prefect_dask")
    state = run(store=str(tmp_path), datasets=["iris"], runner="dask")
    assert state.is_completed(), state.message
    by_threads = run(store=store, datasets=["iris"])
    digests = [[r.digest for s in sections(x) for r in s.cells] for x in (state, by_threads)]
    assert digests[0] == digests[1]


def test_long_work_shows_its_progress(prefect_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect import task
    from prefect.artifacts import Artifact

    from flgc.progress import listening, tracked
    from tasks.running import progress

    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.0)

    def numbers() -> list[int]:
        with listening(progress.shown_progress()):
            return list(tracked(range(3), 3))

    work = task(task_run_name="long work")(numbers)
    assert work() == numbers() == [0, 1, 2]
    found: Any = Artifact.get("progress-long-work")
    assert (found.type, found.data, found.description) == ("progress", 100.0, "3 of 3")
    with pytest.raises(StopIteration):
        next(tracked([], 0))


@slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on the path")
def test_the_printed_report_has_six_pages_at_most(cold: Any, reports: Path, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto((reports / "tiny" / "report.html").as_uri())
        printed = page.pdf(prefer_css_page_size=True)
        browser.close()
    assert 1 <= len(re.findall(rb"/Type */Page\b", printed)) <= 6

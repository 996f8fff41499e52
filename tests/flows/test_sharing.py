"""What cells share is submitted once, and what is timed is honest: through the DAG."""

import dataclasses
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("prefect")

from flgc.datasets import REGISTRY
from tasks.store import Store
from tests.flows.plainly import Step, computed, run_plainly


def submitted(steps: list[Step]) -> Counter[str]:
    return Counter(step.stage for step in steps)


def uci(store: Path, **chosen: object) -> list[Step]:
    return run_plainly(str(store), ("uci",), datasets=["iris"], runs=2, **chosen)


def test_rows_and_protocols_share_graph_splits_and_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path / "reports"))
    steps = uci(tmp_path, methods=["FLGC", "FLGC*", "FLGC* averaged"])
    assert submitted(steps) == {
        "dataset": 1,
        "splits": 2,  # the table's, and those of the figure of labels
        "graph": 3,  # with 0 and 5 neighbours besides
        "score": 2,  # an average has a column of ones
        "pick": 5,
        "propagate": 2,
        "fit": 5,
        "vary": 5,
        "describe": 1,
        "draw": 1,
        "report": 1,
    }
    # Both rows may have picked the same setting: its features and its curves are the same.
    assert len(computed(steps)) >= len(steps) - 3


def test_protocols_share_nothing_but_splits_where_a_feature_leaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path / "reports"))
    leaks = dataclasses.replace(REGISTRY["iris"], feature_names=tuple("abcd"), leaking=("c",))
    monkeypatch.setitem(REGISTRY, "iris", leaks)
    steps = uci(tmp_path, methods=["FLGC", "FLGC*"])
    found = submitted(steps)
    assert (found["splits"], found["graph"], found["score"]) == (2, 4, 2)
    cells = [step for step in steps if "neighbours" not in step.about]
    for stage in ("graph", "score"):
        paper, honest = (step.artifact for step in cells if step.stage == stage)
        assert paper.digest != honest.digest
        known = [Store(tmp_path).record(a.key)["parameters"]["without"] for a in (paper, honest)]
        assert known == [[], ["c"]]


def test_closed_forms_are_done_before_another_method_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path / "reports"))
    outside = "sklearn.neighbors:NearestCentroid"
    steps = uci(tmp_path, methods=[outside, "FLGC", "FLGC*"])
    order = [(step.stage, "NearestCentroid" in step.about) for step in steps]
    cells = [(stage, late) for stage, late in order if stage in ("score", "pick", "fit")]
    assert [late for _, late in cells] == sorted(late for _, late in cells)
    assert cells[0] == ("score", False)
    assert ("fit", True) in cells


@pytest.mark.parametrize("protocols", [["paper"], ["paper", "honest"]])
def test_times_are_taken_at_honest_picks_whatever_the_protocols(
    tmp_path: Path, protocols: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path / "reports"))
    methods = ["SGC", "FLGC", "FLGC*"]
    chosen = {"methods": methods, "protocols": protocols, "runs": 1}
    steps = run_plainly(str(tmp_path), ("citation",), **chosen)
    [timed] = [step.artifact for step in steps if step.stage == "time"]
    made_from = Store(tmp_path).record(timed.key)["made_from"]
    picks = {name: key for name, key in made_from.items() if name.startswith("picks/")}
    assert set(picks) == {f"picks/{method}" for method in methods}
    records = [Store(tmp_path).record(key) for key in picks.values()]
    assert {record["parameters"]["protocol"] for record in records} == {"honest"}


def test_what_cells_share_is_counted_once_in_what_a_method_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows import dag

    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path / "reports"))
    sections = []
    run = dag.run_experiment

    def watched(plan: object, experiment: object) -> object:
        sections.append(run(plan, experiment))  # type: ignore[arg-type]
        return sections[-1]

    monkeypatch.setattr(dag, "run_experiment", watched)
    steps = uci(tmp_path, methods=["FLGC", "FLGC*"])
    [section] = sections
    [scored] = [step.artifact for step in steps if step.stage == "score"]
    for method in ("FLGC", "FLGC*"):
        assert section.costs[method]["score"] == scored.seconds
        fits = [s.artifact for s in steps if s.stage == "fit" and f" {method} " in f"{s.about} "]
        assert section.costs[method]["fit"] == pytest.approx(sum(a.seconds for a in fits))

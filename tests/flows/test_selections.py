"""Whatever is chosen of a suite, and whatever fails on the way, a report comes out of it."""

import contextlib
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("prefect")

from flgc.methods.picking import PROTOCOLS
from flows import execute, reports
from flows.parameters import Selection
from flows.plan import FLOWS, plan_of
from flows.tables import outcome, results_of, shown_tables
from tasks.declared.suites import SUITES
from tasks.report.gaps import FAILED
from tests.flows.stubs import FAILURE, stubbed

# More of them: FLGC_SELECTIONS=100 pytest tests/flows/test_selections.py
SELECTIONS = int(os.environ.get("FLGC_SELECTIONS", "8"))


def drawn(random: Random, suite: str) -> dict[str, Any]:
    """A few datasets, methods and runs of a suite, and one protocol or both."""
    datasets = sorted({name for e in SUITES[suite] for name in e.datasets})
    methods = sorted({name for e in SUITES[suite] for name in e.methods})
    some = {
        "datasets": random.sample(datasets, random.randint(1, min(4, len(datasets)))),
        "methods": random.sample(methods, random.randint(1, 5)),
        "protocols": random.choice([None, ["paper"], ["honest"], list(PROTOCOLS)]),
        "runs": random.randint(1, 2),
    }
    left = random.choice(["datasets", "methods", ""])
    return {name: None if name == left else value for name, value in some.items()}


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize(
    "seed", [2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, SELECTIONS))]
)
def test_every_selection_ends_with_a_report(
    suite: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path))
    random, plan = Random(seed), None
    while plan is None:  # most methods are in one table, and most datasets too
        with contextlib.suppress(ValueError):
            plan = plan_of(
                FLOWS,
                Selection(suite, store=f"memory://{suite}{seed}", **drawn(random, suite)),
            )
    with stubbed(seed, failing=random.choice([0.0, 0.02])):
        sections = [execute.run_experiment(plan, experiment) for experiment in plan.experiments]
        path, faults = reports.write(plan, plan.report, sections)
        assert not faults
        failed = [gap for each in sections for gap in each.gaps if gap.kind == FAILED]
        assert [gap for gap in failed if FAILURE not in gap.reason] == []
        for section in sections:
            assert shown_tables(section, results_of(plan.store, section))
    text = path.read_text()
    assert all(f"## {section.experiment.title}" in text for section in sections)


@pytest.mark.parametrize("order", [list, lambda futures: reversed(list(futures))])
def test_what_never_ran_has_the_reason_of_what_failed_before_it(
    order: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prefect leaves such a step pending, and may name it before the one that failed."""
    plan = plan_of(["uci"], Selection("tiny", store="memory://behind"))
    with stubbed(3, failing=0.2):
        monkeypatch.setattr(execute, "as_completed", order)
        [section] = [execute.run_experiment(plan, each) for each in plan.experiments]
    assert section.cells
    lost = [gap for gap in section.gaps if gap.cells]
    assert sum(gap.cells for gap in lost) == 15 - len(section.cells) > len(lost)
    assert {gap.reason for gap in lost} == {f"ValueError: {FAILURE}"}


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("report.standings.reached", ["uci-tiny: cells"]),
        ("analyses.cells.laid_tables", ["uci-tiny: cells"]),
        ("analyses.cells.dots_by_dataset", ["picture", "uci-tiny: cells"]),
        ("analyses.labels.LabelCounts.rows", ["picture", "uci-tiny: labels"]),
        ("report.report.verdicts", ["claims"]),
        ("report.report.notes_of", ["notes on cells of uci-tiny"]),
        ("report.writers.html.write", ["report.html"]),
    ],
)
def test_a_part_of_the_report_that_fails_costs_no_other(
    place: str, parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyError("GCN-Linear")

    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path))
    monkeypatch.setattr(f"tasks.{place}", fail)
    chosen: Any = {"datasets": ["iris"], "methods": ["FLGC"], "runs": 1}
    plan = plan_of(["uci"], Selection("tiny", store="memory://parts", **chosen))
    with stubbed(0):
        sections = [execute.run_experiment(plan, experiment) for experiment in plan.experiments]
        path, faults = reports.write(plan, plan.report, sections)
        state = outcome(sections, False, faults)
    assert {gap.reason for gap in faults} == {"KeyError: 'GCN-Linear'"}
    assert {gap.what for gap in faults} <= {f"report: {part}" for part in parts}
    assert state.is_failed()
    assert parts[-1] in state.message
    text = path.read_text()
    assert "### Settings tried" in text
    assert "| iris |" in text or place == "analyses.cells.laid_tables"
    assert (f"**This part of the report failed** ({parts[-1]})" in text) == (":" in parts[-1])


def test_only_the_whole_replaces_the_report_of_the_whole() -> None:
    def report(**chosen: Any) -> str:
        return plan_of(FLOWS, Selection("tiny", store="memory://names", **chosen)).report

    assert report() == report(protocols=["honest", "paper"]) == "tiny"
    assert report(quick=True) == "tiny-quick"
    iris = report(datasets=["iris"], methods=["FLGC"])
    assert iris.startswith("tiny-iris-flgc-")
    parts = [{"methods": ["FLGC*"]}, {"methods": ["FLGC"]}, {"runs": 1}, {"protocols": ["paper"]}]
    assert len({iris, "tiny", *(report(**part) for part in parts)}) == 6

"""Whatever is run of a suite, and whatever of it is missing, gives a whole report."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("prefect")

from flgc.methods.picking import PROTOCOLS
from flows.dag import dag_of
from flows.plan import Plan
from tasks.analyses.registry import analyses_of
from tasks.declared.described import described
from tasks.declared.suites import SUITES
from tasks.declared.types import Experiment
from tasks.paper.claims import CLAIMS
from tasks.paper.judging import UNKNOWN
from tasks.paper.verdicts import verdicts
from tasks.report.evidence import Evidence
from tasks.report.files import FAULTS
from tasks.report.gaps import FAILED, Gap
from tasks.running.steps import Step, with_results
from tests.flows.stubs import REAL, Stubs
from tests.tasks.report.made import evidence
from tests.tasks.report.test_report import written


def some(data: Any, every: Sequence[Any], least: int = 1, most: int = 6) -> tuple[Any, ...]:
    """A part of what there is, in its order."""
    places = st.sets(st.integers(0, len(every) - 1), min_size=least, max_size=most)
    return tuple(every[i] for i in sorted(data.draw(places) if every else ()))


class Results(dict):
    """What steps make, from made-up scores; each is made when it is asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.stubs = Stubs(seed, failing=0)

    def __missing__(self, step: Step) -> Any:
        given = with_results(step.given, self)
        work = step.stage.work if step.stage.name in REAL else None
        self[step] = work(**given) if work else self.stubs._made_up(step.stage.name, given)
        return self[step]


def evidence_of(data: Any, whole: Experiment, protocols: tuple[str, ...]) -> Evidence:
    """A part of a table, with a part of its cells and of what its analyses ask for."""
    part = replace(
        whole,
        datasets=some(data, whole.datasets, most=3),
        methods=some(data, whole.methods, most=8),
        analyses=some(data, whole.analyses, least=0),
    ).with_runs(data.draw(st.integers(1, 2)))
    results = Results(data.draw(st.integers(0, 99)))
    dag = dag_of(Plan("", (part,), protocols, "cpu", ""), part)
    lost = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    cells = [each for each in dag.cells if results.stubs.random.random() >= lost]
    products: dict[str, Any] = {}
    for product in (*dag.products, *dag.after(cells)):
        *path, name = (product.analysis, *product.path)
        if results.stubs.random.random() >= lost:
            place = reduce(lambda inner, key: inner.setdefault(key, {}), path, products)
            place[name] = results[product.step]
    return evidence(
        described(part),
        [results[each.result] for each in cells],
        products,
        protocols,
        {name: {"fit": 1.0} for name in part.methods},
        analyses=analyses_of(part),
        gaps=(*dag.gaps, Gap(FAILED, "fit", "lost", len(dag.cells) - len(cells))),
    )


def check(suite: str, data: Any) -> None:
    """A report without faults, with each table; what speaks of others is not tested."""
    protocols = some(data, PROTOCOLS)
    chosen = some(data, SUITES[suite], most=2)
    tables = [evidence_of(data, experiment, protocols) for experiment in chosen]
    files = written(*tables)
    assert FAULTS not in files, files[FAULTS]
    judged = {(each.section, each.claim): each for each in verdicts(tables)}
    for known in tables:
        table = known.table
        assert f"## {table.title}" in files["report.md"]
        for claim in CLAIMS.get(table.name, ()):
            found = judged.pop((table.name, claim.text))
            lacks = {*claim.methods, *claim.datasets} - {*table.methods, *table.datasets}
            if lacks or (claim.analysis and known.rows(claim.analysis).empty):
                assert found.verdict == UNKNOWN
                assert found.paper.startswith("without ")
    assert not judged


@pytest.mark.parametrize("suite", SUITES)
@settings(max_examples=2)
@given(st.data())
def test_a_selection_has_a_report(suite: str, data: Any) -> None:
    check(suite, data)


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
@settings(max_examples=100)
@given(st.data())
def test_every_selection_has_a_report(suite: str, data: Any) -> None:
    check(suite, data)

"""Accuracy against the share of labelled nodes, from its steps to its chart and words."""

import dataclasses

import pandas as pd

from flows.dag import dag_of
from flows.plan import Plan
from tasks.analyses.charts import svg_of
from tasks.analyses.registry import ANALYSES, analyses_of
from tasks.analyses.shares import LabelShares
from tasks.declared.described import described
from tasks.report.evidence import Declaration, Evidence
from tests.tasks.chain import IRIS

SHARES = LabelShares((2, 20), ("iris",), runs=2)
EXPERIMENT = dataclasses.replace(IRIS, analyses=(SHARES,))


def test_every_method_is_fitted_once_for_each_share() -> None:
    dag = dag_of(Plan("", (EXPERIMENT,), ("paper",), "cpu", "nowhere"), EXPERIMENT)
    steps = {product.path: product.step for product in dag.products}
    assert list(steps) == [("iris", "FLGC"), ("iris", "FLGC*")]
    for step in steps.values():
        assert step.given["values"] == (2, 20)
        assert step.given["splits"].given["split"] == ["2%", "20%"]
    assert ANALYSES["LabelShares"] is LabelShares


def test_the_gain_is_read_off_and_drawn() -> None:
    runs = [(x, run, 0.8 + x / 200 + run / 100) for x in (2, 20) for run in (0, 1)]
    curve = pd.DataFrame(runs, columns=["x", "run", "accuracy"]).assign(marks="", p_hops=3)
    declared = Declaration(described(EXPERIMENT), analyses_of(EXPERIMENT), ("paper",))
    evidence = Evidence(declared, products={"shares": {"iris": {"FLGC": curve}}})
    rows = evidence.rows("shares")
    assert SHARES.heading(evidence) == "Accuracy against labelled nodes in % of each class, 2 runs"
    assert "- FLGC on iris: 81.5 with 2 %, 90.5 with 20 %" in str(SHARES.says(evidence, rows))
    svg = svg_of(SHARES.charts(evidence, rows)["shares"])  # type: ignore[arg-type]
    assert "labelled nodes in % of each class" in svg

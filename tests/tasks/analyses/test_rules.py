"""Rules for picking and averaging: their steps, and what is said of them."""

import dataclasses
from math import nan

import pandas as pd

from flows.dag import dag_of
from flows.plan import Plan
from tasks.analyses.registry import ANALYSES, analyses_of
from tasks.analyses.rules import Rules
from tasks.declared.described import described
from tasks.report.evidence import Declaration, Evidence
from tasks.report.writers.markdown import written
from tests.tasks.chain import IRIS

RULES = Rules("FLGC*", "FLGC* averaged")
EXPERIMENT = dataclasses.replace(
    IRIS, methods=("FLGC", "FLGC*", "FLGC* averaged"), analyses=(RULES,)
)


def test_one_step_compares_the_rules_from_the_scores_that_are_there() -> None:
    dag = dag_of(Plan("", (EXPERIMENT,), ("honest",), "cpu", "nowhere"), EXPERIMENT)
    [product] = dag.products
    scores = product.step.given["scores"]
    cells = {cell.method: cell for cell in dag.cells}
    assert scores == {
        "as they are": cells["FLGC*"].scores[0],
        "with a constant": cells["FLGC* averaged"].scores[0],
    }
    assert scores["with a constant"].given["grid"]["constant"] == (True,)
    assert ANALYSES["Rules"] is Rules
    alone = dataclasses.replace(EXPERIMENT, methods=("FLGC",))
    assert dag_of(Plan("", (alone,), ("honest",), "cpu", "nowhere"), alone).products == ()


def test_rules_are_compared_by_their_means() -> None:
    rows = [
        (rule, features, e, p, run, value + run / 100)
        for rule, features, e, p, value in (
            ("error", "as they are", nan, nan, 0.5),
            ("average", "as they are", 0.25, 8.0, 0.7),
            ("the best on test nodes", "as they are", nan, nan, 0.9),
        )
        for run in (0, 1)
    ]
    table = pd.DataFrame(rows, columns=["rule", "features", "e", "p", "run", "accuracy"])
    declared = Declaration(described(EXPERIMENT), analyses_of(EXPERIMENT), ("honest",))
    products = {"rules": {"iris": table, "wine": table.assign(accuracy=0.6)}}
    evidence = Evidence(declared, products=products)
    text = written(RULES.says(evidence, evidence.rows("rules")))
    assert "| error | as they are | 55.25 | 20.00 | 50.50 | 60.00 |" in text
    assert "| average, e = 0.25, p = 8 | as they are | 65.25 | 0.00 | 70.50 | 60.00 |" in text
    assert "The best mean has: average, e = 0.25, p = 8, features as they are, 65.25." in text

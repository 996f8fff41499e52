"""`flgc evaluate`, from files as people have them to a report."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flgc.datasets import add, from_table
from tasks.declared import evaluate as declared
from tasks.declared.paper import closed_form
from tests.flows.conftest import Command

pytest.importorskip("prefect")


def test_a_plan_is_honest_alone_and_says_what_the_data_are() -> None:
    from flows.evaluate import Evaluation, plan_evaluation

    plan = plan_evaluation(Evaluation("WINE", runs=4, labelled="5"))
    [experiment] = plan.experiments
    assert plan.protocols == ("honest",)
    assert plan.command == "flgc evaluate {dataset} --runs 4 --method {method} --labelled 5"
    assert (experiment.split, experiment.runs, experiment.datasets) == ("5-per-class", 4, ("wine",))
    assert {"FLGC*", "FLGC* averaged", "LapRLS", "SVM", "GCN", "SGC"} <= set(experiment.methods)
    assert "In each run 15 rows are labelled and 163 tested" in " ".join(experiment.remarks)
    clusters = plan_evaluation(Evaluation("wine", task="clustering"))
    [clustered] = clusters.experiments
    assert clusters.command.endswith("--method {method} --task clustering")
    assert (clustered.split, clustered.metrics) == ("", ("ACC", "NMI"))


def test_many_rows_are_for_methods_that_need_no_pair_of_them() -> None:
    most = declared.MANY_ROWS
    few, many = (declared.usual_methods("classification", rows) for rows in (most, most + 1))
    assert set(few) - set(many) == {"LapRLS", "LabelSpreading", "GCN"}
    assert {"FLGC", "FLGC*", "FLGC* averaged"} <= set(many)


@pytest.mark.usefixtures("command")
def test_unlabelled_doubled_and_single_rows_are_told() -> None:
    from flows.evaluate import Evaluation, plan_evaluation

    rows = pd.DataFrame({"x": [1.0, 1, 2, 3, 5, 8, 9, 9], "y": [*"aaabb", "c", None, None]})
    add(from_table(rows), "odd")
    said = " ".join(plan_evaluation(Evaluation("odd")).experiments[0].remarks)
    assert "2 rows have no label: they are never scored" in said
    assert "Who always says 'a' is right in 50.0 %" in said
    assert "2 rows have the features of another one" in said
    add(from_table(rows.drop(index=6)), "single")
    alone = " ".join(plan_evaluation(Evaluation("single")).experiments[0].remarks)
    assert "1 row has no label: it is never scored" in alone
    assert "1 row has the features of another one" in alone
    assert "always labelled: 'c'" in said


@pytest.mark.slow
@pytest.mark.usefixtures("prefect_server")
def test_a_csv_with_holes_and_text_gets_a_report(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = closed_form((0, 2), (0.0, 0.2), (0.01, 1.0))
    monkeypatch.setitem(declared.GRIDS, "classification", small)
    rng = np.random.default_rng(0)
    kind = np.where(rng.random(90) < 0.25, "ill", "well")
    frame = pd.DataFrame(
        {
            "number": range(90),
            "a": rng.normal(size=90) + 3 * (kind == "ill"),
            "b": rng.normal(size=90) - 3 * (kind == "ill"),
            "town": rng.choice(["Rome", "Oslo"], 90),
            "kind": kind,
        }
    )
    frame.loc[:5, "a"] = np.nan
    frame.loc[80:, "kind"] = None
    frame.to_csv(tmp_path / "ill.csv", index=False)
    chosen = [tmp_path / "ill.csv", "--label", "kind", "--runs", "3", "-m", "FLGC*"]
    chosen += ["-m", "sklearn.naive_bayes:GaussianNB"]
    result = command("evaluate", *chosen)
    assert result.exit_code == 0, result.output
    assert "'number' (numbers the rows)" in result.stdout
    assert " vs FLGC* " in result.stdout, "a difference to it, not it with a minus"
    report = (tmp_path / "reports" / "evaluate-ill" / "report.md").read_text()
    for text in ("'a' (6 of 90", "'town' (2 values)", "Against FLGC*, run by run"):
        assert text in report
    first = report.index(" **is right most often**: in ")
    assert first < report.index("| column | different values |") < report.index("## ill, 10 %")
    assert "10 rows have no label: they are never scored" in report
    again = command("evaluate", *chosen, "--json")
    assert again.exit_code == 0, again.output
    found = json.loads(again.stdout)
    rows = {row["method"]: row for row in found["methods"]}
    assert rows["FLGC*"]["mean"] > 85
    assert rows["sklearn.naive_bayes:GaussianNB"]["control"] == "FLGC*"
    assert {row["runs"] for row in rows.values()} == {3}
    assert Path(found["report"]).is_file()
    one_each = command("evaluate", *chosen, "--labelled", "1")
    assert "FLGC* on ill: a class has a single label" in " ".join(one_each.stdout.split())

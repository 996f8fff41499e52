import pandas as pd
import pytest

from tasks.analyses.paired import NO_TEST, Paired
from tasks.declared.described import described
from tasks.report.evidence import Declaration, Evidence
from tests.tasks.chain import IRIS

VALUES = {"FLGC*": (0.8, 0.6, 0.7), "SVM": (0.9, 0.5, 0.7), "mine:Own": (0.7, 0.5, 0.6)}
PAIRED = Paired(("FLGC* averaged", "FLGC*"))
RESULTS = pd.DataFrame(
    [
        {"method": method, "run": run, "metric": metric, "value": value if metric == "ACC" else 0.0}
        for method, values in VALUES.items()
        for run, value in enumerate(values)
        for metric in ("ACC", "NMI")
    ]
)


def test_differences_are_taken_split_by_split():
    found = PAIRED.differences(RESULTS, ["SVM", "FLGC*", "mine:Own"], "ACC").set_index("method")
    assert list(found.index) == ["SVM", "FLGC*", "mine:Own"], "in the order of the table"
    assert set(found["control"]) == {"FLGC*"}
    svm, own = found.loc["SVM"], found.loc["mine:Own"]
    assert (svm["mean"], svm["difference"]) == pytest.approx((70.0, 0.0))
    assert (svm["better"], svm["worse"], svm["runs"]) == (1, 1, 3)
    assert svm["spread"] == pytest.approx((200 / 3) ** 0.5)
    assert (own["difference"], own["spread"]) == pytest.approx((-10.0, 0.0))
    assert (own["better"], own["worse"]) == (0, 3)


def test_without_ours_the_first_is_the_control_and_missing_methods_are_left_out():
    found = PAIRED.differences(RESULTS, ["nobody", "mine:Own", "SVM"], "ACC")
    assert found["method"].tolist() == ["mine:Own", "SVM"]
    assert set(found["control"]) == {"mine:Own"}
    assert PAIRED.differences(RESULTS[:0], ["SVM"], "ACC").empty


def test_what_is_told_claims_no_significance():
    evidence = Evidence(Declaration(described(IRIS), {"paired": PAIRED}, ("honest",)))
    [block] = PAIRED.opening(evidence, PAIRED.differences(RESULTS, list(VALUES), "ACC"))
    assert "- SVM: +0.0 ± 8.2 points, better on 1 and worse on 1 of 3" in block.markdown
    assert block.markdown.endswith(NO_TEST)
    alone = PAIRED.differences(RESULTS, ["SVM"], "ACC")
    assert PAIRED.opening(evidence, alone) == [], "one method differs from nobody"

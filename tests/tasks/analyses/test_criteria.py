import pandas as pd

from flgc.methods.criteria import CRITERIA
from tasks.analyses.criteria import WORDS
from tests.tasks.report.made import CLUSTERING, evidence, says


def text_of(**worth: float) -> str:
    """What is said where what each criterion picks is worth .5, but these."""
    rows = [
        {"row": row, "criterion": name, "ACC": worth.get(name, 0.5), "NMI": 0.1, "correlation": 0.2}
        for row in ("FLGC", "FLGC*")
        for name in (*CRITERIA, "ACC")
    ]
    products = {"criteria": {"iris": {"FLGC*": pd.DataFrame(rows)}}}
    return says(evidence(CLUSTERING, products=products), "criteria")


def test_every_criterion_has_a_line_and_the_best_is_named() -> None:
    text = text_of(stability=0.75, ACC=0.9)
    lines = {
        word: line for line in text.splitlines() for word in WORDS.values() if f"| {word}" in line
    }
    assert set(lines) == {*WORDS.values()}
    assert "iris FLGC |" in text
    assert lines[WORDS["stability"]].count("0.750") == 3, "both rows and their mean"
    assert "0.900" in lines[WORDS["ACC"]]
    assert "on average stability" in text
    assert "is better here, 0.750 to 0.500" in text


def test_the_chosen_one_is_said_to_be_the_best_only_if_it_is() -> None:
    text = text_of(silhouette=0.6)
    assert "it is the best of these on average" in text
    assert "is better here" not in text

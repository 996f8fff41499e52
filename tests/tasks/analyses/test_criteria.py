import pandas as pd

from flgc.methods.criteria import CRITERIA
from tasks.analyses.criteria import CHOSEN, WORDS
from tests.tasks.report.made import CLUSTERING, evidence, says


def text_of(**worth: float) -> str:
    """What is said where what each criterion picks is worth .5, but these."""
    rows = [
        {"row": row, "criterion": name, "ACC": worth.get(name, 0.5), "NMI": 0.1, "correlation": 0.2}
        for row in ("FLGC", "FLGC*")
        for name in (*CRITERIA, "ACC")
    ]
    products = {"criteria": {name: {"FLGC*": pd.DataFrame(rows)} for name in ("iris", "wine")}}
    return says(evidence(CLUSTERING, products=products), "criteria")


def test_every_criterion_has_a_line_for_datasets_and_for_rows_and_the_best_is_named() -> None:
    text = text_of(common=0.75, ACC=0.9)
    by_dataset, by_row = text.split("| picked by |")[1:]
    for table, columns in ((by_dataset, "| iris | wine |"), (by_row, "| FLGC | FLGC* |")):
        assert columns in table
        lines = {
            word: line
            for line in table.splitlines()
            for word in WORDS.values()
            if line.startswith(f"| {word} |")
        }
        assert set(lines) == {*WORDS.values()}
        assert lines[WORDS["common"]].count("0.750") == 3, "both columns and their mean"
        assert "| 0.150 |" in lines[WORDS["common"]], "the largest regret"
        assert "0.900 | 0.000" in lines[WORDS["ACC"]]
    assert f"on average {WORDS['common']} is better here, 0.750 to 0.500" in text


def test_the_chosen_one_is_said_to_be_the_best_only_if_it_is() -> None:
    text = text_of(**{CHOSEN: 0.6})
    assert "it is the best of these on average" in text
    assert "is better here" not in text

import pandas as pd
from tasks.document.criteria_table import WORDS, told
from tasks.document.writers.markdown import written

from flgc.methods.criteria import CRITERIA


def criteria(**worth: float) -> pd.DataFrame:
    """What each criterion picks is worth .5, but these."""
    rows = [
        {"row": row, "criterion": name, "ACC": worth.get(name, 0.5), "NMI": 0.1, "correlation": 0.2}
        for row in ("FLGC", "FLGC*")
        for name in (*CRITERIA, "ACC")
    ]
    return pd.DataFrame(rows)


RESULTS = pd.DataFrame({"dataset": ["iris"], "marks": [""]})


def test_every_criterion_has_a_line_and_the_best_is_named() -> None:
    text = written(told("x", {"iris": {"FLGC*": criteria(stability=0.75, ACC=0.9)}}, RESULTS))
    lines = {word: line for line in text.splitlines() for word in WORDS.values() if word in line}
    assert set(lines) >= {*WORDS.values()}
    assert "iris FLGC |" in text
    assert "0.750" in lines[WORDS["stability"]]
    assert "0.900" in lines[WORDS["ACC"]]
    assert "on the average stability" in text
    assert "is better here, 0.750 against 0.500" in text


def test_the_chosen_one_is_said_to_be_the_best_only_if_it_is() -> None:
    text = written(told("x", {"iris": {"FLGC*": criteria(silhouette=0.6)}}, RESULTS))
    assert "it is the best of these on the average" in text
    assert "is better here" not in text

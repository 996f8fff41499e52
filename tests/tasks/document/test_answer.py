import dataclasses

import pandas as pd
import pytest
from tasks.document.answer import answer
from tasks.document.judging import FAILS, HOLDS, PARTLY, UNKNOWN
from tasks.document.verdicts import Verdict
from tasks.document.writers import html

from tests.tasks.document.shown import CLUSTERING, PUBLIC, UCI, results, rival

OTHERS = dataclasses.replace(UCI, rows=(rival("SVM"), *UCI.rows))
OWN = dataclasses.replace(PUBLIC, published=(), datasets=("mine",))


def claims(*words: str) -> list[Verdict]:
    return [Verdict("a claim", "Table I", word, "", "", "uci") for word in words]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((HOLDS, HOLDS), "Yes.** Of its 2 claims 2 hold."),
        ((HOLDS, UNKNOWN), "Yes, where tested.** Of its 2 claims 1 holds, 1 is not tested."),
        ((HOLDS, HOLDS, FAILS), "Mostly.** Of its 3 claims 2 hold, 1 does not hold."),
        ((HOLDS, FAILS, FAILS), "In part.** Of its 3"),
        ((PARTLY, FAILS), "In part.** Of its 2"),
        ((FAILS, UNKNOWN, UNKNOWN), "No, where tested.** Of its 3 claims 1 does not hold, 2 are"),
        ((FAILS,), "No.** Of its 1 claim 1 does"),
        ((UNKNOWN,), "Nobody can tell yet.** Of its 1 claim 1 is not tested."),
    ],
)
def test_the_answer_to_the_paper_is_one_word_and_a_count(words: tuple[str, ...], said: str):
    found = answer([PUBLIC], ("paper",), {PUBLIC.name: pd.DataFrame()}, claims(*words))
    assert found.startswith(f"**Is it as the paper says? {said}")


def runs(*values: tuple[str, float]) -> dict[str, pd.DataFrame]:
    cells = [("mine", method, "honest", value) for method, value in values]
    found = results(*cells, of=OWN)
    return {OWN.name: found.assign(run=found.groupby("method").cumcount())}


def test_of_one_s_own_data_the_best_method_is_named_and_the_next():
    cells = runs(("FLGC*", 0.95), ("FLGC*", 0.97), ("GCN", 0.90), ("GCN", 0.91))
    said = answer([OWN], ("honest",), cells, [])
    assert html._paragraphs(said) == (
        "<p>FLGC* <strong>is right most often</strong>: in 96.0 of 100 tested rows. GCN comes "
        "next, with 90.5.</p>\n"
    )
    close = runs(("FLGC*", 0.95), ("FLGC*", 0.91), ("GCN", 0.90), ("GCN", 0.94))
    assert answer([OWN], ("honest",), close, []).endswith(
        "with 92.0, too close to tell them apart."
    )
    level = runs(("FLGC*", 0.95), ("GCN", 0.95))
    said = answer([OWN], ("honest",), level, [])
    assert said == "FLGC* and GCN **are right equally often**: accuracy 95.0."
    assert answer([OWN], ("honest",), runs(("FLGC*", 0.9)), []) == "", "one method is best of none"


def test_of_several_tables_it_is_counted_where_ours_are_best():
    tables = {
        UCI.name: results(
            ("iris", "FLGC*", "honest", 0.9), ("iris", "FLGC", "honest", 0.8), of=UCI
        ),
        PUBLIC.name: results(
            ("Cora", "GCN", "honest", 0.9), ("Cora", "FLGC*", "honest", 0.8), of=PUBLIC
        ),
        CLUSTERING.name: results(("iris", "FLGC", "honest", 0.9), of=CLUSTERING),
    }
    found = answer([UCI, PUBLIC, CLUSTERING], ("paper", "honest"), tables, [])
    assert found.startswith("**FLGC is the best on 0 of 1 table with methods of others.** The ")
    tables[UCI.name] = results(
        ("iris", "FLGC*", "honest", 0.9), ("iris", "SVM", "honest", 0.8), of=OTHERS
    )
    found = answer([OTHERS, PUBLIC, CLUSTERING], ("paper", "honest"), tables, [])
    assert found.startswith("**FLGC is the best on 1 of 2 tables with methods of others.** The ")
    assert "best of each: FLGC* (" in found
    assert f"GCN ({PUBLIC.title})." in found

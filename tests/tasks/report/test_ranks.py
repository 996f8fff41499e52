import dataclasses

import pandas as pd

from flgc.methods.picking import PROTOCOLS
from tasks.declared.described import Described
from tasks.report.ranks import compare_methods, compared, retraced
from tasks.report.values import Values
from tests.tasks.report.made import UCI, results, rival, with_rivals


def near(method: str, **ours: float) -> pd.DataFrame:
    """Results that differ from a published column by so much; one dataset is drawn anew."""
    cells = results(
        *(
            (row["dataset"], name, "paper", row["value"] + by)
            for row in UCI.published
            if row["method"] == method
            for name, by in ours.items()
        ),
        of=UCI,
    )
    return cells.assign(marks=cells["dataset"].map(lambda name: "re-drawn" * (name == "x8d5k")))


BOTH = near("GCN", **{"FLGC": 0.01, "FLGC*": 0.02})


def pairs_of(*cells: pd.DataFrame, of: Described = UCI) -> pd.DataFrame:
    found = compare_methods(cells, of, PROTOCOLS, "FLGC*")
    return found.set_index(["control", "rival"])


def test_what_is_printed_alike_is_a_tie():
    cells = near("TSVM", **{"FLGC": 0.00004, "FLGC*": 0.00006})
    found = pairs_of(cells[:9], cells[9:])
    assert set(found["protocol"]) == {"paper"}
    assert found.loc[("FLGC", "TSVM (published)"), "ties"] == 23
    assert found.loc[("FLGC*", "TSVM (published)"), "wins"] == 23
    assert found.loc[("FLGC", "FLGC*"), "datasets"] == 24
    assert found.loc[("FLGC", "TSVM (published)"), "datasets"] == 23, "x8d5k is re-drawn"


def test_columns_that_were_not_run_are_published_ones_and_marked():
    found = pairs_of(BOTH)
    assert len(found) == 2 * (1 + 9), "FLGC and FLGC* against each other and nine others"
    assert ("FLGC*", "GCN (published)") in found.index
    assert ("FLGC*", "FLGC (published)") not in found.index
    assert (found["p_holm"] >= found["p_value"]).all()
    assert (found["p_holm_all"] >= found["p_holm"]).all()
    ran = pairs_of(near("GCN", **{"FLGC*": 0.02, "GCN": 0.0}), of=with_rivals(UCI, "GCN"))
    assert ran.loc[("FLGC*", "GCN"), "wins"] == 24
    assert ("FLGC*", "GCN (published)") not in ran.index


def test_a_missing_cell_is_missing_in_its_pairs_alone():
    found = pairs_of(BOTH[(BOTH["method"] != "FLGC") | (BOTH["dataset"] != "iris")])["datasets"]
    assert found["FLGC*", "FLGC"] == 23
    assert found["FLGC", "GCN (published)"] == 22, "x8d5k is re-drawn, too"
    assert found["FLGC*", "GCN (published)"] == 23


def test_over_one_dataset_nothing_is_compared():
    assert pairs_of(BOTH[BOTH["dataset"] == "iris"]).empty
    two = BOTH[BOTH["dataset"].isin(["iris", "wine"])]
    assert set(pairs_of(two)["datasets"]) == {2}
    nothing = compare_methods([], UCI, PROTOCOLS, "")
    assert nothing.empty
    assert list(nothing.columns) == ["protocol", "control", "rival"]


def test_variants_of_a_row_are_in_no_pair():
    variant = rival("GCN, authors' setting", published="GCN")
    table = with_rivals(dataclasses.replace(UCI, rows=(variant, *UCI.rows)), "GCN")
    cells = near("GCN", **{"FLGC*": 0.02, "GCN": 0.0, "GCN, authors' setting": 0.01})
    assert "GCN, authors' setting" not in set(pairs_of(cells, of=table).index.get_level_values(0))


def test_the_control_is_the_one_that_is_asked_for_or_the_last_of_ours_whoever_leads():
    cells = near("TSVM", **{"FLGC": 0.05, "FLGC*": 0.02})
    for asked, control in (("FLGC", "FLGC"), ("", "FLGC*"), ("nobody", "FLGC*")):
        assert compared(Values(UCI, cells), ("paper",), asked)["paper"].control == control


def test_an_average_is_compared_in_the_one_protocol_that_it_has():
    honest = near("TSVM", **{"FLGC": 0.01, "FLGC* averaged": 0.02}).assign(protocol="honest")
    found = pairs_of(BOTH, honest).set_index("protocol", append=True)["wins"]
    assert found["FLGC* averaged", "FLGC", "honest"] == 24
    paper = found.xs("paper", level="protocol")
    assert set(paper.index.get_level_values("control")) == {"FLGC", "FLGC*"}


def test_published_accuracies_give_the_published_ranks():
    ranks = UCI.printed["wilcoxon"]
    [text] = retraced(UCI, ranks)
    assert "100 of the 110 published rank sums, and all others to 1.0" in text
    assert text.endswith("differ at GCN against FLGC (worse, undecided as published at 63.0).")
    wrong = [row | {"rank_sum": 0.0, "verdict": "undecided"} for row in ranks]
    assert "give 0 of the 110 published rank sums" in retraced(UCI, wrong)[0]
    assert retraced(UCI, ()) == []

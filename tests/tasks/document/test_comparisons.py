import dataclasses

import pandas as pd
import pytest
from tasks.document.comparisons import compare_methods, compared, diagrams, retraced, told
from tasks.document.writers.markdown import written

from tasks.declared.described import Described
from tasks.declared.paper import PAPER
from tasks.declared.published import published_cells
from tests.tasks.document.shown import FLGC_ROWS, PUBLISHED, RIVALS, UCI, results, rival, table


def near(method: str, **ours: float) -> pd.DataFrame:
    """Results that differ from a published column by so much."""
    printed = [row for row in UCI.published if row["method"] == method]
    cells = results(
        *(
            (row["dataset"], m, "paper", row["value"] + o)
            for row in printed
            for m, o in ours.items()
        ),
        of=UCI,
    )
    return cells.assign(marks=cells["dataset"].map(lambda name: "re-drawn" * (name == "x8d5k")))


def test_what_is_printed_alike_is_a_tie():
    cells = near("TSVM", **{"FLGC": 0.00004, "FLGC*": 0.00006})
    found = compare_methods([cells[:9], cells[9:]], UCI, ("paper", "honest"))
    assert set(found["protocol"]) == {"paper"}
    found = found.set_index(["control", "rival"])
    assert found.loc[("FLGC", "TSVM (published)"), "ties"] == 23
    assert found.loc[("FLGC*", "TSVM (published)"), "wins"] == 23
    assert found.loc[("FLGC", "FLGC*"), "datasets"] == 24
    assert found.loc[("FLGC", "TSVM (published)"), "datasets"] == 23, "x8d5k is re-drawn"


def pairs_of(cells: pd.DataFrame, of: Described = UCI) -> pd.DataFrame:
    return compare_methods([cells], of, ("paper",)).set_index(["control", "rival"])


def test_columns_that_were_not_run_are_the_papers_and_marked():
    found = pairs_of(near("GCN", **{"FLGC": 0.01, "FLGC*": 0.02}))
    assert len(found) == 2 * (1 + 9), "FLGC and FLGC* against each other and nine others"
    assert ("FLGC*", "GCN (published)") in found.index
    assert ("FLGC*", "FLGC (published)") not in found.index
    assert (found["p_holm"] >= found["p_value"]).all()
    assert (found["p_holm_all"] >= found["p_holm"]).all()
    with_gcn = dataclasses.replace(UCI, rows=(rival("GCN"), *UCI.rows))
    ran = pairs_of(near("GCN", **{"FLGC*": 0.02, "GCN": 0.0}), with_gcn)
    assert ran.loc[("FLGC*", "GCN"), "wins"] == 24
    assert ("FLGC*", "GCN (published)") not in ran.index


def test_a_missing_cell_is_missing_in_its_pairs_alone():
    cells = near("GCN", **{"FLGC": 0.01, "FLGC*": 0.02})
    part = cells[(cells["method"] != "FLGC") | (cells["dataset"] != "iris")]
    found = pairs_of(part)["datasets"]
    assert found["FLGC*", "FLGC"] == 23
    assert found["FLGC", "GCN (published)"] == 22, "x8d5k is re-drawn, too"
    assert found["FLGC*", "GCN (published)"] == 23


def test_over_one_dataset_nothing_is_compared():
    cells = near("GCN", **{"FLGC": 0.01, "FLGC*": 0.02})
    assert pairs_of_some(cells, "iris").empty
    assert set(pairs_of_some(cells, "iris", "wine")["datasets"]) == {2}


def pairs_of_some(cells: pd.DataFrame, *datasets: str) -> pd.DataFrame:
    return compare_methods([cells[cells["dataset"].isin(datasets)]], UCI, ("paper",))


def test_variants_of_a_row_are_in_no_pair():
    both = (rival("GCN"), rival("GCN, authors' setting", published="GCN"))
    table = dataclasses.replace(UCI, rows=(*both, *UCI.rows))
    cells = near("GCN", **{"FLGC*": 0.02, "GCN": 0.0, "GCN, authors' setting": 0.01})
    assert "GCN, authors' setting" not in set(pairs_of(cells, table).index.get_level_values(0))


@pytest.mark.parametrize(
    ("gap", "verdict"),
    [(0.15, "holds."), (-0.02, "**does not hold**."), (0.0, "**does not hold**.")],
)
def test_the_report_says_whether_the_claim_holds(gap: float, verdict: str):
    rows = [rival(name) for name in RIVALS]
    table = dataclasses.replace(UCI, rows=(*rows, *UCI.rows))
    others = {name: 0.001 * i for i, name in enumerate(("FLGC", *RIVALS))}
    cells = near("SGC", **{"FLGC*": gap, **others})
    found = compared(cells, table, ("paper",))
    text = written(told(found, table))
    claim = "FLGC* is significantly better than all its rivals (at 0.05): "
    assert claim + verdict in text
    assert "### Wilcoxon signed-rank test, `paper`" in text
    assert "Friedman's test of 11 methods over the 23 of 24 datasets" in text
    assert "#### FLGC* against each rival, `paper`" in text
    assert "#### Rank sums of all pairs, `paper`" in text
    assert list(diagrams(found, "uci")) == ["uci-ranks-paper.svg"]


def test_the_control_is_the_paper_s_whatever_leads():
    cells = near("TSVM", **{"FLGC": 0.05, "FLGC*": 0.02})
    assert compared(cells, UCI, ("paper",))["paper"].control == "FLGC*"


def test_the_papers_accuracies_are_told_to_give_its_ranks():
    [text] = retraced(UCI)
    assert "100 of its 110 rank sums, and all others to 1.0" in text
    assert text.endswith("differ at GCN against FLGC (worse, undecided in the paper at 63.0).")
    wrong = tuple(row | {"rank_sum": 0.0, "verdict": "undecided"} for row in UCI.ranks)
    [text] = retraced(dataclasses.replace(UCI, ranks=wrong))
    assert "give 0 of its 110 rank sums" in text
    assert retraced(table("uci-tiny", FLGC_ROWS, "tiny", **PUBLISHED)) == []


def test_an_average_is_compared_in_the_one_protocol_that_it_has():
    paper = near("TSVM", **{"FLGC": 0.01, "FLGC*": 0.02})
    honest = near("TSVM", **{"FLGC": 0.01, "FLGC* averaged": 0.02}).assign(protocol="honest")
    found = compare_methods([paper, honest], UCI, ("paper", "honest"))
    pairs = found.set_index(["protocol", "control", "rival"])["wins"]
    assert pairs["honest", "FLGC* averaged", "FLGC"] == 24
    assert set(pairs["paper"].index.get_level_values("control")) == {"FLGC", "FLGC*"}


def test_nothing_to_compare_is_a_table_without_rows():
    assert list(compare_methods([], UCI, ("paper",)).columns)[:3] == [
        "protocol",
        "control",
        "rival",
    ]
    assert compare_methods([], UCI, ("paper",)).empty


def test_every_declared_table_finds_its_published_cells():
    for experiment in PAPER:
        if not experiment.published:
            continue
        cells = published_cells(experiment)
        assert set(cells["dataset"]) == set(experiment.datasets), experiment.name
        assert {"FLGC", "FLGC*"} <= set(cells["method"])
        keys = ["dataset", "noise", "intensity", "method", "metric"]
        assert not cells.duplicated(keys).any()
        assert cells["value"].between(0, 1).all()

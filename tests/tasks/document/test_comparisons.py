import pandas as pd

from tasks.declared.paper import PAPER
from tasks.declared.published import published, published_cells
from tasks.document.comparisons import compare_methods, compared
from tests.tasks.document.shown import UCI, results


def accuracies() -> pd.DataFrame:
    rows = published("uci_accuracy")
    methods = list(dict.fromkeys(rows["method"]))
    rows = rows[rows["dataset"] != "Average"]
    return rows.pivot(index="dataset", columns="method", values="mean")[methods]


def test_published_columns_are_marked_and_ours_win_over_them():
    table = accuracies()
    found = compared(table[["FLGC", "FLGC*"]], table, ("FLGC*",))
    assert set(found["origin"]) == {"ours", "published"}
    assert "GCN (published)" in set(found["rival"])
    assert "FLGC (published)" not in set(found["rival"])
    assert (found["datasets"] == 24).all()
    assert (found["p_holm"] >= found["p_value"]).all()


def test_a_published_column_with_a_gap_stays_out():
    table = accuracies()
    theirs = table.drop(index="iris")
    found = compared(table[["FLGC", "FLGC*"]], theirs, ("FLGC*",))
    assert found["rival"].tolist() == ["FLGC"]


def test_over_one_dataset_nothing_is_compared():
    table = accuracies()[["FLGC", "FLGC*"]]
    assert compared(table[:1], pd.DataFrame(), ("FLGC*",)).empty
    assert compared(table[:2], pd.DataFrame(), ("FLGC*",))["datasets"].tolist() == [2]


def test_redrawn_data_are_in_no_pair_where_published_columns_are():
    table = accuracies()
    found = compared(table[["FLGC", "FLGC*"]], table, ("FLGC*",), ["X8D5K"])
    assert set(found["datasets"]) == {23}
    assert len(found) == 10
    alone = compared(table[["FLGC", "FLGC*"]], pd.DataFrame(), ("FLGC*",), ["X8D5K"])
    assert set(alone["datasets"]) == {24}


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
    assert set(found["datasets"]) == {23}


def test_an_average_is_compared_in_the_one_protocol_that_it_has():
    paper = near("TSVM", **{"FLGC": 0.01, "FLGC*": 0.02})
    honest = near("TSVM", **{"FLGC": 0.01, "FLGC* averaged": 0.02}).assign(protocol="honest")
    found = compare_methods([paper, honest], UCI, ("paper", "honest"))
    pairs = found.set_index(["protocol", "control", "rival"])["wins"]
    assert pairs["honest", "FLGC* averaged", "FLGC"] == 23
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
        cells = published_cells(experiment)
        assert set(cells["dataset"]) == set(experiment.datasets), experiment.name
        assert {"FLGC", "FLGC*"} <= set(cells["method"])
        keys = ["dataset", "noise", "intensity", "method", "metric"]
        assert not cells.duplicated(keys).any()
        assert cells["value"].between(0, 1).all()

from pathlib import Path

import pandas as pd

from tasks.declared.experiments import PAPER, SUITES
from tasks.declared.printed_tables import published
from tasks.declared.published import published_cells
from tasks.document.comparisons import compared, ranked
from tasks.document.results import COLUMNS
from tasks.stages.compare import compare_methods
from tasks.store.store import Store

UCI = next(experiment for experiment in PAPER if experiment.name == "uci")


def accuracies() -> pd.DataFrame:
    rows = published("uci_accuracy")
    methods = list(dict.fromkeys(rows["method"]))
    rows = rows[rows["dataset"] != "Average"]
    return rows.pivot(index="dataset", columns="method", values="mean")[methods]


def test_the_papers_accuracies_give_the_papers_ranks() -> None:
    ours = ranked(accuracies()).set_index(["row_method", "column_method"])["rank_sum"]
    theirs = published("wilcoxon_ranks").set_index(["row_method", "column_method"])["rank_sum"]
    gap = (ours - theirs).abs()
    assert len(gap) == 110
    assert (gap == 0).sum() >= 100
    assert gap.max() <= 1.0


def test_published_columns_are_marked_and_ours_win_over_them() -> None:
    table = accuracies()
    found = compared(table[["FLGC", "FLGC*"]], table, ("FLGC*",))
    assert set(found["origin"]) == {"ours", "published"}
    assert "GCN (published)" in set(found["rival"])
    assert "FLGC (published)" not in set(found["rival"])
    assert (found["datasets"] == 24).all()
    assert (found["p_holm"] >= found["p_value"]).all()


def test_a_published_column_with_a_gap_stays_out() -> None:
    table = accuracies()
    theirs = table.drop(index="iris")
    found = compared(table[["FLGC", "FLGC*"]], theirs, ("FLGC*",))
    assert found["rival"].tolist() == ["FLGC"]


def test_redrawn_data_are_in_no_pair_where_published_columns_are() -> None:
    table = accuracies()
    found = compared(table[["FLGC", "FLGC*"]], table, ("FLGC*",), ["X8D5K"])
    assert set(found["datasets"]) == {23}
    assert len(found) == 10
    alone = compared(table[["FLGC", "FLGC*"]], pd.DataFrame(), ("FLGC*",), ["X8D5K"])
    assert set(alone["datasets"]) == {24}


def test_what_is_printed_alike_is_a_tie(tmp_path: Path) -> None:
    empty = {name: "" if kind == "str" else 0 for name, kind in COLUMNS.items()}
    printed = published_cells(UCI)
    printed = printed[printed["method"] == "TSVM"].set_index("dataset")["value"]
    cells = pd.DataFrame(
        {**empty, "dataset": dataset, "method": method, "value": value + more}
        for dataset, value in printed.items()
        for method, more in {"FLGC": 0.00004, "FLGC*": 0.00006}.items()
    ).assign(metric="accuracy", protocol="paper")
    cells = cells.assign(marks=cells["dataset"].map(lambda name: "re-drawn" * (name == "x8d5k")))
    store = Store(tmp_path)
    filed = store.get_or_compute("fit", ("flgc.metrics",), lambda: cells, parameters={}, inputs={})
    found = store.read(compare_methods(str(tmp_path), UCI, ("paper",), [filed]).key).to_pandas()
    found = found.set_index(["control", "rival"])
    assert found.loc[("FLGC", "TSVM (published)"), "ties"] == 23
    assert found.loc[("FLGC*", "TSVM (published)"), "wins"] == 23
    assert set(found["datasets"]) == {23}


def test_every_declared_table_finds_its_published_cells() -> None:
    for experiment in SUITES["paper"]:
        cells = published_cells(experiment)
        assert set(cells["dataset"]) == set(experiment.datasets), experiment.name
        assert {"FLGC", "FLGC*"} <= set(cells["method"])
        keys = ["dataset", "noise", "intensity", "method", "metric"]
        assert not cells.duplicated(keys).any()
        assert cells["value"].between(0, 1).all()

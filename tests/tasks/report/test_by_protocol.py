import dataclasses

import numpy as np
import pandas as pd
import pytest

from tasks.declared.described import Described
from tasks.report.by_protocol import grids, laid_tables, overview
from tasks.report.standings import below, leaders
from tasks.report.values import Values
from tests.tasks.report.made import PUBLIC, UCI, results, rival, with_rivals

RIVALS = ("SS-ELM", "GCN", "SVM")
AUTHORS = "GCN, authors' setting"
TABLE = with_rivals(
    dataclasses.replace(UCI, rows=(rival(AUTHORS, published="GCN"), *UCI.rows)), *RIVALS
)
ABSENT = {"air": "not available", "cotton": "not available"}
PRINTED = pd.DataFrame(UCI.published).pivot(index="dataset", columns="method", values="value")


def cells(of: Described = TABLE, **points: float) -> pd.DataFrame:
    """Values as published, or .7 where there are none, and so many points more for a method."""
    rows = [
        (dataset, row.name, protocol, value + points.get(row.name, 0.0) / 100 + spread)
        for dataset in of.datasets
        if dataset not in ABSENT
        for row in of.rows
        for protocol in row.protocols
        for value in [PRINTED[row.published][dataset] if row.published in PRINTED else 0.7]
        for spread in (-0.01, 0.01)
    ]
    made = results(*rows, of=of)
    return made.assign(marks=np.where(made["dataset"] == "x8d5k", "re-drawn", ""))


def shown_tables(of: Described, protocols: tuple, rows: pd.DataFrame, absent: dict) -> dict:
    laid = laid_tables(Values(of, rows), protocols, absent)
    return {title: each.frame for title, each in laid.items()}


def test_one_protocol_at_a_time_with_the_difference_to_what_is_published():
    shown = shown_tables(TABLE, ("paper", "honest"), cells(GCN=1.5), ABSENT)
    further = ", further methods"
    assert list(shown) == [
        *("`paper`", "`honest`", f"`paper`{further}", f"`honest`{further}", "As published")
    ]
    paper = shown["`paper`"].set_index("dataset")
    assert list(paper) == ["SS-ELM", "GCN", "FLGC", "FLGC*"]
    assert paper.loc["iris", "GCN"] == "92.31 ± 1.00 (+1.50)"
    assert paper.loc["iris", "FLGC*"] == "**96.81** ± 1.00 (+0.00)"
    assert paper.loc["air", "GCN"] == "not available"
    assert paper.loc["x8d5k (re-drawn)", "GCN"].endswith("± 1.00"), "theirs are other data"
    assert list(shown["As published"].set_index("dataset").loc["iris"])[3] == "**96.81** ± 0.47"
    honest = shown[f"`honest`{further}"]
    assert list(honest) == ["dataset", "SVM", AUTHORS, "FLGC* averaged"]
    assert "FLGC* averaged" not in shown[f"`paper`{further}"]


def test_averages_stand_below_over_the_same_datasets_as_the_published_ones():
    shown = shown_tables(TABLE, ("paper",), cells(GCN=1.5), ABSENT)
    for each in (shown["`paper`"], shown["As published"]):
        own, all_here = each["dataset"].iloc[-2:]
        assert own == "average over 21 of 24 datasets (all but air, cotton, x8d5k)"
        assert all_here == "average over 22 of 24 datasets (all but air, cotton)"
    theirs = 100 * PRINTED["GCN"].drop(["air", "cotton"]).mean()
    assert shown["As published"]["GCN"].iloc[-1] == f"{theirs:.2f}"
    assert shown["`paper`"]["GCN"].iloc[-1] == f"{theirs + 1.5:.2f} (+1.50)"


def test_a_method_without_a_single_cell_takes_no_average_from_the_others():
    there = cells()
    there = there[there["method"] != "SVM"]
    assert (
        "average over 22 of 24"
        in shown_tables(TABLE, ("paper",), there, ABSENT)["`paper`"]["dataset"].iloc[-1]
    )
    part = cells()
    part = part[(part["method"] != "SVM") | (part["dataset"] != "iris")]
    shown = shown_tables(TABLE, ("paper",), part, ABSENT)
    assert "all but air, iris, cotton)" in shown["`paper`"]["dataset"].iloc[-1]
    assert shown["`paper`, further methods"].set_index("dataset").loc["iris", "SVM"] == "failed"


def test_few_methods_and_tables_by_method_stay_one_table():
    assert list(shown_tables(UCI, ("paper",), cells(UCI), ABSENT)) == [""]
    empty = results(("Cora", "FLGC", "paper", 0.8), of=PUBLIC)
    assert list(shown_tables(PUBLIC, ("paper",), empty, {})) == [""]


def test_the_overview_has_means_counts_and_seconds():
    found = overview(
        Values(TABLE, cells(GCN=30)), ("paper", "honest"), {"GCN": {"score": 2, "fit": 1}}
    )
    found = found.set_index("method")
    assert found.loc["GCN", "paper vs published"] == "+30.00"
    assert found.loc["GCN", "best in `paper`"] == "22"
    assert found.loc["GCN", "seconds"] == "3"
    assert (
        found.loc["FLGC* averaged", ["paper", "best in `paper`", "published"]].tolist() == [""] * 3
    )
    assert found.loc[AUTHORS, "best in `paper`"] == "", "it is GCN over again"
    assert (found["datasets"] == 22).all()


def test_the_leaders_are_named_whoever_leads():
    [head, paper, honest] = leaders(Values(TABLE, cells(GCN=30)))
    assert head.startswith("Our best row and the best rival")
    assert "FLGC* (85.32) is **below** the best rival, GCN (113.25), which is ahead on" in paper
    assert "16 more" in paper
    assert honest.startswith("- `honest`, means over 22 datasets: FLGC*")
    [_, paper, _] = leaders(Values(TABLE, cells(**{"FLGC*": 40})))
    assert "is above the best rival, GCN (83.25), which is ahead on none of them" in paper


@pytest.mark.parametrize(("points", "side"), [(-2.5, "below"), (2.5, "above")])
def test_rivals_far_from_their_published_mean_are_named(points: float, side: str):
    found = below(Values(TABLE, cells(GCN=points)))
    assert found[-1].startswith(f"- GCN: 2.50 {side}, most on ")
    assert "(of 2 over 22 datasets)" in found[0]
    assert below(Values(TABLE, cells(GCN=1.9)))[0].endswith("none.")
    assert below(Values(TABLE, cells(**{"FLGC": 5})))[0].endswith("none."), "no rival"


def test_grids_are_told_few_values_in_full_and_many_by_their_ends():
    found = grids(UCI).set_index("method")["axes"]
    assert "hops 0, 1 .. 20 (21)" in found["FLGC"]
    assert "teleport 0;" in found["FLGC"]
    assert "teleport 0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9;" in found["FLGC*"]

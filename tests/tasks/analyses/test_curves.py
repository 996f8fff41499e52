"""Sentences below the figures of curves, on curves that were made up, both ways."""

import dataclasses

import pandas as pd
from tasks.document.curve_claims import COLUMNS, FAILS, depths, labels, neighbours, told
from tasks.document.figures import influence
from tasks.document.figures.curves import X_AXES

from tests.tasks.report.made import FLGC, UCI, rival, table

TABLE = dataclasses.replace(
    table("uci", FLGC),
    rows=(
        *(rival(name) for name in ("TSVM", "GCN-Linear", "GCN", "SGC", "APPNP")),
        rival("mine", published="LapRLS"),
        *table("uci", FLGC).rows,
    ),
)


def curves(**of_methods: dict[int, float] | dict[str, dict[int, float]]) -> pd.DataFrame:
    """Two runs .01 apart around the points of each method on iris, or by dataset."""
    rows = [
        {
            "dataset": dataset,
            "method": method,
            "x": x,
            "run": run,
            "marks": "",
            "accuracy": at + way,
        }
        for method, points in of_methods.items()
        for dataset, line in (points if "iris" in points else {"iris": points}).items()
        for x, at in line.items()  # type: ignore[union-attr]
        for run, way in enumerate((-0.005, 0.005))
    ]
    return pd.DataFrame(rows)


def named(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.replace({"method": {"STAR": "FLGC*", "LINEAR": "GCN-Linear"}})


def test_ranks_with_the_fewest_labels_and_points_that_are_led():
    rows = curves(
        FLGC={"iris": {1: 0.8, 2: 0.9}, "wine": {1: 0.9, 2: 0.9}},
        STAR={"iris": {1: 0.82, 2: 0.9}, "wine": {1: 0.7, 2: 0.9}},
        TSVM={"iris": {1: 0.81, 2: 0.8}, "wine": {1: 0.6, 2: 0.95}},
    )
    words, _, first, second, *claims = labels(TABLE, named(rows))
    assert words == "Every method has, at all points, the setting that `paper` picks for the table."
    assert first == (
        "- FLGC: with 1 per class rank 3 of 3 on iris, 1 of 3 on wine; best, alone or level, at "
        "2 of 4 points"
    )
    assert second == (
        "- FLGC*: with 1 per class rank 1 of 3 on iris, 2 of 3 on wine; best, alone or level, at "
        "2 of 4 points"
    )
    paper = "beats SS-ELM, TSVM and LapRLS with 1 labelled sample per class: "
    assert claims == [
        f"- FLGC {paper}**does not hold**, not TSVM on iris (-1.00); 1 of 2 pairs with TSVM",
        f"- FLGC* {paper}holds; 2 of 2 pairs with TSVM",
    ]


def test_who_is_weak_is_known_by_the_papers_name_and_nobody_is_no_verdict():
    rows = curves(FLGC={1: 0.8}, mine={1: 0.8})
    *_, claim = labels(TABLE, rows)
    assert claim.endswith("not mine on iris (+0.00); 0 of 1 pairs with mine"), "level is not beaten"
    *_, claim = labels(TABLE, curves(FLGC={3: 0.8}, GCN={3: 0.9}))
    assert claim.endswith("with 3 labelled samples per class: not tested, none of them is here")
    *_, claim = labels(TABLE, curves(GCN={1: 0.8}, TSVM={1: 0.9}))
    assert claim == "", "no method of the paper, no claim"


def test_a_method_that_lacks_a_dataset_is_compared_on_the_others():
    rows = curves(
        FLGC={"iris": {1: 0.8}, "wine": {1: 0.8}}, TSVM={"iris": {1: 0.7}}, SGC={"iris": {1: 0.9}}
    )
    _, _, ranks, claim = labels(TABLE, rows)
    assert "rank 2 of 3 on iris, 1 of 1 on wine" in ranks
    assert claim.endswith("holds; 1 of 1 pairs with TSVM")


def test_what_is_lost_from_the_best_depth_to_the_last():
    steep, flat = {1: 0.7, 2: 0.9, 20: 0.6}, {1: 0.8, 2: 0.9, 20: 0.89}
    rows = curves(GCN=steep, STAR=flat, FLGC={1: 0.9, 2: 0.8, 20: 0.5}, LINEAR=flat)
    *_, lost, steady, linear = depths(TABLE, named(rows))
    assert lost == (
        "- lost from the best depth to 20 steps, in points, mean over iris: GCN-Linear 1.00, "
        "FLGC* 1.00, GCN 30.00, FLGC 40.00"
    )
    assert steady.startswith("- GCNII, APPNP, FLGC and FLGC* lose less than the others: **does")
    assert steady.endswith("for FLGC and FLGC* (of the others GCN-Linear loses least, 1.00)")
    assert linear == (
        "- GCN-Linear tends to outperform GCN: holds; points won-level-lost 2-1-0, mean +13.00"
    )
    *_, steady, linear = depths(TABLE, named(curves(GCN=flat, STAR=flat, LINEAR=steep)))
    assert f"{FAILS} for FLGC* (of the others GCN loses least, 1.00)" in steady, "level is not less"
    assert linear.endswith("**does not hold**; points won-level-lost 0-1-2, mean -13.00")
    *_, steady = depths(TABLE, named(curves(GCN=steep, STAR=flat, APPNP={2: 0.9, 20: 0.4})))
    assert f": holds for FLGC*; {FAILS} for APPNP (" in steady
    *_, lost = depths(TABLE, named(curves(STAR=flat)))
    assert lost.startswith("- lost from"), "with nobody beside it there is no verdict"


def test_losses_are_means_over_the_datasets():
    rows = curves(GCN={"iris": {1: 0.9, 8: 0.9}, "wine": {1: 0.9, 8: 0.7}})
    *_, lost = depths(TABLE, rows)
    assert lost.endswith("to 8 steps, in points, mean over iris and wine: GCN 10.00")


def test_the_best_number_of_neighbours_and_what_edges_are_worth():
    rows = named(curves(STAR={0: 0.8, 5: 0.9, 10: 0.95, 15: 0.92})).assign(p_hops=5)
    said, _, line = neighbours(TABLE, rows)
    assert said == "One setting throughout: hops 5."
    assert line == (
        "- iris, FLGC*: best with 10 neighbours (95.00), range 80.00 to 95.00; without edges worse "
        "than with any number: holds (80.00); and less stable: **does not hold** (± 0.50 against "
        "0.50 to 0.50)"
    )
    wild = rows.assign(accuracy=rows["accuracy"] + (rows["x"] == 0) * (rows["run"] - 0.5) * 0.1)
    assert "; and less stable: holds (± 5.50 against 0.50" in neighbours(TABLE, wild)[-1]
    level = named(curves(STAR={0: 0.9, 5: 0.9, 10: 0.95})).assign(p_hops=5)
    assert "than with any number: **does not hold** (90.00)" in neighbours(TABLE, level)[-1]
    edges = named(curves(STAR={5: 0.9, 10: 0.95})).assign(p_hops=5)
    assert neighbours(TABLE, edges)[-1].endswith("range 90.00 to 95.00")


def test_each_figure_has_its_words_and_its_axis():
    rows = curves(FLGC={0: 0.9, 5: 0.8}).assign(p_hops=5, p_teleport=0.0)
    for figure in COLUMNS:
        head, *lines = told(figure, TABLE, rows.assign(ACC=rows["accuracy"]))
        assert head.text.startswith(("Accuracy against ", "ACC against "))
        assert head.text.endswith(", 2 runs")
        assert lines
    assert {**X_AXES, **influence.X_AXES}.keys() == COLUMNS.keys()


def test_who_picks_nothing_is_named():
    words, *_ = labels(UCI, curves(FLGC={1: 0.9}))
    assert words.endswith(" Not shown, as it picks none: FLGC* averaged.")

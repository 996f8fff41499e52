import dataclasses

import pandas as pd
import pytest

from flgc.datasets import load
from tasks.analyses.cells import cell_rows
from tasks.declared.paper import PAPER
from tasks.declared.published import published_cells
from tasks.report.blocks import BAD, GOOD, MIXED, Heading
from tasks.report.standings import averaged, beaten, reached
from tasks.report.tables import NONE, laid_out
from tasks.report.values import REDRAWN, Values, in_points
from tests.tasks.report.made import CLUSTERING, FLGC, PUBLIC, ROBUSTNESS, UCI, rival, table
from tests.tasks.report.made import results as rows_of


def results(*cells, of=PUBLIC):
    return rows_of(*cells, of=of)


@pytest.mark.parametrize(
    ("method", "values", "line"),
    [
        ("FLGC*", {"Cora": [0.83], "CiteSeer": [0.715]}, "1 of 2; short at CiteSeer (-1.7)"),
        ("FLGC*, teleport .1", {"Cora": [0.84]}, "1 of 1"),
        (
            "SGC",
            {"PubMed": [0.788], "Cora": [0.79, 0.81]},
            "1 of 2; short at Cora (-1.7; runs 79.0..81.0); more than 1.5 above at PubMed (+2.2)",
        ),
        # Published: 82.9. Values are rounded as they are printed before they are compared.
        ("FLGC", {"Cora": [0.8186]}, "1 of 1"),
        ("FLGC", {"Cora": [0.8184]}, "0 of 1; short at Cora (-1.1)"),
    ],
)
def test_what_falls_short_is_named_with_its_runs(method, values, line):
    cells = [(data, method, "honest", v) for data, runs in values.items() for v in runs]
    assert f"- {method}, `honest`: {line}" in reached(Values(PUBLIC, results(*cells)))


def test_values_are_compared_with_as_many_decimals_as_are_printed():
    assert in_points(0.8286, PUBLIC) == 82.9
    for value, line in ((0.95296, "1 of 1"), (0.95294, "0 of 1; short at iris (-1.01)")):
        cells = results(("iris", "FLGC", "paper", value), of=UCI)
        assert f"- FLGC, `paper`: {line}" in reached(Values(UCI, cells)), "96.30 is printed"


def test_what_was_tried_is_told():
    remarked = dataclasses.replace(PUBLIC, remarks=("Tried: more hops.",))
    cells = results(("Cora", "FLGC*", "paper", 0.8))
    assert "Tried: more hops." in "\n".join(reached(Values(remarked, cells))).splitlines()
    assert reached(Values(remarked, cells.assign(dataset="nowhere"))) == []
    own = dataclasses.replace(remarked, published=())
    assert reached(Values(own, cells)) == ["\nTried: more hops."]


def test_cells_under_noise_are_counted():
    cells = results(
        *(("ExtendedYaleB", "FLGC*", "paper", value) for value in (0.901, 0.5)), of=ROBUSTNESS
    ).assign(metric="ACC", noise=["gaussian", "salt_pepper"], intensity=0.01)
    cells["noise_pattern"] = "shared"
    cells = pd.concat([cells, cells.iloc[:1].assign(metric="NMI", value=0.9)])
    found = reached(
        Values(ROBUSTNESS, pd.concat([cells, cells.assign(noise_pattern="independent")]))
    )
    assert found[1].startswith("- FLGC*, `paper`: 1 of 3; short at ")
    assert "ExtendedYaleB salt_pepper 0.01 shared ACC (-" in found[1]
    assert "ExtendedYaleB gaussian 0.01 shared NMI (-1.9)" in found[1]


def test_what_is_far_below_has_a_remark_or_no_known_reason():
    cells = results(("glass", "FLGC", "honest", 0.489), ("heart", "FLGC", "honest", 0.5), of=UCI)
    *said, unexplained = reached(Values(UCI, cells))
    assert any("glass" in remark and "Id" in remark for remark in said)
    assert unexplained == "\nMore than 5 points below, for no known reason: heart."


def test_redrawn_data_are_not_compared_with_the_originals_values():
    assert REDRAWN in load("x8d5k").provenance["marks"]
    own = table("uci", FLGC)
    cells = results(
        *(("x8d5k", method, "paper", 0.5) for method in FLGC),
        *((dataset, method, "paper", 0.9) for dataset in ("iris", "wine") for method in FLGC),
        of=UCI,
    )
    marked = cells.assign(marks=["unverified, re-drawn"] * 2 + [""] * 4)
    said = "\nNot compared with published values, which are the original's: x8d5k (re-drawn)."
    assert reached(Values(UCI, marked))[1].startswith("- FLGC, `paper`: 0 of 2; short at iris (-6.")
    assert said in reached(Values(UCI, marked))
    assert "x8d5k" in reached(Values(UCI, cells))[1]
    for rows, score in ((marked, "*0-0-2 ("), (cells, "*0-0-3 (")):
        assert against(UCI, rows)["FLGC, `paper`"]["TSVM (published)"].startswith(score)
    shown = laid_out(Values(own, marked), ("paper",), {}).frame.set_index("dataset")
    redrawn_row = next(title for title in shown.index if title.startswith("x8d5k"))
    assert shown.loc[redrawn_row, "FLGC published"] == "100.00 ± 0.00 (original)"
    assert shown.loc["iris", "FLGC published"] == "96.30 ± 0.66"
    average = shown.loc["average over 2 of 24 datasets (iris, wine)"]
    assert average["FLGC paper"] == "90.00"
    assert float(average["FLGC published"]) == pytest.approx((96.30 + 94.03) / 2, abs=0.006)
    drawn = [
        set(cell_rows(Values(own, rows)).query("protocol == 'published'")["dataset"])
        for rows in (
            cells,
            marked,
        )
    ]
    assert drawn[0] - drawn[1] == {"x8d5k"}, "no dot of theirs beside other data"


def against(of, cells):
    """Rivals x methods of ours."""
    [_, shown] = beaten(Values(of, cells))
    return shown.frame.set_index("rival")


def test_a_contest_with_each_rival_in_each_protocol():
    cells = results(
        ("Cora", "FLGC", "paper", 0.82),
        ("CiteSeer", "FLGC", "paper", 0.72),
        ("PubMed", "FLGC", "paper", 0.79),
        ("Cora", "GCN", "paper", 0.8196),  # printed alike
        ("CiteSeer", "GCN", "paper", 0.70),
        ("PubMed", "GCN", "paper", 0.80),
        ("Cora", "SGC", "paper", 0.81),
        ("Cora", "SGC", "honest", 0.81),
        ("Cora", "FLGC", "honest", 0.80),
        ("Cora", "FLGC*, teleport .1", "honest", 0.811),
    )
    heading, shown = beaten(Values(PUBLIC, cells))
    assert heading == Heading(3, "Against each rival")
    paper, honest, further = (
        shown.frame.set_index("rival")[name] for name in shown.frame.columns[1:]
    )
    assert (paper.name, honest.name) == ("FLGC, `paper`", "FLGC, `honest`")
    assert paper["SGC"] == "**1-0-0 (+1.00)**"
    assert "GCN (published)" not in paper, "it was run here"
    assert paper["GCN"] == "1-1-1 (+0.33)", "more cells are not won than lost"
    assert paper["MixHop (literature)"] == "2-0-1 (-0.37)"  # 81.9, 71.4, 80.8
    assert honest["SGC"] == "*0-0-1 (-1.00)*"
    assert honest["GCN"] == NONE
    assert further["SGC"] == "**1-0-0 (+0.10)**"
    rows = shown.frame["rival"].tolist()
    at = {rival: shown.tones[rows.index(rival), paper.name] for rival in ("SGC", "GCN")}
    assert at == {"SGC": GOOD, "GCN": MIXED}
    assert shown.tones[rows.index("SGC"), honest.name] == BAD
    assert (rows.index("GCN"), honest.name) not in shown.tones
    assert beaten(Values(PUBLIC, cells[cells["method"] == "SGC"])) == []


def test_an_average_is_held_against_rivals_and_its_own_pick():
    cells = results(
        *(("Cora", method, "honest", 0.8) for method in ("GCN", "FLGC*", "FLGC")),
        ("Cora", "FLGC*", "paper", 0.9),
        ("Cora", "FLGC* averaged", "honest", 0.805),
        ("CiteSeer", "FLGC* averaged", "honest", 0.7),
    )
    assert averaged(Values(PUBLIC, cells)) == [
        "FLGC* averaged, which picks no setting, beats FLGC* 1-0-0 (+0.50) in `honest`."
    ]
    assert averaged(Values(PUBLIC, cells[cells["method"] != "FLGC*"])) == []
    column = against(PUBLIC, cells)["FLGC* averaged, `honest`"]
    assert column["GCN"] == "**1-0-0 (+0.50)**"
    assert "FLGC*" not in column, "no rival of its own"


def test_the_row_says_who_is_ours():
    mine = dataclasses.replace(PUBLIC, rows=(*PUBLIC.rows, rival("mine", own=True)))
    cells = results(("Cora", "mine", "honest", 0.82), ("Cora", "GCN", "honest", 0.8))
    assert against(mine, cells)["mine, `honest`"]["GCN"] == "**1-0-0 (+2.00)**"
    theirs = dataclasses.replace(PUBLIC, rows=(*PUBLIC.rows, rival("mine")))
    assert beaten(Values(theirs, cells)) == []


def test_published_rivals_are_marked_and_metrics_told_apart():
    cells = results(("iris", "FLGC*", "paper", 0.96), of=CLUSTERING)
    cells = pd.concat([cells.assign(metric="ACC"), cells.assign(metric="NMI", value=0.1)])
    found = against(CLUSTERING, cells)
    assert found["FLGC*, `paper`, ACC"]["K-Means (published)"] == "**1-0-0 (+16.30)**"
    assert found["FLGC*, `paper`, NMI"]["K-Means (published)"].startswith("*0-0-1 (-")
    assert "FLGC (published)" in found.index, "nobody ran it here"


@pytest.mark.parametrize("experiment", [e for e in PAPER if e.published], ids=lambda e: e.name)
def test_every_declared_table_finds_its_published_cells(experiment):
    cells = published_cells(experiment)
    assert set(cells["dataset"]) == set(experiment.datasets)
    assert {"FLGC", "FLGC*"} <= set(cells["method"])
    keys = ["dataset", "noise", "intensity", "method", "metric"]
    assert not cells.duplicated(keys).any(), "the paper's source has one method twice"
    assert cells["value"].between(0, 1).all()

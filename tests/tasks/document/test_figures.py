import dataclasses
import itertools

import pandas as pd
import pytest
from tasks.document.figures.analyses import OTHERS, STYLES, profile, styles
from tasks.document.figures.curves import line_styles
from tasks.document.figures.dots import MARKS, drawn
from tasks.document.figures.draw import draw_figures
from tasks.document.files import from_table, pictures

from flgc.methods.picking import weighting
from tests.tasks.document.shown import PUBLIC, UCI, results, rival


def grid() -> pd.DataFrame:
    """Two runs; the best on validation nodes has 2 hops, teleport .1 and regularization 1."""
    axes = {
        "run": [0, 1],
        "p_scaling": ["raw"],
        "p_constant": [False],
        "p_hops": [1, 2],
        "p_teleport": [0.0, 0.1],
        "p_regularization": [0.5, 1.0, 2.0],
    }
    rows = pd.DataFrame(list(itertools.product(*axes.values())), columns=list(axes))
    worth = rows["p_hops"] / 10 + rows["p_teleport"] - (rows["p_regularization"] - 1) ** 2 / 10
    return rows.assign(error=1 - worth, size=1.0, validation=worth, validated=5.0, test=worth / 2)


def picks() -> dict[str, pd.DataFrame]:
    found = weighting(grid(), "honest").assign(p_graph="given")
    without = weighting(grid(), "honest", {"teleport": (0.0,)}).assign(p_graph="given")
    return {"FLGC*": found, "FLGC": without}


def test_a_profile_goes_through_the_setting_that_most_runs_picked():
    line = profile(grid(), picks()["FLGC*"], "regularization")
    assert line.index.tolist() == [0.5, 1.0, 2.0]
    assert line["test"].tolist() == pytest.approx([0.1375, 0.15, 0.1])
    without = profile(grid(), picks()["FLGC"], "regularization")
    assert without["test"].tolist() == pytest.approx([0.0875, 0.1, 0.05])
    assert profile(grid(), picks()["FLGC*"], "teleport")["validation"].tolist() == pytest.approx(
        [0.2, 0.3]
    )


def test_methods_of_users_have_a_style_of_their_own_that_stays():
    found = styles(["mine", "FLGC", "yours"])
    assert found["FLGC"]["marker"] == STYLES["FLGC"][1]
    assert [found[name]["color"] for name in ("mine", "yours")] == [OTHERS[0][0], OTHERS[1][0]]
    assert found == styles(["mine", "FLGC", "yours"])
    colours, markers = zip(*STYLES.values(), *OTHERS, strict=True)
    assert len(set(colours)) == len(set(markers)) == len(STYLES) + len(OTHERS)
    many = styles([f"method {i}" for i in range(len(OTHERS) + 1)])
    assert many[f"method {len(OTHERS)}"] == many["method 0"]


def test_what_is_there_is_drawn_and_the_same_numbers_give_the_same_bytes():
    cells = results(("Cora", "FLGC", "paper", 0.8), ("Cora", "GCN", "honest", 0.7), of=PUBLIC)
    timings = pd.DataFrame(
        {"method": ["GCN", "FLGC"], "hops": 1, "accuracy": 0.5, "training_time": [0.2, 0.1]}
    )
    given = ([cells], {"Cora": timings}, {"Cora": grid()}, {"Cora": picks()}, {}, PUBLIC)
    files = draw_figures(*given)
    assert files["name"].tolist()[3:] == [
        f"citation-public{figure}.vl.json" for figure in ("", "-time", "-sensitivity")
    ]
    assert files["name"].tolist()[:3] == [
        "citation-public.svg",
        "citation-public-time.svg",
        "citation-public-sensitivity.svg",
    ]
    assert files["content"][:3].str.contains("<svg").all()
    assert "FLGC*, validation" in files["content"][2]
    pd.testing.assert_frame_equal(files, draw_figures(*given))
    alone = draw_figures([cells], {}, {}, {}, {}, PUBLIC.without_words())
    assert alone["name"].tolist() == ["citation-public.svg", "citation-public.vl.json"]
    assert alone["content"][0] == files["content"][0], "words are in no figure"
    nothing = draw_figures([], {}, {}, {}, {}, PUBLIC)
    assert list(nothing.columns) == ["name", "content"]
    assert nothing.empty


def test_a_published_value_is_drawn_for_all_rows_that_the_paper_calls_so():
    svg = drawn(PUBLIC, results(("Cora", "FLGC", "paper", 0.8), of=PUBLIC))
    lines = svg["citation-public.svg"].splitlines()
    dots = sum("<use" in line and MARKS["published"][0] in line for line in lines)
    rows = [row for row in PUBLIC.rows if row.name != "FLGC* averaged"]
    assert dots == len(rows) + 1, "one in the legend; FLGC*, teleport .1 is the paper's FLGC*"


def test_a_sensitivity_of_one_method_alone_is_drawn():
    one = {"Cora": {"FLGC*": picks()["FLGC*"]}}
    files = draw_figures([], {}, {"Cora": grid()}, one, {}, PUBLIC)
    assert "FLGC, test" not in files["content"][0]
    other = {"Cora": {"FLGC": picks()["FLGC"]}}
    without = draw_figures([], {}, {"Cora": grid()}, other, {}, PUBLIC)
    assert "FLGC, test" in without["content"][0]
    assert ">teleport<" not in without["content"][0], "FLGC has none: the panel would be empty"


def test_there_is_no_sensitivity_of_methods_that_show_none():
    only = {"Cora": {"FLGC*, teleport .1": picks()["FLGC"]}}
    assert draw_figures([], {}, {"Cora": grid()}, only, {}, PUBLIC).empty


def curve(*values: float) -> pd.DataFrame:
    """Two runs at x = 0, 5, ..., one of them .02 better."""
    rows = [(5 * i, run, at + 0.02 * run) for i, at in enumerate(values) for run in (0, 1)]
    return pd.DataFrame(rows, columns=["x", "run", "accuracy"]).assign(marks="")


def test_curves_are_drawn_by_figure_with_a_panel_for_each_dataset():
    lines = {"iris": {"FLGC": curve(0.8, 0.9), "FLGC*": curve(0.8, 0.95)}}
    both = {**lines, "wine": {"FLGC*": curve(0.7, 0.7)}}
    given = {"labels": both, "depths": lines, "neighbours": {"iris": {"FLGC*": curve(0.7, 0.8)}}}
    files = draw_figures([], {}, {}, {}, given, UCI.without_words())
    shown = pictures(from_table(files))
    assert list(shown) == ["uci-labels.svg", "uci-depths.svg", "uci-neighbours.svg"]
    labels, depths, boxes = shown.values()
    assert (">iris<" in labels, ">wine<" in labels, ">wine<" in depths) == (True, True, False)
    assert "that `paper` picks" in labels
    assert "that `paper` picks" in depths
    assert "picks" not in boxes
    assert labels.count(">FLGC<") == labels.count(">FLGC*<") == 1, "one legend for all panels"
    assert "test accuracy of FLGC* in %" in boxes
    pd.testing.assert_frame_equal(files, draw_figures([], {}, {}, {}, given, UCI.without_words()))


def test_fourteen_methods_can_be_told_apart_and_keep_their_style():
    rivals = tuple(rival(f"rival {i}") for i in range(12))
    table = dataclasses.replace(UCI, rows=(*rivals, *UCI.rows))
    found = line_styles(table)
    assert len(found) == 14, "the average picks nothing"
    looks = {
        (style["color"], style["marker"], str(style.get("linestyle"))) for style in found.values()
    }
    assert len(looks) == len(found)
    assert {name for name, style in found.items() if style["linewidth"] > 1} == {"FLGC", "FLGC*"}

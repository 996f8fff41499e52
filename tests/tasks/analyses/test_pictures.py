"""Figures of clusterings: bars, affinity matrices, influence and sample images."""

import base64
import dataclasses
import io
import re

import numpy as np
import pandas as pd
import pytest
from tasks.document.affinity_claims import told
from tasks.document.figures.bars import bar_figure
from tasks.document.figures.draw import draw_figures
from tasks.document.figures.influence import influence_figure
from tasks.document.figures.matrices import MOST_PIXELS, affinity_figure, shrunk
from tasks.document.figures.samples import GAP, samples_figure, sheet

from flgc.datasets import load
from flgc.methods.sorted_affinity import SortedAffinity
from tests.tasks.report.made import CLUSTERING, results, rival

TABLE = dataclasses.replace(
    CLUSTERING, datasets=("ORL", "ExtendedYaleB"), rows=(rival("SSC"), *CLUSTERING.rows)
)
CELLS = results(
    ("ExtendedYaleB", "FLGC*", "paper", 0.9),
    ("ExtendedYaleB", "FLGC*", "honest", 0.8),
    ("ExtendedYaleB", "SSC", "paper", 0.7),
    of=TABLE,
    metric="ACC",
).assign(marks="rebuilt")
BLOCKS = SortedAffinity(np.kron(np.eye(2), np.ones((3, 3))) + 0.1, np.repeat([0, 1], 3))
DIGITS = load("digits")


def picture(svg: str) -> np.ndarray:
    """The pixels of the picture in an SVG."""
    image = pytest.importorskip("PIL.Image")
    [data] = re.findall(r"data:image/png;base64,([^\"]+)\"", svg)
    return np.asarray(image.open(io.BytesIO(base64.b64decode(data))).convert("L"))


def test_bars_are_in_the_order_of_the_table_and_say_what_their_data_are():
    [(name, svg)] = bar_figure(TABLE, CELLS).items()
    assert name == "clustering-bars.svg"
    assert svg.index(">SSC<") < svg.index(">FLGC<") < svg.index(">FLGC*<")
    assert ">ExtendedYaleB (rebuilt)<" in svg
    assert ">ORL<" not in svg, "nothing is there of it"
    assert (">90.0<" in svg, ">70.0<" in svg, ">80.0<" in svg) == (True, True, False)
    assert bar_figure(TABLE, CELLS[:0]) == {}


def test_bars_take_the_place_of_dots():
    files = draw_figures([CELLS], {}, {}, {}, {}, TABLE, bars=True)
    assert files["name"].tolist() == ["clustering-bars.svg", "clustering-bars.vl.json"]


def test_a_matrix_is_shown_by_the_means_of_its_blocks(monkeypatch: pytest.MonkeyPatch):
    small = np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(shrunk(small), small)
    monkeypatch.setattr("tasks.document.figures.matrices.MOST_PIXELS", 3)
    matrix = np.arange(49.0).reshape(7, 7)
    parts = [slice(0, 3), slice(3, 6), slice(6, 7)]
    expected = [[matrix[rows, columns].mean() for columns in parts] for rows in parts]
    np.testing.assert_allclose(shrunk(matrix), expected)


def test_affinities_are_dark_in_their_blocks_and_small():
    svg = affinity_figure({"ExtendedYaleB": {"FLGC*": BLOCKS}}, CELLS)
    assert ">ExtendedYaleB (rebuilt), FLGC*<" in svg
    pixels = picture(svg)
    assert pixels.shape == (6, 6)
    assert (pixels < 10).tolist() == (BLOCKS.matrix > 1).tolist()
    large = SortedAffinity(np.ones((1100, 1100), dtype=np.float32), np.repeat([0, 1], 550))
    assert max(picture(affinity_figure({"ORL": {"FLGC*": large}}, CELLS)).shape) <= MOST_PIXELS
    nothing = SortedAffinity(np.zeros((2, 2)), np.array([0, 1]))
    assert (picture(affinity_figure({"ORL": {"FLGC*": nothing}}, CELLS)) == 255).all()


def test_how_much_of_an_affinity_is_within_classes():
    _, line = told({"ExtendedYaleB": {"FLGC*": BLOCKS}}, CELLS)
    assert line.markdown == (
        "- ExtendedYaleB (rebuilt), FLGC*: 88.0% of the affinity between different samples is "
        "within classes; 40.0% if it were even"
    )


def test_a_sheet_has_a_row_for_each_class_and_images_upright():
    page = sheet(DIGITS, rows=3, columns=4)
    assert page.shape == (3 * 8 + 2 * GAP, 4 * 8 + 3 * GAP)
    for i, digit in enumerate((0, 4, 9)):
        nodes = np.flatnonzero(DIGITS.labels == digit)
        for j, node in ((0, nodes[0]), (3, nodes[-1])):
            top, left = i * (8 + GAP), j * (8 + GAP)
            expected = DIGITS.features[node].reshape(8, 8)
            np.testing.assert_array_equal(page[top : top + 8, left : left + 8], expected)
    assert (page[8 : 8 + GAP] == 1).all(), "white between them"


def test_a_class_with_few_images_leaves_room_and_a_table_has_none():
    few = dataclasses.replace(DIGITS, features=DIGITS.features[:10], labels=DIGITS.labels[:10])
    page = sheet(few, rows=20, columns=2)
    assert page.shape == (10 * 8 + 9 * GAP, 2 * 8 + GAP)
    assert (page[:, 8:] == 1).all()
    with pytest.raises(ValueError, match="iris has no images: name datasets that have an image_sh"):
        sheet(load("iris"), 1, 1)


def test_samples_name_their_datasets_with_their_marks():
    marked = dataclasses.replace(DIGITS, provenance={"marks": ("rebuilt",)})
    assert ">digits (rebuilt)<" in samples_figure([marked], 2, 3)


def test_influence_has_a_panel_for_each_method_and_a_line_for_each_dataset():
    points = {"run": 0, "marks": "rebuilt", "dataset": "ExtendedYaleB"}
    lines = [
        pd.DataFrame({"x": [1, 20], "ACC": [0.9, 0.8], "method": method, **points})
        for method in ("FLGC*", "FLGC")
    ]
    hops, orl = pd.concat(lines), {"dataset": "ORL", "marks": ""}
    hops = pd.concat([hops, hops.assign(**orl)])
    teleport = lines[0].assign(x=[0.0, 1.0])
    svg = influence_figure(TABLE, {"hops": hops, "teleport": teleport})
    titles = [">(a) FLGC<", ">(b) FLGC*<", ">(c) FLGC*<"]
    assert [svg.count(title) for title in titles] == [1, 1, 1]
    assert (svg.count(">propagation steps<"), svg.count(">teleport<")) == (2, 1)
    assert svg.count(">ExtendedYaleB (rebuilt)<") == svg.count(">ORL<") == 1, "one legend"


def test_everything_that_is_given_is_drawn():
    point = pd.DataFrame({"x": [1], "run": 0, "marks": "", "ACC": 0.9})
    curves = {name: {"ORL": {"FLGC*": point}} for name in ("hops", "teleport")}
    given = {"affinities": {"ORL": {"FLGC*": BLOCKS}}, "samples": {"digits": DIGITS}}
    files = draw_figures([], {}, {}, {}, curves, TABLE, **given, shape=(2, 2))
    assert files["name"].tolist() == [
        "clustering-influence.svg",
        "clustering-affinity.svg",
        "clustering-samples.svg",
        "clustering-influence.vl.json",
    ]
    again = draw_figures([], {}, {}, {}, curves, TABLE, **given, shape=(2, 2))
    pd.testing.assert_frame_equal(files, again)

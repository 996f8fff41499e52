"""Pictures that are no charts: affinity matrices and sample images."""

import base64
import dataclasses
import io
import re

import numpy as np
import pytest

from flgc.datasets import load
from flgc.methods.sorted_affinity import SortedAffinity
from tasks.analyses.affinity import MOST_PIXELS, draw_affinities, shrunk
from tasks.analyses.samples import GAP, draw_samples, sheet
from tests.tasks.report.made import evidence, results, says, table

TABLE = table("clustering-images")
CELLS = results(("ExtendedYaleB", "FLGC*", "paper", 0.9), of=TABLE, metric="ACC").assign(
    marks="rebuilt"
)
BLOCKS = SortedAffinity(np.kron(np.eye(2), np.ones((3, 3))) + 0.1, np.repeat([0, 1], 3))
DIGITS = load("digits")


def picture(affinity: SortedAffinity) -> np.ndarray:
    """The pixels of its picture."""
    image = pytest.importorskip("PIL.Image")
    svg = draw_affinities({"ORL": {"FLGC*": affinity}}, CELLS)
    [data] = re.findall(r"data:image/png;base64,([^\"]+)\"", svg)
    return np.asarray(image.open(io.BytesIO(base64.b64decode(data))).convert("L"))


def test_a_matrix_is_shown_by_the_means_of_its_blocks(monkeypatch: pytest.MonkeyPatch):
    small = np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(shrunk(small), small)
    monkeypatch.setattr("tasks.analyses.affinity.MOST_PIXELS", 3)
    matrix = np.arange(49.0).reshape(7, 7)
    parts = [slice(0, 3), slice(3, 6), slice(6, 7)]
    expected = [[matrix[rows, columns].mean() for columns in parts] for rows in parts]
    np.testing.assert_allclose(shrunk(matrix), expected)


def test_affinities_are_dark_in_their_blocks_and_small():
    pixels = picture(BLOCKS)
    assert pixels.shape == (6, 6)
    assert (pixels < 10).tolist() == (BLOCKS.matrix > 1).tolist()
    large = SortedAffinity(np.ones((1100, 1100), dtype=np.float32), np.repeat([0, 1], 550))
    assert max(picture(large).shape) <= MOST_PIXELS
    assert (picture(SortedAffinity(np.zeros((2, 2)), np.array([0, 1]))) == 255).all()


def test_an_affinity_is_a_picture_with_its_marks_and_says_how_much_is_within_classes():
    known = evidence(TABLE, [CELLS], {"affinity": {"ExtendedYaleB": {"FLGC*": BLOCKS}}})
    svg, again = (
        known.declared.analyses["affinity"].charts(known, known.rows("affinity"))["affinity"]
        for _ in range(2)
    )
    assert ">ExtendedYaleB (rebuilt), FLGC*<" in svg
    assert svg == again, "the same numbers give the same bytes"
    assert says(known, "affinity") == (
        "- ExtendedYaleB (rebuilt), FLGC*: 88.0% of the affinity between different samples is "
        "within classes; 40.0% if it were even\n"
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
    svg = draw_samples([marked, DIGITS], 2, 3)
    assert [svg.count(f">{title}<") for title in ("digits (rebuilt)", "digits")] == [1, 1]
    assert svg == draw_samples([marked, DIGITS], 2, 3)

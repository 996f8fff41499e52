"""What is said of curves that were made up."""

import pandas as pd
import pytest

from tasks.declared.described import Described
from tasks.report.evidence import Evidence
from tests.tasks.report.made import CLUSTERING, UCI, blocks_of, evidence, says, table, with_rivals

TABLE = with_rivals(UCI, "TSVM", "GCN-Linear", "GCN")
IMAGES = table("clustering-images")
WORDS = "Every method has, at all points, the setting that `paper` picks for the table."
Lines = dict[str, dict[str, dict[float, float]]]


def curves(
    figure: str, of_datasets: Lines, of: Described = TABLE, runs: int = 2, **more: object
) -> Evidence:
    """Runs .01 apart around the points of each method, by dataset."""
    products = {
        dataset: {
            method: pd.DataFrame(
                [
                    {"x": x, "run": run, "marks": "", of.metrics[0]: at + way, **more}
                    for x, at in line.items()
                    for run, way in enumerate((-0.005, 0.005)[:runs])
                ]
            )
            for method, line in lines.items()
        }
        for dataset, lines in of_datasets.items()
    }
    return evidence(of, products={figure: products})


def test_ranks_with_the_fewest_labels_and_points_that_are_led():
    known = curves(
        "labels",
        {
            "iris": {"FLGC": {1: 0.8, 2: 0.9}, "FLGC*": {1: 0.82, 2: 0.9}, "TSVM": {1: 0.81}},
            "wine": {"FLGC": {1: 0.9, 2: 0.9}, "FLGC*": {1: 0.7, 2: 0.9}, "GCN": {2: 0.95}},
        },
    )
    first, _, *lines = says(known, "labels").splitlines()
    assert first == f"{WORDS} Not shown, as it picks none: FLGC* averaged."
    said = "best, alone or level, at 2 of 4 points"
    assert lines == [
        f"- FLGC: with 1 per class rank 3 of 3 on iris, 1 of 2 on wine; {said}",
        f"- FLGC*: with 1 per class rank 1 of 3 on iris, 2 of 2 on wine; {said}",
    ]
    others = curves("labels", {"iris": {"TSVM": {1: 0.8}}})
    assert len(blocks_of(others, "labels")) == 1, "nothing to say of ours"


def test_what_is_lost_from_the_best_value_to_the_last():
    known = curves(
        "depths",
        {
            "iris": {"GCN": {1: 0.7, 2: 0.9, 20: 0.6}, "FLGC": {1: 0.9, 20: 0.9}},
            "wine": {"GCN": {1: 0.9, 2: 0.8, 20: 0.8}, "FLGC": {1: 0.9}},
        },
    )
    *_, shown = blocks_of(known, "depths")
    assert shown.frame.to_dict("list") == {
        "method": ["GCN", "FLGC"],
        "lost to 20, mean": ["20.00", "\N{EN DASH}"],
        "iris": ["90.00 at 2, 70.00 at 1, 60.00 at 20", "90.00 at 1, 90.00 at 20"],
        "wine": ["90.00 at 1, 80.00 at 20", "90.00 at 1"],
    }
    assert "propagation steps or layers" in shown.caption


def test_curves_of_clusterings_have_values_between_whole_numbers():
    known = curves("teleport", {"ORL": {"FLGC*": {0.0: 0.5, 0.5: 0.75, 1.0: 0.6}}}, IMAGES)
    *_, shown = blocks_of(known, "teleport")
    assert shown.frame["ORL"].tolist() == ["75.0 at 0.5, 50.0 at 0, 60.0 at 1"]
    assert shown.frame["lost to 1, mean"].tolist() == ["15.0"]


def test_the_best_number_of_neighbours_and_what_there_is_without_edges():
    lines = {"iris": {"FLGC*": {0: 0.8, 5: 0.9, 10: 0.95, 15: 0.92}}}
    first, _, line = says(curves("neighbours", lines, p_hops=5), "neighbours").splitlines()
    assert first == "One setting throughout: hops 5."
    best = "- iris, FLGC*: best with 10 neighbours (95.00), range "
    assert line == f"{best}80.00 to 95.00; without edges 80.00 ± 0.50"
    del lines["iris"]["FLGC*"][0]
    assert says(curves("neighbours", lines, p_hops=5), "neighbours").endswith(
        f"{best}90.00 to 95.00\n"
    )


@pytest.mark.parametrize(
    ("figure", "of", "words"),
    [
        ("labels", TABLE, "Accuracy against labelled samples per class"),
        ("depths", TABLE, "Accuracy against propagation steps or layers"),
        ("neighbours", TABLE, "Accuracy against the number of neighbours"),
        ("hops", IMAGES, "ACC against propagation steps or layers"),
        ("teleport", IMAGES, "ACC against teleport"),
    ],
)
def test_a_heading_says_what_is_seen_over_what(figure: str, of: Described, words: str):
    for runs, end in ((2, "2 runs"), (1, "1 run")):
        known = curves(figure, {"iris": {"FLGC*": {1: 0.9}}}, of, runs)
        heading = known.declared.analyses[figure].heading(known)
        assert heading == f"{words}, {end}"


def test_no_curve_is_no_row():
    assert evidence(CLUSTERING).rows("labels").empty
    assert evidence(TABLE).rows("labels").empty

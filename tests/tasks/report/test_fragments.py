"""The tables that README and docs show: the numbers of the report, in a form of their own."""

import dataclasses

import pytest

from tasks.declared.described import Described, described
from tasks.report.evidence import Evidence
from tasks.report.fragments import fragments
from tasks.report.tables import NONE
from tests.tasks.report import made
from tests.tasks.report.made import DECLARED

# Published on Cora: FLGC 82.9, FLGC* 84.0, GCN 81.1.
CORA = ("citation-public", "Cora")


def evidence(
    name: str,
    dataset: str,
    *values: tuple[str, float],
    table: Described | None = None,
    **row: object,
) -> Evidence:
    """Of the paper's table the cells of one dataset in `honest`: a line for each value."""
    of = table or described(DECLARED[name])
    cells = [(dataset, method, "honest", value) for method, value in values]
    rows = made.results(*cells, of=of, metric=of.metrics[0])
    return made.evidence(of, [rows.assign(**row)])


def lines(known: Evidence, name: str) -> list[list[str]]:
    """The cells of a file, line by line, without the rule below the head."""
    text = fragments([known])[f"fragments/{name}.md"]
    head, _, *rest = text.splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in (head, *rest)]


def summary(*values: tuple[str, float]) -> dict[str, str]:
    head, line = lines(evidence(*CORA, *values), "summary")
    return dict(zip(head, line, strict=True))


@pytest.mark.parametrize(
    ("value", "said"), [(0.8300, "1 of 1"), (0.8294, "0 of 1"), (0.8450, "1 of 1")]
)
def test_a_published_value_is_reached_to_a_point(value, said):
    assert summary(("FLGC*", value))["reached, `honest`"] == said


def test_what_picks_from_a_part_of_the_settings_reaches_nothing_a_second_time():
    assert summary(("FLGC*", 0.84), ("FLGC*, teleport .1", 0.84))["reached, `honest`"] == "1 of 1"


def test_the_leader_is_bold():
    rivals = (("GCN", 0.84), ("SGC", 0.80))
    assert summary(("FLGC*", 0.83), *rivals)["leads, `honest`"] == r"FLGC\* 83.0, **GCN 84.0**"
    assert summary(("FLGC*", 0.85), *rivals)["leads, `honest`"] == r"**FLGC\* 85.0**, GCN 84.0"
    assert summary(("FLGC*", 0.84), *rivals)["leads, `honest`"] == r"FLGC\* 84.0, GCN 84.0"
    assert list(summary(("FLGC*", 0.85)))[-1] == "reached, `honest`", "nobody to lead"


def test_means_go_over_the_datasets_that_all_methods_have():
    known = evidence(*CORA, ("FLGC*", 0.85), ("GCN", 0.84))
    alone = evidence("citation-public", "PubMed", ("GCN", 0.99))
    both = Evidence(known.declared, [*known.cells, *alone.cells])
    assert lines(both, "summary")[1][-1] == r"**FLGC\* 85.0**, GCN 84.0"


def test_a_row_for_each_method_with_published_values_and_spread():
    runs = [("FLGC*", 0.82), ("FLGC*", 0.84), ("FLGC*, teleport .1", 0.8), ("GCN", 0.811)]
    assert lines(evidence(*CORA, *runs), "citation-public") == [
        ["method", "Cora published", "Cora honest"],
        ["GCN", "81.1", "81.1"],
        [r"FLGC\*, teleport .1", NONE, "80.0"],
        [r"FLGC\*", "84.0", "83.0 ± 1.0"],
    ]


def test_a_row_for_each_dataset_with_the_best_baseline():
    runs = [("FLGC", 0.8), ("LapRLS", 0.9), ("TSVM", 0.9), ("GCN, authors' setting", 0.99)]
    assert lines(evidence("uci", "wine", *runs), "uci") == [
        ["data", "FLGC published", "FLGC honest", "best baseline, honest"],
        ["wine", "94.03", "80.00", "TSVM 90.00"],
    ]
    means = lines(evidence("uci", "wine", *runs), "uci-means")
    assert means[0] == ["mean over 1", "published", "honest"]
    assert ["LapRLS", "95.13", "90.00"] in means


def test_redrawn_data_have_no_published_value():
    runs = ("uci", "x8d5k", ("FLGC", 0.9), ("SVM", 0.8))
    assert lines(evidence(*runs), "uci")[0][1] == "FLGC published"
    assert lines(evidence(*runs, marks="re-drawn"), "uci")[0][1] == "FLGC honest"


def test_noise_is_named_without_the_dataset_that_all_rows_share():
    noise = {"noise": "gaussian", "intensity": 0.1, "noise_pattern": "shared"}
    known = evidence("robustness", "ExtendedYaleB", ("FLGC", 0.7), ("EDSC", 0.8), **noise)
    line = ["gaussian 0.1 shared", "74.8", "70.0", "EDSC 80.0"]
    assert lines(known, "robustness")[1] == line


def test_nothing_is_shown_of_tables_that_nobody_has_published():
    own = dataclasses.replace(described(DECLARED["uci"]), published=())
    assert fragments([evidence("uci", "wine", ("FLGC", 0.8), table=own)]) == {}

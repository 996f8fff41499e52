import dataclasses
import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from flgc.methods.sorted_affinity import SortedAffinity
from tasks.analyses.base import Analysis
from tasks.analyses.timing import TimedHops
from tasks.declared.described import Described
from tasks.report.evidence import Evidence
from tasks.report.files import FAULTS, from_table
from tasks.report.gaps import FAILED, NOT_REACHABLE, Gap
from tasks.report.ranks import compare_methods
from tasks.report.report import PartFailed, whole_report, write_report
from tasks.report.writers.html import page_files
from tasks.stages.report import export
from tasks.store.digests import content_digest
from tasks.store.parquet import as_table as as_stored
from tests.tasks.report.made import (
    DECLARED,
    FLGC,
    PUBLIC,
    PUBLISHED,
    TINY,
    UCI,
    evidence,
    results,
    rival,
    table,
)

MOON = Gap(NOT_REACHABLE, "wdbc", "moon", 2)
TIMES = pd.DataFrame({"method": ["FLGC"], "hops": 1, "accuracy": 0.5, "training_time": 0.1})
COSTS = {"FLGC": {"score": 1.5, "fit": 0.25}, "FLGC*": {"fit": 0.25}}


def cells(of: Described = TINY, value: float = 0.9) -> list[pd.DataFrame]:
    """One frame for each cell, as they are stored; wdbc is missing."""
    about = {"criterion": "test", "tried": 12, "p_hops": 2}
    return [
        results((dataset, row.name, "paper", value), of=of).assign(**about)
        for dataset in ("iris", "wine")
        for row in of.rows
    ]


def known(of: Described = TINY, value: float = 0.9, **more: Any) -> Evidence:
    return evidence(of, **{"cells": cells(of, value), "protocols": ("paper",), **more})


def report_of(*tables: Evidence, write: Any = write_report, **more: Any) -> pd.DataFrame:
    """The report as the store gets it."""
    by_name = {each.table.name: each for each in tables}
    given: dict[str, Any] = {"title": "Reproduction: `tiny`", "files": page_files()}
    given |= {"history": (), "provenance": {}}
    return write(
        tables=[each.declared for each in tables],
        cells={name: each.cells for name, each in by_name.items()},
        products={name: each.products for name, each in by_name.items()},
        costs={name: each.costs for name, each in by_name.items()},
        **{**given, **more},
    )


def written(*tables: Evidence, **more: Any) -> dict[str, str]:
    """The files of a report by name."""
    return from_table(report_of(*tables or [known()], **more))


def named(files: dict[str, str]) -> set[str]:
    """The files that lie beside the report and its page."""
    return {name for name in files if "/" not in name} - {"report.html"}


def timed(of: Evidence) -> Evidence:
    """The same with training times."""
    analyses = {**of.declared.analyses, "time": TimedHops((1,))}
    times = {**of.products, "time": {"iris": TIMES}}
    return evidence(
        of.table, of.cells, times, of.protocols, of.costs, analyses=analyses, gaps=of.declared.gaps
    )


def test_everything_that_is_there_stands_in_the_report():
    gaps = (MOON, Gap(FAILED, "uci-tiny: timing iris", "sour"))
    pairs = {"wilcoxon": {"wilcoxon": compare_methods(cells(), TINY, ("paper",), "FLGC*")}}
    files = written(timed(known(products=pairs, gaps=gaps, costs=COSTS)))
    ends = ("", "-time", "-wilcoxon")
    figures = ("uci-tiny", "uci-tiny-time", "uci-tiny-ranks-paper", "result")
    assert named(files) == {
        "report.md",
        *(f"uci-tiny{end}.csv" for end in ends),
        *(f"{name}.svg" for name in figures),
    }
    text = files["report.md"]
    assert text.startswith("# Reproduction: `tiny`\n\nFLGC and FLGC* **are right equally often**")
    assert "\n\n4 cells complete, 2 not reachable.\n" in text
    assert "![uci-tiny-time](uci-tiny-time.svg)" in text
    assert "| wdbc | 94.58 ± 0.90 | not reachable |" in text
    assert "- wdbc: no source could be reached (2 cells): moon" in text
    assert "- uci-tiny: timing iris: failed: sour" in text
    assert "| method | score | fit |\n|---|---|---|\n| FLGC | 1.5 | 0.25 |" in text
    assert (
        "### Settings tried\n\n| method | protocol | settings tried | judged on | runs | datasets |"
        "\n|---|---|---|---|---|---|\n| FLGC | paper | 12 | test nodes | 1 | 2 |"
    ) in text
    for title in ("Wilcoxon signed-rank tests", "Training time", "Settings picked"):
        assert f"\n### {title}" in text


def test_each_analysis_has_its_words_and_its_rows_whatever_the_table():
    line = pd.DataFrame({"x": [1, 3], "run": 0, "p_hops": 5, "marks": "", "accuracy": [0.8, 0.9]})
    curves = ("labels", "depths", "neighbours")
    products = {name: {"iris": {"FLGC": line, "FLGC*": line}} for name in curves}
    files = written(known(products=products))
    for name in curves:
        head, first, *_ = files[f"uci-tiny-{name}.csv"].splitlines()
        assert head == "dataset,method,x,run,p_hops,marks,accuracy"
        assert first == "iris,FLGC,1,0,5,,0.8"
        assert f"![uci-tiny-{name}](uci-tiny-{name}.svg)" in files["report.md"]
    assert files["report.md"].count("### Accuracy against") == 3
    assert "Accuracy against" not in written()["report.md"]


def test_averages_and_redrawn_data_are_spoken_of():
    whole = table("uci-tiny", **PUBLISHED)
    honest = [cell.assign(protocol="honest") for cell in cells()]
    average = [cell.assign(method=f"{FLGC[1]} averaged", value=0.95) for cell in honest[1::2]]
    redrawn = [cell.assign(marks="re-drawn" * (i < 2)) for i, cell in enumerate(cells())]
    pairs = {"wilcoxon": {"wilcoxon": compare_methods(cells(), whole, ("paper",), "FLGC*")}}
    text = written(evidence(whole, [*redrawn, *honest, *average], pairs))["report.md"]
    said = "\nFLGC* averaged, which picks no setting, beats FLGC* 2-0-0 (+5.00) in `honest`."
    assert said in text
    said = "Not compared with published values, which are the original's: iris (re-drawn)."
    assert text.count(said) == 2, "beside the values, and beside the test"


def test_a_run_without_a_single_cell_has_a_report():
    text = written(known(cells=()), evidence(PUBLIC))["report.md"]
    assert text.startswith("# Reproduction: `tiny`\n\n**Is it as the paper says? Nobody can tell")
    assert "\n\n0 cells complete.\n" in text
    assert "| iris | 96.30 ± 0.66 | failed |" in text


@pytest.mark.parametrize("most_columns", [1, 7])
def test_what_it_took_is_shown_and_is_no_part_of_the_digest(monkeypatch, most_columns):
    """Also of tables of many methods, which show it beside the means."""
    monkeypatch.setattr("tasks.report.by_protocol.MOST_COLUMNS", most_columns)
    tables = [
        report_of(known(value=value, costs={"FLGC": {"score": seconds}}))
        for seconds, value in ((1.5, 0.9), (77.25, 0.9), (1.5, 0.8))
    ]
    first, second, other = (content_digest(as_stored(each)) for each in tables)
    assert first == second != other
    short, long = map(from_table, tables[:2])
    assert set(short) == set(long)
    for name in ("report.md", "report.html", "latex/cost.tex"):
        assert ("77.2" in short[name], "77.2" in long[name]) == (False, True), name


def test_methods_from_elsewhere_are_named_with_their_origin():
    assert "from elsewhere" not in written()["report.md"]
    mine = rival("mine", origin="nets 1.2", own=True)
    direct = rival("my.module:Net", origin="my.module:Net")
    guests = dataclasses.replace(TINY, rows=(*TINY.rows, mine, direct))
    text = written(known(guests))["report.md"]
    assert "\nMethods from elsewhere: mine (nets 1.2), my.module:Net.\n" in text
    assert " mine, `paper` |" in text, "it is one of ours"


def test_a_changed_remark_changes_the_report_and_no_table_of_numbers():
    told = dataclasses.replace(TINY, remarks=("iris is far off.",))
    assert told != TINY
    assert told.without_words() == TINY.without_words()
    after, before = written(known(told)), written()
    assert ("iris is far off." in after["report.md"], "far off" in before["report.md"]) == (
        True,
        False,
    )
    assert after["uci-tiny.csv"] == before["uci-tiny.csv"]


def test_where_it_came_from_what_it_cost_and_how_it_stands_are_told():
    data = [{"dataset": "iris", "digest": "`ab12`", "from": "embedded", "marks": ""}]
    files = written(
        known(costs=COSTS, gaps=(MOON,)), provenance={"data": data, "versions": {"numpy": "2.4"}}
    )
    for words in (
        "| dataset | digest | from |\n|---|---|---|\n| iris | `ab12` | embedded |",
        "| numpy | 2.4 |",
        "| method | uci-tiny |\n|---|---|\n| FLGC | 12 |\n| FLGC* | 12 |",
        "| table | total | score | fit |\n|---|---|---|---|\n| uci-tiny | 2 | 1.5 | 0.5 |",
        "| uci-tiny | paper | 4 | 0 | 0 | 4 |",  # all are 90, and all printed are above
        "## What is missing, and why\n\n- wdbc: no source could be reached (2 cells): moon\n",
    ):
        assert words in files["report.md"]
    for words in ("uci-tiny 0", "flgc reproduce --dataset iris --method FLGC --protocol paper"):
        assert words in files["report.html"], "told with a cell"
    assert r"\toprule" in files["latex/uci-tiny.tex"]


def test_the_claims_of_the_paper_stand_first_with_what_contradicts_them():
    files = written(known(UCI), files=page_files())
    text = files["report.md"]
    assert text.startswith("# Reproduction: `tiny`\n\n**Is it as the paper says? ")
    in_order = ("![result](result.svg)", "| claim | verdict | `paper` | `honest` | where |")
    in_order += (" cells complete", "## How to read", "| it is on 15 of 24, ", "\n## Regular")
    places = [text.index(words.replace("| it", "it")) for words in in_order]
    assert places == sorted(places)
    assert files["result.svg"] == files["uci.svg"]
    assert '<span class="tone open">not tested</span>' in files["report.html"]
    assert "it is on 15 of 24" not in written()["report.md"], "no table of the paper"


def test_a_chart_stands_for_its_picture():
    def charts(page: str) -> dict[str, Any]:
        [specs] = re.findall(r'<script type="application/json" id="specs">(.*?)</script>', page)
        return json.loads(specs)

    found = written()
    assert charts(found["report.html"])["uci-tiny"]["description"]
    assert "uci-tiny.svg" in found
    blocks = SortedAffinity(np.ones((4, 4)), np.array([0, 0, 1, 1]))
    of = evidence(table("clustering-tiny"), products={"affinity": {"iris": {"FLGC*": blocks}}})
    found = written(of)
    assert charts(found["report.html"]) == {}, "a matrix is a picture alone"
    assert "clustering-tiny-affinity.svg" in found


def test_the_history_of_the_benchmark_tells_what_has_drifted():
    about = {"suite": "tiny", "dataset": "Cora", "method": "FLGC*", "protocol": "honest"}
    values = [0.83] * 6 + [0.80]
    past = [
        about | {"metric": "accuracy", "when": f"2026-11-0{day}T03:00:00+00:00", "value": value}
        for day, value in enumerate(values, start=1)
    ]
    found = written(history=past)
    assert "- Cora FLGC* honest accuracy: 0.8, worse; usually 0.83" in found["report.md"]
    assert "2026-11-07 03:00" in found["report.md"]
    assert found["history.svg"].startswith("<svg")
    assert "History" not in written()["report.md"]


def test_only_what_is_there_is_explained():
    """Of one's own data there are neither published values nor a protocol that sees the labels."""
    own = dataclasses.replace(TINY, published=())
    for files, seen in ((written(known(own)), False), (written(), True)):
        assert ("*published* is what the paper prints" in files["report.md"]) == seen
        assert ("Ours beside the published value" in files["report.html"]) == seen
    honest = written(known(protocols=("honest",)))["report.md"]
    assert "**`honest`**:" in honest
    assert "**`paper`**:" not in honest


def test_what_is_said_of_one_s_own_data_stands_before_their_table():
    own = dataclasses.replace(TINY, published=(), remarks=("120 rows: 45 ill.", "Its columns:"))
    text = written(known(own))["report.md"]
    said, heading = text.index("120 rows: 45 ill.\n\nIts columns:"), text.index(f"## {own.title}")
    assert text.index("FLGC and FLGC* **are") < said < heading
    assert text.count("120 rows") == 1
    both = written(known(own), evidence(PUBLIC))["report.md"]
    assert both.index("120 rows") > both.index(f"## {own.title}"), "of several tables, each its own"


def test_a_section_shows_its_table_and_the_rest_on_demand():
    page = written(timed(known()), provenance={"data": [], "versions": {"numpy": "2.4"}})
    page = page["report.html"]
    for title in ("How to read", "Every cell, drawn", "Training time", "Settings tried", "Vers"):
        assert re.search(rf"<summary><h3[^>]*>{title}", page), title
    assert page.index('id="table-uci-tiny"') < page.index(">Every cell, drawn</h3>")


def fail(*_: Any, **__: Any) -> Any:
    raise KeyError("GCN-Linear")


@pytest.mark.parametrize(
    ("place", "part", "shown"),
    [
        ("verdicts", "claims", False),
        ("best_method", "answer", True),
        ("_picture", "picture", True),
        ("_opening", "opening", True),
        ("_settings", "uci-tiny: settings", True),
        ("provenance_blocks", "sources", True),
        ("markdown.write", "report.md", False),
        ("html.write", "report.html", False),
        ("latex.write", "latex/uci-tiny.tex", False),
    ],
)
def test_a_part_that_fails_costs_that_part_alone(monkeypatch, place: str, part: str, shown: bool):
    monkeypatch.setattr(f"tasks.report.report.{place}", fail)
    files = written()
    assert json.loads(files.pop(FAULTS))[part] == "KeyError: 'GCN-Linear'"
    assert all(files[name] for name in ("uci-tiny.csv", "uci-tiny.svg"))
    if part != "report.md":
        assert (f"({part}): KeyError" in files["report.md"]) == shown
        assert "| iris | 96.30 ± 0.66 | 90.00 |" in files["report.md"]
    with pytest.raises(PartFailed, match="GCN-Linear"):
        report_of(known(), write=whole_report)


@pytest.mark.parametrize("step", ["rows", "opening", "heading", "charts", "says"])
def test_an_analysis_that_fails_costs_itself_alone(step: str):
    """Whichever of its steps it is; every other analysis has its words and figures."""

    class Broken(Analysis):
        kind, title = "broken", "Broken"

        def rows(self, evidence: Evidence) -> pd.DataFrame:
            return evidence.results

        def says(self, evidence: Evidence, rows: pd.DataFrame) -> list:
            return [*DECLARED["uci-tiny"].analyses[0].says(evidence, pd.DataFrame({"dataset": []}))]

    setattr(Broken, step, fail)
    analyses = {"broken": Broken(), **known().declared.analyses, "time": TimedHops((1,))}
    files = written(
        evidence(TINY, cells(), {"time": {"iris": TIMES}}, ("paper",), analyses=analyses)
    )
    faults = json.loads(files.pop(FAULTS))
    assert "uci-tiny: broken" in faults
    assert set(faults) <= {"uci-tiny: broken", "picture"}
    text = files["report.md"]
    assert "**This part of the report failed** (uci-tiny: broken): KeyError: 'GCN-Linear'" in text
    assert "![uci-tiny](uci-tiny.svg)" in text
    assert "![uci-tiny-time](uci-tiny-time.svg)" in text
    assert "| iris | 96.30 ± 0.66 | 90.00 |" in text


def test_files_are_written_below_a_folder_and_those_of_an_earlier_report_go(tmp_path) -> None:
    def frame(**files: str) -> pd.DataFrame:
        return pd.DataFrame({"name": files.keys(), "content": files.values()})

    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "mine.svg").write_text("not of a report")
    export(frame(**{"report.md": "x", "old.svg": "x", "latex/old.tex": "x"}), folder)
    path = export(frame(**{"report.md": "# ±", "new.svg": "1"}), folder)
    assert path.read_text(encoding="utf-8") == "# ±"
    there = {path.name for path in folder.rglob("*") if path.is_file()}
    assert there == {"report.md", "new.svg", "mine.svg", ".files.json"}

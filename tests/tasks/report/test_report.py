import dataclasses
import re

import pandas as pd
import pytest
from tasks.document.comparisons import compare_methods
from tasks.document.contradictions import Contradiction
from tasks.document.files import from_table
from tasks.document.gaps import FAILED, NOT_REACHABLE, Gap
from tasks.document.report import write_report
from tasks.document.writers.html import page_files

from tasks.declared.described import Described, described
from tasks.declared.paper import PAPER
from tasks.stages.report import export
from tasks.store.digests import content_digest
from tasks.store.parquet import as_table as as_stored
from tests.tasks.report.made import FLGC, PUBLIC, PUBLISHED, results, rival, table

TINY = table("uci-tiny", FLGC, "tiny", **PUBLISHED)
COMMAND = "flgc reproduce --dataset {dataset} --method {method} --protocol {protocol}"


def cells(of: Described = TINY) -> list[pd.DataFrame]:
    """One frame for each cell, as they are stored; wdbc is not there."""
    about = {"criterion": "test", "tried": 12, "p_hops": 2}
    return [
        results((dataset, row.name, "paper", 0.9), of=of).assign(**about)
        for dataset in ("iris", "wine")
        for row in of.rows
    ]


def written(*tables: Described, protocols=("paper",), opened=True, **given):
    """The files of a report by name; not `opened`, the table that the store gets."""
    kinds = ("sizes", "pairs", "timings", "curves", "affinities", "criteria", "figures")
    empty = {name: {} for name in (*kinds, "gaps", "costs", "provenance")}
    found = given.pop("results", {each.name: cells(each) for each in tables})
    digests = {name: [f"{name} {i}" for i in range(len(of))] for name, of in found.items()}
    empty |= {"contradictions": (), "history": ()}
    more = {"command": COMMAND, "page": page_files(), "digests": digests, **empty, **given}
    title = "Reproduction: `tiny`"
    stored = write_report(title, tables, protocols, results=found, **more)
    return from_table(stored) if opened else stored


def named(files: dict[str, str]) -> set[str]:
    """The files but the page and the tables for LaTeX, which every report has."""
    return {name for name in files if not name.endswith((".html", ".tex"))}


def test_everything_that_is_there_stands_in_the_report():
    times = pd.DataFrame({"method": ["FLGC"], "hops": 1, "accuracy": 0.5, "training_time": 0.1})
    gaps = [Gap(NOT_REACHABLE, "wdbc", "moon", 2), Gap(FAILED, "uci-tiny: timing iris", "sour")]
    files = written(
        TINY,
        pairs={TINY.name: compare_methods(cells(), TINY, ("paper",))},
        timings={TINY.name: {"iris": times}},
        figures={TINY.name: pd.DataFrame({"name": ["a.svg"], "content": ["<svg/>"]})},
        gaps={TINY.name: gaps},
        costs={TINY.name: {"FLGC": {"score": 1.5, "fit": 0.25}}},
    )
    names = ("report.md", "uci-tiny.csv", "a.svg", "uci-tiny-time.csv", "uci-tiny-wilcoxon.csv")
    assert named(files) == set(names)
    text = files["report.md"]
    assert text.startswith("# Reproduction: `tiny`\n\nFLGC and FLGC* **are right equally often**")
    assert "\n\n4 cells are there, 2 not reachable.\n" in text
    assert "result.svg" not in files, "of no picture that shows the cells"
    assert "![a](a.svg)" in text
    assert "| wdbc | 94.58 ± 0.90 | not reachable |" in text
    assert "- wdbc: no source could be reached (2 cells): moon" in text
    assert "- uci-tiny: timing iris: failed: sour" in text
    assert "| method | score | fit |\n|---|---|---|\n| FLGC | 1.5 | 0.25 |" in text
    assert (
        "### Settings tried\n\n| method | protocol | settings tried | judged on | runs | datasets |"
        "\n|---|---|---|---|---|---|\n| FLGC | paper | 12 | test nodes | 1 | 2 |"
    ) in text
    for title in ("Wilcoxon signed-rank test", "Training time", "Settings picked"):
        assert f"\n### {title}" in text


def test_what_the_claims_say_stands_in_the_report():
    honest = [cell.assign(protocol="honest") for cell in cells()]
    average = [cell.assign(method=f"{FLGC[1]} averaged", value=0.95) for cell in honest[1::2]]
    whole = table("uci-tiny", suite="tiny", **PUBLISHED)
    redrawn = [cell.assign(marks="re-drawn" * (i < 2)) for i, cell in enumerate(cells())]
    times = pd.DataFrame(
        {
            "method": ["FLGC*", "SGC"],
            "p_teleport": 0.1,
            "hops": 1,
            "accuracy": 0.5,
            "training_time": 0.1,
        }
    )
    text = written(
        whole,
        results={whole.name: [*redrawn, *honest, *average]},
        pairs={whole.name: compare_methods(cells(), whole, ("paper",))},
        timings={whole.name: {"iris": times}},
    )["report.md"]
    assert (
        "\nFLGC* averaged, which picks no setting, beats FLGC* 2-0-0 (+5.00) in `honest`." in text
    )
    assert "\n- iris, FLGC* (teleport 0.1): holds; " in text
    assert "\n- FLGC* (medians: SGC 1x): " in text
    said = "Not compared with published values, which are the original's: iris (re-drawn)."
    assert text.count(said) == 2, "beside the values, and beside the test"


def test_each_figure_of_curves_has_its_words_and_its_rows():
    line = pd.DataFrame({"x": [1, 3], "run": 0, "p_hops": 5, "accuracy": [0.8, 0.9]})
    kinds = {
        "labels": ("labelled samples per class", "labelled_per_class"),
        "depths": ("propagation steps", "hops"),
        "neighbours": ("the number of neighbours", "n_neighbors"),
    }
    curves = {figure: {"iris": {"FLGC": line, "FLGC*": line}} for figure in kinds}
    files = written(TINY, curves={TINY.name: curves})
    assert named(files) == {
        "report.md",
        "uci-tiny.csv",
        *(f"uci-tiny-{name}.csv" for name in kinds),
    }
    for figure, (words, column) in kinds.items():
        assert f"\n### Accuracy against {words}, 1 run\n" in files["report.md"]
        head, first, *_ = files[f"uci-tiny-{figure}.csv"].splitlines()
        assert head == f"dataset,method,{column},run,p_hops,accuracy"
        assert first == "iris,FLGC,1,0,5,0.8"
    assert "Accuracy against" not in written(TINY)["report.md"]


def test_a_run_without_a_single_cell_has_a_report():
    files = written(TINY, PUBLIC, results={TINY.name: []})
    assert files["report.md"].startswith("# Reproduction: `tiny`\n\n**Is it as the paper says? Nob")
    assert "\n\n0 cells are there.\n" in files["report.md"]
    assert "| iris | 96.30 ± 0.66 | failed |" in files["report.md"]
    assert named(files) == {"report.md", "uci-tiny.csv", "citation-public.csv"}


@pytest.mark.parametrize("most_columns", [1, 7])
def test_what_it_took_is_shown_and_is_no_part_of_the_digest(monkeypatch, most_columns):
    """Also of tables of many methods, which show it beside the means."""
    monkeypatch.setattr("tasks.document.by_protocol.MOST_COLUMNS", most_columns)

    def stored(seconds: float, value: float = 0.9) -> pd.DataFrame:
        costs = {TINY.name: {"FLGC": {"score": seconds}}}
        found = [cell.assign(value=value) for cell in cells()]
        return written(TINY, results={TINY.name: found}, costs=costs, opened=False)

    tables = [stored(1.5), stored(77.25), stored(1.5, value=0.8)]
    first, second, other = (content_digest(as_stored(table)) for table in tables)
    assert first == second != other
    assert [set(from_table(table)) for table in tables[:2]] == [set(from_table(tables[0]))] * 2
    for name in ("report.md", "report.html", "latex/cost.tex"):
        assert "77.2" in from_table(tables[1])[name], name
        assert "77.2" not in from_table(tables[0])[name], name


def test_methods_from_elsewhere_are_named_with_their_origin():
    assert "from elsewhere" not in written(TINY)["report.md"]
    mine = rival("mine", origin="nets 1.2", own=True)
    direct = rival("my.module:Net", origin="my.module:Net")
    guests = dataclasses.replace(TINY, rows=(*TINY.rows, mine, direct))
    text = written(guests)["report.md"]
    assert "\nMethods from elsewhere: mine (nets 1.2), my.module:Net.\n" in text
    assert " mine, `paper` |" in text, "its claims are the paper's"


def test_a_changed_remark_changes_the_report_and_no_table_of_numbers():
    told = dataclasses.replace(TINY, remarks=("iris is far off.",))
    assert "iris is far off." in written(told)["report.md"]
    assert "iris is far off." not in written(TINY)["report.md"]
    assert told != TINY
    assert told.without_words() == TINY.without_words()
    assert written(told)["uci-tiny.csv"] == written(TINY)["uci-tiny.csv"]


def test_files_are_written_below_a_folder(tmp_path):
    files = pd.DataFrame({"name": ["report.md", "a.csv"], "content": ["# ±", "1"]})
    path = export(files, tmp_path / "new")
    assert path.read_text(encoding="utf-8") == "# ±"
    assert (tmp_path / "new" / "a.csv").read_text() == "1"


def test_where_it_came_from_what_it_cost_and_how_it_stands_are_told():
    data = [{"dataset": "iris", "digest": "`ab12`", "from": "embedded", "marks": ""}]
    files = written(
        TINY,
        provenance={"data": data, "versions": {"numpy": "2.4"}},
        costs={TINY.name: {"FLGC": {"score": 1.5, "fit": 0.25}, "FLGC*": {"fit": 0.25}}},
        gaps={TINY.name: [Gap(NOT_REACHABLE, "wdbc", "moon", 2)]},
    )
    text = files["report.md"]
    assert "| dataset | digest | from |\n|---|---|---|\n| iris | `ab12` | embedded |" in text
    assert "| numpy | 2.4 |" in text
    assert "| method | uci-tiny |\n|---|---|\n| FLGC | 12 |\n| FLGC* | 12 |" in text
    assert (
        "| table | total | score | fit |\n|---|---|---|---|\n| uci-tiny | 2 | 1.5 | 0.5 |" in text
    )
    assert "| uci-tiny | paper | 4 | 0 | 0 | 4 |" in text, "all are 90, and all printed are above"
    missing = text.partition("## What is missing, and why\n\n")[2]
    assert missing.startswith("- wdbc: no source could be reached (2 cells): moon\n")
    for words in ("uci-tiny 0", "flgc reproduce --dataset iris --method FLGC --protocol paper"):
        assert words in files["report.html"], "told with a cell"
    assert r"\toprule" in files["latex/uci-tiny.tex"]


def test_the_claims_of_the_paper_stand_first_with_what_contradicts_them():
    uci = described(next(each for each in PAPER if each.name == "uci"))
    against = [Contradiction("best on 16", "best on 15", "Table V")]
    drawn = pd.DataFrame({"name": ["uci.svg", "uci-bars.svg"], "content": ["<svg/>", "<g/>"]})
    files = written(uci, contradictions=against, figures={uci.name: drawn})
    text = files["report.md"]
    assert text.startswith("# Reproduction: `tiny`\n\n**Is it as the paper says? ")
    in_order = ("![result](result.svg)", "| claim | verdict | `paper` | `honest` | where |")
    in_order += (" cells are there", "## How to read", "| best on 16 | best on 15 | Table V |")
    places = [text.index(words) for words in in_order]
    assert places == sorted(places)
    assert files["result.svg"] == files["uci.svg"]
    assert '<span class="tone open">cannot be told</span>' in files["report.html"]
    assert "best on 16" not in written(TINY, contradictions=against)["report.md"]


def test_a_chart_stands_for_its_picture():
    files = {"a.svg": "<svg/>", "a.vl.json": '{"mark": "point"}'}
    figures = pd.DataFrame({"name": list(files), "content": list(files.values())})
    found = written(TINY, figures={TINY.name: figures})
    assert "a.svg" in found
    assert "a.vl.json" not in found, "it is in the page"
    assert '"mark": "point"' in found["report.html"]


def test_the_history_of_the_benchmark_tells_what_has_drifted():
    about = {"suite": "tiny", "dataset": "Cora", "method": "FLGC*", "protocol": "honest"}
    values = [0.83] * 6 + [0.80]
    past = [
        about | {"metric": "accuracy", "when": f"2026-11-0{day}T03:00:00+00:00", "value": value}
        for day, value in enumerate(values, start=1)
    ]
    found = written(TINY, history=past)
    assert "- Cora FLGC* honest accuracy: 0.8, worse; usually 0.83" in found["report.md"]
    assert "2026-11-07 03:00" in found["report.md"]
    assert found["history.svg"].startswith("<svg")
    assert "History" not in written(TINY)["report.md"]


def test_only_what_is_there_is_explained():
    """Of one's own data there are neither published values nor a protocol that sees the labels."""
    own = dataclasses.replace(TINY, published=())
    for files, seen in ((written(own), False), (written(TINY), True)):
        assert ("*published* is what the paper prints" in files["report.md"]) == seen
        assert ("Ours beside the published value" in files["report.html"]) == seen
    honest = written(TINY, protocols=("honest",))["report.md"]
    assert "**`honest`**:" in honest
    assert "**`paper`**:" not in honest


def test_what_is_said_of_one_s_own_data_stands_before_their_table():
    own = dataclasses.replace(TINY, published=(), remarks=("120 rows: 45 ill.", "Its columns:"))
    text = written(own, protocols=("paper",))["report.md"]
    said, heading = text.index("120 rows: 45 ill.\n\nIts columns:"), text.index(f"## {own.title}")
    assert text.index("FLGC and FLGC* **are") < said < heading
    assert text.count("120 rows") == 1
    both = written(own, PUBLIC, results={own.name: cells(own)})["report.md"]
    assert both.index("120 rows") > both.index(f"## {own.title}"), "of several tables, each its own"


def test_a_section_shows_its_table_and_the_rest_on_demand():
    drawn = pd.DataFrame({"name": ["uci-tiny.svg"], "content": ["<svg/>"]})
    times = pd.DataFrame({"method": ["FLGC"], "hops": 1, "accuracy": 0.5, "training_time": 0.1})
    page = written(
        TINY,
        figures={TINY.name: drawn},
        timings={TINY.name: {"iris": times}},
        provenance={"data": [], "versions": {"numpy": "2.4"}},
    )["report.html"]
    for title in ("How to read", "Pictures", "Training time", "Settings tried", "Versions"):
        assert re.search(rf"<summary><h3[^>]*>{title}", page), title
    assert page.index('id="table-uci-tiny"') < page.index(">Pictures</h3>")


def test_a_report_leaves_nothing_of_an_earlier_one_and_all_else_alone(tmp_path) -> None:
    def frame(*names: str) -> pd.DataFrame:
        return pd.DataFrame({"name": names, "content": ["x"] * len(names)})

    (tmp_path / "mine.svg").write_text("not of a report")
    export(frame("report.md", "old.svg", "latex/old.tex"), tmp_path)
    export(frame("report.md", "new.svg"), tmp_path)
    there = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert there == {"report.md", "new.svg", "mine.svg", ".files.json"}

"""The report's page in a browser: what a person does with it, and that it needs nothing else."""

import dataclasses
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("prefect")
pytest.importorskip("axe_playwright_python")

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from tasks.declared.suites import SUITES
from tasks.declared.tiny import TINY
from tasks.report.blocks import Document, Figure, Heading, Table, Text
from tasks.report.writers import html
from tests.flows.plainly import run_plainly
from tests.tasks.report.made import PUBLISHED

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on the path"),
]
SPEC = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "data": {"values": [{"hops": 1, "accuracy": 0.8}, {"hops": 2, "accuracy": 0.9}]},
    "width": "container",
    "mark": {"type": "line", "point": True, "tooltip": True},
    "transform": [{"calculate": "100 * datum.accuracy", "as": "percent"}],
    "encoding": {
        "x": {"field": "hops", "type": "quantitative"},
        "y": {"field": "percent", "type": "quantitative"},
    },
}
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="300pt" height="60pt"><rect/></svg>'


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of the tiny suite beside published values, which the suite itself does not show."""
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLGC_REPORTS", str(folder / "reports"))
        [uci] = [experiment for experiment in TINY if experiment.flow == "uci"]
        patch.setitem(SUITES, "tiny", (dataclasses.replace(uci, **PUBLISHED),))
        run_plainly(str(folder / "store"), ("uci",))
    return folder / "reports" / "tiny" / "report.html"


@pytest.fixture(scope="module")
def charted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a chart that the pointer can ask, and one whose chart cannot be drawn."""
    blocks = [
        Text("Said **before** all."),
        Heading(2, "Charts"),
        Figure("good", SVG, "Accuracy against hops", SPEC),
        Heading(3, "Behind", folded=True),
        Table("numbers", pd.DataFrame({"x": ["<b>a</b>", "b"], "y": [9.0, 10.0]}), "Numbers"),
    ]
    path = tmp_path_factory.mktemp("chart") / "report.html"
    path.write_text(html.write(Document("A `page`", blocks), html.page_files()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@contextmanager
def opened(browser: Any, path: Path, width: int = 1280, **options: Any) -> Iterator[Any]:
    """The page; nothing may be wrong with it, and it may ask for nothing but itself."""
    page = browser.new_page(viewport={"width": width, "height": 900}, **options)
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: _note_foreign(asked.url, path, wrong))
    page.goto(path.as_uri())
    yield page
    page.close()
    assert wrong == []


def _note_foreign(url: str, path: Path, wrong: list[str]) -> None:
    if not url.startswith(("data:", path.as_uri())):
        wrong.append(f"asked for {url}")


def column(table: Any, number: int) -> list[str]:
    cells = table.locator(f"tbody tr:not([hidden]) > :nth-child({number})")
    return [text.split()[0] for text in cells.all_inner_texts()]


def test_a_table_is_sorted_by_a_click_and_by_key(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        table = page.locator("#table-uci-tiny")
        before = column(table, 1)
        assert before == ["iris", "wine", "wdbc"]
        head = table.get_by_role("columnheader", name="paper").first
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        values = [float(text) for text in column(table, 3)]
        assert values == sorted(values, reverse=True)
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        assert [float(text) for text in column(table, 3)] == sorted(values)
        assert "average" in table.locator("tfoot th").inner_text(), "stays last"
        name = table.get_by_role("columnheader", name="dataset")
        name.get_by_role("button").click()
        assert column(table, 1) == sorted(before)
        assert table.locator("[aria-sort]").count() == 1


def test_rows_are_filtered_by_words(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        page.evaluate("document.querySelectorAll('.fold').forEach(d => { d.open = true })")
        table = page.locator("#table-uci-tiny-picked")
        every = table.locator("tbody tr").count()
        page.get_by_label("Filter rows").and_(table.locator("input")).fill("flgc* Honest")
        shown = table.locator("tbody tr:visible")
        assert 0 < shown.count() < every
        assert all("FLGC*" in text and "honest" in text for text in shown.all_inner_texts())
        assert table.locator("output").inner_text() == f"{shown.count()} of {every} rows"
        table.locator("input").fill("")
        assert table.locator("tbody tr:visible").count() == every


def test_every_link_of_the_contents_leads_to_a_heading_in_sight(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        links = page.locator("#contents a")
        assert links.count() > 10
        for i in range(links.count()):
            link = links.nth(i)
            link.click()
            target = page.locator(link.get_attribute("href"))
            assert target.count() == 1
            expect(target).to_be_in_viewport()


def test_a_link_into_what_is_folded_opens_it(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        fold = page.locator("details.fold:has(table)").first
        heading, table = fold.locator("h3").first, fold.locator("table").first
        assert not table.is_visible()
        page.evaluate("hash => { location.hash = hash }", heading.get_attribute("id"))
        expect(table).to_be_visible()


def test_a_cell_tells_by_key_how_it_came_about(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        cell = page.locator("#table-uci-tiny .cell").first
        cell.focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        text = dialog.inner_text()
        assert "iris" in text
        for title in ("Value", "Published", "Difference", "Setting", "Runs", "Seeds"):
            assert f"{title}\n" in text
        assert "hops " in text
        assert re.search(r"Digest\n[0-9a-f]{64}\n", text)
        command = "flgc reproduce --suite tiny --dataset iris --method FLGC --protocol paper"
        assert command in text
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        assert cell.evaluate("cell => cell === document.activeElement")


def test_a_difference_is_told_by_colour_sign_and_word(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        gaps = page.locator("#table-uci-tiny .gap")
        assert {text.strip()[0] for text in gaps.all_inner_texts()} == set("≈▲▼")
        assert "within the run-to-run spread" in page.locator(".legend").inner_text()


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits(
    browser: Any, report: Path, width: int, scheme: str
) -> None:
    with opened(browser, report, width, color_scheme=scheme) as page:
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page).response["violations"]
        bad = [each for each in found if each["impact"] in ("serious", "critical")]
        shown = [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in bad]
        assert shown == []


def test_a_chart_takes_the_place_of_its_picture(browser: Any, charted: Path) -> None:
    with opened(browser, charted) as page:
        figure = page.locator("#figure-good")
        expect(figure.locator(".chart svg")).to_be_visible()
        assert not figure.locator("img").is_visible()
        assert figure.locator(".vega-actions, summary").count() == 0
        page.emulate_media(media="print")
        assert figure.locator("img").is_visible()
        assert not figure.locator(".chart").is_visible()


def test_every_chart_of_a_report_is_drawn(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        figures = page.locator("[data-chart]").all()
        assert len(figures) > 3
        for figure in figures:
            figure.scroll_into_view_if_needed()
            expect(figure.locator(".chart svg").first).to_be_visible()


def test_without_scripts_all_is_there(browser: Any, charted: Path) -> None:
    with opened(browser, charted, java_script_enabled=False) as page:
        assert page.locator("#figure-good img").is_visible()
        assert page.locator("strong").inner_text() == "before"
        assert "<b>a</b>" in page.locator("#table-numbers th[scope=row]").first.text_content()


TRIED = """async () => {
    const refused = [];
    addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
    await fetch("https://example.org/").catch(() => {});
    await new Promise((done) => setTimeout(done, 100));
    return refused;
}"""


def test_no_script_of_the_page_reaches_the_network(browser: Any, charted: Path) -> None:
    page = browser.new_page()
    page.goto(charted.as_uri())
    assert page.evaluate(TRIED) == ["connect-src"]
    page.close()

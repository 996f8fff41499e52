"""A document as one HTML page that needs no network: tables to sort, charts with a picture behind.

The page's own files, its template, style and script, are data that the result depends on: they are
read by `page_files` and handed over, so they are a part of the report's key.
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

import vl_convert
from jinja2 import DictLoader, Environment, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from tasks.analyses.charts import on_page
from tasks.report.blocks import (
    ABOVE,
    BELOW,
    WITHIN,
    Block,
    Document,
    Figure,
    File,
    Heading,
    Note,
    Table,
    Text,
)
from tasks.report.tables import as_text
from tasks.report.writers.numbers import is_number

TEMPLATE = "report.html"
# Tables with so many rows have a field to filter them.
FILTERED_FROM = 8
SIGNS = {WITHIN: "≈", ABOVE: "▲", BELOW: "▼"}
WORDS = {
    WITHIN: "within the run-to-run spread",
    ABOVE: "above by more than the run-to-run spread",
    BELOW: "below by more than the run-to-run spread",
}
_MARKS = re.compile(r"[*`_\[\]\\<&]")
_WIDTH = re.compile(r'<svg[^>]* width="([\d.]+)(pt)?"')


def page_files() -> dict[str, str]:
    """The template and what it includes, and other data of a report, by name."""
    folders = ("tasks.report.writers.page", "tasks.paper")
    every = [file for folder in folders for file in resources.files(folder).iterdir()]
    files = [file for file in every if file.name.endswith((".html", ".css", ".js", ".csv"))]
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(files, key=str)}


def write(document: Document, page: Mapping[str, str]) -> str:
    """The page; `page` has its files."""
    environment = Environment(
        loader=DictLoader(dict(page)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"inline": _inline, "markdown": _paragraphs}
    opening, sections = _outlined(document.blocks)
    charts = [block for block in document.blocks if isinstance(block, Figure) and block.spec]
    facts = [fact for table in _tables([opening, *sections]) for fact in table.facts]
    return environment.get_template(TEMPLATE).render(
        title=document.title,
        plain_title=document.title.replace("`", ""),
        opening=opening,
        sections=sections,
        signs=SIGNS,
        words=WORDS,
        # Figures stand on white, on dark pages too.
        specs={chart.name: on_page(chart.spec) for chart in charts if chart.spec},
        bundle=Markup(_bundle()) if charts else "",
        facts=facts,
        compared=any(note.standing for note in _notes(document)),
        page={name: Markup(text) for name, text in page.items() if name != TEMPLATE},
    )


@dataclass
class Part:
    """The blocks below a heading of the third level, or before the first one."""

    heading: Heading | None
    id: str
    blocks: list[Any] = field(default_factory=list)


@dataclass
class Section:
    """The parts below a heading of the second level, or before the first one."""

    heading: Heading | None
    id: str
    parts: list[Part]

    @property
    def listed(self) -> list[Part]:
        """Those of the contents; a link to what is folded opens it."""
        return [part for part in self.parts if part.heading]


@dataclass(frozen=True)
class Cell:
    """A cell as it is shown; `number` is that of its note on the page."""

    html: Markup
    note: Note | None = None
    number: int = -1
    tone: str = ""


@dataclass
class Shown:
    """A table as it is shown: titles that columns share, columns, rows, rows that stay last."""

    block: Table
    groups: list[tuple[str, int]]
    columns: list[str]
    is_number: list[bool]
    rows: list[list[Cell]]
    facts: list[tuple[str, list[tuple[str, str]]]]

    @property
    def body(self) -> list[list[Cell]]:
        """The rows that can be sorted."""
        return self.rows[: len(self.rows) - self.block.closing]

    @property
    def foot(self) -> list[list[Cell]]:
        """Those that stay last."""
        return self.rows[len(self.rows) - self.block.closing :]

    @property
    def is_long(self) -> bool:
        """Whether it is worth a field to filter it."""
        return len(self.body) >= FILTERED_FROM


def _outlined(blocks: Sequence[Block]) -> tuple[Section, list[Section]]:
    """The opening, and the sections with their parts; each heading has an id of its own."""
    taken: dict[str, int] = {}
    opening = Section(None, "opening", [Part(None, "opening")])
    sections, noted = [opening], 0
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:
            name = _id(block.text, taken)
            sections.append(Section(block, name, [Part(None, f"{name}-start")]))
        elif isinstance(block, Heading) and block.level == 3:
            name = _id(f"{sections[-1].id}-{block.text}", taken)
            sections[-1].parts.append(Part(block, name))
        else:
            shown: Any = block
            if isinstance(block, Table):
                shown = _shown(block, noted)
                noted += len(shown.facts)
            sections[-1].parts[-1].blocks.append(_kind(shown))
    return opening, sections[1:]


def _kind(block: Any) -> dict[str, Any]:
    """A block and what it is called in the template."""
    if isinstance(block, Figure):
        found = _WIDTH.search(block.svg[:2000])
        width = float(found[1]) * (4 / 3 if found[2] else 1) if found else 640
        source = _url(block.svg, "image/svg+xml")
        return {"kind": "figure", "block": block, "source": source, "width": round(width)}
    if isinstance(block, File):
        return {"kind": "file", "block": block, "source": _url(block.content, "text/csv")}
    kinds = {Heading: "heading", Text: "text", Shown: "table"}
    return {"kind": kinds[type(block)], "block": block}


def _tables(sections: Sequence[Section]) -> Iterator[Shown]:
    for section in sections:
        for part in section.parts:
            yield from (each["block"] for each in part.blocks if each["kind"] == "table")


def _notes(document: Document) -> Iterator[Note]:
    for block in document.blocks:
        yield from block.notes.values() if isinstance(block, Table) else ()


def _shown(block: Table, first: int) -> Shown:
    """`first` is the number of its first note."""
    columns = [str(column) for column in block.frame]
    rows: list[list[Cell]] = []
    facts: list[tuple[str, list[tuple[str, str]]]] = []
    texts = [[as_text(value) for value in row] for row in block.frame.to_numpy()]
    for i, row in enumerate(texts):
        cells = []
        for column, text in zip(columns, row, strict=True):
            note = block.notes.get((i, column))
            if note is None:
                cells.append(Cell(_inline(text), tone=block.tones.get((i, column), "")))
                continue
            # The difference is shown beside the value, in its colour.
            value = text.removesuffix(f" ({note.difference})")
            cells.append(Cell(_inline(value), note, first + len(facts)))
            facts.append((f"{row[0]}, {column}", _facts(value.replace("**", ""), note)))
        rows.append(cells)
    titles = [block.groups.get(name, ("", ""))[0] for name in columns]
    # The first column stays in sight alone, whatever title it shares.
    groups = [("", 1), *((title, len(list(alike))) for title, alike in groupby(titles[1:]))]
    return Shown(
        block,
        groups if block.groups else [],
        [block.groups.get(name, ("", name))[1] for name in columns],
        [is_number([row[j] for row in texts]) for j in range(len(columns))],
        rows,
        facts,
    )


def _facts(value: str, note: Note) -> list[tuple[str, str]]:
    """The facts about a cell, by title."""
    compared = []
    if note.standing:
        told = f"{note.difference}, {WORDS[note.standing]}"
        compared = [("Published", note.published), ("Difference", told)]
    return [("Value", value), *compared, *note.details]


def _id(text: str, taken: dict[str, int]) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"
    taken[name] = taken.get(name, 0) + 1
    return name if taken[name] == 1 else f"{name}-{taken[name]}"


@cache
def _parser() -> MarkdownIt:
    """Raw HTML, links and pictures are shown, not obeyed: they can only be in names of users."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return parser.disable(["link", "image", "autolink", "reference"])


def _paragraphs(text: str) -> Markup:
    return Markup(_parser().render(text))


def _inline(text: str) -> Markup:
    """Most cells have nothing to parse."""
    return Markup(_parser().renderInline(text)) if _MARKS.search(text) else escape(text)


def _url(text: str, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


@cache
def _bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script, which must not end the element it is in."""
    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script.replace("</script", r"<\/script")

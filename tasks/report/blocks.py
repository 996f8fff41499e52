"""What a report is made of: blocks in order, which writers set in their own form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

# How a value of ours compares with the published one, see `Note`.
WITHIN, ABOVE, BELOW = "within", "above", "below"
# The meaning of a cell's colour, which its words have too.
GOOD, MIXED, BAD, OPEN = "good", "mixed", "bad", "open"


@dataclass(frozen=True)
class Heading:
    """A title, in inline Markdown; the text below a `folded` one is shown on demand."""

    level: int
    text: str
    folded: bool = False


@dataclass(frozen=True)
class Text:
    """Paragraphs and lists, in Markdown."""

    markdown: str


@dataclass(frozen=True)
class Note:
    """What is known of one cell beyond its text.

    `difference` is to the `published` value, and `standing` says whether it lies within the spread
    of the runs; the `details` are pairs of a title and a text.
    """

    published: str = ""
    difference: str = ""
    standing: str = ""
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows with texts in inline Markdown, or numbers; the first column names the row.

    `notes` are by number of the row and by column. `groups` gives columns a title that they share
    with others, and their own below it. The `closing` rows stay last, such as averages. `tones` are
    by number of the row and by column, too: a colour for what the words of a cell say.
    """

    name: str
    frame: pd.DataFrame
    caption: str
    notes: Mapping[tuple[int, str], Note] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    closing: int = 0
    tones: Mapping[tuple[int, str], str] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """A picture, and the Vega-Lite chart that can stand for it where it is looked at by pointer."""

    name: str
    svg: str
    caption: str
    spec: dict[str, Any] | None = None


@dataclass(frozen=True)
class File:
    """A file that goes with the report, and the sentence before the link to it."""

    name: str
    content: str
    text: str


Block = Heading | Text | Table | Figure | File


@dataclass(frozen=True)
class Document:
    """A report: its title, and its blocks in order."""

    title: str
    blocks: Sequence[Block]


def listing(names: Iterable[str]) -> str:
    """`GCN, SGC and APPNP`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def text(lines: Iterable[str]) -> list[Block]:
    """Lines of Markdown as a block; none if there is nothing in them."""
    joined = "\n".join(lines).strip()
    return [Text(joined)] if joined else []

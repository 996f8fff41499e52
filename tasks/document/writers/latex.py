"""The tables of a document as LaTeX, for a paper that uses booktabs."""

import re
from itertools import groupby

from flgc.statistics.rendering import in_latex
from tasks.document.blocks import Table
from tasks.document.tables import as_text

# What Markdown marks in a cell; all else is as it is written.
MARKED = re.compile(r"\*\*(?P<strong>[^*]+)\*\*|`(?P<code>[^`]+)`")


def write(table: Table) -> str:
    """A table environment with its caption; columns that share a title stand below it."""
    columns = [str(column) for column in table.frame]
    rows = [[_cell(as_text(value)) for value in row] for row in table.frame.to_numpy()]
    cut = len(rows) - table.closing
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs}.",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_cell(table.caption)}}}",
            r"\setlength{\tabcolsep}{3pt}",
            rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}",
            r"\toprule",
            *_shared(columns, table),
            _line([_cell(table.groups.get(name, ("", name))[1]) for name in columns]),
            r"\midrule",
            *map(_line, rows[:cut]),
            *([r"\midrule"] if 0 < cut < len(rows) else []),
            *map(_line, rows[cut:]),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _shared(columns: list[str], table: Table) -> list[str]:
    """The line of the titles that columns share, and rules below them."""
    if not table.groups:
        return []
    cells, rules, at = [], [], 1
    for title, of_title in groupby(columns, lambda name: table.groups.get(name, ("", ""))[0]):
        width = len(list(of_title))
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_cell(title)}}}")
        rules += [rf"\cmidrule(lr){{{at}-{at + width - 1}}}"] if title else []
        at += width
    return [_line(cells), " ".join(rules)]


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(text: str) -> str:
    """With Markdown's bold and code in LaTeX's words, and every special character as it is set."""
    parts, at = [], 0
    for found in MARKED.finditer(text):
        command = "textbf" if found["strong"] else "texttt"
        marked = in_latex(found["strong"] or found["code"])
        parts += [in_latex(text[at : found.start()]), rf"\{command}{{{marked}}}"]
        at = found.end()
    return "".join([*parts, in_latex(text[at:])])

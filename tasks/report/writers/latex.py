"""The tables of a document as LaTeX, for a paper that uses booktabs.

A table of numbers that is too wide for the page is made smaller; one of sentences has columns in
which they are broken, and goes on over pages.
"""

import re
from itertools import groupby

from flgc.statistics.rendering import in_latex
from tasks.report.blocks import Table
from tasks.report.tables import as_text
from tasks.report.writers.numbers import is_number

# What Markdown marks in a cell; all else is as it is written.
MARKED = re.compile(r"\*\*(?P<strong>[^*]+)\*\*|`(?P<code>[^`]+)`")
# Characters of a cell that make its table one of sentences, and of a line of such a table.
SENTENCE, LINE = 60, 95
SHARED = 0.9  # of the width, by the columns of sentences: the rest is between them
# Characters after which code, a digest for one, may go on in the next line.
PIECE = 16
SMALLER = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def write(table: Table) -> str:
    """A table with its caption; columns that share a title stand below it."""
    columns = [str(column) for column in table.frame]
    texts = [[as_text(value) for value in row] for row in table.frame.to_numpy()]
    head = [
        r"\toprule",
        *_shared(columns, table),
        _line([_cell(table.groups.get(name, ("", name))[1]) for name in columns]),
        r"\midrule",
    ]
    rows = [_line([_cell(text) for text in row]) for row in texts]
    cut = len(rows) - table.closing
    body = [*rows[:cut], *([r"\midrule"] if 0 < cut < len(rows) else []), *rows[cut:]]
    caption = rf"\caption{{{_cell(table.caption)}}}"
    sides: list[list[str]] = [list(column) for column in zip(*texts, strict=True)]
    if any(len(text) > SENTENCE for column in sides for text in column):
        lines = _over_pages(_broken(sides, columns), caption, head, body)
    else:
        lines = _on_a_page(
            "".join("r" if is_number(c) else "l" for c in sides), caption, head, body
        )
    return "\n".join([*lines, ""])


def _on_a_page(columns: str, caption: str, head: list[str], body: list[str]) -> list[str]:
    return [
        r"% Needs \usepackage{booktabs,graphicx}.",
        r"\begin{table}",
        r"\centering",
        caption,
        r"\setlength{\tabcolsep}{3pt}",
        SMALLER,
        rf"\begin{{tabular}}{{{columns}}}",
        *head,
        *body,
        r"\bottomrule",
        r"\end{tabular}}",
        r"\end{table}",
    ]


def _over_pages(columns: str, caption: str, head: list[str], body: list[str]) -> list[str]:
    return [
        r"% Needs \usepackage{array,booktabs,longtable}.",
        r"{\small\setlength{\tabcolsep}{3pt}",
        rf"\begin{{longtable}}{{{columns}}}",
        rf"{caption} \\",
        *head,
        r"\endhead",
        *body,
        r"\bottomrule",
        r"\end{longtable}}",
    ]


def _broken(sides: list[list[str]], names: list[str]) -> str:
    """Columns as wide as their longest word, and the rest of the line by how much they say."""
    least, said = [], []
    for name, texts in zip(names, sides, strict=True):
        words = [word for text in (name, *texts) for word in text.split() if "`" not in word]
        least.append((1 + max(map(len, words), default=PIECE)) / LINE)
        said.append(sum(map(len, texts)) / len(texts))
    rest = max(SHARED - sum(least), 0.0)
    wanted = [a + rest * b / sum(said) for a, b in zip(least, said, strict=True)]
    scale = SHARED / max(sum(wanted), SHARED)
    return "".join(
        rf">{{\raggedright\arraybackslash}}p{{{scale * each:.3f}\linewidth}}" for each in wanted
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
        marked = in_latex(found["strong"]) if found["strong"] else _code(found["code"])
        parts += [in_latex(text[at : found.start()]), rf"\{command}{{{marked}}}"]
        at = found.end()
    return "".join([*parts, in_latex(text[at:])])


def _code(text: str) -> str:
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    return r"\allowbreak{}".join(map(in_latex, pieces))

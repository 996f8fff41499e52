"""A comparison in words and tables: for Markdown, LaTeX, JSON and the terminal.

The parts are sheets and sentences, the same in every form:
`verdict_sentence`, `reach_sentence`, `control_sheet`, `rank_sum_sheet`, `rank_sheet` (with
`friedman_sentence` as its note), `groups_sentence`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from flgc.statistics.many_methods import (
    BETTER,
    UNDECIDED,
    WORSE,
    Comparison,
    datasets_needed,
    smallest_p,
)
from flgc.statistics.signed_ranks import critical_value

ARROWS = {BETTER: "↑", UNDECIDED: "", WORSE: "↓"}
LATEX_CHARACTERS = {
    "\\": r"\textbackslash{}",
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "±": r"$\pm$",
    "\n": " ",
}


@dataclass(frozen=True)
class Sheet:
    """A table of texts with a title above and a note below; the first column has names."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str


def verdict_sentence(found: Comparison, control: str | None = None) -> str:
    """How many rivals the control is better than, before and after Holm's correction, and which."""
    rivals = found.against(control)
    plain, corrected = rivals["verdict"], rivals["verdict_holm"]
    better = rivals.index[corrected == BETTER]
    text = (
        f"{control or found.control} is significantly better than {(plain == BETTER).sum()} of "
        f"{_counted(len(rivals), 'rival')} at {found.level:g} (Wilcoxon), than {len(better)} after "
        f"Holm's correction"
    )
    text += f": {_listed(better)}" if len(better) else ""
    if len(better) < len(rivals):
        text += f"; not than: {_listed(rivals.index[corrected != BETTER])}"
    worse = rivals.index[plain == WORSE]
    if len(worse):
        still = rivals.index[corrected == WORSE]
        text += f". It is significantly worse than {_listed(worse)}; after Holm's correction than "
        text += _listed(still) if len(still) else "none"
    return f"{text}."


def reach_sentence(found: Comparison) -> str:
    """Whether so many datasets can reach the level: the smallest p, and how many are needed."""
    n, few = int(found.pairs["datasets"].max()), int(found.pairs["datasets"].min())
    rivals = len(found.methods) - 1
    tests = {"a single pair": 1}
    if rivals > 1:
        tests |= {f"Holm's correction over {rivals} rivals": rivals}
        tests |= {f"Holm's correction over all {_n_pairs(found)} pairs": _n_pairs(found)}
    needed = {name: datasets_needed(found.level, count) for name, count in tests.items()}
    wanting = [name for name, datasets in needed.items() if datasets > n]
    text = "" if few == n else f"The pairs have {few} to {n} datasets. "
    text += f"With {n} datasets "
    if not wanting:
        text += f"{found.level:g} can be reached"
    else:
        text += f"no pair can reach {found.level:g}"
        text += "" if len(wanting) == len(needed) else f" after {' or '.join(wanting)}"
    needs = [f"{name} needs {datasets}" for name, datasets in needed.items()]
    text += f": the smallest p is {_p(smallest_p(n))}. "
    return f"{text}{_capital('; '.join(needs))}."


def friedman_sentence(found: Comparison) -> str:
    """Friedman's test and its datasets, or why there is none."""
    test, n = found.friedman, len(found.table)
    if not test.datasets:
        return "No Friedman test and no mean ranks: no dataset has values of all methods."
    over = f"{n} datasets"
    if test.datasets < n:
        over = f"the {test.datasets} of {n} datasets that have them all"
    if test.statistic is None or test.p_value is None:
        return (
            f"Mean ranks of two methods over {over}; Friedman's test needs three, a pair has its "
            "own."
        )
    verdict = "the methods differ" if test.p_value <= found.level else "no difference is shown"
    return (
        f"Friedman's test of {len(found.methods)} methods over {over}: Q = {test.statistic:.2f}, "
        f"p = {_p(test.p_value)}, at {found.level:g} {verdict}."
    )


def groups_sentence(found: Comparison) -> str:
    """The bars of the critical-difference diagram in words."""
    if not found.ranking:
        return "No groups: no dataset has values of all methods."
    groups = "; ".join(_listed(group) for group in found.groups) or "none"
    text = f"Groups without a significant difference (Holm over all pairs): {groups}."
    return f"{text} {unjoined_sentence(found)}".strip()


def unjoined_sentence(found: Comparison) -> str:
    """Undecided pairs that no bar of the diagram can join; empty if there are none."""
    rivals: dict[str, list[str]] = {}
    for better, worse in found.unjoined:
        rivals.setdefault(better, []).append(worse)
    pairs = "; ".join(f"{method} with {_listed(others)}" for method, others in rivals.items())
    return f"Undecided too, though a method between them differs: {pairs}." if pairs else ""


def control_sheet(found: Comparison, control: str | None = None) -> Sheet:
    """The control against each rival."""
    rivals = found.against(control)
    rows = [
        (
            str(rival),
            str(row["datasets"]),
            f"{row['rank_sum_for']:.1f}",
            f"{row['rank_sum_against']:.1f}",
            f"{row['wins']}/{row['ties']}/{row['losses']}",
            f"{row['rank_biserial']:+.2f}",
            _p(row["p_value"]),
            _p(row["p_holm"]),
            _verdict(row["verdict"], row["verdict_holm"]),
        )
        for rival, row in rivals.iterrows()
    ]
    return Sheet(
        f"{control or found.control} against each rival",
        ("rival", "n", "R+", "R-", "win/tie/loss", "effect", "p", "p Holm", "verdict"),
        tuple(rows),
        "n datasets; R+ is the rank sum of the control; effect is the matched-pairs rank-biserial "
        "correlation; p is exact and two-sided, Holm's correction goes over these rivals; the "
        f"verdict is at {found.level:g}.",
    )


def rank_sum_sheet(found: Comparison) -> Sheet:
    """R+ of each row against each column with an arrow where they differ: the paper's Table VI."""
    sums, verdicts = found.rank_sums.to_numpy(), found.verdicts.to_numpy()
    rows = [
        (
            f"{i + 1} {method}",
            *(
                "-" if i == j else f"{sums[i, j]:.1f}{ARROWS[verdicts[i, j]]}"
                for j in range(len(sums))
            ),
        )
        for i, method in enumerate(found.methods)
    ]
    note = (
        "Rank sums R+ of the row against the column (exact Wilcoxon, no correction). ↑: the row is "
        f"better than the column, ↓: worse; at {2 * found.level:g} above the diagonal, at "
        f"{found.level:g} below it."
    )
    n = found.pairs["datasets"].unique().tolist()
    if len(n) == 1:
        limits = [critical_value(n[0], level) for level in (2 * found.level, found.level)]
        if np.isfinite(limits).all():
            above, below = (f"{limit:g}" for limit in limits)
            note += f" Critical values for {n[0]} datasets without ties: {above} and {below}."
    else:
        note += f" A pair has the datasets that both methods have, {min(n)} to {max(n)}."
    header = ("", *(str(i + 1) for i in range(len(rows))))
    return Sheet("Rank sums of all pairs", header, tuple(rows), note)


def rank_sheet(found: Comparison) -> Sheet:
    """Methods by mean rank, and Friedman's test."""
    ranks = found.friedman.mean_ranks
    rows = tuple((method, f"{ranks[method]:.2f}") for method in found.ranking)
    return Sheet("Mean ranks", ("method", "mean rank"), rows, friedman_sentence(found))


def markdown(sheet: Sheet) -> str:
    """The table and its note; without rows the note alone."""
    if not sheet.rows:
        return _in_markdown(sheet.note)
    lines = [sheet.header, ("---", *["---:"] * (len(sheet.header) - 1)), *sheet.rows]
    table = "\n".join(f"| {' | '.join(map(_in_markdown, line))} |" for line in lines)
    return f"{table}\n\n{_in_markdown(sheet.note)}"


def latex(sheet: Sheet) -> str:
    """A table environment for booktabs, its note in the caption; without rows the note alone."""
    if not sheet.rows:
        return in_latex(sheet.note)
    lines = [" & ".join(map(in_latex, line)) + r" \\" for line in (sheet.header, *sheet.rows)]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{in_latex(f'{sheet.title}. {sheet.note}')}}}",
            r"\setlength{\tabcolsep}{3pt}",
            rf"\begin{{tabular}}{{l{'r' * (len(sheet.header) - 1)}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def in_latex(text: str) -> str:
    """The text with special characters escaped for LaTeX.

    A bracket or a star at the start of a row would become an option of the row before it.
    """
    characters = "".join(LATEX_CHARACTERS.get(sign, sign) for sign in text)
    return f"{{}}{characters}" if characters.startswith(("[", "*")) else characters


def as_markdown(found: Comparison, notes: Sequence[str] = ()) -> str:
    """All parts as a Markdown document."""
    parts = [f"# {_heading(found)}", *map(_in_markdown, _sentences(found, notes))]
    for sheet in _sheets(found):
        parts += [f"## {_in_markdown(sheet.title)}", markdown(sheet)]
    return "\n\n".join([*parts, _in_markdown(groups_sentence(found))]) + "\n"


def as_latex(found: Comparison, notes: Sequence[str] = ()) -> str:
    """All parts as LaTeX, for a document with booktabs."""
    parts = [r"% Needs \usepackage{booktabs}.", *map(in_latex, _sentences(found, notes))]
    parts += [latex(sheet) for sheet in _sheets(found)]
    return "\n\n".join([*parts, in_latex(groups_sentence(found))]) + "\n"


def as_json(found: Comparison, notes: Sequence[str] = ()) -> dict[str, Any]:
    """All numbers; `rank_sums[row][column]` is R+ of the row's method. Nothing is NaN."""
    methods, test = found.methods, found.friedman
    once = found.pairs.loc[list(combinations(methods, 2))]
    n = int(found.pairs["datasets"].max())
    return {
        "control": found.control,
        "level": found.level,
        "methods": methods,
        "datasets": list(found.table.index),
        "rank_sums": _nested(found.rank_sums),
        "verdicts": _nested(found.verdicts),
        "pairs": _records(once),
        "rivals": _records(found.against()),
        "friedman": {
            "datasets": test.datasets,
            "statistic": test.statistic,
            "p_value": test.p_value,
            "mean_ranks": test.mean_ranks,
        },
        "groups": [list(group) for group in found.groups],
        "unjoined": [list(pair) for pair in found.unjoined],
        "reach": {
            "datasets": n,
            "smallest_p": smallest_p(n),
            "needed_for_a_pair": datasets_needed(found.level),
            "needed_for_holm_over_rivals": datasets_needed(found.level, len(methods) - 1),
            "needed_for_holm_over_all_pairs": datasets_needed(found.level, _n_pairs(found)),
        },
        "sentences": _sentences(found, notes),
        "notes": list(notes),
    }


def in_terminal(found: Comparison, width: int, notes: Sequence[str] = ()) -> Iterable[Any]:
    """All parts as rich prints them, at most `width` columns wide."""
    from rich.text import Text

    yield Text(_heading(found), style="bold")
    for sentence in _sentences(found, notes):
        yield Text(f"\n{sentence}")
    for sheet in _sheets(found):
        yield Text(f"\n{sheet.title}", style="bold")
        for part in side_by_side(sheet, width) if sheet.rows else ():
            yield _rich_table(part, width)
        yield Text(sheet.note, style="dim")
    yield Text(f"\n{groups_sentence(found)}")


NAME_WIDTH = 26  # columns of the terminal; longer names are wrapped


def side_by_side(sheet: Sheet, width: int) -> Iterable[Sheet]:
    """Split a wide sheet into several, each with the names and as many columns as fit."""
    columns = list(zip(sheet.header, *sheet.rows, strict=True))
    widths = [max(map(len, column)) + 1 for column in columns]
    names = min(widths[0], NAME_WIDTH + 1)
    start = 1
    while start < len(columns):
        end, used = start + 1, names + widths[start]
        while end < len(columns) and used + widths[end] <= width:
            used += widths[end]
            end += 1
        header, *rows = zip(columns[0], *columns[start:end], strict=True)
        yield Sheet(sheet.title, header, tuple(rows), sheet.note)
        start = end


def _rich_table(sheet: Sheet, width: int) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(sheet.header[0], overflow="fold", max_width=min(NAME_WIDTH, width // 2))
    for column in sheet.header[1:]:
        table.add_column(Text(column), justify="right", no_wrap=True)
    arrows = any(cell.endswith(("↑", "↓")) for row in sheet.rows for cell in row[1:])
    for name, *cells in sheet.rows:
        # Every cell has room for an arrow, so that numbers are aligned.
        aligned = [cell if cell.endswith(("↑", "↓")) else f"{cell} " for cell in cells]
        table.add_row(Text(name), *map(_coloured, aligned if arrows else cells))
    return table


def _coloured(cell: str) -> Any:
    from rich.text import Text

    colours = {"↑": "green", "↓": "red"}
    return Text(cell, style=colours.get(cell[-1:], ""))


def _heading(found: Comparison) -> str:
    return f"{len(found.methods)} methods over {len(found.table)} datasets"


def _sentences(found: Comparison, notes: Sequence[str]) -> list[str]:
    return [verdict_sentence(found), reach_sentence(found), *notes]


def _sheets(found: Comparison) -> list[Sheet]:
    return [control_sheet(found), rank_sum_sheet(found), rank_sheet(found)]


def _n_pairs(found: Comparison) -> int:
    return len(found.pairs) // 2


def _verdict(plain: str, corrected: str) -> str:
    if plain == corrected or corrected != UNDECIDED:
        return corrected
    return f"{plain} before Holm"


def _nested(matrix: pd.DataFrame) -> dict[str, dict[str, Any]]:
    return {
        str(row): {str(column): value for column, value in cells.items() if column != row}
        for row, cells in matrix.iterrows()
    }


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return table.reset_index().to_dict(orient="records")  # type: ignore[return-value]


def _in_markdown(text: str) -> str:
    return text.replace("|", r"\|").replace("<", "&lt;").replace("\n", " ")


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _p(value: float) -> str:
    return f"{value:.2g}"

"""What README and docs show of a report: a summary, and the cells of each table, as Markdown.

Values are those of a table's first metric in percent, as they are printed. `docs/take_fragments.py`
copies the files into the pages.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pandas as pd

from tasks.report.by_protocol import is_wide
from tasks.report.evidence import Evidence
from tasks.report.standings import best_means, count_reached
from tasks.report.tables import NONE, markdown, subjects
from tasks.report.values import PUBLISHED, Place


def fragments(every: Sequence[Evidence]) -> dict[str, str]:
    """The files by name; none where nothing is published that ours could stand beside."""
    if not any(evidence.table.published for evidence in every):
        return {}
    frames = {"summary": pd.DataFrame([_standing(evidence) for evidence in every])}
    for evidence in every:
        name, cells = evidence.table.name, _cells(evidence)
        if is_wide(evidence.table):
            frames[f"{name}-means"] = _means(evidence, cells)
        by_case = is_wide(evidence.table) or evidence.table.noises
        frames[name] = (_by_case if by_case else _by_method)(evidence, cells)
    return {f"fragments/{name}.md": _written(frame) for name, frame in frames.items() if len(frame)}


def _written(frame: pd.DataFrame) -> str:
    """A star in a name begins no emphasis; a column without any value is left out."""
    shown = frame.dropna(axis=1, how="all").fillna(NONE)
    head, _, *lines = markdown(shown).replace("*", r"\*").replace(r"\*\*", "**").split("\n")
    return "\n".join([head, "| --- |" + " ---: |" * (shown.shape[1] - 1), *lines, ""])


def _standing(evidence: Evidence) -> dict[str, str | None]:
    """By protocol how many published values are reached, and our best mean and the best rival's."""
    table = evidence.table
    line: dict[str, str | None] = {"table": table.title}
    counts, means = count_reached(evidence.values), best_means(evidence.values)
    for protocol in evidence.protocols:
        reached = counts.get(protocol)
        line[f"reached, `{protocol}`"] = reached and f"{reached[0]} of {reached[1]}"
    for protocol in evidence.protocols:
        best = means.get(protocol, pd.Series(dtype=float))
        texts = [f"{name} {mean:.{table.decimals}f}" for name, mean in best.items()]
        if best.nunique() > 1:
            texts[best.argmax()] = f"**{texts[best.argmax()]}**"
        line[f"leads, `{protocol}`"] = ", ".join(texts) or None
    return line


def _cells(evidence: Evidence) -> pd.DataFrame:
    """A line for each value, published or ours, with its text: `82.9 ± 0.2`."""
    table, values, lines = evidence.table, evidence.values, []
    for subject, row in product(subjects(table), table.rows):
        dataset, noise, intensity, pattern = subject
        title = f"{noise} {intensity:g} {pattern}" if noise else dataset
        case = (*subject, table.metrics[0])
        places = [Place(*case, row.name, protocol) for protocol in evidence.protocols]
        cells = {at.protocol: values.cells[at] for at in places if at in values.cells}
        theirs = values.theirs.get(row.name, {}).get(case)
        if cells and theirs and not row.is_variant:
            text = f"{theirs:.{table.decimals}f}"
            lines.append((title, row.name, PUBLISHED, theirs, text))
        for protocol, cell in cells.items():
            mean, spread = values.in_points(cell.mean), values.in_points(cell.std)
            numbers = [mean, spread] if spread else [mean]
            text = " ± ".join(f"{number:.{table.decimals}f}" for number in numbers)
            lines.append((title, row.name, protocol, mean, text))
    return pd.DataFrame(lines, columns=["data", "method", "column", "value", "text"])


def _laid(evidence: Evidence, cells: pd.DataFrame, index: str, over: str) -> Any:
    """Texts by `index`, and by `over` with what is published or was run of it."""
    columns = product(dict.fromkeys(cells[over]), (PUBLISHED, *evidence.protocols))
    wide: Any = cells.pivot(index=index, columns=[over, "column"], values="text")
    wide = wide.reindex(index=cells[index].unique(), columns=list(columns))
    return wide.set_axis([" ".join(column) for column in wide], axis=1).rename_axis(index)


def _by_method(evidence: Evidence, cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each method, and columns for each dataset."""
    return _laid(evidence, cells, "method", "data").reset_index()


def _by_case(evidence: Evidence, cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each dataset or noise: our methods, and the best rival of each protocol."""
    rows = [row for row in evidence.table.rows if not row.is_variant]
    own = cells["method"].isin([row.name for row in rows if row.own])
    rivals: Any = cells[cells["method"].isin([row.name for row in rows if not row.own])]
    shown = _laid(evidence, cells[own], "data", "method")
    for protocol in evidence.protocols:
        run = rivals[rivals["column"] == protocol]
        best = run.loc[run.groupby("data")["value"].idxmax()].set_index("data")
        values = best["text"].str.replace(" ±.*", "", regex=True)
        shown[f"best baseline, {protocol}"] = best["method"] + " " + values
    return shown.reset_index()


def _means(evidence: Evidence, cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each method: its means over the datasets of which all have a value."""
    wide: Any = cells.pivot(index="data", columns=["method", "column"], values="value").dropna()
    means = wide.mean().unstack().reindex(evidence.table.methods).dropna(how="all")
    texts = means.map(f"{{:.{evidence.table.decimals}f}}".format, na_action="ignore")
    shown = texts.reindex(columns=[PUBLISHED, *evidence.protocols])
    return shown.rename_axis(f"mean over {len(wide)}").reset_index()

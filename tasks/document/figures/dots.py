"""Figures of the report, as SVG text: the same numbers give the same bytes."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd

from tasks.declared.described import Described
from tasks.document.printed import cells_of, redrawn
from tasks.document.tables import printed_in

# protocol: colour, marker, size, whether it is filled; where two meet both can be seen
MARKS: dict[str, tuple[str, str, int, bool]] = {
    "published": ("#555555", "|", 90, True),
    "paper": ("#0072b2", "o", 48, False),
    "honest": ("#d55e00", "o", 16, True),
}


def drawn(table: Described, results: pd.DataFrame) -> dict[str, str]:
    """File name to SVG: a dot per dataset and method, ours and published if it is of the same data.

    The fewer of datasets and methods are the panels, the others the rows.
    """
    shown = shown_cells(table, results)
    if shown.empty:
        return {}
    axes = [("method", list(table.methods)), ("subject", subjects_of(shown))]
    panels, rows = sorted(axes, key=lambda axis: len(axis[1]))
    unit, _ = printed_in(table.metrics[0], table)
    cells: Any = shown.groupby(["subject", "method", "protocol"], sort=False)["value"]
    points = pd.DataFrame({"value": unit * cells.mean(), "spread": unit * cells.std(ddof=0)})
    return {f"{table.name}.svg": dots(points.reset_index(), panels, rows, in_words(table))}


def shown_cells(table: Described, results: pd.DataFrame) -> pd.DataFrame:
    """Our rows of the table's first metric, then the published ones; with their `subject`."""
    metric = table.metrics[0]
    ours = results[(results["experiment"] == table.name) & (results["metric"] == metric)]
    if ours.empty:
        return ours.assign(subject="")
    printed = cells_of(table.published)
    printed = printed[(printed["metric"] == metric) & ~printed["dataset"].isin(redrawn(ours))]
    printed = printed.assign(protocol="published")
    same = [
        printed[printed["method"] == row.published].assign(method=row.name) for row in table.rows
    ]
    shown = pd.concat([ours, *same], ignore_index=True)
    return shown.assign(subject=shown["dataset"] + shown.apply(_noise, axis=1))


def subjects_of(shown: pd.DataFrame) -> list[str]:
    """Those that we have a value of."""
    return list(dict.fromkeys(shown[shown["protocol"] != "published"]["subject"]))


def in_words(table: Described) -> str:
    """What the axis of the first metric is called: `accuracy in %`, or `ACC`."""
    unit, _ = printed_in(table.metrics[0], table)
    return f"{table.metrics[0]} in %" if unit == 100 else table.metrics[0]


def _noise(row: pd.Series) -> str:
    if not row["noise"]:
        return ""
    return f" {row['noise']} {row['intensity']:g} {row['noise_pattern']}"


def dots(
    points: pd.DataFrame, panels: tuple[str, list[str]], rows: tuple[str, list[str]], label: str
) -> str:
    """A dot for each point, with its spread over the runs; README and report have the same."""
    size = (2.2 + 3.2 * len(panels[1]), 1.4 + 0.28 * len(rows[1]))
    with figure_as_svg(size) as (figure, out):
        grid = figure.subplots(1, len(panels[1]), sharey=True, squeeze=False)[0]
        for panel, title in zip(grid, panels[1], strict=True):
            here = points[(points[panels[0]] == title) & points[rows[0]].isin(rows[1])]
            for protocol, (colour, marker, area, filled) in MARKS.items():
                found = here[here["protocol"] == protocol]
                style = {"color": colour} if filled else {"edgecolors": colour, "c": "none"}
                if len(found):
                    at = found["value"], [rows[1].index(name) for name in found[rows[0]]]
                    if protocol != "published":
                        panel.errorbar(*at, xerr=found["spread"], fmt="none", ecolor=colour, lw=1)
                    word = protocol if protocol == "published" else f"ours, {protocol}"
                    panel.scatter(*at, marker=marker, s=area, label=word, **style)
            panel.set_title(title)
            panel.set_xlabel(label)
            panel.grid(alpha=0.3)
        grid[0].set_yticks(range(len(rows[1])), rows[1])
        grid[0].set_ylim(len(rows[1]) - 0.5, -0.5)
        figure.legend(*grid[0].get_legend_handles_labels(), loc="outside right", fontsize="small")
    return out.getvalue()


@contextmanager
def figure_as_svg(size: tuple[float, float]) -> Iterator[tuple[Any, io.StringIO]]:
    """A figure to draw on; when the block ends, its SVG is in the text."""
    import matplotlib
    from matplotlib.figure import Figure

    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "flgc", "svg.fonttype": "none"}):
        figure = Figure(figsize=size, layout="constrained")
        yield figure, out
        figure.savefig(out, format="svg", metadata={"Date": None})

"""Figures of the report, as SVG text: the same numbers give the same bytes."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd

from tasks.experiments import Experiment
from tasks.published import published_cells

COLOURS = {"paper": "#0072b2", "honest": "#d55e00", "published": "#555555"}


def drawn(experiment: Experiment, results: pd.DataFrame) -> dict[str, str]:
    """File name to SVG: one panel per method, a dot per dataset, ours and published."""
    metric = experiment.metrics[0]
    ours = results[(results["experiment"] == experiment.name) & (results["metric"] == metric)]
    if ours.empty:
        return {}
    printed = published_cells(experiment)
    printed = printed[printed["metric"] == metric].assign(protocol="published")
    shown = pd.concat([ours, printed], ignore_index=True)
    shown = shown.assign(row=shown["dataset"] + shown.apply(_noise, axis=1))
    rows = list(dict.fromkeys(shown[shown["protocol"] != "published"]["row"]))
    return {f"{experiment.name}.svg": _dots(shown, rows, metric)}


def _noise(row: pd.Series) -> str:
    return f" {row['noise'].split(',')[0]} {row['intensity']:g}" if row["noise"] else ""


def _dots(shown: pd.DataFrame, rows: list[str], metric: str) -> str:
    methods = list(dict.fromkeys(shown[shown["protocol"] != "published"]["method"]))
    size = (2.2 + 2.3 * len(methods), 1.2 + 0.25 * len(rows))
    with figure_as_svg(size) as (figure, out):
        panels = figure.subplots(1, len(methods), sharey=True, squeeze=False)[0]
        for panel, method in zip(panels, methods, strict=True):
            of_method = shown[shown["method"] == method]
            for protocol, colour in COLOURS.items():
                means = of_method[of_method["protocol"] == protocol].groupby("row")["value"].mean()
                found = [(means[row], i) for i, row in enumerate(rows) if row in means.index]
                if found:
                    marker = "|" if protocol == "published" else "o"
                    panel.scatter(
                        *zip(*found, strict=True), c=colour, marker=marker, label=protocol
                    )
            panel.set_title(method)
            panel.set_xlabel(metric)
            panel.grid(axis="x", alpha=0.3)
        panels[0].set_yticks(range(len(rows)), rows)
        panels[0].invert_yaxis()
        panels[-1].legend(loc="best", fontsize="small")
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

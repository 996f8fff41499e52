"""Figures of curves: one panel per dataset, one line per method, or boxes over the runs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tasks.declared.described import Described
from tasks.document.figures import influence
from tasks.document.figures.analyses import styles
from tasks.document.figures.dots import figure_as_svg
from tasks.document.results import varied
from tasks.document.tables import titled_as

AT_PAPER = "all at the settings that `paper` picks for the table"
X_AXES = {
    "labels": f"labelled samples per class\n{AT_PAPER}",
    "depths": f"propagation steps or layers\n{AT_PAPER}",
    "neighbours": "neighbours k (0: no edges, only X)\ntriangles are means",
}
# Rivals are told apart by how their lines are broken, too.
DASHES: tuple[Any, ...] = ((0, (5, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5)))
BAND_AT_MOST = 4  # methods whose spread can be seen
MEAN, MEDIAN = "#0072b2", "#d55e00"  # of boxes
TICKS = (0, 20, 40, 60, 70, 80, 85, 90, 92, 94, 96, 98, 99, 100)


def curve_figures(
    table: Described, curves: Mapping[str, Mapping[str, Mapping[str, pd.DataFrame]]]
) -> dict[str, str]:
    """File name to SVG, of curves by figure, dataset and method; those of clusterings in one."""
    files = {}
    for figure in (name for name in curves if name in X_AXES):
        draw = _boxes if figure == "neighbours" else _lines
        files[f"{table.name}-{figure}.svg"] = draw(table, varied(curves[figure]), X_AXES[figure])
    together = {name: varied(curves[name]) for name in influence.X_AXES if name in curves}
    if together:
        files[f"{table.name}-influence.svg"] = influence.influence_figure(table, together)
    return files


def _lines(table: Described, rows: pd.DataFrame, label: str) -> str:
    """Means over the runs; where methods are few, with a band of the standard deviation."""
    style = line_styles(table)
    shown = [name for name in style if name in set(rows["method"])]
    datasets = list(dict.fromkeys(rows["dataset"]))
    with figure_as_svg((4.4 * len(datasets) + 1.6, 5.2)) as (figure, out):
        panels = figure.subplots(1, len(datasets), squeeze=False)[0]
        lines: dict[str, Any] = {}
        few = len(shown) <= BAND_AT_MOST
        for panel, dataset in zip(panels, datasets, strict=True):
            here = rows[rows["dataset"] == dataset]
            for method in shown:
                of_method = 100 * here[here["method"] == method].groupby("x")["accuracy"].agg(
                    ["mean", "std"]
                )
                if of_method.empty:
                    continue
                means, spread = of_method["mean"], of_method["std"].fillna(0.0)
                every = _marked(len(means), shown.index(method))
                [lines[method]] = panel.plot(means.index, means, markevery=every, **style[method])
                if few:
                    colour = style[method]["color"]
                    band = (means - spread, means + spread)
                    panel.fill_between(means.index, *band, color=colour, alpha=0.12, linewidth=0)
            panel.set_title(titled_as(dataset, rows))
            panel.grid(alpha=0.3)
            panel.set_yscale("function", functions=(_spread_out, _accuracy))
            panel.set_yticks([tick for tick in TICKS if _within(tick, panel.get_ylim())])
            panel.xaxis.get_major_locator().set_params(integer=True)
        panels[0].set_ylabel("test accuracy in %, its scale wider towards 100")
        bands = "; bands: standard deviation" if few else ""
        figure.supxlabel(label + bands, fontsize="medium")
        named = [name for name in shown if name in lines]
        handles = [lines[name] for name in named]
        figure.legend(handles, named, loc="outside right", fontsize="small", handlelength=4)
    return out.getvalue()


def _spread_out(accuracy: Any) -> Any:
    """-log(101 - accuracy): where most methods are, their lines are told apart."""
    return -np.log(np.maximum(101 - accuracy, 0.1))


def _accuracy(spread_out: Any) -> Any:
    """The inverse."""
    return 101 - np.exp(-spread_out)


def _within(tick: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= tick <= limits[1]


def _marked(n_points: int, position: int) -> Any:
    """All points of a short line have markers; of a long one every third, not all the same ones."""
    return (position % 3, 3) if n_points > 10 else 1


def _boxes(table: Described, rows: pd.DataFrame, label: str) -> str:
    """A box over the runs for each x, its mean as a triangle."""
    datasets = list(dict.fromkeys(rows["dataset"]))
    methods = ", ".join(dict.fromkeys(rows["method"]))
    with figure_as_svg((4.2 * len(datasets), 3.6)) as (figure, out):
        panels = figure.subplots(1, len(datasets), squeeze=False)[0]
        for panel, dataset in zip(panels, datasets, strict=True):
            here: Any = rows[rows["dataset"] == dataset].groupby("x")["accuracy"]
            found = {x: 100 * of_x.to_numpy() for x, of_x in here}
            panel.boxplot(
                list(found.values()),
                tick_labels=[str(x) for x in found],
                widths=0.55,
                showmeans=True,
                meanprops={"marker": "^", "markerfacecolor": MEAN, "markeredgecolor": "none"},
                medianprops={"color": MEDIAN},
                flierprops={"marker": ".", "markersize": 3, "markeredgecolor": "#555555"},
            )
            panel.set_title(titled_as(dataset, rows))
            panel.grid(axis="y", alpha=0.3)
        panels[0].set_ylabel(f"test accuracy of {methods} in %")
        figure.supxlabel(label, fontsize="medium")
    return out.getvalue()


def line_styles(table: Described) -> dict[str, dict[str, Any]]:
    """How each method with a setting in `paper` is drawn: the paper's own thick and on top.

    Each of these is thinner than the one below it: where they meet, both can be seen.
    """
    rows = [row for row in table.rows if "paper" in row.protocols]
    found = styles([row.name for row in rows])
    own = [row.name for row in rows if row.own]
    for i, name in enumerate(reversed(own)):
        found[name] |= {"linewidth": 1.8 + 1.6 * i, "markersize": 6, "zorder": 4 - i / len(own)}
    for i, name in enumerate(name for name in found if name not in own):
        found[name] |= {"linewidth": 1.0, "linestyle": DASHES[i % len(DASHES)], "alpha": 0.9}
    return found

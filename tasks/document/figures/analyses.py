"""Figures of an experiment's analysis: training time, and sensitivity to the settings."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import pandas as pd

from flgc.methods.base import AXIS, axes_of
from flgc.methods.picking import usual
from tasks.document.figures.dots import figure_as_svg

# Told apart without colours too: by marker.
STYLES = {
    "GCN": ("#999999", "s"),
    "GCN-Linear": ("#56b4e9", "D"),
    "SGC": ("#009e73", "v"),
    "APPNP": ("#cc79a7", "^"),
    "FLGC": ("#0072b2", "o"),
    "FLGC*, teleport .1": ("#e69f00", "P"),
    "FLGC*": ("#d55e00", "*"),
}
# For methods that are not named above, in the order of the table; seen on white and on black.
OTHERS = (
    ("#6f63c6", "X"),
    ("#b8335f", "p"),
    ("#117733", "h"),
    ("#44aa99", "<"),
    ("#aa4499", ">"),
    ("#a5603a", "d"),
    ("#999933", "8"),
    ("#6b7a8f", "x"),
)
# The axes that are shown, and whose picks the lines go through; FLGC has no teleport.
SENSITIVITY = {"regularization": ("FLGC", "FLGC*"), "teleport": ("FLGC*",)}


def styles(methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Colour and marker of each method; the same table gives the same ones."""
    others = cycle(OTHERS)
    found = {method: STYLES.get(method) or next(others) for method in methods}
    return {
        method: {"color": colour, "marker": marker, "markersize": 4}
        for method, (colour, marker) in found.items()
    }


def time_figure(timings: pd.DataFrame, methods: Sequence[str]) -> str:
    """Accuracy against training time: one panel per dataset, one line per method over the hops."""
    datasets, style = list(dict.fromkeys(timings["dataset"])), styles(methods)
    with figure_as_svg((4.2 * len(datasets) + 1.6, 3.6)) as (figure, out):
        panels = figure.subplots(1, len(datasets), squeeze=False)[0]
        for panel, dataset in zip(panels, datasets, strict=True):
            here: Any = timings[timings["dataset"] == dataset].groupby("method", sort=False)
            for method, of_method in here:
                line = of_method.sort_values("hops")
                at = (line["training_time"], 100 * line["accuracy"])
                panel.plot(*at, label=method, linewidth=0.8, **style[method])
            panel.set_xscale("log")
            panel.set_title(dataset)
            panel.set_xlabel("training time in seconds, propagation included")
            panel.grid(alpha=0.3)
        hops = timings["hops"]
        panels[0].set_ylabel(f"test accuracy in %, {hops.min()} to {hops.max()} hops or layers")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right", fontsize="small")
    return out.getvalue()


def profiles(
    grids: Mapping[str, pd.DataFrame], picks: Mapping[str, Mapping[str, pd.DataFrame]]
) -> dict[tuple[str, str, str], pd.DataFrame]:
    """By axis, dataset and method, of what is there."""
    return {
        (axis, dataset, method): profile(scores, picks[dataset][method], axis)
        for axis, methods in SENSITIVITY.items()
        for dataset, scores in grids.items()
        for method in methods
        if method in picks.get(dataset, {})
    }


def sensitivity_figure(
    grids: Mapping[str, pd.DataFrame], picks: Mapping[str, Mapping[str, pd.DataFrame]]
) -> str:
    """Accuracy against one axis of the grid, the others as `honest` picks them."""
    found = profiles(grids, picks)
    axes = list(dict.fromkeys(axis for axis, _, _ in found))
    with figure_as_svg((4.2 * len(grids), 3.2 * len(axes))) as (figure, out):
        rows = figure.subplots(len(axes), len(grids), squeeze=False)
        for panels, axis in zip(rows, axes, strict=True):
            for panel, dataset in zip(panels, grids, strict=True):
                for method in SENSITIVITY[axis]:
                    if (axis, dataset, method) in found:
                        _plot_profile(panel, method, found[axis, dataset, method])
                if axis == "regularization":
                    panel.set_xscale("log", base=2)
                    panel.set_title(dataset)
                panel.set_xlabel(axis)
                panel.grid(alpha=0.3)
            panels[0].set_ylabel("accuracy in %")
            shown = [panel for panel in panels if panel.has_data()]
            shown[-1].legend(fontsize="small", loc="best")
    return out.getvalue()


def _plot_profile(panel: Any, method: str, line: pd.DataFrame) -> None:
    style = styles([method])[method]
    panel.plot(line.index, 100 * line["test"], label=f"{method}, test", **style)
    if line["validation"].notna().all():
        dashed = {"linestyle": "--", "linewidth": 0.8, "color": style["color"]}
        panel.plot(line.index, 100 * line["validation"], label=f"{method}, validation", **dashed)


def profile(scores: pd.DataFrame, picked: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Mean accuracies along one axis through the setting that most runs picked."""
    setting, line = usual(picked), scores
    for column in axes_of(scores):
        if column != f"{AXIS}{axis}":
            line = line[line[column] == setting[column.removeprefix(AXIS)]]
    return line.groupby(f"{AXIS}{axis}")[["test", "validation"]].mean()

"""Figures of an experiment's analysis: training time, and sensitivity to the settings."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tasks.declared.experiments import METHODS
from tasks.document.figures.dots import figure_as_svg
from tasks.picking import AXES, admitted, picks, settings_of, usual

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


def time_figure(timings: pd.DataFrame) -> str:
    """Accuracy against training time: one panel per dataset, one line per method over the hops."""
    datasets = list(dict.fromkeys(timings["dataset"]))
    with figure_as_svg((4.2 * len(datasets) + 1.6, 3.6)) as (figure, out):
        panels = figure.subplots(1, len(datasets), squeeze=False)[0]
        for panel, dataset in zip(panels, datasets, strict=True):
            here = timings[timings["dataset"] == dataset]
            for method, of_method in here.groupby("method", sort=False):
                colour, marker = STYLES.get(str(method), (None, "."))
                style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4}
                line = of_method.sort_values("hops")
                panel.plot(
                    line["seconds"], 100 * line["accuracy"], label=method, linewidth=0.8, **style
                )
            panel.set_xscale("log")
            panel.set_title(dataset)
            panel.set_xlabel("training time in seconds, propagation included")
            panel.grid(alpha=0.3)
        hops = timings["hops"]
        panels[0].set_ylabel(f"test accuracy in %, {hops.min()} to {hops.max()} hops or layers")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right", fontsize="small")
    return out.getvalue()


def sensitivity_figure(grids: Mapping[str, pd.DataFrame]) -> str:
    """Accuracy against one axis of the grid, the others as `honest` picks them."""
    axes = {"regularization": ("FLGC", "FLGC*"), "teleport": ("FLGC*",)}
    with figure_as_svg((4.2 * len(grids), 6.4)) as (figure, out):
        rows = figure.subplots(len(axes), len(grids), squeeze=False)
        for panels, (axis, methods) in zip(rows, axes.items(), strict=True):
            for panel, (dataset, scores) in zip(panels, grids.items(), strict=True):
                for method in methods:
                    line = profile(scores, method, axis)
                    colour, marker = STYLES[method]
                    style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4}
                    panel.plot(line.index, 100 * line["test"], label=f"{method}, test", **style)
                    if line["validation"].notna().all():
                        dashed = {"linestyle": "--", "linewidth": 0.8, "color": colour}
                        panel.plot(
                            line.index,
                            100 * line["validation"],
                            label=f"{method}, validation",
                            **dashed,
                        )
                if axis == "regularization":
                    panel.set_xscale("log", base=2)
                    panel.set_title(dataset)
                panel.set_xlabel(axis)
                panel.grid(alpha=0.3)
            panels[0].set_ylabel("accuracy in %")
            panels[-1].legend(fontsize="small", loc="best")
    return out.getvalue()


def profile(scores: pd.DataFrame, method: str, axis: str) -> pd.DataFrame:
    """Mean accuracies along one axis through the setting that most runs pick honestly."""
    honest = picks(admitted(scores, METHODS[method]), "honest")
    setting = usual(settings_of(honest)).as_dict()
    line = scores
    for name in AXES:
        if name != axis:
            line = line[line[name] == setting[name]]
    return line.groupby(axis)[["test", "validation"]].mean()

"""ACC of clusterings over hops and over the teleport: a panel per method, a line per dataset."""

from collections.abc import Mapping
from string import ascii_lowercase
from typing import Any

import pandas as pd

from tasks.declared.described import Described
from tasks.document.figures.dots import figure_as_svg
from tasks.document.tables import titled_as

X_AXES = {"hops": "propagation steps", "teleport": "teleport"}
# Datasets are told apart by colour, by marker and by how their lines are broken.
STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#0072b2", "marker": "o", "linestyle": "-"},
    {"color": "#d55e00", "marker": "s", "linestyle": (0, (5, 1.5))},
    {"color": "#009e73", "marker": "^", "linestyle": (0, (1.5, 1))},
    {"color": "#cc79a7", "marker": "D", "linestyle": (0, (6, 1.5, 1.5, 1.5))},
    {"color": "#777777", "marker": "v", "linestyle": "-"},
)


def panels_of(
    table: Described, curves: Mapping[str, pd.DataFrame]
) -> dict[str, tuple[str, pd.DataFrame]]:
    """`(a) FLGC` to figure and rows: the methods of each figure, in the order of the table."""
    shown = [
        (figure, method, rows[rows["method"] == method])
        for figure, rows in curves.items()
        for method in table.methods
        if method in set(rows["method"])
    ]
    return {
        f"({letter}) {method}": (figure, rows)
        for letter, (figure, method, rows) in zip(ascii_lowercase, shown, strict=False)
    }


def dataset_styles(table: Described, rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """How each dataset that is there is drawn."""
    here = [name for name in table.datasets if name in set(rows["dataset"])]
    return {name: STYLES[i % len(STYLES)] for i, name in enumerate(here)}


def influence_figure(table: Described, curves: Mapping[str, pd.DataFrame]) -> str:
    """Means over the runs."""
    shown = panels_of(table, curves)
    every = pd.concat([rows for _, rows in shown.values()])
    style = dataset_styles(table, every)
    with figure_as_svg((3.6 * len(shown), 3.7)) as (figure, out):
        [panels] = figure.subplots(1, len(shown), sharey=True, squeeze=False)
        for panel, (name, (axis, rows)) in zip(panels, shown.items(), strict=True):
            for dataset in style:
                means = 100 * rows[rows["dataset"] == dataset].groupby("x")["ACC"].mean()
                title = titled_as(dataset, every)
                panel.plot(means.index, means, label=title, markersize=4, **style[dataset])
            panel.set_title(name, fontsize="medium")
            panel.set_xlabel(X_AXES[axis])
            panel.grid(alpha=0.3)
            if axis == "hops":
                panel.xaxis.get_major_locator().set_params(integer=True)
        panels[0].set_ylabel("ACC in %")
        panels[0].set_ylim(0, 103)
        handles = panels[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=len(style), fontsize="small")
    return out.getvalue()

"""ACC of clusterings over hops and over the teleport: a panel per method, a line per dataset."""

from collections.abc import Mapping

import pandas as pd

from tasks.declared.described import Described
from tasks.document.figures.dots import figure_as_svg
from tasks.document.tables import titled_as

X_AXES = {"hops": "propagation steps", "teleport": "teleport"}
# Datasets are told apart by colour, by marker and by how their lines are broken.
STYLES = (
    {"color": "#0072b2", "marker": "o", "linestyle": "-"},
    {"color": "#d55e00", "marker": "s", "linestyle": (0, (5, 1.5))},
    {"color": "#009e73", "marker": "^", "linestyle": (0, (1.5, 1))},
    {"color": "#cc79a7", "marker": "D", "linestyle": (0, (6, 1.5, 1.5, 1.5))},
    {"color": "#000000", "marker": "v", "linestyle": "-"},
)


def influence_figure(table: Described, curves: Mapping[str, pd.DataFrame]) -> str:
    """Panels for the methods of each figure, in the order of the table; means over the runs."""
    shown = [
        (figure, method, rows[rows["method"] == method])
        for figure, rows in curves.items()
        for method in table.methods
        if method in set(rows["method"])
    ]
    every = pd.concat([rows for _, _, rows in shown])
    here = [name for name in table.datasets if name in set(every["dataset"])]
    style = {name: STYLES[i % len(STYLES)] for i, name in enumerate(here)}
    with figure_as_svg((3.6 * len(shown), 3.7)) as (figure, out):
        [panels] = figure.subplots(1, len(shown), sharey=True, squeeze=False)
        for panel, (axis, method, rows), letter in zip(panels, shown, "abcdefgh", strict=False):
            for dataset in here:
                means = 100 * rows[rows["dataset"] == dataset].groupby("x")["ACC"].mean()
                title = titled_as(dataset, every)
                panel.plot(means.index, means, label=title, markersize=4, **style[dataset])
            panel.set_title(f"({letter}) {method}", fontsize="medium")
            panel.set_xlabel(X_AXES[axis])
            panel.grid(alpha=0.3)
            if axis == "hops":
                panel.xaxis.get_major_locator().set_params(integer=True)
        panels[0].set_ylabel("ACC in %")
        panels[0].set_ylim(0, 103)
        handles = panels[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=len(here), fontsize="small")
    return out.getvalue()

"""The cells of an experiment as bars: a panel for each dataset, a bar for each method."""

from typing import Any

import pandas as pd

from tasks.declared.described import Described
from tasks.document.figures.analyses import styles
from tasks.document.figures.dots import figure_as_svg
from tasks.document.tables import titled_as

# Seen on every colour.
HONEST = {"marker": "D", "s": 22, "facecolor": "white", "edgecolor": "black", "zorder": 3}


def bar_figure(table: Described, results: pd.DataFrame) -> dict[str, str]:
    """File name to SVG: the bar is `paper`, a mark on it is `honest`, of the table's first metric.

    Methods stand in the order of the table, and have their number above the bar.
    """
    metric = table.metrics[0]
    ours = results[(results["experiment"] == table.name) & (results["metric"] == metric)]
    if ours.empty:
        return {}
    datasets = [name for name in table.datasets if name in set(ours["dataset"])]
    with figure_as_svg((0.6 + (0.9 + 0.42 * len(table.rows)) * len(datasets), 3.9)) as (
        figure,
        out,
    ):
        [panels] = figure.subplots(1, len(datasets), sharey=True, squeeze=False)
        for panel, dataset in zip(panels, datasets, strict=True):
            _bars(panel, table, ours[ours["dataset"] == dataset])
            panel.set_title(titled_as(dataset, ours))
        panels[0].set_ylabel(f"{metric} in %")
        # Bars have a colour each, so none of them can stand for all.
        handles = [panels[0].bar([0], [0], color="#999999"), panels[0].scatter([], [], **HONEST)]
        words = ["bar: paper", "diamond: honest"]
        figure.legend(handles, words, loc="outside lower center", ncols=2, fontsize="small")
    return {bar_file(table): out.getvalue()}


def bar_file(table: Described) -> str:
    """What it is called."""
    return f"{table.name}-bars.svg"


def _bars(panel: Any, table: Described, here: pd.DataFrame) -> None:
    """One panel."""
    means = 100 * here.groupby(["protocol", "method"])["value"].mean()
    colours = [style["color"] for style in styles(table.methods).values()]
    found = {name: _of(means, name, table) for name in ("paper", "honest")}
    panel.bar(range(len(table.rows)), found["paper"], color=colours)
    panel.scatter(range(len(table.rows)), found["honest"], **HONEST)
    for i, (value, mark) in enumerate(zip(found["paper"], found["honest"], strict=True)):
        if pd.notna(value):
            top = max(value, (0 if pd.isna(mark) else mark) + 2)  # above the mark, too
            panel.annotate(f"{value:.1f}", (i, top + 1), ha="center", fontsize=6.5)
    panel.set_xticks(range(len(table.rows)), table.methods, rotation=60, ha="right", fontsize=8)
    panel.tick_params(axis="x", length=0)
    panel.set_ylim(0, 110)
    panel.set_axisbelow(True)
    panel.grid(axis="y", alpha=0.3)


def _of(means: pd.Series, protocol: str, table: Described) -> list[float]:
    """Its values in the order of the table, NaN where there is none."""
    here = [(protocol, method) for method in table.methods]
    return [float(means.get(key, float("nan"))) for key in here]

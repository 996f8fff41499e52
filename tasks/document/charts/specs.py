"""All charts of an experiment: its figures once more, as what answers to the pointer."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from flgc.statistics.many_methods import Comparison
from tasks.declared.described import Described
from tasks.document.charts.analyses import (
    box_chart,
    curve_chart,
    influence_chart,
    sensitivity_chart,
    time_chart,
)
from tasks.document.charts.cells import bars_chart, dots_chart
from tasks.document.charts.ranks import rank_chart
from tasks.document.figures import influence
from tasks.document.figures.analyses import profiles
from tasks.document.figures.bars import bar_file
from tasks.document.figures.curves import X_AXES
from tasks.document.figures.dots import shown_cells
from tasks.document.results import timed, varied


def chart_specs(
    results: pd.DataFrame,
    timings: Mapping[str, pd.DataFrame],
    scores: Mapping[str, pd.DataFrame],
    picks: Mapping[str, Mapping[str, pd.DataFrame]],
    curves: Mapping[str, Mapping[str, Mapping[str, pd.DataFrame]]],
    table: Described,
    compared: Mapping[str, Comparison],
    bars: bool = False,
) -> dict[str, dict[str, Any]]:
    """Vega-Lite by the name of the figure, without `.svg`; matrices and images stay pictures.

    All is as `draw_figures` has it. Whoever embeds one gives it `LIGHT` or `DARK` of
    `tasks.document.charts.parts` as its `config`.
    """
    name, found = table.name, {}
    if len(shown_cells(table, results)):
        file = bar_file(table).removesuffix(".svg") if bars else name
        found[file] = (bars_chart if bars else dots_chart)(table, results)
    for protocol, each in compared.items():
        if each.ranking:
            found[f"{name}-ranks-{protocol}"] = rank_chart(each)
    if timings:
        found[f"{name}-time"] = time_chart(table, timed(timings))
    if profiles(scores, picks):
        found[f"{name}-sensitivity"] = sensitivity_chart(table, scores, picks)
    for figure in (each for each in curves if each in X_AXES):
        chart = box_chart if figure == "neighbours" else curve_chart
        found[f"{name}-{figure}"] = chart(table, varied(curves[figure]), figure)
    together = {each: varied(curves[each]) for each in influence.X_AXES if each in curves}
    if together:
        found[f"{name}-influence"] = influence_chart(table, together)
    return found

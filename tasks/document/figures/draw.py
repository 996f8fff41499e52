"""All figures of an experiment."""

from collections.abc import Mapping, Sequence

import pandas as pd

from tasks.declared.described import Described
from tasks.document import comparisons
from tasks.document.figures.analyses import sensitivity_figure, time_figure
from tasks.document.figures.curves import curve_figures
from tasks.document.figures.dots import drawn
from tasks.document.files import as_table
from tasks.document.results import joined, timed


def draw_figures(
    results: Sequence[pd.DataFrame],
    timings: Mapping[str, pd.DataFrame],
    scores: Mapping[str, pd.DataFrame],
    picks: Mapping[str, Mapping[str, pd.DataFrame]],
    curves: Mapping[str, Mapping[str, Mapping[str, pd.DataFrame]]],
    table: Described,
    compared: Sequence[str] = (),
) -> pd.DataFrame:
    """Files (name, content), SVG.

    By dataset, `scores` are those of FLGC*'s whole grid, and `picks` those in `honest` of the
    methods whose sensitivity is shown; without any there is no such figure. `curves` are by figure,
    dataset and method. `compared` are the protocols in which the methods are ranked.
    """
    rows = joined(results)
    files = drawn(table, rows) | comparisons.diagrams(
        comparisons.compared(rows, table, compared), table.name
    )
    if timings:
        files[f"{table.name}-time.svg"] = time_figure(timed(timings), table.methods)
    if scores:
        files[f"{table.name}-sensitivity.svg"] = sensitivity_figure(scores, picks)
    files |= curve_figures(table, curves)
    return as_table(files)

"""All figures of an experiment."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from flgc.datasets.dataset import Dataset
from flgc.methods.sorted_affinity import SortedAffinity
from tasks.declared.described import Described
from tasks.document import comparisons
from tasks.document.charts.specs import chart_specs
from tasks.document.figures.analyses import profiles, sensitivity_figure, time_figure
from tasks.document.figures.bars import bar_figure
from tasks.document.figures.curves import curve_figures
from tasks.document.figures.dots import drawn
from tasks.document.figures.matrices import affinity_figure
from tasks.document.figures.samples import samples_figure
from tasks.document.files import CHART, as_json, as_table
from tasks.document.results import joined, timed


def draw_figures(
    results: Sequence[pd.DataFrame],
    timings: Mapping[str, pd.DataFrame],
    scores: Mapping[str, pd.DataFrame],
    picks: Mapping[str, Mapping[str, pd.DataFrame]],
    curves: Mapping[str, Mapping[str, Mapping[str, pd.DataFrame]]],
    table: Described,
    compared: Sequence[str] = (),
    affinities: Mapping[str, Mapping[str, SortedAffinity]] = MappingProxyType({}),
    bars: bool = False,
    samples: Mapping[str, Dataset] = MappingProxyType({}),
    shape: tuple[int, int] = (0, 0),
) -> pd.DataFrame:
    """Files (name, content): SVG, and beside what answers to the pointer its chart.

    By dataset, `scores` are those of FLGC*'s whole grid, and `picks` those in `honest` of the
    methods whose sensitivity is shown; without any there is no such figure. `curves` are by figure,
    dataset and method. `compared` are the protocols in which the methods are ranked. `affinities`
    are by dataset and method. `bars` show the cells instead of dots. Of `samples`, datasets by
    name, as many classes and images of each are shown as `shape` says.
    """
    rows = joined(results)
    files = bar_figure(table, rows) if bars else drawn(table, rows)
    ranked = comparisons.compared(rows, table, compared)
    files |= comparisons.diagrams(ranked, table.name)
    if timings:
        files[f"{table.name}-time.svg"] = time_figure(timed(timings), table.methods)
    if profiles(scores, picks):
        files[f"{table.name}-sensitivity.svg"] = sensitivity_figure(scores, picks)
    files |= curve_figures(table, curves)
    if affinities:
        files[f"{table.name}-affinity.svg"] = affinity_figure(affinities, rows)
    if samples:
        files[f"{table.name}-samples.svg"] = samples_figure(list(samples.values()), *shape)
    charts = chart_specs(rows, timings, scores, picks, curves, table, ranked, bars)
    return as_table(files | {f"{name}{CHART}": as_json(spec) for name, spec in charts.items()})

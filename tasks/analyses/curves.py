"""A method of `paper` at one setting while one thing varies: what all figures of curves share.

They go through the setting that all runs of a cell share, so `honest` has none. Variants of a row
are no curves: nobody could tell so many apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flgc.methods.varying import SPLITS
from tasks.analyses.base import CellSteps, Product, Table
from tasks.running.steps import Step
from tasks.stages.splits import splits
from tasks.stages.vary import vary

CURVES = "curves"


def shown(table: Table, datasets: Sequence[str]) -> list[CellSteps]:
    """The cells that have a curve."""
    return [each for each in table.of("paper", datasets) if not each.row.is_variant]


def title_of(cell: CellSteps, figure: str) -> str:
    """`iris FLGC* for labels`."""
    return f"{cell.subject.title} {cell.method} for {figure}"


def drawn_splits(
    table: Table, cell: CellSteps, figure: str, kinds: str | list[str], runs: int
) -> Step | None:
    """Who is labelled in the runs of a figure, all kinds of split in one artifact, or nobody."""
    if not kinds:
        return None
    seeds = cell.subject.seeds(table.experiment, runs)
    about = f"{cell.subject.title} for {figure}"
    return table.steps.add(splits, about, data=cell.data, split=kinds, seeds=seeds)


def curve(
    table: Table, cell: CellSteps, figure: str, runs: int, along: str, **given: Any
) -> Product:
    """The method of the cell once more, while the values `along` something vary.

    Unless a figure says more it varies on the graphs of the cell, and at what that picked.
    """
    kinds: Any = table.experiment.split
    if along == SPLITS:
        kinds = [f"{count}-per-class" for count in given["values"]]
    if "graphs" not in given:
        given |= {"graphs": cell.graphs_by_title, "picks": cell.picks}
    step = table.steps.add(
        vary,
        title_of(cell, figure),
        data=cell.data,
        method=cell.spec,
        grid=cell.whole_grid,
        seeds=cell.subject.seeds(table.experiment, runs),
        without=cell.without,
        device=table.device,
        splits=drawn_splits(table, cell, figure, kinds, runs),
        along=along,
        **given,
    )
    return Product(CURVES, figure, cell.subject.title, cell.method, step)

"""The DAG of an experiment, from datasets to the cells of its table, as a list of steps.

    dataset -> (corrupt) -> splits, graph -> score -> pick -> (propagate) -> fit -> analyses

Nothing is run here, and only declarations are read: `flows/execute.py` runs the steps, and
`flows/dry_run.py` looks them up.
"""

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flgc.datasets import REGISTRY, UnknownDataset, resolve, state
from flgc.methods.registry import Contender, contender
from flows.plan import Plan
from tasks.analyses.base import CellSteps, Product, TableSteps, pick_step
from tasks.analyses.registry import analyses_of
from tasks.declared.described import described
from tasks.declared.types import Cell, Experiment, Preparation
from tasks.report.gaps import NOT_AVAILABLE, Gap
from tasks.running.steps import Step, Steps, chain_of
from tasks.stages.cells import corrupt, dataset, fit, graph, pick, propagate, score, splits

# The stages that are of a method, in their order; all others of cells run before them.
OF_METHOD = (score, pick, propagate, fit)
FIRST = (-1,)


@dataclass(frozen=True, eq=False)
class Dag:
    """The steps of an experiment: its datasets, its cells, and what its analyses ask for besides.

    `gaps` are those of datasets that are not available.
    """

    table: TableSteps
    products: tuple[Product, ...]
    gaps: tuple[Gap, ...]

    @property
    def cells(self) -> Sequence[CellSteps]:
        """The cells whose data are available."""
        return self.table.cells

    def after(self, cells: Sequence[CellSteps]) -> list[Product]:
        """What is made of these cells when all else has ended, one after the other."""
        return _products(dataclasses.replace(self.table, cells=cells), after=True)


def dag_of(plan: Plan, experiment: Experiment) -> Dag:
    """Every step, once: what cells share is made once for all of them."""
    steps, data, gaps = Steps(), dict[str, Step](), list[Gap]()
    numbers = cells_of(experiment, plan.protocols)
    for name in experiment.datasets:
        standing = state(name)
        if standing.status == NOT_AVAILABLE:
            gaps.append(Gap(NOT_AVAILABLE, name, standing.detail, numbers[name]))
        else:
            data[name] = steps.add(dataset, name, dataset=name)
    scored_as = dict[str, str]()
    ways = [
        _cell_steps(steps, plan.device, cell, data[cell.subject.dataset], scored_as)
        for cell in cells(experiment, plan.protocols)
        if cell.subject.dataset in data
    ]
    turns = _turns(ways)
    steps.sort(lambda step: turns.get(step, FIRST))
    table = TableSteps(
        experiment, described(experiment), plan.protocols, plan.device, data, ways, steps
    )
    return Dag(table, tuple(_products(table, after=False)), tuple(gaps))


def _cell_steps(
    steps: Steps, device: str, cell: Cell, data: Step, scored_as: dict[str, str]
) -> CellSteps:
    """The way of a cell from its data to its result.

    Rows with the same method and grid share their scores: `scored_as` has the first of them.
    """
    experiment, subject = cell.experiment, cell.subject
    row = contender(cell.method, experiment.task)
    title, seeds = subject.title, subject.seeds(experiment)
    without = leaking(subject.dataset) if cell.protocol == "honest" else ()
    preparations = preparations_of(cell, row)
    one = len(preparations) == 1
    titles = [title if one else f"{title} on {each.title}" for each in preparations]

    if subject.noise:
        data = _corrupted(steps, cell, data)
    drawn = None
    if experiment.split:
        first = seeds[: experiment.n_splits]
        drawn = steps.add(splits, title, data=data, split=experiment.split, seeds=first)
    graphs = [
        steps.add(
            graph,
            about,
            data=data,
            graph=each.graph,
            n_neighbors=each.n_neighbors,
            without=without,
        )
        for about, each in zip(titles, preparations, strict=True)
    ]
    scores = [
        steps.add(
            score,
            f"{about} {_scored(row)}",
            data=data,
            graph=P,
            splits=drawn,
            method=scored_as.setdefault(_identity(row), cell.spec),
            grid=experiment.grid_of(row, each),
            seeds=seeds,
            without=without,
            device=device,
            **experiment.measured,
        )
        for about, each, P in zip(titles, preparations, graphs, strict=True)
    ]
    picks = pick_step(steps, cell, row, preparations, scores, cell.protocol)
    features: list[Step] = []
    refit = one and _refits(cell, row)
    if refit:  # H of the setting that all runs share
        H = steps.add(
            propagate,
            cell.title,
            data=data,
            graph=graphs[0],
            picks=picks,
            without=without,
            device=device,
        )
        features.append(H)
    fitted: Any = graphs[0] if one else None  # of several the pick knows which
    if row.combine == "average" and not one:
        fitted = {each.title: P for each, P in zip(preparations, graphs, strict=True)}
    result = steps.add(
        fit,
        cell.title,
        data=data,
        graph=fitted,
        splits=drawn,
        picks=picks,
        method=cell.spec,
        seeds=seeds,
        cell=cell.row,
        without=without,
        device=device,
        refit=refit,
        **experiment.measured,
        after=tuple(features),
    )
    return CellSteps(
        cell, row, preparations, without, data, drawn, tuple(graphs), tuple(scores), picks, result
    )


def _corrupted(steps: Steps, cell: Cell, data: Step) -> Step:
    """The dataset with the noise of the cell's subject."""
    noise: Any = cell.subject.noise
    [seed] = cell.subject.seeds(cell.experiment)
    given = {name: value for name, value in vars(noise).items() if name != "runs"}
    return steps.add(corrupt, cell.subject.title, data=data, **given, seed=seed)


def _turns(ways: Sequence[CellSteps]) -> dict[Step, tuple[int, ...]]:
    """When the steps of methods run, one method after the other.

    The paper's own come first, so there is something to look at early on. The steps of a method
    run stage by stage, so few of them wait for others.
    """
    methods = list(dict.fromkeys(way.scores[0].given["method"] for way in ways))
    turns: dict[Step, tuple[int, ...]] = {}
    for way in ways:
        of_method = (not way.row.method.own, methods.index(way.scores[0].given["method"]))
        for step in chain_of(way.result):
            if step.stage in OF_METHOD:
                turns.setdefault(step, (*of_method, OF_METHOD.index(step.stage)))
    return turns


def _refits(cell: Cell, row: Contender) -> bool:
    """Whether all runs share a setting that is fitted anew, from features that are kept."""
    shared = cell.protocol == "paper" or cell.experiment.n_splits == 1
    return shared and row.method.closed_form and row.combine == "best"


def _identity(row: Contender) -> str:
    """What tells a method and its grid from others: two rows may have an instance each."""
    kind = type(row.method)
    named = [kind.__module__, kind.__qualname__, row.method.parameters(), row.grid]
    return json.dumps(named, default=repr)


def _products(table: TableSteps, *, after: bool) -> list[Product]:
    """What analyses ask for, of those that come after all cells or of the others."""
    every = analyses_of(table.experiment).values()
    return [product for each in every if each.after is after for product in each.products(table)]


def _scored(row: Contender) -> str:
    """The method, and what a row has set for itself: `FLGC*, constant`, `FLGC*, l1`."""
    own = {axis: values for axis, values in row.grid.items() if values != row.method.axes[axis]}
    words = [
        axis if values == (True,) else str(values[0])
        for axis, values in own.items()
        if len(values) == 1
    ]
    return ", ".join([row.method.name, *words])


def preparations_of(cell: Cell, row: Contender) -> tuple[Preparation, ...]:
    """Those that a row tells apart: graphs are none to a method that does not see them."""
    every = cell.experiment.prepared(cell.subject.dataset, cell.protocol)
    if row.method.sees_graph:
        return every
    grids = [cell.experiment.grid_of(row, preparation) for preparation in every]
    return tuple(each for i, each in enumerate(every) if grids[i] not in grids[:i])


def cells(experiment: Experiment, protocols: Sequence[str]) -> list[Cell]:
    """Every cell of the table; an average has none in `paper`."""
    return [
        Cell(experiment, subject, method, protocol)
        for subject in experiment.subjects
        for protocol in protocols
        for method in experiment.methods
        if protocol in contender(method, experiment.task).protocols
    ]


def cells_of(experiment: Experiment, protocols: Sequence[str]) -> Counter[str]:
    """How many cells each dataset has."""
    return Counter(cell.subject.dataset for cell in cells(experiment, protocols))


def leaking(name: str) -> tuple[str, ...]:
    """The features that give the class away."""
    try:
        return REGISTRY[resolve(name)].leaking
    except UnknownDataset:
        return ()

"""The DAG of an experiment, from datasets to the cells of its table, as a list of steps.

    dataset -> (corrupt) -> splits, graph -> score -> pick -> (propagate) -> fit -> analyses

Nothing is run here, and nothing but the declarations is looked at: `flows/execute.py` runs the
steps, `flows/dry_run.py` looks them up.
"""

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flgc.datasets import REGISTRY, UnknownDataset, resolve, state
from flgc.methods.base import Method
from flgc.methods.registry import Contender, contender
from flows.plan import Plan
from tasks.analyses.base import CellStart, CellSteps, Product, TableSteps, pick_step
from tasks.analyses.registry import analyses_of
from tasks.declared.described import described
from tasks.declared.types import Cell, Experiment, Preparation
from tasks.report.gaps import NOT_AVAILABLE, Gap
from tasks.running.steps import Step, Steps
from tasks.stages.cells import corrupt, dataset, fit, graph, propagate, score, splits


@dataclass(frozen=True, eq=False)
class Dag:
    """The steps of an experiment: its datasets, its cells, and what its analyses ask for besides.

    `gaps` are those of datasets that nobody has.
    """

    table: TableSteps
    products: tuple[Product, ...]
    gaps: tuple[Gap, ...]

    @property
    def cells(self) -> Sequence[CellSteps]:
        """Those whose data somebody has."""
        return self.table.cells

    def after(self, cells: Sequence[CellSteps]) -> list[Product]:
        """What is made of these cells when all else has ended, one after the other."""
        return _products(dataclasses.replace(self.table, cells=cells), after=True)


def dag_of(plan: Plan, experiment: Experiment) -> Dag:
    """Every step, once: what cells share is made once for all of them."""
    steps, found, gaps = Steps(), dict[str, Step](), list[Gap]()
    numbers = cells_of(experiment, plan.protocols)
    for name in experiment.datasets:
        standing = state(name)
        if standing.status == NOT_AVAILABLE:
            gaps.append(Gap(NOT_AVAILABLE, name, standing.detail, numbers[name]))
        else:
            found[name] = steps.add(dataset, name, dataset=name)
    here = [each for each in cells(experiment, plan.protocols) if each.subject.dataset in found]
    start = [_start(steps, cell, _data(steps, cell, found[cell.subject.dataset])) for cell in here]
    # One method after the other, the paper's own first: there is something to look at early on.
    groups = sorted(_by_scores(start), key=lambda group: not group[0].row.method.own)
    ended = {each: end for group in groups for each, end in _finish(steps, plan.device, group)}
    table = TableSteps(
        experiment,
        described(experiment),
        plan.protocols,
        plan.device,
        found,
        [ended[each] for each in start],
        steps,
    )
    return Dag(table, tuple(_products(table, after=False)), tuple(gaps))


def _products(table: TableSteps, *, after: bool) -> list[Product]:
    """What analyses ask for, of those that come after all cells or of the others."""
    every = analyses_of(table.experiment).values()
    return [product for each in every if each.after is after for product in each.products(table)]


def _data(steps: Steps, cell: Cell, raw: Step) -> Step:
    """The dataset, or its corruption."""
    noise = cell.subject.noise
    if noise is None:
        return raw
    [seed] = cell.subject.seeds(cell.experiment)
    return steps.add(
        corrupt,
        cell.subject.title,
        data=raw,
        kind=noise.kind,
        intensity=noise.intensity,
        pattern=noise.pattern,
        scaling=noise.scaling,
        clip=noise.clip,
        seed=seed,
    )


def _start(steps: Steps, cell: Cell, data: Step) -> CellStart:
    """The data, who is labelled (in clusterings nobody), and P of each preparation."""
    experiment, subject = cell.experiment, cell.subject
    row = contender(cell.method, experiment.task)
    preparations = preparations_of(cell, row)
    without = leaking(subject.dataset) if cell.protocol == "honest" else ()
    drawn = None
    if experiment.split:
        seeds = subject.seeds(experiment)[: experiment.n_splits]
        drawn = steps.add(splits, subject.title, data=data, split=experiment.split, seeds=seeds)
    graphs = [
        steps.add(
            graph,
            _title(cell, preparations, each),
            data=data,
            graph=each.graph,
            n_neighbors=each.n_neighbors,
            without=without,
        )
        for each in preparations
    ]
    return CellStart(cell, row, preparations, without, data, drawn, tuple(graphs))


def _by_scores(start: Sequence[CellStart]) -> list[list[CellStart]]:
    """Cells whose rows share a method and its grid share scores."""
    groups: dict[str, list[CellStart]] = {}
    for each in start:
        key = json.dumps([_identity(each.row.method), each.row.grid], default=repr)
        groups.setdefault(key, []).append(each)
    return list(groups.values())


def _finish(
    steps: Steps, device: str, group: Sequence[CellStart]
) -> list[tuple[CellStart, CellSteps]]:
    """Scores, picks and fits of cells that share scores, stage by stage: few of them wait."""
    spec = _spec(group[0].cell)
    scores = [_scores(steps, device, each, spec) for each in group]
    picks = [
        pick_step(steps, each.cell, each.row, each.preparations, of_cell, each.cell.protocol)
        for each, of_cell in zip(group, scores, strict=True)
    ]
    features = [
        _features(steps, device, each, pick) for each, pick in zip(group, picks, strict=True)
    ]
    return [
        (
            each,
            CellSteps(
                **vars(each),
                scores=of_cell,
                picks=pick,
                result=_fit(steps, device, each, pick, kept),
            ),
        )
        for each, of_cell, pick, kept in zip(group, scores, picks, features, strict=True)
    ]


def _scores(steps: Steps, device: str, start: CellStart, spec: str) -> tuple[Step, ...]:
    """Every setting of the method's grid, on each graph."""
    cell, row = start.cell, start.row
    return tuple(
        steps.add(
            score,
            f"{_title(cell, start.preparations, each)} {_scored(row)}",
            data=start.data,
            graph=P,
            splits=start.splits,
            method=spec,
            grid=cell.experiment.grid_of(row, each),
            seeds=cell.subject.seeds(cell.experiment),
            without=start.without,
            device=device,
            **cell.experiment.measured,
        )
        for each, P in zip(start.preparations, start.graphs, strict=True)
    )


def _features(steps: Steps, device: str, start: CellStart, pick: Step) -> Step | None:
    """H of a setting that all runs share, kept for the fit; nothing where no cell is fitted."""
    if not _refits(start):
        return None
    return steps.add(
        propagate,
        start.cell.title,
        data=start.data,
        graph=start.graphs[0],
        picks=pick,
        without=start.without,
        device=device,
    )


def _fit(steps: Steps, device: str, start: CellStart, pick: Step, features: Step | None) -> Step:
    """The cell."""
    cell, graphs = start.cell, start.graphs
    given: Any = graphs[0]
    if len(graphs) > 1:  # the pick says it all; who averages needs every one
        titles = [each.title for each in start.preparations]
        averages = start.row.combine == "average"
        given = dict(zip(titles, graphs, strict=True)) if averages else None
    return steps.add(
        fit,
        cell.title,
        data=start.data,
        graph=given,
        splits=start.splits,
        picks=pick,
        method=_spec(cell),
        seeds=cell.subject.seeds(cell.experiment),
        cell=cell.row,
        without=start.without,
        device=device,
        refit=_refits(start),
        **cell.experiment.measured,
        after=(features,) if features else (),
    )


def _refits(start: CellStart) -> bool:
    """Whether all runs share a setting that is fitted anew, from features that are kept."""
    shared = start.cell.protocol == "paper" or start.cell.experiment.n_splits == 1
    closed = start.row.method.closed_form and start.row.combine == "best"
    return closed and shared and len(start.preparations) == 1


def _spec(cell: Cell) -> str:
    """The method, as stages find it."""
    return f"{cell.experiment.task}:{cell.method}"


def _identity(method: Method) -> list[Any]:
    """What tells a method from others: two of its rows may have an instance each."""
    kind = type(method)
    return [kind.__module__, kind.__qualname__, method.parameters()]


def _title(cell: Cell, preparations: Sequence[Preparation], one: Preparation) -> str:
    """`iris`, or with several graphs `iris on unit-length, 10 neighbours`."""
    title = cell.subject.title
    return title if len(preparations) == 1 else f"{title} on {one.title}"


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

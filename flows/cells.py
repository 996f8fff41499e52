"""The DAG of an experiment, from datasets to the cells of its table.

    download -> (corrupt) -> splits, graph -> select -> propagate -> fit or cluster
             -> figures, statistics

Tasks are submitted stage by stage, so that a worker seldom waits for another. A cell whose chain
breaks is listed with the reason; all others go on.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from prefect.futures import PrefectFuture, as_completed

from flgc.datasets import REGISTRY, UnknownDataset, resolve, state
from flows.parameters import Plan
from tasks.corrupt import corrupt
from tasks.download import download
from tasks.experiments import Cell, Experiment, Subject
from tasks.figures import figures
from tasks.fit import cluster, fit
from tasks.graphs import graph
from tasks.propagate import propagate
from tasks.report import Section
from tasks.select import select
from tasks.splits import splits
from tasks.statistics import statistics

Listener = Callable[[str, int, int, str], None]
# Called as (experiment, cells done, cells in all, the last one) whenever a cell is done.
listeners: list[Listener] = []


@dataclass
class Chain:
    """The tasks that a cell needs, in order; the last one fills it."""

    cell: Cell
    steps: list[PrefectFuture] = field(default_factory=list)

    @property
    def reason(self) -> str:
        """Why the cell is not there: the first step that did not complete."""
        for step in self.steps:
            step.wait()
            if not step.state.is_completed():
                return step.state.message or step.state.name or "unknown"
        return ""


def run_experiment(plan: Plan, experiment: Experiment) -> Section:
    """All cells of an experiment, those that can be had."""
    missing = dict(_not_available(experiment))
    chains = submit_cells(plan, experiment, [d for d in experiment.datasets if d not in missing])
    follow(experiment.name, chains)
    done = [chain.steps[-1].result() for chain in chains if not chain.reason]
    pictures: Any = figures.submit(plan.store, experiment, done) if done else None
    comparison: Any = None
    if experiment.kind == "classification" and len(experiment.datasets) > 1 and done:
        comparison = statistics.submit(plan.store, experiment, plan.protocols, done)
    return Section(
        experiment=experiment,
        protocols=plan.protocols,
        results=tuple(done),
        comparison=comparison and comparison.result(),
        figures=pictures and pictures.result(),
        missing=missing,
        failed={chain.cell.title: chain.reason for chain in chains if chain.reason},
    )


def submit_cells(plan: Plan, experiment: Experiment, datasets: list[str]) -> list[Chain]:
    """Hand every task to the runner; each waits for the artifacts that it takes."""
    store, device = plan.store, plan.device
    raw = {name: download.submit(store, name) for name in datasets}
    subjects = [s for s in subjects_of(experiment) if s.dataset in raw]
    data: dict[Any, Any] = {
        s: corrupt.submit(store, raw[s.dataset], experiment.name, s) if s.noise else raw[s.dataset]
        for s in subjects
    }
    drawn: dict[Any, Any] = dict.fromkeys(subjects)
    if experiment.split:
        for s in subjects:
            drawn[s] = splits.submit(
                store, data[s], s.dataset, experiment.name, experiment.split, experiment.runs
            )
    # Both protocols share graph and scores, unless a feature leaks the label.
    views = {(s, p): p if _leaks(s.dataset) else "paper" for s in subjects for p in plan.protocols}
    graphs = {
        (s, view): graph.submit(store, data[s], s.title, experiment.preparation_of(s.dataset), view)
        for s, view in dict.fromkeys((s, view) for (s, _), view in views.items())
    }
    scores = {
        (s, view): select.submit(
            store, Cell(experiment, s, "", view), data[s], graphs[s, view], drawn[s], device
        )
        for s, view in graphs
    }
    chains = []
    for (s, protocol), view in views.items():
        for m in experiment.methods:
            steps = [data[s], drawn[s], graphs[s, view], scores[s, view]]
            chain = Chain(Cell(experiment, s, m, protocol), [step for step in steps if step])
            chains.append(chain)
    given = {}
    for chain in chains:
        s, view = chain.cell.subject, views[chain.cell.subject, chain.cell.protocol]
        given[chain.cell.title] = (store, chain.cell, data[s], graphs[s, view], scores[s, view])
        chain.steps.append(propagate.submit(*given[chain.cell.title], device))
    for chain in chains:
        sources = (*given[chain.cell.title], chain.steps[-1])
        if experiment.kind == "classification":
            chain.steps.append(fit.submit(*sources, drawn[chain.cell.subject], device))
        else:
            chain.steps.append(cluster.submit(*sources, device))
    return chains


def follow(experiment: str, chains: list[Chain]) -> None:
    """Wait for all cells, and tell the listeners of each."""
    cells = {chain.steps[-1]: chain.cell for chain in chains}
    for listener in listeners:
        listener(experiment, 0, len(cells), "")
    for done, future in enumerate(as_completed(list(cells)), start=1):
        for listener in listeners:
            listener(experiment, done, len(cells), cells[future].title)


def subjects_of(experiment: Experiment) -> list[Subject]:
    """The data of an experiment's rows; with noise, one for each run."""
    return [
        Subject(dataset, noise, run)
        for dataset in experiment.datasets
        for noise in (experiment.noises or (None,))
        for run in range(experiment.runs if noise else 1)
    ]


def _not_available(experiment: Experiment) -> Iterator[tuple[str, str]]:
    for name in experiment.datasets:
        standing = state(name)
        if standing.status == "not available":
            yield name, standing.detail


def _leaks(dataset: str) -> bool:
    try:
        return bool(REGISTRY[resolve(dataset)].leaking)
    except UnknownDataset:
        return False

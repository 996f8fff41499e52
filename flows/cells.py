"""The DAG of an experiment, from datasets to the cells of its table.

    download -> (corrupt) -> splits, graph -> select -> propagate -> fit or cluster
             -> timing, statistics, figures

Tasks are submitted stage by stage, so that a worker seldom waits for another. A cell whose chain
breaks is listed with the reason; all others go on.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from prefect.futures import PrefectFuture, as_completed

from flgc.datasets import REGISTRY, UnknownDataset, resolve, state
from flows.parameters import Plan
from tasks.corrupt import corrupt
from tasks.download import download
from tasks.experiments import FLGC, METHODS, Cell, Experiment, Subject
from tasks.figures import figures
from tasks.fit import cluster, fit
from tasks.graphs import graph
from tasks.picking import Method
from tasks.propagate import propagate
from tasks.report import Section
from tasks.rivals import compare, train
from tasks.select import select
from tasks.splits import splits
from tasks.statistics import statistics
from tasks.timing import timing

Listener = Callable[[str, int, int, str], None]
# Called as (what, tasks done, tasks in all, what the last one was about) whenever one is done.
listeners: list[Listener] = []


def tell(what: str, done: int, total: int, last: str = "") -> None:
    """Let whoever shows progress know."""
    for listener in listeners:
        listener(what, done, total, last)


@dataclass(frozen=True)
class Prepared:
    """What all cells on the same data and with the same view of it share."""

    data: Any
    graph: Any
    splits: Any


@dataclass
class Chain:
    """The tasks that a cell needs, in order; the last one fills it."""

    cell: Cell
    shared: Prepared
    steps: list[PrefectFuture]

    @property
    def reason(self) -> str:
        """Why the cell is not there: the first step that did not complete."""
        shared = (self.shared.data, self.shared.splits, self.shared.graph)
        for step in (*filter(None, shared), *self.steps):
            step.wait()
            if not step.state.is_completed():
                return step.state.message or step.state.name or "unknown"
        return ""

    def then(self, task: Any, plan: Plan, *further: Any) -> None:
        """Add a task that takes the cell, its data and graph, and all steps so far."""
        sources = (plan.store, self.cell, self.shared.data, self.shared.graph, *self.steps)
        self.steps.append(task.submit(*sources, *further, plan.device))


def run_experiment(plan: Plan, experiment: Experiment) -> Section:
    """All cells of an experiment, those that can be had, and what is made of them."""
    missing = dict(_not_available(experiment))
    chains = submit_cells(plan, experiment, [d for d in experiment.datasets if d not in missing])
    follow(experiment.name, chains)
    failed = {chain.cell.title: chain.reason for chain in chains if chain.reason}
    good = [chain for chain in chains if chain.cell.title not in failed]
    done = [chain.steps[-1].result() for chain in good]
    timings, not_timed = time_hops(plan, experiment, good)
    comparison: Any = None
    if experiment.compare and len(experiment.datasets) > 1 and done:
        comparison = statistics.submit(plan.store, experiment, plan.protocols, done)
    grids = {c.cell.subject.title: c.steps[0].result() for c in good if c.cell.method in FLGC}
    pictures: Any = figures.submit(plan.store, experiment, done, timings, grids) if done else None
    return Section(
        experiment=experiment,
        protocols=plan.protocols,
        results=tuple(done),
        comparison=comparison and comparison.result(),
        timings=tuple(timings),
        figures=pictures and pictures.result(),
        missing=missing,
        failed=failed | not_timed,
    )


def time_hops(
    plan: Plan, experiment: Experiment, chains: list[Chain]
) -> tuple[list[Any], dict[str, str]]:
    """Training times, one dataset after the other while nothing else runs; and what failed."""
    found, failed = [], {}
    subjects = list(dict.fromkeys(c.cell.subject for c in chains if experiment.timed_hops))
    for done, subject in enumerate(subjects, start=1):
        here = [chain for chain in chains if chain.cell.subject == subject]
        shared, scores = here[0].shared, {c.cell.method: c.steps[0] for c in here}
        cell = Cell(experiment, subject, "", "paper")
        sources = (shared.data, shared.graph, shared.splits, scores)
        future = timing.submit(plan.store, cell, *sources, plan.device)
        future.wait()
        if future.state.is_completed():
            found.append(future.result())
        else:
            failed[f"{subject.title} timing"] = future.state.message or "unknown"
        tell(f"{experiment.name}, timing", done, len(subjects), subject.title)
    return found, failed


def submit_cells(plan: Plan, experiment: Experiment, datasets: list[str]) -> list[Chain]:
    """Hand every task to the runner; each waits for the artifacts that it takes."""
    subjects = [s for s in subjects_of(experiment) if s.dataset in datasets]
    # Both protocols share all that they compute, unless a feature leaks the label.
    views = {(s, p): p if _leaks(s.dataset) else "paper" for s in subjects for p in plan.protocols}
    prepared = prepare(plan, experiment, list(dict.fromkeys((s, v) for (s, _), v in views.items())))

    def scores(task: Any, method: str) -> dict[Any, Any]:
        return {
            (s, view): task.submit(
                plan.store,
                Cell(experiment, s, method, view),
                shared.data,
                shared.graph,
                shared.splits,
                plan.device,
            )
            for (s, view), shared in prepared.items()
        }

    closed = [m for m in experiment.methods if isinstance(METHODS[m], Method)]
    of_grid = scores(select, "") if closed else {}
    scored = {m: of_grid if m in closed else scores(compare, m) for m in experiment.methods}
    chains = [
        Chain(Cell(experiment, s, m, protocol), prepared[s, view], [scored[m][s, view]])
        for (s, protocol), view in views.items()
        for m in experiment.methods
    ]
    for chain in chains:
        if chain.cell.method in closed:
            chain.then(propagate, plan)
    for chain in chains:
        if experiment.kind == "clustering":
            chain.then(cluster, plan)
        else:
            task = fit if chain.cell.method in closed else train
            chain.then(task, plan, chain.shared.splits)
    return chains


def prepare(
    plan: Plan, experiment: Experiment, wanted: list[tuple[Subject, str]]
) -> dict[tuple[Subject, str], Prepared]:
    """Data, splits and graph of each subject, as each view may see it."""
    store, subjects = plan.store, list(dict.fromkeys(s for s, _ in wanted))
    names = dict.fromkeys(s.dataset for s in subjects)
    raw = {name: download.submit(store, name) for name in names}
    data: dict[Any, Any] = {
        s: corrupt.submit(store, raw[s.dataset], experiment.name, s) if s.noise else raw[s.dataset]
        for s in subjects
    }
    drawn: dict[Any, Any] = dict.fromkeys(subjects)
    if experiment.split:
        kind = (experiment.name, experiment.split, experiment.n_splits)
        drawn = {s: splits.submit(store, data[s], s.dataset, *kind) for s in subjects}
    return {
        (s, view): Prepared(
            data[s],
            graph.submit(store, data[s], s.title, experiment.preparation_of(s.dataset), view),
            drawn[s],
        )
        for s, view in wanted
    }


def follow(experiment: str, chains: list[Chain]) -> None:
    """Wait for all cells, and tell of each task that is done on the way."""
    about = {
        step: chain.cell.title
        for chain in chains
        for step in (chain.shared.data, chain.shared.splits, chain.shared.graph, *chain.steps)
        if step is not None
    }
    tell(experiment, 0, len(about))
    for done, future in enumerate(as_completed(list(about)), start=1):
        tell(experiment, done, len(about), about[future])


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

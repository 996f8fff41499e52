"""The DAG of an experiment, from datasets to the cells of its table.

    download -> (corrupt) -> splits, graph -> select -> pick -> (propagate) -> fit or cluster
             -> timing, statistics, figures

Only where all runs share a setting, as in `paper`, features are propagated for it and fitted: what
each run picks for itself was fitted when the grid was scored.

Datasets come first: chains are begun for those that are here. Their tasks are submitted stage by
stage, so that a worker seldom waits for another. Cells whose chain breaks are listed with the
reason of the first step that broke; all others go on.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prefect.futures import PrefectFuture, as_completed
from prefect.states import get_state_exception

from flgc.datasets import REGISTRY, UnknownDataset, resolve, state
from flows.plan import Plan
from tasks.declared.experiments import FLGC, METHODS, Cell, Experiment, Subject
from tasks.document.gaps import FAILED, NOT_AVAILABLE, Gap, dataset_gap, reason_of
from tasks.picking import Method
from tasks.rivals import compare
from tasks.select import select
from tasks.stages.compare import statistics
from tasks.stages.corrupt import corrupt
from tasks.stages.dataset import download
from tasks.stages.draw import figures
from tasks.stages.fit import cluster, fit, scored
from tasks.stages.graph import graph
from tasks.stages.pick import pick
from tasks.stages.propagate import propagate
from tasks.stages.report import Section
from tasks.stages.splits import splits
from tasks.stages.time import timing

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
    """The tasks that a cell needs, in order and named as in the UI; the last one fills it."""

    cell: Cell
    shared: Prepared
    scores: PrefectFuture
    steps: dict[str, PrefectFuture]
    picks: Any = None

    @property
    def all_steps(self) -> dict[str, PrefectFuture]:
        """Those that come before the cell's own included."""
        title = self.cell.subject.title
        shared = {
            f"corrupt {title}": self.shared.data,
            f"splits {title}": self.shared.splits,
            f"graph {title}": self.shared.graph,
        }
        return {name: step for name, step in (shared | self.steps).items() if step is not None}

    @property
    def result(self) -> PrefectFuture:
        """The step that fills the cell."""
        return list(self.steps.values())[-1]

    @property
    def broken(self) -> tuple[str, PrefectFuture] | None:
        """The first step that did not complete, if there is one: those after it never ran."""
        return next(((n, s) for n, s in self.all_steps.items() if error_of(s) is not None), None)

    def then(self, name: str, task: Any, plan: Plan, *further: Any) -> PrefectFuture:
        """Add a task that takes the cell, its data and graph, and what is named further."""
        shared = (plan.store, self.cell, self.shared.data, self.shared.graph)
        step = self.steps[f"{name} {self.cell.title}"] = task.submit(*shared, *further)
        return step


def run_experiment(plan: Plan, experiment: Experiment) -> Section:
    """All cells of an experiment, those that can be had, and what is made of them."""
    raw, absent = fetch(plan, experiment)
    chains = submit_cells(plan, experiment, raw)
    follow(experiment.name, {s: c.cell.title for c in chains for s in c.all_steps.values()})
    good = [chain for chain in chains if chain.broken is None]
    done = [chain.result.result() for chain in good]
    timings, not_timed = time_hops(plan, experiment, good)
    comparison: Any = None
    if experiment.compare and len(experiment.datasets) > 1 and done:
        comparison = statistics.submit(plan.store, experiment, plan.protocols, done)
    of_grid = [chain for chain in good if chain.cell.method in FLGC]
    grids = {chain.cell.subject.title: chain.scores.result() for chain in of_grid}
    pictures: Any = figures.submit(plan.store, experiment, done, timings, grids) if done else None
    return Section(
        experiment=experiment,
        protocols=plan.protocols,
        results=tuple(done),
        comparison=comparison and comparison.result(),
        timings=tuple(timings),
        figures=pictures and pictures.result(),
        gaps=(*absent, *broken_steps(experiment, chains), *not_timed),
    )


def fetch(plan: Plan, experiment: Experiment) -> tuple[dict[str, PrefectFuture], list[Gap]]:
    """The datasets that could be had, by name, and the gaps that the others leave."""
    here: dict[str, PrefectFuture] = {}
    gaps, cells = [], cells_of(experiment, plan.protocols)
    for name in experiment.datasets:
        standing = state(name)
        if standing.status == NOT_AVAILABLE:
            gaps.append(Gap(NOT_AVAILABLE, name, standing.detail, cells[name]))
        else:
            here[name] = download.submit(plan.store, name)
    follow(f"{experiment.name}, data", {step: name for name, step in here.items()})
    errors = {name: error for name, step in here.items() if (error := error_of(step))}
    gaps += [dataset_gap(name, error, cells[name]) for name, error in errors.items()]
    return {name: step for name, step in here.items() if name not in errors}, gaps


def error_of(step: PrefectFuture) -> Any:
    """What a step raised, itself and not Prefect's words for it; None if it completed."""
    step.wait()
    return None if step.state.is_completed() else get_state_exception(step.state)


def broken_steps(experiment: Experiment, chains: list[Chain]) -> list[Gap]:
    """One gap for each step that broke, with all the cells that wait for it."""
    waiting = Counter(chain.broken for chain in chains if chain.broken)
    return [
        Gap(FAILED, f"{experiment.name}: {name}", reason_of(error_of(step)), cells)
        for (name, step), cells in waiting.items()
    ]


def time_hops(
    plan: Plan, experiment: Experiment, chains: list[Chain]
) -> tuple[list[Any], list[Gap]]:
    """Training times, one dataset after the other while nothing else runs; and what failed."""
    found, failed = [], []
    subjects = list(dict.fromkeys(c.cell.subject for c in chains if experiment.timed_hops))
    what = f"{experiment.name}, timing"
    if subjects:
        tell(what, 0, len(subjects))
    for done, subject in enumerate(subjects, start=1):
        here = [chain for chain in chains if chain.cell.subject == subject]
        shared, scores = here[0].shared, {c.cell.method: c.scores for c in here}
        cell = Cell(experiment, subject, "", "paper")
        sources = (shared.data, shared.graph, shared.splits, scores)
        future = timing.submit(plan.store, cell, *sources, plan.device)
        error = error_of(future)
        if error is None:
            found.append(future.result())
        else:
            name = f"{experiment.name}: timing {subject.title}"
            failed.append(Gap(FAILED, name, reason_of(error)))
        tell(what, done, len(subjects), subject.title)
    return found, failed


def submit_cells(
    plan: Plan, experiment: Experiment, raw: Mapping[str, PrefectFuture]
) -> list[Chain]:
    """Hand every task to the runner; each waits for the artifacts that it takes."""
    subjects = [s for s in subjects_of(experiment) if s.dataset in raw]
    # Both protocols share all that they compute, unless a feature leaks the label.
    views = {(s, p): p if _leaks(s.dataset) else "paper" for s in subjects for p in plan.protocols}
    wanted = list(dict.fromkeys((s, view) for (s, _), view in views.items()))
    prepared = prepare(plan, experiment, raw, wanted)

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
    grids = {m: of_grid if m in closed else scores(compare, m) for m in experiment.methods}
    chains = [
        Chain(
            Cell(experiment, s, m, protocol),
            prepared[s, view],
            grids[m][s, view],
            {f"select {s.title}" + ("" if m in closed else f" {m}"): grids[m][s, view]},
        )
        for (s, protocol), view in views.items()
        for m in experiment.methods
    ]
    for chain in chains:
        chain.picks = pick.submit(plan.store, chain.cell, chain.scores)
        chain.steps[f"pick {chain.cell.title}"] = chain.picks
    shared = [c for c in chains if c.cell.method in closed and c.cell.protocol == "paper"]
    embeddings = [c.then("propagate", propagate, plan, c.picks, plan.device) for c in shared]
    for chain, embedding in zip(shared, embeddings, strict=True):
        sources = (chain.scores, chain.picks, embedding)
        if experiment.kind == "clustering":
            chain.then("cluster", cluster, plan, *sources, plan.device)
        else:
            chain.then("fit", fit, plan, *sources, chain.shared.splits, plan.device)
    for chain in chains:
        if chain not in shared:
            chain.then("fit", scored, plan, chain.scores, chain.picks)
    return chains


def prepare(
    plan: Plan,
    experiment: Experiment,
    raw: Mapping[str, PrefectFuture],
    wanted: list[tuple[Subject, str]],
) -> dict[tuple[Subject, str], Prepared]:
    """Data, splits and graph of each subject, as each view may see it."""
    store, subjects = plan.store, list(dict.fromkeys(s for s, _ in wanted))
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


def follow(what: str, about: Mapping[PrefectFuture, str]) -> None:
    """Wait for all steps, and tell of each that is done, and what it was about."""
    if about:
        tell(what, 0, len(about))
    for done, future in enumerate(as_completed(list(about)), start=1):
        tell(what, done, len(about), about[future])


def subjects_of(experiment: Experiment) -> list[Subject]:
    """The data of an experiment's rows; with noise, one for each run."""
    return [
        Subject(dataset, noise, run)
        for dataset in experiment.datasets
        for noise in (experiment.noises or (None,))
        for run in range(experiment.runs if noise else 1)
    ]


def cells_of(experiment: Experiment, protocols: Sequence[str]) -> dict[str, int]:
    """How many cells each dataset has."""
    subjects = Counter(subject.dataset for subject in subjects_of(experiment))
    return {d: n * len(experiment.methods) * len(protocols) for d, n in subjects.items()}


def _leaks(dataset: str) -> bool:
    try:
        return bool(REGISTRY[resolve(dataset)].leaking)
    except UnknownDataset:
        return False

"""The DAG of an experiment, from datasets to the cells of its table.

    dataset -> (corrupt) -> splits, graph -> score -> pick -> (propagate) -> fit
            -> vary, affinity, criteria, time, compare, draw

Datasets come first: chains are begun for those that are here. Their tasks are submitted stage by
stage, so that a worker seldom waits for another, and what cells share is submitted once. Cells
whose chain breaks are listed with the reason of the first step that broke; all others go on.
"""

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from prefect.futures import PrefectFuture, as_completed
from prefect.states import get_state_exception

from flgc.datasets import REGISTRY, UnknownDataset, resolve, state
from flgc.methods.base import Method
from flgc.methods.registry import Contender, contender
from flows.curves import Curve, submit_curves
from flows.plan import Plan
from flows.section import Section
from flows.so_far import SoFar
from tasks.declared.described import described
from tasks.declared.types import (
    Affinities,
    Bars,
    Cell,
    Compare,
    Criteria,
    Experiment,
    Preparation,
    Samples,
    Sensitivity,
    Subject,
    TimedHops,
)
from tasks.document.gaps import FAILED, NOT_AVAILABLE, Gap, dataset_gap, reason_of
from tasks.stages.compare import compare
from tasks.stages.corrupt import corrupt
from tasks.stages.dataset import dataset
from tasks.stages.describe import describe
from tasks.stages.draw import draw
from tasks.stages.fit import fit
from tasks.stages.graph import graph
from tasks.stages.pick import pick
from tasks.stages.propagate import propagate
from tasks.stages.score import score
from tasks.stages.splits import splits
from tasks.stages.time import time
from tasks.store import Artifact


class StepEnded(NamedTuple):
    """A step of an experiment has ended, `score iris FLGC*` for one; None if it failed."""

    experiment: str
    step: str
    artifact: Artifact | None


class TableEnded(NamedTuple):
    """All cells of an experiment that can be had are there, and all that is made of them."""

    store: str
    section: Section


Listener = Callable[[StepEnded | TableEnded], None]
# Called whenever a step or a table has ended.
listeners: list[Listener] = []
# Called with a step that has ended.
Ended = Callable[[PrefectFuture], None]
_artifacts: WeakKeyDictionary[PrefectFuture, Artifact] = WeakKeyDictionary()


def tell(event: StepEnded | TableEnded) -> None:
    """Let whoever shows progress know."""
    for listener in listeners:
        listener(event)


@dataclass
class Chain:
    """The steps that a cell needs, in order, by the names that the UI shows."""

    cell: Cell
    row: Contender
    preparations: tuple[Preparation, ...]
    without: tuple[str, ...]
    steps: dict[str, PrefectFuture] = field(default_factory=dict)
    data: Any = None
    splits: Any = None
    graphs: list[Any] = field(default_factory=list)
    scores: list[Any] = field(default_factory=list)
    picks: Any = None
    features: Any = None
    result: Any = None

    @property
    def subject(self) -> Subject:
        """The data of its cell."""
        return self.cell.subject

    @property
    def method(self) -> str:
        """The row's name."""
        return self.cell.method

    @property
    def spec(self) -> str:
        """The method, as stages find it."""
        return f"{self.cell.experiment.task}:{self.cell.method}"

    @property
    def by_title(self) -> dict[str, Any]:
        """Its graphs as picks name them."""
        titles = [preparation.title for preparation in self.preparations]
        return dict(zip(titles, self.graphs, strict=True))

    @property
    def refits(self) -> bool:
        """Whether all runs share a setting that is fitted anew, from features that are kept."""
        shared = self.cell.protocol == "paper" or self.cell.experiment.n_splits == 1
        closed = self.row.method.closed_form and self.row.combine == "best"
        return closed and shared and len(self.preparations) == 1

    @property
    def broken(self) -> tuple[str, PrefectFuture] | None:
        """Its first step that did not complete, if there is one."""
        return first_broken(self.steps)


def run_experiment(plan: Plan, experiment: Experiment, so_far: SoFar | None = None) -> Section:
    """All cells of an experiment, those that can be had, and what is made of them.

    `so_far` is told of each method whose cells are finished.
    """
    raw, absent = fetch(plan, experiment)
    shared = Shared(plan)
    chains = submit_cells(shared, experiment, raw)
    ended = telling(so_far, plan, experiment, chains, absent) if so_far else None
    follow(experiment.name, chains, ended)
    good = [chain for chain in chains if chain.broken is None]
    done = tuple(artifact_of(chain.result) for chain in good)
    curves = submit_curves(shared, experiment, good)
    follow(experiment.name, curves)
    varied, not_varied = curves_of(experiment, curves)
    affinities = varied.pop(Affinities.name, {})
    criteria = varied.pop(Criteria.name, {})
    timings, not_timed = time_hops(shared, experiment, good)
    comparison: Any = None
    table = described(experiment).without_words()
    about = experiment.name
    sizes: Any = described_data(plan, experiment, raw, good) if experiment.sizes and good else None
    several = len(experiment.datasets) > 1
    compared = plan.protocols if experiment.analysis(Compare) and several else ()
    if compared and done:
        shown: dict[str, Any] = {"table": table, "protocols": compared}
        comparison = compare.submit(plan.store, about, results=done, **shown)
    figures: Any = None
    if done:
        drawn: dict[str, Any] = {"timings": timings, "curves": varied, "compared": compared}
        drawn |= sensitivities(shared, experiment, good)
        drawn |= {"affinities": affinities, "bars": experiment.analysis(Bars) is not None}
        drawn |= samples(experiment, raw)
        figures = draw.submit(plan.store, about, results=done, table=table, **drawn)
    made = {"sizes": sizes, "signed-rank tests": comparison, "figures": figures}
    ended_well, not_made = products(experiment, made)
    section = Section(
        experiment=experiment,
        protocols=plan.protocols,
        results=done,
        sizes=ended_well.get("sizes"),
        comparison=ended_well.get("signed-rank tests"),
        timings=timings,
        curves=varied,
        affinities=affinities,
        criteria=criteria,
        figures=ended_well.get("figures"),
        gaps=(*absent, *broken_steps(experiment, chains), *not_varied, *not_timed, *not_made),
        costs=costs_of([*good, *curves]),
    )
    tell(TableEnded(plan.store, section))
    return section


def products(
    experiment: Experiment, made: Mapping[str, Any]
) -> tuple[dict[str, Artifact], list[Gap]]:
    """What was made of the cells, by name, and a gap for each that failed: it costs no cell."""
    ended = {name: step for name, step in made.items() if step is not None}
    errors = {name: error for name, step in ended.items() if (error := error_of(step))}
    good = {name: step.result() for name, step in ended.items() if name not in errors}
    failed = [
        Gap(FAILED, f"{experiment.name}: {name}", reason_of(error))
        for name, error in errors.items()
    ]
    return good, failed


def fetch(plan: Plan, experiment: Experiment) -> tuple[dict[str, PrefectFuture], list[Gap]]:
    """The datasets that could be had, by name, and the gaps that the others leave."""
    here: dict[str, PrefectFuture] = {}
    gaps, cells = [], cells_of(experiment, plan.protocols)
    for name in experiment.datasets:
        standing = state(name)
        if standing.status == NOT_AVAILABLE:
            gaps.append(Gap(NOT_AVAILABLE, name, standing.detail, cells[name]))
        else:
            here[name] = dataset.submit(plan.store, name, dataset=name)
    for name, step in here.items():
        end(experiment.name, f"dataset {name}", step)
    errors = {name: error for name, step in here.items() if (error := error_of(step))}
    gaps += [dataset_gap(name, error, cells[name]) for name, error in errors.items()]
    return {name: step for name, step in here.items() if name not in errors}, gaps


def submit_cells(
    shared: "Shared", experiment: Experiment, raw: Mapping[str, PrefectFuture]
) -> list[Chain]:
    """Hand every task to the runner; each waits for the artifacts that it takes."""
    chains = [
        begun(cell, raw[cell.subject.dataset])
        for cell in cells(experiment, shared.plan.protocols)
        if cell.subject.dataset in raw
    ]
    for chain in chains:
        shared.data(chain)
    for chain in chains:
        shared.splits(chain)
        shared.graphs(chain)
    here = {name: step.result() for name, step in raw.items()}  # so nothing else waits for them
    for chain in chains:
        if chain.subject.noise is None:
            chain.data = here[chain.subject.dataset]
    # One method after the other, the paper's own first: there is something to look at early on.
    for group in sorted(_by_scores(chains), key=lambda group: not group[0].row.method.own):
        for chain in group:
            shared.scores(chain)
        for chain in group:
            chain.picks = shared.picks(chain, chain.cell.protocol)
        for chain in group:
            if chain.refits:
                shared.features(chain)
        for chain in group:
            shared.fit(chain)
    return chains


def _by_scores(chains: Sequence[Chain]) -> list[list[Chain]]:
    """Chains whose rows share a method and its grid share scores."""
    groups: dict[str, list[Chain]] = {}
    for chain in chains:
        key = json.dumps([_identity(chain.row.method), chain.row.grid], default=repr)
        groups.setdefault(key, []).append(chain)
    return list(groups.values())


def described_data(
    plan: Plan, experiment: Experiment, raw: Mapping[str, Any], chains: Sequence[Chain]
) -> Any:
    """The sizes of the datasets that have cells, and of their splits."""
    drawn = {chain.subject.dataset: chain.splits for chain in chains}
    data = {name: raw[name] for name in drawn}
    return describe.submit(plan.store, experiment.name, data=data, splits=drawn)


def begun(cell: Cell, data: PrefectFuture) -> Chain:
    """The chain of a cell before anything is submitted."""
    row = contender(cell.method, cell.experiment.task)
    without = leaking(cell.subject.dataset) if cell.protocol == "honest" else ()
    return Chain(cell, row, preparations_of(cell, row), without, data=data)


def preparations_of(cell: Cell, row: Contender) -> tuple[Preparation, ...]:
    """Those that a row tells apart: graphs are none to a method that does not see them."""
    every = cell.experiment.prepared(cell.subject.dataset, cell.protocol)
    if row.method.sees_graph:
        return every
    grids = [grid_of(cell.experiment, row, preparation) for preparation in every]
    return tuple(each for i, each in enumerate(every) if grids[i] not in grids[:i])


def grid_of(experiment: Experiment, row: Contender, preparation: Preparation) -> dict[str, tuple]:
    """The row's whole grid on a preparation; what an experiment says of its method comes first."""
    return row.whole({**preparation.axes, **experiment.grids.get(row.method.name, {})})


class Shared:
    """Submits steps, each once, however many cells need it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.submitted: dict[str, PrefectFuture] = {}

    def once(self, chain: Chain, stage: Any, about: str, what: Any, **given: Any) -> Any:
        """The step of a chain that `what` tells from others of its stage."""
        return self.step(chain.steps, stage, about, what, **given)

    def step(
        self, steps: dict[str, PrefectFuture], stage: Any, about: str, what: Any, **given: Any
    ) -> Any:
        """The same for whatever keeps its steps: it is one of them from now on."""
        key = f"{stage.name} {json.dumps(what, default=repr, sort_keys=True)}"
        if key not in self.submitted:
            self.submitted[key] = self.submit(stage, about, **given)
        steps[f"{stage.name} {about}"] = self.submitted[key]
        return self.submitted[key]

    def submit(self, stage: Any, about: str, **given: Any) -> Any:
        """Hand a step to the runner."""
        return stage.submit(self.plan.store, about, **given)

    def data(self, chain: Chain) -> None:
        """The dataset, or its corruption."""
        subject, noise = chain.subject, chain.subject.noise
        if noise is None:
            return
        [seed] = subject.seeds(chain.cell.experiment)
        given = {
            "kind": noise.kind,
            "intensity": noise.intensity,
            "pattern": noise.pattern,
            "scaling": noise.scaling,
            "clip": noise.clip,
            "seed": seed,
        }
        chain.data = self.once(chain, corrupt, subject.title, [subject], data=chain.data, **given)

    def splits(self, chain: Chain) -> None:
        """Who is labelled; clusterings have none."""
        experiment, subject = chain.cell.experiment, chain.subject
        if not experiment.split:
            return
        seeds = subject.seeds(experiment)[: experiment.n_splits]
        given = {"data": chain.data, "split": experiment.split, "seeds": seeds}
        what = [subject, experiment.split, seeds]
        chain.splits = self.once(chain, splits, subject.title, what, **given)

    def graphs(self, chain: Chain) -> None:
        """P of each preparation."""
        for preparation in chain.preparations:
            given = {
                "graph": preparation.graph,
                "n_neighbors": preparation.n_neighbors,
                "without": chain.without,
            }
            about = _about(chain, preparation)
            what = [chain.subject, given]
            step = self.once(chain, graph, about, what, data=chain.data, **given)
            chain.graphs.append(step)

    def grid(self, chain: Chain, preparation: Preparation) -> dict[str, tuple]:
        """The method's grid on a graph."""
        return grid_of(chain.cell.experiment, chain.row, preparation)

    def whole_grid(self, chain: Chain) -> dict[str, tuple]:
        """The values of each axis on any of its graphs."""
        grids = [self.grid(chain, preparation) for preparation in chain.preparations]
        return {
            axis: tuple(dict.fromkeys(value for grid in grids for value in grid[axis]))
            for axis in grids[0]
        }

    def scores(self, chain: Chain) -> None:
        """Every setting of the method's grid, on each graph."""
        experiment, row = chain.cell.experiment, chain.row
        for preparation, P in zip(chain.preparations, chain.graphs, strict=True):
            grid = self.grid(chain, preparation)
            step = self.once(
                chain,
                score,
                f"{_about(chain, preparation)} {_scored(row)}",
                [chain.subject, preparation, chain.without, _identity(row.method), grid],
                data=chain.data,
                graph=P,
                splits=chain.splits,
                method=chain.spec,
                grid=grid,
                seeds=chain.subject.seeds(experiment),
                without=chain.without,
                device=self.plan.device,
            )
            chain.scores.append(step)

    def picks(self, chain: Chain, protocol: str) -> Any:
        """The settings of a protocol."""
        about = f"{chain.subject.title} {chain.cell.method} {protocol}"
        return self.once(
            chain,
            pick,
            about,
            about,
            scores=chain.scores,
            graphs=[preparation.title for preparation in chain.preparations],
            protocol=protocol,
            part=chain.row.part,
            combine=chain.row.combine,
        )

    def features(self, chain: Chain) -> None:
        """H of the setting that all runs share."""
        chain.features = self.once(
            chain,
            propagate,
            chain.cell.title,
            chain.cell.title,
            data=chain.data,
            graph=chain.graphs[0],
            picks=chain.picks,
            without=chain.without,
            device=self.plan.device,
        )

    def fit(self, chain: Chain) -> None:
        """The cell."""
        chain.result = self.once(
            chain,
            fit,
            chain.cell.title,
            chain.cell.title,
            data=chain.data,
            graph=self._graphs_to_fit(chain),
            splits=chain.splits,
            picks=chain.picks,
            method=chain.spec,
            seeds=chain.subject.seeds(chain.cell.experiment),
            cell=chain.cell.row,
            without=chain.without,
            device=self.plan.device,
            refit=chain.refits,
            wait_for=[chain.features] if chain.features else [],
        )

    def _graphs_to_fit(self, chain: Chain) -> Any:
        """The graph; of several none, since the pick says it all, or, to who averages, all."""
        if len(chain.graphs) == 1:
            return chain.graphs[0]
        return chain.by_title if chain.row.combine == "average" else None


def _identity(method: Method) -> list[Any]:
    """What tells a method from others: two of its rows may have an instance each."""
    kind = type(method)
    return [kind.__module__, kind.__qualname__, method.parameters()]


def _about(chain: Chain, preparation: Preparation) -> str:
    """`iris`, or with several graphs `iris on unit-length, 10 neighbours`."""
    title = chain.subject.title
    return title if len(chain.preparations) == 1 else f"{title} on {preparation.title}"


def _scored(row: Contender) -> str:
    """The method, and what a row has set for itself: `FLGC*, constant`, `FLGC*, l1`."""
    own = {axis: values for axis, values in row.grid.items() if values != row.method.axes[axis]}
    words = [
        axis if values == (True,) else str(values[0])
        for axis, values in own.items()
        if len(values) == 1
    ]
    return ", ".join([row.method.name, *words])


def timed_chains(experiment: Experiment, chains: Sequence[Chain]) -> dict[str, dict[str, Chain]]:
    """What is timed, by dataset and method: whatever has a single setting and hops."""
    timed: dict[str, dict[str, Chain]] = {}
    for chain in chains if experiment.analysis(TimedHops) else ():
        if chain.row.combine == "best" and "hops" in chain.row.method.axes:
            timed.setdefault(chain.subject.title, {})[chain.cell.method] = chain
    return timed


def submit_time(
    shared: "Shared", experiment: Experiment, title: str, of_methods: Mapping[str, Chain]
) -> Any:
    """The training times on a dataset, at the setting that most runs picked in `honest`."""
    first, asked = next(iter(of_methods.values())), experiment.analysis(TimedHops)
    return shared.step(
        {},
        time,
        title,
        title,
        data=first.data,
        graph=first.graphs[0],
        splits=first.splits,
        picks={name: shared.picks(chain, "honest") for name, chain in of_methods.items()},
        methods={name: chain.spec for name, chain in of_methods.items()},
        hops=asked.hops if asked else (),
        seeds=first.subject.seeds(experiment),
        without=first.without,
        device=shared.plan.device,
    )


def time_hops(
    shared: Shared, experiment: Experiment, chains: Sequence[Chain]
) -> tuple[dict[str, Any], list[Gap]]:
    """Training times, one dataset after the other while nothing else runs; and what failed."""
    found, failed = {}, []
    for title, of_methods in timed_chains(experiment, chains).items():
        step = submit_time(shared, experiment, title, of_methods)
        end(experiment.name, f"time {title}", step)
        error = error_of(step)
        if error is None:
            found[title] = step.result()
        else:
            failed.append(Gap(FAILED, f"{experiment.name}: time {title}", reason_of(error)))
    return found, failed


def curves_of(
    experiment: Experiment, curves: Sequence[Curve]
) -> tuple[dict[str, dict[str, dict[str, Any]]], list[Gap]]:
    """By figure, dataset and method those that are there; and a gap for each step that broke."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    gaps = {}
    for curve in curves:
        broken = first_broken(curve.steps)
        if broken is None:
            of_figure = found.setdefault(curve.figure, {})
            of_dataset = of_figure.setdefault(curve.chain.subject.title, {})
            of_dataset[curve.method] = curve.result.result()
        else:
            name, step = broken
            gaps[name] = Gap(FAILED, f"{experiment.name}: {name}", reason_of(error_of(step)))
    return found, list(gaps.values())


def sensitivities(
    shared: Shared, experiment: Experiment, chains: Sequence[Chain]
) -> dict[str, dict[str, Any]]:
    """Scores of the grid in which the paper's method is picked, and its honest picks."""
    scores: dict[str, Any] = {}
    picks: dict[str, dict[str, Any]] = {}
    for chain in chains if experiment.analysis(Sensitivity) else ():
        if chain.row.method.own and chain.row.combine == "best":
            title = chain.subject.title
            scores[title] = chain.scores[0]
            picks.setdefault(title, {})[chain.cell.method] = shared.picks(chain, "honest")
    return {"scores": scores, "picks": picks}


def samples(experiment: Experiment, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The datasets of which images are shown, and how many."""
    asked = experiment.analysis(Samples)
    if asked is None:
        return {}
    here = {name: raw[name] for name in asked.datasets if name in raw}
    return {"samples": here, "shape": (asked.rows, asked.columns)}


def costs_of(chains: Sequence[Chain | Curve]) -> dict[str, dict[str, float]]:
    """Seconds of each method's stages when they were computed, what is shared counted once."""
    costs: dict[str, dict[str, float]] = {}
    steps = {(chain.method, step): None for chain in chains for step in chain.steps.values()}
    counted = set()
    for method, step in steps:
        if error_of(step) is not None:
            continue
        artifact = artifact_of(step)
        if (method, artifact.key) not in counted:
            counted.add((method, artifact.key))
            of_method = costs.setdefault(method, {})
            of_method[artifact.stage] = of_method.get(artifact.stage, 0.0) + artifact.seconds
    return costs


def artifact_of(step: PrefectFuture) -> Artifact:
    """What a step that completed has made; Prefect takes milliseconds to tell, so it tells once."""
    if step not in _artifacts:
        _artifacts[step] = step.result()
    return _artifacts[step]


def error_of(step: PrefectFuture) -> Any:
    """What a step raised, itself and not Prefect's words for it; None if it completed."""
    step.wait()
    return None if step.state.is_completed() else get_state_exception(step.state)


def first_broken(steps: Mapping[str, PrefectFuture]) -> tuple[str, PrefectFuture] | None:
    """The first step that did not complete, if there is one: those after it never ran."""
    return next(((n, s) for n, s in steps.items() if error_of(s) is not None), None)


def broken_steps(experiment: Experiment, chains: Sequence[Chain]) -> list[Gap]:
    """One gap for each step that broke, with all the cells that wait for it."""
    waiting = Counter(chain.broken for chain in chains if chain.broken)
    return [
        Gap(FAILED, f"{experiment.name}: {name}", reason_of(error_of(step)), cells)
        for (name, step), cells in waiting.items()
    ]


def follow(experiment: str, chains: Sequence[Chain | Curve], ended: Ended | None = None) -> None:
    """Wait for all steps, and tell of each that has ended."""
    names: dict[PrefectFuture, str] = {}
    for chain in chains:
        for name, step in chain.steps.items():
            names.setdefault(step, name)
    for future in as_completed(list(names)):
        end(experiment, names[future], future)
        if ended:
            ended(future)


def end(experiment: str, name: str, step: PrefectFuture) -> None:
    """Tell that a step has ended, once it has."""
    broken = error_of(step) is not None
    tell(StepEnded(experiment, name, None if broken else artifact_of(step)))


def telling(
    so_far: SoFar, plan: Plan, experiment: Experiment, chains: Sequence[Chain], absent: list[Gap]
) -> Ended:
    """To be called with each step that has ended; tells of a method when its last cell has."""
    waiting: dict[str, set[PrefectFuture]] = {}
    for chain in chains:
        waiting.setdefault(chain.method, set()).add(chain.result)

    def ended(step: PrefectFuture) -> None:
        finished = {name for name, cells in waiting.items() if cells == {step}}
        for cells in waiting.values():
            cells.discard(step)
        if not finished:
            so_far.keep_up()
            return
        good = [chain for chain in chains if chain.method in finished and chain.broken is None]
        news = any(not artifact_of(chain.result).cached for chain in good)
        done = [name for name in experiment.methods if name in waiting and not waiting[name]]
        part = partial(part_of, plan, experiment, done, chains, absent)
        so_far.offer(experiment.name, news, part)

    return ended


def part_of(
    plan: Plan,
    experiment: Experiment,
    methods: Sequence[str],
    chains: Sequence[Chain],
    absent: Sequence[Gap],
) -> Section:
    """The cells of some methods, as if no others had been asked for, while those are computed."""
    number = f"{len(methods)} of {len(experiment.methods)} methods"
    title = f"{experiment.title} (so far: {number}; the run was going on)"
    ended = [chain for chain in chains if chain.method in methods]
    good = [chain for chain in ended if chain.broken is None]
    return Section(
        experiment=dataclasses.replace(experiment, methods=tuple(methods), title=title),
        protocols=plan.protocols,
        results=tuple(artifact_of(chain.result) for chain in good),
        gaps=(*absent, *broken_steps(experiment, ended)),
        costs=costs_of(good),
    )


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

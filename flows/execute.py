"""An experiment run: its steps as Prefect tasks, each submitted once, and what became of them.

Cells whose chain breaks are listed with the reason of the first step that broke; all others go on,
and analyses are made of the cells that are complete.
"""

import dataclasses
from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from prefect import get_run_logger
from prefect.futures import PrefectFuture, as_completed
from prefect.states import get_state_exception

from flows.dag import Dag, dag_of
from flows.plan import Plan
from flows.section import Section
from flows.so_far import SoFar
from tasks.analyses.base import CellSteps, Product
from tasks.declared.types import Experiment
from tasks.report.gaps import FAILED, Gap, dataset_gap, reason_of
from tasks.running.steps import Step, chain_of, with_results
from tasks.stages.cells import dataset
from tasks.store import Artifact


class StepEnded(NamedTuple):
    """A step of an experiment has ended, `score iris FLGC*` for one; None if it failed."""

    experiment: str
    step: str
    artifact: Artifact | None


class TableEnded(NamedTuple):
    """All available cells of an experiment have ended, and all that is made of them."""

    store: str
    section: Section


Listener = Callable[[StepEnded | TableEnded], None]
# Called whenever a step or a table has ended.
listeners: list[Listener] = []


def tell(event: StepEnded | TableEnded) -> None:
    """Call all listeners; one that fails costs nothing but its own display."""
    for listener in listeners:
        try:
            listener(event)
        except Exception:
            get_run_logger().warning("progress is not shown", exc_info=True)


class Execution:
    """Steps as tasks of the flow that runs: what each has made, or why it did not."""

    def __init__(self, store: str, experiment: str) -> None:
        self.store, self.experiment = store, experiment
        self.futures: dict[Step, PrefectFuture] = {}
        self.made: dict[Step, Artifact] = {}
        self.errors: dict[Step, BaseException] = {}

    def run(self, steps: Iterable[Step], ended: Callable[[Step], None] | None = None) -> None:
        """Hand steps to the runner, wait until all have ended, and call `ended` with each."""
        submitted = {self._submit(step): step for step in steps if self._is_due(step)}
        for future in as_completed(list(submitted)):
            step = submitted[future]
            self._note(step, future)
            tell(StepEnded(self.experiment, step.name, self.made.get(step)))
            if ended:
                ended(step)

    def broken(self, step: Step) -> Step | None:
        """The first step on the way to it that failed: those behind that one never ran."""
        return next((each for each in chain_of(step) if each in self.errors), None)

    def _is_due(self, step: Step) -> bool:
        """Whether to submit it: what it needs may have failed already."""
        failed = next((need for need in step.needs if need in self.errors), None)
        if failed is not None:
            self.errors[step] = self.errors[failed]
        return failed is None and step not in self.futures

    def _submit(self, step: Step) -> PrefectFuture:
        """Results that are here already are handed on as they are: nothing waits for them."""
        given = with_results(step.given, ChainMap(self.made, self.futures))
        wait_for = [self.futures[each] for each in step.after]
        self.futures[step] = step.stage.submit(self.store, step.about, wait_for=wait_for, **given)
        return self.futures[step]

    def _note(self, step: Step, future: PrefectFuture) -> None:
        future.wait()
        if future.state.is_completed():
            self.made[step] = future.result()
        elif future.state.is_final():
            error: Any = get_state_exception(future.state)
            self.errors[step] = error
        else:  # it never ran, since what it needs has failed, which may not have been noted yet
            for need in chain_of(step):
                if need in self.futures and self.futures[need].state.is_final():
                    self._note(need, self.futures[need])
            never = RuntimeError(future.state.message)
            failed = (each for each in chain_of(step) if each in self.errors)
            self.errors[step] = next((self.errors[each] for each in failed), never)


def run_experiment(plan: Plan, experiment: Experiment, so_far: SoFar | None = None) -> Section:
    """The available cells of an experiment, and what is made of them.

    `so_far` hears of each method when its last cell has ended.
    """
    dag, run = dag_of(plan, experiment), Execution(plan.store, experiment.name)
    run.run(dag.table.datasets.values())
    run.run(dag.table.steps, _offering(so_far, plan, dag, run) if so_far else None)
    good = [cell for cell in dag.cells if run.broken(cell.result) is None]
    after = dag.after(good)
    for product in after:
        run.run(chain_of(product.step))
    products, gaps = products_of(dag, run, [*dag.products, *after])
    section = Section(
        experiment=experiment,
        protocols=plan.protocols,
        cells=tuple(run.made[cell.result] for cell in good),
        products=products,
        gaps=(*dag.gaps, *gaps_of(run, dag.cells), *gaps),
        costs=costs_of(run, [*good, *dag.products]),
    )
    tell(TableEnded(plan.store, section))
    return section


def products_of(
    dag: Dag, run: Execution, products: Iterable[Product]
) -> tuple[dict[str, Any], list[Gap]]:
    """The products, and a gap for each step that broke and that no cell needs."""
    made, gaps = dict[str, Any](), dict[Step, Gap]()
    of_cells = {run.broken(cell.result) for cell in dag.cells}
    for product in products:
        broken = run.broken(product.step)
        if broken is None:
            *path, last = product.analysis, *product.path
            inner = made
            for name in path:
                inner = inner.setdefault(name, {})
            inner[last] = run.made[product.step]
        elif broken not in of_cells:
            gaps[broken] = _gap(run, broken)
    return made, list(gaps.values())


def gaps_of(run: Execution, cells: Sequence[CellSteps]) -> list[Gap]:
    """One gap for each step that broke, with all the cells that wait for it."""
    waiting = Counter(broken for cell in cells if (broken := run.broken(cell.result)))
    return [_gap(run, step, number) for step, number in waiting.items()]


def _gap(run: Execution, step: Step, cells: int = 0) -> Gap:
    error = run.errors[step]
    if step.stage is dataset:
        return dataset_gap(step.about, error, cells)
    return Gap(FAILED, f"{run.experiment}: {step.name}", reason_of(error), cells)


def costs_of(run: Execution, made: Iterable[CellSteps | Product]) -> dict[str, dict[str, float]]:
    """Seconds that each method's stages took to compute; what its cells share counts once."""
    costs: dict[str, dict[str, float]] = {}
    counted = set()
    for each in made:
        last = each.step if isinstance(each, Product) else each.result
        for step in chain_of(last) if each.method else ():
            artifact = run.made.get(step)
            if artifact is None or step.stage is dataset or (each.method, artifact.key) in counted:
                continue
            counted.add((each.method, artifact.key))
            stages = costs.setdefault(each.method, {})
            stages[artifact.stage] = stages.get(artifact.stage, 0.0) + artifact.seconds
    return costs


def _offering(so_far: SoFar, plan: Plan, dag: Dag, run: Execution) -> Callable[[Step], None]:
    """A function to call with each step that has ended: it offers a method after its last cell."""
    here = [cell for cell in dag.cells if run.broken(cell.data) is None]
    methods = {cell.result: cell.method for cell in here}
    waiting = Counter(methods.values())

    def ended(step: Step) -> None:
        method = methods.get(step)
        if method:
            waiting[method] -= 1
        if not method or waiting[method]:
            so_far.keep_up()
            return
        results = [run.made.get(result) for result, name in methods.items() if name == method]
        news = any(result and not result.cached for result in results)
        done = [name for name in dag.table.experiment.methods if waiting.get(name) == 0]
        so_far.offer(dag.table.experiment.name, news, partial(_part_of, plan, dag, run, done))

    return ended


def _part_of(plan: Plan, dag: Dag, run: Execution, methods: Sequence[str]) -> Section:
    """The cells of some methods, as if no others were in the table."""
    experiment = dag.table.experiment
    number = f"{len(methods)} of {len(experiment.methods)} methods"
    title = f"{experiment.title} (so far: {number}; the run was going on)"
    ended = [cell for cell in dag.cells if cell.method in methods]
    good = [cell for cell in ended if run.broken(cell.result) is None]
    return Section(
        experiment=dataclasses.replace(experiment, methods=tuple(methods), title=title),
        protocols=plan.protocols,
        cells=tuple(run.made[cell.result] for cell in good),
        gaps=(*dag.gaps, *gaps_of(run, ended)),
        costs=costs_of(run, good),
    )

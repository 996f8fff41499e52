"""What a run will do: experiments narrowed to what was asked for, or an error with the choices."""

import dataclasses
import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from flgc.datasets import UnknownDataset, resolve
from flgc.device import resolve_device
from flgc.methods.picking import PROTOCOLS
from flgc.methods.registry import contender, installed, is_built_in, resolve_method, task_of
from flows.parameters import Selection
from tasks.declared.from_toml import FLOWS as FLOWS
from tasks.declared.suites import suite_named
from tasks.declared.types import Experiment
from tasks.store import Store

QUICK_RUNS = 10
MOST_LETTERS = 40  # of a selection in the name of its report


@dataclass(frozen=True)
class Plan:
    """What a run will do, checked.

    A part of a suite has a `part` that tells its report from that of the whole. Reports have a
    `title`, in which `{name}` stands for the report's own, and give for each cell the `command`
    that computes it again, with the names of what that takes of the cell.
    """

    suite: str
    experiments: tuple[Experiment, ...]
    protocols: tuple[str, ...]
    device: str
    store: str
    title: str = "Reproduction: suite `{name}`"
    command: str = ""
    part: str = ""

    @property
    def report(self) -> str:
        """The name of its report: only the whole replaces that of the whole."""
        return f"{self.suite}{self.part}"

    def of(self, flow: str) -> "Plan":
        """The part that one flow does."""
        chosen = tuple(e for e in self.experiments if e.flow == flow)
        return dataclasses.replace(self, experiments=chosen)


def plan_of(flows: Sequence[str], chosen: Selection) -> Plan:
    """The plan of a selection for these flows, or an error that lists what can be chosen."""
    suite, declared = suite_named(chosen.suite)
    if chosen.methods is not None:
        names = [resolve_method(name) for name in chosen.methods]
        chosen = dataclasses.replace(chosen, methods=names)
    tasks = {name: task_of(name) for name in chosen.methods or ()}
    check("protocol", chosen.protocols or (), PROTOCOLS)
    check_positive("runs", chosen.runs)
    resolve_device(chosen.device)
    where = f"{' or '.join(flows)} of suite {suite}"
    experiments = [e for e in declared if e.flow in flows]
    datasets = _find_datasets(chosen.datasets, experiments, where)
    whole = [dataclasses.replace(e, methods=(*e.methods, *installed(e.task))) for e in experiments]
    narrowed = []
    for experiment in whole:
        kept = tuple(name for name in experiment.datasets if name in datasets)
        methods = experiment.methods
        if chosen.methods is not None:
            methods = tuple(_rows(experiment, tasks))
        if kept and methods:
            part = dataclasses.replace(experiment, datasets=kept, methods=methods)
            narrowed.append(part if chosen.runs is None else part.with_runs(chosen.runs))
    if not narrowed:
        known = ", ".join(
            f"{name} stands in {', '.join(e.name for e in experiments if name in _rows(e, tasks))}"
            for name in tasks
        )
        raise ValueError(
            f"nothing to do in {where}: no experiment has both the datasets and the methods that "
            f"were chosen{f' ({known})' if known else ''}"
        )
    name = "-quick" if chosen.quick else ""
    if narrowed != whole or set(chosen.protocols or PROTOCOLS) != set(PROTOCOLS):
        name += _name_of_part(chosen)
    return Plan(
        suite,
        tuple(map(shorten, narrowed) if chosen.quick else narrowed),
        tuple(chosen.protocols or PROTOCOLS),
        chosen.device,
        Store(chosen.store).url,
        command=_command(chosen),
        part=name,
    )


def _command(chosen: Selection) -> str:
    """What computes a cell of the selection again."""
    command = f"flgc reproduce --suite {shlex.quote(Path(chosen.suite).name)}"
    command += f" --runs {chosen.runs}" if chosen.runs else ""
    command += " --quick" if chosen.quick else ""
    return f"{command} --dataset {{dataset}} --method {{method}} --protocol {{protocol}}"


def _name_of_part(chosen: Selection) -> str:
    """`-iris-flgc-1f0c2a`: what was chosen in words for a person, and in full for the machine."""
    given = (chosen.datasets, chosen.methods, chosen.protocols)
    names, runs = [sorted(each or ()) for each in given], chosen.runs
    every = [*(name for each in names for name in each), *([f"{runs} runs"] if runs else [])]
    words = "-".join(re.findall(r"[a-z0-9]+", " ".join(every).lower()))[:MOST_LETTERS].strip("-")
    digest = hashlib.sha256(repr((names, runs)).encode()).hexdigest()
    return f"-{words}-{digest[:6]}"


def shorten(experiment: Experiment) -> Experiment:
    """The same with few runs; their seeds are the first of all runs."""
    fewer = experiment.with_runs(min(QUICK_RUNS, experiment.runs))
    noises = tuple(dataclasses.replace(noise, runs=1) for noise in fewer.noises)
    return dataclasses.replace(fewer, noises=noises)


def _rows(experiment: Experiment, tasks: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Of the methods that were chosen, those of the table in its order, then those from outside.

    A method of this library that the experiment does not declare stays out: its grid is not there.
    """
    yield from (name for name in experiment.methods if name in tasks)
    for name, of_tasks in tasks.items():
        if experiment.task in of_tasks and not is_built_in(name):
            yield name


def methods_for(task: str, names: Sequence[str] | None) -> tuple[str, ...]:
    """The methods of these names, each once, or an error for one that is not of this task."""
    methods = tuple(dict.fromkeys(resolve_method(name) for name in names or ()))
    for method in methods:
        contender(method, task)
    return methods


def check(what: str, given: Sequence[str], known: Sequence[str] | Mapping) -> None:
    """Refuse a name that is not among those known."""
    for name in given:
        if name not in known:
            raise ValueError(f"unknown {what} {name!r}; choose from {', '.join(known)}")


def check_positive(what: str, number: int | None) -> None:
    """Refuse to run something less than once."""
    if number is not None and number < 1:
        raise ValueError(f"{what}={number} is not possible: give 1 or more")


def _find_datasets(
    wanted: Sequence[str] | None, experiments: Sequence[Experiment], where: str
) -> set[str]:
    """The declared names that were meant, as they are written or in any case; all by default."""
    known = list(dict.fromkeys(name for e in experiments for name in e.datasets))
    chosen = set()
    for name in wanted or known:
        try:
            meant = name if name in known else resolve(name)
        except UnknownDataset:
            meant = name
        if meant not in known:
            close = get_close_matches(name, known)
            hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
            choices = f"{hint}choose from {', '.join(known)}"
            raise ValueError(f"unknown dataset {name!r} in {where}; {choices}")
        chosen.add(meant)
    return chosen

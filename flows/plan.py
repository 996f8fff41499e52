"""Parameters that all flows share: typed for the UI, refused with the choices named."""

import dataclasses
import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from flgc.datasets import UnknownDataset, resolve
from flgc.device import resolve_device
from flgc.methods.picking import PROTOCOLS
from flgc.methods.registry import installed, is_built_in, resolve_method, task_of
from tasks.declared.from_toml import FLOWS as FLOWS
from tasks.declared.suites import suite_named
from tasks.declared.types import Experiment
from tasks.store import Store

# One of ours by name, or a file that whoever runs the flow can read.
Suite = Literal["paper", "tiny"] | Annotated[str, Field(pattern=r"\.toml$")]
Protocol = Literal["paper", "honest"]
Runs = Annotated[int, Field(ge=1)]
QUICK_RUNS = 10
MOST_LETTERS = 40  # of a selection in the name of its report


@dataclass(frozen=True)
class Plan:
    """What a run will do, checked: experiments narrowed to what was asked for.

    A part of a suite has a `part` that tells its report from that of the whole. Reports have a
    `title`, in which `{name}` stands for the report's own, and tell of each cell the `command` that
    computes it again, with the names of what that takes of the cell.
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


def planned(
    flows: Sequence[str],
    suite: str,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    protocols: Sequence[str] | None = None,
    runs: int | None = None,
    device: str = "auto",
    store: str | None = None,
    quick: bool = False,
) -> Plan:
    """The plan for these parameters, or an error that lists what can be chosen.

    `quick` is 10 runs at most and one seed of each noise, in a report of its own.
    """
    command = f"flgc reproduce --suite {shlex.quote(Path(suite).name)}"
    command += (f" --runs {runs}" if runs else "") + (" --quick" if quick else "")
    command += " --dataset {dataset} --method {method} --protocol {protocol}"
    suite, declared = suite_named(suite)
    methods = None if methods is None else [resolve_method(name) for name in methods]
    tasks = {name: task_of(name) for name in methods or ()}
    check("protocol", protocols or (), PROTOCOLS)
    if runs is not None and runs < 1:
        raise ValueError(f"runs={runs} is not possible: give 1 or more, or leave it out")
    resolve_device(device)
    experiments = [e for e in declared if e.flow in flows]
    chosen = _chosen_datasets(datasets, experiments, f"{' or '.join(flows)} of suite {suite}")
    whole = [dataclasses.replace(e, methods=(*e.methods, *installed(e.task))) for e in experiments]
    narrowed = []
    for experiment in whole:
        kept = tuple(d for d in experiment.datasets if chosen is None or d in chosen)
        of_methods = experiment.methods
        if methods is not None:
            of_methods = tuple(_rows(experiment, tasks))
        if kept and of_methods:
            chosen_part = dataclasses.replace(experiment, datasets=kept, methods=of_methods)
            narrowed.append(chosen_part if runs is None else chosen_part.with_runs(runs))
    if not narrowed:
        known = ", ".join(
            f"{name} stands in {', '.join(e.name for e in experiments if name in _rows(e, tasks))}"
            for name in tasks
        )
        raise ValueError(
            f"nothing to do in {' or '.join(flows)} of suite {suite}: no experiment has both the "
            f"datasets and the methods that were chosen{f' ({known})' if known else ''}"
        )
    part = "-quick" if quick else ""
    if narrowed != whole or set(protocols or PROTOCOLS) != set(PROTOCOLS):
        part += _named_part(datasets, methods, protocols, runs)
    done = tuple(map(quickly, narrowed) if quick else narrowed)
    chosen_protocols, url = tuple(protocols or PROTOCOLS), Store(store).url
    return Plan(suite, done, chosen_protocols, device, url, command=command, part=part)


def _named_part(
    datasets: Sequence[str] | None,
    methods: Sequence[str] | None,
    protocols: Sequence[str] | None,
    runs: int | None,
) -> str:
    """`-iris-flgc-1f0c2a`: what was chosen in words for a person, and in full for the machine."""
    chosen = [sorted(given or ()) for given in (datasets, methods, protocols)]
    every = [*(name for names in chosen for name in names), *([f"{runs} runs"] if runs else [])]
    words = "-".join(re.findall(r"[a-z0-9]+", " ".join(every).lower()))[:MOST_LETTERS].strip("-")
    digest = hashlib.sha256(repr((chosen, runs)).encode()).hexdigest()
    return f"-{words}-{digest[:6]}"


def quickly(experiment: Experiment) -> Experiment:
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


def check(what: str, given: Sequence[str], known: Sequence[str] | Mapping) -> None:
    """Refuse a name that is not among those known."""
    for name in given:
        if name not in known:
            raise ValueError(f"unknown {what} {name!r}; choose from {', '.join(known)}")


def _chosen_datasets(
    wanted: Sequence[str] | None, experiments: Sequence[Experiment], where: str
) -> set[str] | None:
    """The declared names that were meant: as they are written, or in any case of letters."""
    if not wanted:
        return None
    known = list(dict.fromkeys(name for e in experiments for name in e.datasets))
    chosen = set()
    for name in wanted:
        try:
            meant = name if name in known else resolve(name)
        except UnknownDataset:
            meant = name
        if meant not in known:
            raise ValueError(f"unknown dataset {name!r} in {where}; choose from {', '.join(known)}")
        chosen.add(meant)
    return chosen

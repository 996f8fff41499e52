"""What an experiment is. Nothing here computes; what stages need of it is given to them.

A further table is one more `Experiment` of a suite, a further method one name more in it.
"""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flgc.datasets.splits import derive_seed
from flgc.methods.base import Grid, Task
from flgc.methods.judging import ACCURACY
from flgc.methods.registry import Contender
from flgc.noise import INDEPENDENT
from flgc.preparing import GIVEN
from tasks.analyses.base import Analysis

# Splits that come with the data: the same for all runs.
FIXED_SPLITS = ("public", "full")
# Those that are drawn of each class: a share, or a number.
DRAWN_SPLIT = re.compile(r"\d+(\.\d+)?%|[1-9]\d*-per-class")


def values(**axes: Any) -> dict[str, tuple]:
    """The values of each axis; a single one need not be in a tuple."""
    return {axis: of if isinstance(of, tuple) else (of,) for axis, of in axes.items()}


@dataclass(frozen=True)
class Preparation:
    """How a dataset becomes a graph, and the values of axes that belong to its features.

    `graph` is "given" (the dataset's own edges), or the scaling in which nearest neighbours are
    sought. `n_neighbors` is the paper's floor(N / 5C) unless given. `axes` are those of any method
    that has them: scaling, and in clustering threshold, subspace_dim and power.
    """

    graph: str = GIVEN
    n_neighbors: int | None = None
    axes: Grid = field(default_factory=dict)

    @property
    def title(self) -> str:
        """`given`, `min-max` or `standardised, 10 neighbours`."""
        return f"{self.graph}, {self.n_neighbors} neighbours" if self.n_neighbors else self.graph


@dataclass(frozen=True)
class Noise:
    """One corruption: what is added, how much, and whether all rows share one pattern of it.

    It is added in a `scaling` of the features; `clip` keeps it within [0, 1], the range of pixels.
    `runs` is how many seeds it is drawn with.
    """

    kind: str
    intensity: float
    pattern: str = INDEPENDENT
    scaling: str = "raw"
    clip: bool = True
    runs: int = 1

    @property
    def title(self) -> str:
        """`gaussian 0.1 shared`; it tells the noises of an experiment apart."""
        return f"{self.kind} {self.intensity:g} {self.pattern}"


@dataclass(frozen=True)
class Experiment:
    """One table: datasets x methods x runs.

    `grids` are values of axes for each method, by its name; what is not named has the method's own.
    `split` is a text of `flgc.datasets.splits.make`; clustering has none. `metric` is that of a
    classification, accuracy or AUC. `published` names the table of the paper that stands beside
    ours. Both protocols pick among the `preparations`; those that were `tuned` for a dataset are in
    `paper` besides, and nowhere else. `remarks` name the datasets whose values are far off and say
    why, or what was tried.
    """

    name: str
    flow: str
    task: Task
    title: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    grids: Mapping[str, Grid] = field(default_factory=dict)
    preparations: tuple[Preparation, ...] = (Preparation(),)
    tuned: Mapping[str, tuple[Preparation, ...]] = field(default_factory=dict)
    split: str = ""
    runs: int = 1
    metric: str = ACCURACY
    published: str = ""
    noises: tuple[Noise, ...] = ()
    analyses: tuple[Analysis, ...] = ()
    remarks: tuple[str, ...] = ()

    def prepared(self, dataset: str, protocol: str) -> tuple[Preparation, ...]:
        """The preparations among which a protocol may pick."""
        tuned = self.tuned.get(dataset, ()) if protocol == "paper" else ()
        return (*self.preparations, *tuned)

    def grid_of(self, row: Contender, preparation: Preparation) -> dict[str, tuple]:
        """A row's whole grid on a preparation; what is said here of its method comes first."""
        return row.whole({**preparation.axes, **self.grids.get(row.method.name, {})})

    def with_runs(self, runs: int) -> "Experiment":
        """The same with so many runs, and at most so many in its curves and of each noise."""
        analyses = tuple(each.with_runs(runs) for each in self.analyses)
        noises = tuple(
            dataclasses.replace(noise, runs=min(runs, noise.runs)) for noise in self.noises
        )
        return dataclasses.replace(self, runs=runs, analyses=analyses, noises=noises)

    @property
    def n_splits(self) -> int:
        """A split that comes with the data is one split, however many runs start from it."""
        return 1 if self.split in FIXED_SPLITS else self.runs

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is measured, first what a table shows first."""
        return (self.metric,) if self.split else ("ACC", "NMI")

    @property
    def measured(self) -> dict[str, Any]:
        """The arguments of stages for the metric; none for accuracy, so that keys stay the same."""
        return {} if self.metric == ACCURACY else {"metric": self.metric}

    @property
    def subjects(self) -> tuple["Subject", ...]:
        """The data of its rows; with noise, one for each seed of it."""
        return tuple(
            Subject(dataset, noise, run)
            for dataset in self.datasets
            for noise in (self.noises or (None,))
            for run in range(noise.runs if noise else 1)
        )


@dataclass(frozen=True)
class Subject:
    """The data that cells share: a dataset, or one run of a corruption of it."""

    dataset: str
    noise: Noise | None = None
    run: int = 0

    @property
    def title(self) -> str:
        """`Cora`, or `digits gaussian 0.1 shared run 0`."""
        return f"{self.dataset} {self.noise.title} run {self.run}" if self.noise else self.dataset

    def seeds(self, experiment: Experiment, n_runs: int | None = None) -> list[int]:
        """Of the runs on these data, never of a method; corrupted data are one run already.

        The runs of a figure, `n_runs`, begin with those of the table, or are the first of them.
        """
        runs = [self.run] if self.noise else range(n_runs or experiment.runs)
        return [derive_seed(experiment.name, self.dataset, run) for run in runs]


@dataclass(frozen=True)
class Cell:
    """One cell of a table: a method on some data under a protocol."""

    experiment: Experiment
    subject: Subject
    method: str
    protocol: str

    @property
    def title(self) -> str:
        """`Cora FLGC* honest`."""
        return f"{self.subject.title} {self.method} {self.protocol}"

    @property
    def spec(self) -> str:
        """The method, as stages find it: `classification:FLGC*`."""
        return f"{self.experiment.task}:{self.method}"

    @property
    def row(self) -> dict[str, Any]:
        """What its rows of results say of themselves."""
        noise = self.subject.noise
        return {
            "experiment": self.experiment.name,
            "dataset": self.subject.dataset,
            "noise": noise.kind if noise else "",
            "intensity": noise.intensity if noise else 0.0,
            "noise_pattern": noise.pattern if noise else "",
            "method": self.method,
            "protocol": self.protocol,
            "split": self.experiment.split,
            "first_run": self.subject.run,
        }

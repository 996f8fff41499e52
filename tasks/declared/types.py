"""What an experiment is. Nothing here computes; what stages need of it is given to them.

A further table is one more `Experiment` of a suite, a further method one name more in it.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

from flgc.datasets.splits import derive_seed
from flgc.methods.base import Grid, Task
from flgc.preparing import GIVEN

# Splits that come with the data: the same for all runs.
FIXED_SPLITS = ("public", "full")


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
    """One corruption: what is added, how much, and in which scale of the features.

    `clip` keeps gaussian noise within [0, 1], the range of pixels.
    """

    kind: Literal["gaussian", "salt_pepper"]
    intensity: float
    scaling: str = "raw"
    clip: bool = False

    @property
    def title(self) -> str:
        """`gaussian 0.1 standardised`."""
        return f"{self.kind} {self.intensity:g} {self.scaling}"

    def as_seen_in(self, protocol: str) -> "Noise":
        """In `honest` all noise is of pixels in [0, 1]: a scale that was tuned is `paper` only."""
        if protocol == "paper":
            return self
        return dataclasses.replace(self, scaling="raw", clip=self.kind == "gaussian")


@dataclass(frozen=True)
class Compare:
    """Wilcoxon's test over the datasets; `published` names the paper's table of rank sums."""

    published: str = ""


@dataclass(frozen=True)
class TimedHops:
    """Accuracy and training time of every method with the axis `hops`, over these."""

    hops: tuple[int, ...]


@dataclass(frozen=True)
class Sensitivity:
    """Accuracy against regularization and teleport."""


@dataclass(frozen=True)
class LabelCounts:
    """Accuracy against the number of labelled samples of each class, every method as in `paper`."""

    counts: tuple[int, ...]
    datasets: tuple[str, ...]
    runs: int
    name: ClassVar[str] = "labels"


@dataclass(frozen=True)
class Depths:
    """Accuracy against hops, all else as in `paper`, of every method with that axis."""

    hops: tuple[int, ...]
    datasets: tuple[str, ...]
    runs: int
    name: ClassVar[str] = "depths"


@dataclass(frozen=True)
class Neighbours:
    """Accuracy of a method at a setting against the number of neighbours; with 0 only X is seen."""

    n_neighbors: tuple[int, ...]
    datasets: tuple[str, ...]
    runs: int
    method: str
    setting: Mapping[str, Any]
    name: ClassVar[str] = "neighbours"


# Each is a figure of curves.
CURVES = (LabelCounts, Depths, Neighbours)
Analysis = TypeVar("Analysis", Compare, TimedHops, Sensitivity, LabelCounts, Depths, Neighbours)


@dataclass(frozen=True)
class Experiment:
    """One table: datasets x methods x runs.

    `grids` are values of axes for each method, by its name; what is not named has the method's own.
    `split` is a text of `flgc.datasets.splits.make`; clustering has none. `published` names the
    table of the paper that stands beside ours, `sizes` the one of its datasets. `exceptions` are
    preparations that were tuned for a dataset, and so of the protocol `paper` alone; in `honest`
    each dataset has those of `honest` to pick from, or the one of all. `remarks` name the datasets
    whose values are far off and say why, or what was tried.
    """

    name: str
    flow: str
    task: Task
    title: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    grids: Mapping[str, Grid] = field(default_factory=dict)
    preparation: Preparation = Preparation()
    exceptions: Mapping[str, Preparation] = field(default_factory=dict)
    honest: tuple[Preparation, ...] = ()
    split: str = ""
    runs: int = 1
    published: str = ""
    sizes: str = ""
    noises: tuple[Noise, ...] = ()
    analyses: tuple[Any, ...] = ()
    remarks: tuple[str, ...] = ()

    def preparations(self, dataset: str, protocol: str) -> tuple[Preparation, ...]:
        """Those among which a protocol may pick; `paper` has one for each dataset."""
        if protocol == "paper":
            return (self.exceptions.get(dataset, self.preparation),)
        return self.honest or (self.preparation,)

    def analysis(self, kind: type[Analysis]) -> Analysis | None:
        """The analysis of that kind, if it is asked for."""
        return next((each for each in self.analyses if isinstance(each, kind)), None)

    def with_runs(self, runs: int) -> "Experiment":
        """The same with so many runs, and at most so many in its curves."""
        analyses = tuple(
            dataclasses.replace(each, runs=min(runs, each.runs))
            if isinstance(each, CURVES)
            else each
            for each in self.analyses
        )
        return dataclasses.replace(self, runs=runs, analyses=analyses)

    @property
    def n_splits(self) -> int:
        """A split that comes with the data is one split, however many runs start from it."""
        return 1 if self.split in FIXED_SPLITS else self.runs

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is measured, first what a table shows first."""
        return ("accuracy",) if self.split else ("ACC", "NMI")

    @property
    def subjects(self) -> tuple["Subject", ...]:
        """The data of its rows; with noise, one for each run."""
        return tuple(
            Subject(dataset, noise, run)
            for dataset in self.datasets
            for noise in (self.noises or (None,))
            for run in range(self.runs if noise else 1)
        )


@dataclass(frozen=True)
class Subject:
    """The data that cells share: a dataset, or one run of a corruption of it."""

    dataset: str
    noise: Noise | None = None
    run: int = 0

    @property
    def title(self) -> str:
        """`Cora`, or `digits gaussian 0.1 raw run 0`."""
        return f"{self.dataset} {self.noise.title} run {self.run}" if self.noise else self.dataset

    def as_seen_in(self, protocol: str) -> "Subject":
        """The data that a protocol has."""
        noise = self.noise and self.noise.as_seen_in(protocol)
        return dataclasses.replace(self, noise=noise)

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
    def seen(self) -> Subject:
        """The data as its protocol has them."""
        return self.subject.as_seen_in(self.protocol)

    @property
    def title(self) -> str:
        """`Cora FLGC* honest`."""
        return f"{self.seen.title} {self.method} {self.protocol}"

    @property
    def row(self) -> dict[str, Any]:
        """What its rows of results say of themselves."""
        noise = self.seen.noise
        return {
            "experiment": self.experiment.name,
            "dataset": self.subject.dataset,
            "noise": noise.kind if noise else "",
            "noise_scaling": noise.scaling if noise else "",
            "intensity": noise.intensity if noise else 0.0,
            "method": self.method,
            "protocol": self.protocol,
            "split": self.experiment.split,
            "first_run": self.subject.run,
        }

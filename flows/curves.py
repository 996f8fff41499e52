"""The curves of an experiment: what is submitted for its figures once the cells are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from prefect.futures import PrefectFuture

from flgc.methods.varying import GRAPHS, SPLITS
from tasks.declared.types import Depths, Experiment, LabelCounts, Neighbours, Preparation
from tasks.stages.graph import graph
from tasks.stages.splits import splits
from tasks.stages.vary import vary

if TYPE_CHECKING:
    from flows.dag import Chain, Shared


@dataclass
class Curve:
    """A method on a dataset in a figure, and the steps that it needs, in order."""

    figure: str
    chain: Chain
    steps: dict[str, PrefectFuture] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """The row's name."""
        return self.chain.method

    @property
    def title(self) -> str:
        """`iris FLGC* for labels`."""
        return f"{self.chain.subject.title} {self.method} for {self.figure}"

    @property
    def result(self) -> PrefectFuture:
        """The last step."""
        return list(self.steps.values())[-1]


def submit_curves(shared: Shared, experiment: Experiment, chains: Sequence[Chain]) -> list[Curve]:
    """Hand all curves to the runner: one task for each figure, dataset and method.

    They go through the setting that all runs of a cell share, so `honest` has none. Variants of a
    row are no curves: nobody could tell so many apart.
    """
    paper = [chain for chain in chains if chain.cell.protocol == "paper"]
    shown = [chain for chain in paper if not chain.row.is_variant]
    return [
        *_label_counts(shared, experiment, shown),
        *_depths(shared, experiment, shown),
        *_neighbours(shared, experiment, shown),
    ]


def _label_counts(
    shared: Shared, experiment: Experiment, chains: Sequence[Chain]
) -> Iterator[Curve]:
    asked = experiment.analysis(LabelCounts)
    if asked is None:
        return
    for chain in _on(asked.datasets, chains):
        kinds = [f"{count}-per-class" for count in asked.counts]
        curve = Curve(asked.name, chain)
        drawn = _splits(shared, curve, kinds, asked.runs)
        given = {"along": SPLITS, "values": asked.counts, "picks": chain.picks}
        yield _varied(shared, curve, chain.graphs, drawn, asked.runs, given)


def _depths(shared: Shared, experiment: Experiment, chains: Sequence[Chain]) -> Iterator[Curve]:
    asked = experiment.analysis(Depths)
    if asked is None:
        return
    for chain in _on(asked.datasets, chains):
        if "hops" in chain.row.method.axes:
            curve = Curve(asked.name, chain)
            drawn = _splits(shared, curve, experiment.split, asked.runs)
            given = {"along": "hops", "values": asked.hops, "picks": chain.picks}
            yield _varied(shared, curve, chain.graphs, drawn, asked.runs, given)


def _neighbours(shared: Shared, experiment: Experiment, chains: Sequence[Chain]) -> Iterator[Curve]:
    asked = experiment.analysis(Neighbours)
    if asked is None:
        return
    for chain in _on(asked.datasets, chains):
        if chain.method == asked.method:
            curve = Curve(asked.name, chain)
            drawn = _splits(shared, curve, experiment.split, asked.runs)
            [preparation] = chain.preparations
            made = [_graph(shared, curve, preparation, k) for k in asked.n_neighbors]
            given = {"along": GRAPHS, "values": asked.n_neighbors, "setting": asked.setting}
            yield _varied(shared, curve, made, drawn, asked.runs, given)


def _on(datasets: Sequence[str], chains: Sequence[Chain]) -> list[Chain]:
    """The cells on the datasets of a figure."""
    return [chain for chain in chains if chain.subject.dataset in datasets]


def _splits(shared: Shared, curve: Curve, kinds: str | list[str], runs: int) -> Any:
    """Who is labelled in the runs of a figure, all kinds of split in one artifact."""
    chain = curve.chain
    seeds = chain.subject.seeds(chain.cell.experiment, runs)
    about = f"{chain.subject.title} for {curve.figure}"
    what = [chain.subject, kinds, seeds]
    return shared.step(curve.steps, splits, about, what, data=chain.data, split=kinds, seeds=seeds)


def _graph(shared: Shared, curve: Curve, preparation: Preparation, n_neighbors: int) -> Any:
    chain = curve.chain
    given = {"graph": preparation.graph, "n_neighbors": n_neighbors, "without": chain.without}
    about = f"{chain.subject.title} with {n_neighbors} neighbours"
    what = [chain.subject, given]
    return shared.step(curve.steps, graph, about, what, data=chain.data, **given)


def _varied(
    shared: Shared,
    curve: Curve,
    graphs: Sequence[Any],
    drawn: Any,
    runs: int,
    given: Mapping[str, Any],
) -> Curve:
    """The curve with its last step."""
    chain = curve.chain
    [preparation] = chain.preparations
    shared.step(
        curve.steps,
        vary,
        curve.title,
        curve.title,
        data=chain.data,
        graphs=graphs,
        splits=drawn,
        method=chain.spec,
        grid=shared.grid(chain, preparation),
        seeds=chain.subject.seeds(chain.cell.experiment, runs),
        without=chain.without,
        device=shared.plan.device,
        **given,
    )
    return curve

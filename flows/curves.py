"""Curves and affinities: what is submitted for figures once the cells are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from prefect.futures import PrefectFuture

from flgc.methods.varying import GRAPHS, SPLITS
from tasks.declared.types import (
    Affinities,
    Along,
    Criteria,
    Experiment,
    LabelCounts,
    Neighbours,
    Preparation,
)
from tasks.stages.affinity import affinity
from tasks.stages.criteria import criteria
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
        *_along(shared, experiment, shown),
        *_neighbours(shared, experiment, shown),
        *_affinities(shared, experiment, paper),
        *_criteria(shared, experiment, chains),
    ]


def _label_counts(
    shared: Shared, experiment: Experiment, chains: Sequence[Chain]
) -> Iterator[Curve]:
    for asked in experiment.every(LabelCounts):
        for chain in _on(asked.datasets, chains):
            kinds = [f"{count}-per-class" for count in asked.counts]
            curve = Curve(asked.name, chain)
            drawn = _splits(shared, curve, kinds, asked.runs)
            given = {"along": SPLITS, "values": asked.counts, "picks": chain.picks}
            yield _varied(shared, curve, chain.by_title, drawn, asked.runs, given)


def _along(shared: Shared, experiment: Experiment, chains: Sequence[Chain]) -> Iterator[Curve]:
    for asked in experiment.every(Along):
        for chain in _on(asked.datasets, chains):
            wanted = chain.method in (asked.methods or experiment.methods)
            if wanted and asked.axis in chain.row.method.axes:
                curve = Curve(asked.name, chain)
                drawn = _splits(shared, curve, experiment.split, asked.runs)
                given = {"along": asked.axis, "values": asked.values, "picks": chain.picks}
                yield _varied(shared, curve, chain.by_title, drawn, asked.runs, given)


def _neighbours(shared: Shared, experiment: Experiment, chains: Sequence[Chain]) -> Iterator[Curve]:
    for asked in experiment.every(Neighbours):
        for chain in _on(asked.datasets, chains):
            if chain.method == asked.method:
                curve = Curve(asked.name, chain)
                drawn = _splits(shared, curve, experiment.split, asked.runs)
                [preparation] = chain.preparations
                made = [_graph(shared, curve, preparation, k) for k in asked.n_neighbors]
                given = {"along": GRAPHS, "values": asked.n_neighbors, "setting": asked.setting}
                yield _varied(shared, curve, made, drawn, asked.runs, given)


def _affinities(shared: Shared, experiment: Experiment, chains: Sequence[Chain]) -> Iterator[Curve]:
    """No curve, but one more step behind a cell as they are."""
    for asked in experiment.every(Affinities):
        for chain in _on(asked.datasets, chains):
            if chain.method == asked.method:
                curve = Curve(asked.name, chain)
                given = {"picks": chain.picks, "graphs": chain.by_title}
                _last(shared, curve, affinity, 1, given)
                yield curve


def _criteria(shared: Shared, experiment: Experiment, chains: Sequence[Chain]) -> Iterator[Curve]:
    """One step for each dataset, behind the graphs that `honest` has."""
    honest = [chain for chain in chains if chain.cell.protocol == "honest"]
    for asked in experiment.every(Criteria):
        for chain in _on(asked.datasets, honest):
            if chain.method == asked.method:
                curve = Curve(asked.name, chain)
                parts = {
                    other.method: other.row.part
                    for other in _on((chain.subject.dataset,), honest)
                    if other.row.method is chain.row.method
                    and other.row.combine == "best"
                    and not other.row.is_variant
                }
                shared.step(
                    curve.steps,
                    criteria,
                    curve.title,
                    curve.title,
                    data=chain.data,
                    graphs=chain.graphs,
                    grids=[shared.grid(chain, each) for each in chain.preparations],
                    method=chain.spec,
                    parts=parts,
                    seed=chain.subject.seeds(experiment, 1)[0],
                )
                yield curve


def _on(datasets: Sequence[str], chains: Sequence[Chain]) -> list[Chain]:
    """The cells on the datasets of a figure."""
    return [chain for chain in chains if chain.subject.dataset in datasets]


def _splits(shared: Shared, curve: Curve, kinds: str | list[str], runs: int) -> Any:
    """Who is labelled in the runs of a figure, all kinds of split in one artifact, or nobody."""
    chain = curve.chain
    if not kinds:
        return None
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
    shared: Shared, curve: Curve, graphs: Any, drawn: Any, runs: int, given: Mapping[str, Any]
) -> Curve:
    """The curve with its last step."""
    _last(shared, curve, vary, runs, {"graphs": graphs, "splits": drawn, **given})
    return curve


def _last(shared: Shared, curve: Curve, stage: Any, runs: int, given: Mapping[str, Any]) -> None:
    """The method of the curve's cell once more, in a stage that knows its grid on any graph."""
    chain = curve.chain
    shared.step(
        curve.steps,
        stage,
        curve.title,
        curve.title,
        data=chain.data,
        method=chain.spec,
        grid=shared.whole_grid(chain),
        seeds=chain.subject.seeds(chain.cell.experiment, runs),
        without=chain.without,
        device=shared.plan.device,
        **given,
    )

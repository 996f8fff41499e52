"""One cell computed by the plain functions, without Prefect."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from tasks.declared.experiments import Cell, Experiment, Grid, Preparation, Subject
from tasks.select import score_settings
from tasks.stages.corrupt import corrupt_features
from tasks.stages.dataset import fetch_dataset
from tasks.stages.fit import cluster_runs, fit_runs, read_off
from tasks.stages.graph import build_graph
from tasks.stages.pick import pick_settings
from tasks.stages.propagate import propagate_features
from tasks.stages.splits import draw_splits
from tasks.store.store import Artifact, Store

IRIS = Experiment(
    name="small",
    flow="uci",
    kind="classification",
    title="Iris alone",
    datasets=("iris",),
    grid=Grid((0, 2, 4), (0.0, 0.1), (0.01, 1.0)),
    preparation=Preparation("min-max", ("min-max",)),
    split="10%",
    runs=2,
    published="uci_accuracy",
)


def run_cell(store: Path, cell: Cell) -> dict[str, Artifact]:
    """Every artifact of the cell's chain, by stage."""
    where, experiment, subject = str(store), cell.experiment, cell.subject
    data = made = fetch_dataset(where, subject.dataset)
    found = {"dataset": data}
    if subject.noise:
        data = corrupt_features(where, made, experiment.name, subject)
        found["corrupt"] = data
    drawn = None
    if experiment.split:
        drawn = draw_splits(
            where, data, subject.dataset, experiment.name, experiment.split, experiment.runs
        )
        found["splits"] = drawn
    graph = build_graph(where, data, subject.title, cell.preparation, cell.protocol)
    scores = score_settings(where, cell, data, graph, drawn)
    picks = pick_settings(where, cell, scores)
    found |= {"graph": graph, "select": scores, "pick": picks}
    given = (where, cell, data, graph)
    if cell.protocol == "honest":
        return {**found, "fit": read_off(*given, scores, picks)}
    embedding = propagate_features(*given, picks)
    sources = (*given, scores, picks, embedding)
    filled = fit_runs(*sources, drawn) if drawn else cluster_runs(*sources)
    return {**found, "propagate": embedding, "fit": filled}


def computed(found: dict[str, Artifact]) -> set[str]:
    """The stages that the store did not have."""
    return {stage for stage, artifact in found.items() if not artifact.cached}


def iris(method: str = "FLGC*", protocol: str = "paper", experiment: Experiment = IRIS) -> Cell:
    return Cell(experiment, Subject("iris"), method, protocol)


def rows(store: Path, artifact: Artifact) -> pd.DataFrame:
    return Store(store).read(artifact.key).to_pandas()


@contextmanager
def changed_module(monkeypatch: pytest.MonkeyPatch, module: str) -> Iterator[None]:
    """As if the source of a module were another one."""
    from tasks.store import code as store_code
    from tasks.store import store

    def digest(*modules: str) -> str:
        mark = "changed" if module in store_code._closure(modules) else ""
        return store_code.code_digest(*modules) + mark

    with monkeypatch.context() as patch:
        patch.setattr(store, "code_digest", digest)
        yield

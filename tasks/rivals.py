"""Stages of methods that are trained: compare their settings, and train the picked one."""

import dataclasses
from dataclasses import asdict
from typing import Any

import pandas as pd

from flgc.device import resolve_device
from tasks.download import described, read_dataset
from tasks.experiments import METHODS, Cell
from tasks.fit import cell_parameters
from tasks.graphs import leaking
from tasks.picking import Rival, Setting
from tasks.results import result_rows
from tasks.routing import gpu_first, hand_over
from tasks.select import picked, seeds
from tasks.splits import read_splits
from tasks.stage import as_task
from tasks.store import Artifact, Store
from tasks.training import Data, settings_of, training_scores

MODULES = ("flgc.baselines", "tasks.training")
# Settings are compared on so many runs, or on all if there are fewer.
COMPARED_RUNS = 2


@gpu_first
def compare_settings(
    store: str, cell: Cell, data: Artifact, graph: Artifact, splits: Artifact, device: str = "cpu"
) -> Artifact:
    """Every setting of a rival's own grid, trained on the first runs."""
    opened, rival = Store(store), rival_of(cell)
    compared = seeds(cell)[:COMPARED_RUNS]
    scalings = cell.preparation.scalings

    def compute() -> pd.DataFrame:
        hand_over()
        given = read_data(opened, cell, data, graph, splits, device)
        return training_scores(given, rival, settings_of(rival, scalings), compared)

    return opened.get_or_compute(
        "select",
        MODULES,
        compute,
        parameters={
            "rival": asdict(rival),
            "scalings": scalings,
            "seeds": [str(seed) for seed in compared],
            "without": leaking(opened, data, cell.protocol),
        },
        inputs={"dataset": data, "graph": graph, "splits": splits},
    )


@gpu_first
def train_runs(
    store: str,
    cell: Cell,
    data: Artifact,
    graph: Artifact,
    scores: Artifact,
    splits: Artifact,
    device: str = "cpu",
) -> Artifact:
    """The test accuracy of the picked setting in each run; the first runs are trained already."""
    opened = Store(store)
    setting = picked(opened, scores, cell)
    rest = _further_runs(opened, cell, data, graph, splits, setting, device)

    def compute() -> pd.DataFrame:
        parts = (opened.read(artifact.key).to_pandas() for artifact in (scores, *rest))
        return result_rows(
            cell,
            setting,
            seeds(cell),
            {"accuracy": [value for part in parts for value in accuracies(part, setting)]},
            marks=", ".join(described(opened.read(data.key))["marks"]),
            device=str(resolve_device(device) or "cpu"),
            seconds_graph=graph.seconds,
            seconds_select=scores.seconds,
            seconds_propagate=0.0,
            seconds_fit=sum(artifact.seconds for artifact in rest),
        )

    return opened.get_or_compute(
        "fit",
        MODULES,
        compute,
        parameters=cell_parameters(cell, setting),
        inputs={"dataset": data} | {f"{i}": part for i, part in enumerate((scores, *rest))},
    )


compare = as_task(compare_settings, "select {cell.subject.title} {cell.method}")
train = as_task(train_runs, "train {cell.title}")


def accuracies(scores: pd.DataFrame, setting: Setting) -> list[float]:
    """Test accuracies at a setting, run by run."""
    here = scores
    for axis, value in setting.as_dict().items():
        here = here[here[axis] == value]
    return here.sort_values("run")["test"].tolist()


def _further_runs(
    store: Store,
    cell: Cell,
    data: Artifact,
    graph: Artifact,
    splits: Artifact,
    setting: Setting,
    device: str,
) -> list[Artifact]:
    """The scores of the runs after those compared, if there are any.

    Both protocols share them when only their epochs differ.
    """
    rival, further = rival_of(cell), seeds(cell)[COMPARED_RUNS:]
    if not further:
        return []
    for_all_epochs = dataclasses.replace(setting, epochs=max(rival.epochs))

    def compute() -> pd.DataFrame:
        hand_over()
        given = read_data(store, cell, data, graph, splits, device)
        own = given.splits[COMPARED_RUNS:] if len(given.splits) > 1 else given.splits
        given = dataclasses.replace(given, splits=own)
        return training_scores(given, rival, [for_all_epochs], further)

    trained = store.get_or_compute(
        "trained",
        MODULES,
        compute,
        parameters={
            "rival": rival.name,
            "hidden": rival.hidden,
            "setting": setting.as_dict() | {"epochs": rival.epochs},
            "seeds": [str(seed) for seed in further],
            "without": leaking(store, data, cell.protocol),
        },
        inputs={"dataset": data, "graph": graph, "splits": splits},
    )
    return [trained]


def read_data(
    store: Store, cell: Cell, data: Artifact, graph: Artifact, splits: Artifact, device: str
) -> Data:
    """What a training needs, from the store."""
    dataset = read_dataset(store, data, cell.protocol)
    P = store.read_matrix(graph.key)
    runs = read_splits(store, splits)
    return Data(P, dataset.features, dataset.labels, dataset.n_classes, runs, device)


def rival_of(cell: Cell) -> Rival:
    """The declaration of the cell's method."""
    rival: Any = METHODS[cell.method]
    return rival

"""Stages of methods that are trained: compare their settings, and train the picked one."""

import dataclasses
from dataclasses import asdict
from typing import Any

import pandas as pd

from flgc.datasets.splits import derive_seed
from flgc.device import resolve_device
from tasks.download import described, read_dataset
from tasks.experiments import METHODS, Cell, Rival
from tasks.fit import cell_parameters
from tasks.graphs import leaking
from tasks.picking import Setting
from tasks.results import result_rows
from tasks.routing import gpu_first, hand_over
from tasks.select import picked
from tasks.splits import read_splits
from tasks.stage import as_task
from tasks.store import Artifact, Store
from tasks.training import Data, run_accuracies, training_scores

MODULES = ("flgc.baselines", "tasks.training")
# Settings are compared on so many runs, or on all if there are fewer.
COMPARED_RUNS = 2


@gpu_first
def compare_settings(
    store: str, cell: Cell, data: Artifact, graph: Artifact, splits: Artifact, device: str = "cpu"
) -> Artifact:
    """Every setting of a rival's own grid, trained on the first runs."""
    opened, rival = Store(store), rival_of(cell)
    seeds = seeds_of(cell)[:COMPARED_RUNS]
    scalings = cell.preparation.scalings

    def compute() -> pd.DataFrame:
        hand_over()
        given = read_data(opened, cell, data, graph, splits, device)
        return training_scores(given, rival, scalings, seeds)

    return opened.get_or_compute(
        "select",
        MODULES,
        compute,
        parameters={
            "rival": asdict(rival),
            "scalings": scalings,
            "seeds": [str(seed) for seed in seeds],
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
    first = compared_runs(opened.read(scores.key).to_pandas(), setting)
    rest = _accuracies(opened, cell, data, graph, splits, setting, len(first), device)

    def compute() -> pd.DataFrame:
        accuracies = opened.read(rest.key).to_pandas()
        accuracies = accuracies[accuracies["epochs"] == setting.epochs]
        return result_rows(
            cell,
            setting,
            seeds_of(cell),
            {"accuracy": [*first, *accuracies["accuracy"]]},
            marks=", ".join(described(opened.read(data.key))["marks"]),
            device=str(resolve_device(device) or "cpu"),
            seconds_graph=graph.seconds,
            seconds_select=scores.seconds,
            seconds_propagate=0.0,
            seconds_fit=rest.seconds,
        )

    return opened.get_or_compute(
        "fit",
        MODULES,
        compute,
        parameters=cell_parameters(cell, setting),
        inputs={"dataset": data, "first": scores, "rest": rest},
    )


compare = as_task(compare_settings, "select {cell.subject.title} {cell.method}")
train = as_task(train_runs, "train {cell.title}")


def compared_runs(scores: pd.DataFrame, setting: Setting) -> list[float]:
    """Test accuracies of the runs on which the settings were compared, at this one."""
    here = scores
    for axis, value in setting.as_dict().items():
        here = here[here[axis] == value]
    return here.sort_values("run")["test"].tolist()


def _accuracies(
    store: Store,
    cell: Cell,
    data: Artifact,
    graph: Artifact,
    splits: Artifact,
    setting: Setting,
    done: int,
    device: str,
) -> Artifact:
    """The runs after the first `done`; both protocols share them if only their epochs differ."""
    rival, seeds = rival_of(cell), seeds_of(cell)[done:]
    but_for_epochs = setting.as_dict() | {"epochs": rival.epochs}

    def compute() -> pd.DataFrame:
        if not seeds:
            return pd.DataFrame({"epochs": [], "accuracy": []}, dtype="float64")
        hand_over()
        given = read_data(store, cell, data, graph, splits, device)
        own = given.splits[done:] if len(given.splits) > 1 else given.splits
        return run_accuracies(dataclasses.replace(given, splits=own), rival, setting, seeds)

    return store.get_or_compute(
        "trained",
        MODULES,
        compute,
        parameters={
            "rival": rival.name,
            "hidden": rival.hidden,
            "setting": but_for_epochs,
            "seeds": [str(seed) for seed in seeds],
            "without": leaking(store, data, cell.protocol),
        },
        inputs={"dataset": data, "graph": graph, "splits": splits},
    )


def read_data(
    store: Store, cell: Cell, data: Artifact, graph: Artifact, splits: Artifact, device: str
) -> Data:
    """What a training needs, from the store."""
    dataset = read_dataset(store, data, cell.protocol)
    P = store.read_matrix(graph.key)
    runs = read_splits(store, splits)
    return Data(P, dataset.features, dataset.labels, dataset.n_classes, runs, device)


def seeds_of(cell: Cell) -> list[int]:
    """Seeds of the initial weights, one for each run."""
    experiment, dataset = cell.experiment, cell.subject.dataset
    return [derive_seed(experiment.name, dataset, run) for run in range(experiment.runs)]


def rival_of(cell: Cell) -> Rival:
    """The declaration of the cell's method."""
    rival: Any = METHODS[cell.method]
    return rival

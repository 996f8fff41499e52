"""The scores of every setting of a method that is trained, in all runs."""

from dataclasses import asdict
from typing import Any

import pandas as pd

from tasks.declared.experiments import METHODS, Cell
from tasks.picking import Rival
from tasks.running.routing import gpu_first, hand_over
from tasks.running.stage import as_task
from tasks.select import seeds
from tasks.stages.dataset import read_dataset
from tasks.stages.graph import leaking
from tasks.stages.splits import read_splits
from tasks.store.store import Artifact, Store
from tasks.training import Data, settings_of, training_scores

MODULES = ("flgc.methods.trained", "tasks.training")


@gpu_first
def compare_settings(
    store: str, cell: Cell, data: Artifact, graph: Artifact, splits: Artifact, device: str = "cpu"
) -> Artifact:
    """Every setting of a rival's own grid, trained in every run."""
    opened, rival = Store(store), rival_of(cell)
    scalings = cell.preparation.scalings

    def compute() -> pd.DataFrame:
        hand_over()
        given = read_data(opened, cell, data, graph, splits, device)
        return training_scores(given, rival, settings_of(rival, scalings), seeds(cell))

    return opened.get_or_compute(
        "select",
        MODULES,
        compute,
        parameters={
            "rival": asdict(rival),
            "scalings": scalings,
            "seeds": [str(seed) for seed in seeds(cell)],
            "without": leaking(opened, data, cell.protocol),
        },
        inputs={"dataset": data, "graph": graph, "splits": splits},
    )


compare = as_task(compare_settings, "select {cell.subject.title} {cell.method}")


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

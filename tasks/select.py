"""The scores of every setting of a grid: one artifact per data, all protocols and methods in it."""

from dataclasses import asdict
from typing import Any

import pandas as pd

from flgc.datasets.splits import derive_seed
from tasks.clusterings import clustering_scores
from tasks.declared.experiments import Cell
from tasks.running.routing import gpu_first, hand_over
from tasks.running.stage import as_task
from tasks.scoring import classification_scores
from tasks.stages.dataset import read_dataset
from tasks.stages.graph import leaking
from tasks.stages.splits import read_splits
from tasks.store.store import Artifact, Store

MODULES = {
    "classification": ("flgc.grid", "tasks.scoring"),
    "clustering": ("flgc.clustering", "tasks.clusterings"),
}


@gpu_first
def score_settings(
    store: str,
    cell: Cell,
    data: Artifact,
    graph: Artifact,
    splits: Artifact | None,
    device: str = "cpu",
) -> Artifact:
    """Every setting of the experiment's grid, scored in every run."""
    opened, experiment = Store(store), cell.experiment
    axes: dict[str, Any] = {"scalings": cell.preparation.scalings, **asdict(experiment.grid)}
    if experiment.kind == "clustering":
        axes |= {"seeds": seeds(cell), "blocks": blocks(cell)}
    # Seeds have 64 bits, more than every reader of JSON keeps in a number.
    key_axes = axes | {"seeds": [str(seed) for seed in axes.get("seeds", ())]}

    def compute() -> pd.DataFrame:
        hand_over()
        dataset = read_dataset(opened, data, cell.protocol)
        given: dict[str, Any] = {
            "P": opened.read_matrix(graph.key),
            "features": dataset.features,
            "labels": dataset.labels,
            "n_classes": dataset.n_classes,
            "device": device,
        }
        if splits is None:
            return clustering_scores(**given, **axes)
        return classification_scores(**given, **axes, runs=read_splits(opened, splits))

    inputs = {"dataset": data, "graph": graph}
    return opened.get_or_compute(
        "select",
        MODULES[experiment.kind],
        compute,
        parameters={**key_axes, "without": leaking(opened, data, cell.protocol)},
        inputs=inputs if splits is None else {**inputs, "splits": splits},
        provenance={"experiment": experiment.name, "subject": cell.subject.title},
    )


select = as_task(score_settings, "select {cell.subject.title}")


def seeds(cell: Cell) -> list[int]:
    """Seeds of a clustering's runs; with noise the data are one run already."""
    experiment, subject = cell.experiment, cell.subject
    runs = [subject.run] if subject.noise else list(range(experiment.runs))
    return [derive_seed(experiment.name, subject.dataset, run) for run in runs]


def blocks(cell: Cell) -> dict[str, float]:
    """The constants of the block-structure heuristic."""
    preparation = cell.preparation
    return {
        "threshold": preparation.threshold,
        "subspace_dim": preparation.subspace_dim,
        "power": preparation.power,
    }

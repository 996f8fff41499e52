"""What fills the cells of a table: fits of the picked setting, or its scores in the grid.

Where all runs share a setting its features are propagated, stored, and fitted. Where each run has
its own, they were fitted when the grid was scored, and are not fitted again.
"""

import time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from flgc.datasets.splits import derive_seed
from flgc.device import resolve_device
from flgc.scaling import scaled
from tasks.accuracies import run_accuracies
from tasks.clusterings import agreement, clustered, dense
from tasks.declared.experiments import Cell
from tasks.document.results import COLUMNS, result_rows
from tasks.picking import Setting, settings_of
from tasks.running.routing import gpu_first, hand_over
from tasks.running.stage import as_task
from tasks.select import blocks, seeds
from tasks.stages.dataset import described, read_dataset
from tasks.stages.graph import leaking
from tasks.stages.pick import shared_setting
from tasks.stages.splits import read_splits
from tasks.store.store import Artifact, Store, matrix_to_table

FIT_MODULES = ("tasks.accuracies",)
CLUSTER_MODULES = ("flgc.clustering", "flgc.datasets.splits", "tasks.clusterings")


@gpu_first
def fit_runs(
    store: str,
    cell: Cell,
    data: Artifact,
    graph: Artifact,
    scores: Artifact,
    picks: Artifact,
    embedding: Artifact,
    splits: Artifact,
    device: str = "cpu",
) -> Artifact:
    """The test accuracy of each run; where it was computed is a column, no part of the key."""
    opened, experiment = Store(store), cell.experiment
    setting = shared_setting(opened, picks)

    def compute() -> pd.DataFrame:
        hand_over()
        started = time.perf_counter()
        dataset = read_dataset(opened, data)
        runs = read_splits(opened, splits)
        H = opened.read_matrix(embedding.key)
        accuracies = run_accuracies(
            H, dataset.labels, dataset.n_classes, runs, setting.regularization, device
        )
        name = cell.subject.dataset
        return result_rows(
            cell,
            [setting] * len(runs),
            [derive_seed(experiment.name, name, run) for run in range(len(runs))],
            {"accuracy": accuracies},
            marks=", ".join(dataset.provenance["marks"]),
            device=str(resolve_device(device) or "cpu"),
            **_seconds(graph, scores, embedding, time.perf_counter() - started),
        )

    return opened.get_or_compute(
        "fit",
        FIT_MODULES,
        compute,
        parameters=cell_parameters(cell),
        inputs={
            "dataset": data,
            "picks": picks,
            "embedding": embedding,
            "splits": splits,
        },
    )


@gpu_first
def cluster_runs(
    store: str,
    cell: Cell,
    data: Artifact,
    graph: Artifact,
    scores: Artifact,
    picks: Artifact,
    embedding: Artifact,
    device: str = "cpu",
) -> Artifact:
    """ACC and NMI of the picked setting in each run."""
    opened = Store(store)
    setting = shared_setting(opened, picks)

    found = _clusters(opened, cell, data, embedding, setting)

    def compute() -> pd.DataFrame:
        table = opened.read(data.key)
        truth = table["label"].to_numpy()
        labels = opened.read_matrix(found.key)
        agreements = [agreement(truth, of_run) for of_run in labels]
        about = described(table)
        return result_rows(
            cell,
            [setting] * len(labels),
            seeds(cell),
            dict(zip(("ACC", "NMI"), zip(*agreements, strict=True), strict=True)),
            marks=", ".join(about["marks"]),
            changed=about.get("changed"),
            device="cpu",
            **_seconds(graph, scores, embedding, found.seconds),
        )

    return opened.get_or_compute(
        "cluster",
        CLUSTER_MODULES,
        compute,
        parameters=cell_parameters(cell) | {"seeds": [str(seed) for seed in seeds(cell)]},
        inputs={"dataset": data, "picks": picks, "clusters": found},
    )


def read_off(
    store: str, cell: Cell, data: Artifact, graph: Artifact, scores: Artifact, picks: Artifact
) -> Artifact:
    """The scores of each run's own setting."""
    opened = Store(store)

    def compute() -> pd.DataFrame:
        chosen = opened.read(picks.key).to_pandas()
        about = described(opened.read(data.key))
        values = {
            metric: chosen["test" if metric == "accuracy" else metric]
            for metric in cell.experiment.metrics
        }
        return result_rows(
            cell,
            settings_of(chosen),
            seeds(cell)[: len(chosen)],
            values,
            marks=", ".join(about["marks"]),
            changed=about.get("changed"),
            device="cpu",
            seconds_graph=graph.seconds,
            seconds_select=scores.seconds,
            seconds_propagate=0.0,
            seconds_fit=0.0,
        )

    return opened.get_or_compute(
        "fit",
        ("tasks.picking",),
        compute,
        parameters=cell_parameters(cell) | {"seeds": [str(seed) for seed in seeds(cell)]},
        inputs={"dataset": data, "picks": picks},
    )


def _clusters(
    store: Store, cell: Cell, data: Artifact, embedding: Artifact, setting: Setting
) -> Artifact:
    """The clusters of each run, one row per run; equal settings of two protocols share them."""

    def compute() -> pa.Table:
        hand_over()
        dataset = read_dataset(store, data, cell.protocol)
        X = dense(scaled(dataset.features, setting.scaling))
        H, n_clusters = store.read_matrix(embedding.key), dataset.n_classes
        models = (
            clustered(H, X, n_clusters, setting.regularization, seed, blocks(cell))
            for seed in seeds(cell)
        )
        return matrix_to_table(np.stack([model.labels_ for model in models]))

    return store.get_or_compute(
        "clusters",
        CLUSTER_MODULES,
        compute,
        parameters={
            "scaling": setting.scaling,
            "regularization": setting.regularization,
            "seeds": [str(seed) for seed in seeds(cell)],
            "blocks": blocks(cell),
            "without": leaking(store, data, cell.protocol),
        },
        inputs={"dataset": data, "embedding": embedding},
    )


fit = as_task(fit_runs, "fit {cell.title}")
scored = as_task(read_off, "fit {cell.title}")
cluster = as_task(cluster_runs, "cluster {cell.title}")


def cell_parameters(cell: Cell) -> dict[str, Any]:
    """What the rows say about themselves is a part of their key."""
    return {
        "experiment": cell.experiment.name,
        "subject": cell.subject.title,
        "method": cell.method,
        "protocol": cell.protocol,
        "columns": list(COLUMNS),
    }


def _seconds(
    graph: Artifact, scores: Artifact, embedding: Artifact, fit: float
) -> dict[str, float]:
    """What each stage took when it was computed."""
    return {
        "seconds_graph": graph.seconds,
        "seconds_select": scores.seconds,
        "seconds_propagate": embedding.seconds,
        "seconds_fit": fit,
    }

"""Noise as a named, seeded, counted step: the corrupted dataset is a dataset of its own."""

import dataclasses

import numpy as np
import pyarrow as pa

from flgc.datasets.splits import derive_seed
from flgc.noise import Corrupted, gaussian, salt_and_pepper
from flgc.scaling import scaled
from tasks.clusterings import dense
from tasks.declared.experiments import Noise, Subject
from tasks.running.stage import as_task
from tasks.stages.dataset import LAYOUT, dataset_table, read_dataset
from tasks.store.store import Artifact, Store

MODULES = ("flgc.noise", "flgc.scaling")


def corrupt_features(store: str, data: Artifact, experiment: str, subject: Subject) -> Artifact:
    """The features in the noise's scale, corrupted; how many entries changed is written down."""
    opened, noise = Store(store), subject.noise
    if noise is None:
        raise ValueError(f"{subject.title} has no noise to add")
    seed = derive_seed(experiment, subject.dataset, subject.run)

    def compute() -> pa.Table:
        dataset = read_dataset(opened, data)
        X = dense(scaled(dataset.features, noise.scaling))
        noisy, changed = _corrupted(X, noise, seed)
        return dataset_table(dataclasses.replace(dataset, features=noisy), changed=changed)

    return opened.get_or_compute(
        "corrupt",
        MODULES,
        compute,
        parameters={**dataclasses.asdict(noise), "seed": str(seed), "layout": LAYOUT},
        inputs={"dataset": data},
    )


corrupt = as_task(corrupt_features, "corrupt {subject.title}")


def _corrupted(X: np.ndarray, noise: Noise, seed: int) -> Corrupted:
    if noise.kind == "gaussian":
        return gaussian(X, noise.intensity, seed=seed, clip=(0.0, 1.0) if noise.clip else None)
    return salt_and_pepper(X, noise.intensity, seed=seed)

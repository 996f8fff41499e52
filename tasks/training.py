"""Methods that are trained by gradient descent: all runs of a setting at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from flgc.datasets.splits import Split
from flgc.methods.trained import Training, model_named, train
from flgc.scaling import scaled
from tasks.picking import TRAINED_AXES, Rival, Setting
from tasks.running.progress import tracked


@dataclass(frozen=True)
class Data:
    """What all runs share, and the nodes of each: one split for all, or one for each run."""

    P: sp.csr_array
    features: Any
    labels: np.ndarray
    n_classes: int
    splits: Sequence[Split]
    device: str = "cpu"

    def accuracy(self, predicted: np.ndarray, run: int, role: str) -> float:
        """Of one run at its validation or test nodes; missing where it has none."""
        nodes = getattr(self.splits[run % len(self.splits)], role)
        return float(np.mean(predicted[nodes] == self.labels[nodes])) if len(nodes) else np.nan


def settings_of(rival: Rival, scalings: Sequence[str]) -> list[Setting]:
    """All that is trained apart from each other; the epochs are the last that are looked at."""
    axes = (scalings, rival.hops, rival.weight_decays, rival.learning_rates)
    return [
        Setting(scaling, hops, rival.teleport or 0.0, decay, rate, max(rival.epochs))
        for scaling, hops, decay, rate in product(*axes)
    ]


def predictions(
    data: Data,
    rival: Rival,
    setting: Setting,
    seeds: Sequence[int],
    checkpoints: Sequence[int] = (),
) -> np.ndarray:
    """The class of every node: (checkpoints, runs, nodes); without checkpoints at the end."""
    free = {"hops": setting.hops, "hidden": rival.hidden, "teleport": rival.teleport}
    model = model_named(rival.name, **{k: v for k, v in free.items() if v is not None})
    labelled = np.stack([split.train for split in data.splits])
    trained = train(
        model,
        data.P,
        scaled(data.features, setting.scaling),
        data.labels,
        labelled[0] if len(labelled) == 1 else labelled[: len(seeds)],
        n_classes=data.n_classes,
        seeds=[seed % 2**63 for seed in seeds],
        training=Training(
            epochs=setting.epochs or max(rival.epochs),
            learning_rate=setting.learning_rate or rival.learning_rates[0],
            weight_decay=setting.regularization,
        ),
        checkpoints=checkpoints,
        device=data.device,
    )
    return trained.predictions


def training_scores(
    data: Data, rival: Rival, settings: Sequence[Setting], seeds: Sequence[int]
) -> pd.DataFrame:
    """One row per run and setting, at all epochs of the rival: validation and test accuracy."""

    def rows() -> Iterator[tuple]:
        for setting in tracked(settings, len(settings)):
            found = predictions(data, rival, setting, seeds, rival.epochs)
            axes = list(setting.as_dict().values())[:-1]
            for epochs, of_runs in zip(rival.epochs, found, strict=True):
                for run, predicted in enumerate(of_runs):
                    scores = (data.accuracy(predicted, run, role) for role in ("val", "test"))
                    yield run, *axes, epochs, *scores

    return pd.DataFrame(rows(), columns=["run", *TRAINED_AXES, "validation", "test"])

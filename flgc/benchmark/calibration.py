"""Calibration of probabilities: the picked model against the average of all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import softmax

from flgc.classifier_cv import COMBINES, FLGCClassifierCV
from flgc.datasets import Dataset, load
from flgc.datasets.splits import Split, public, runs, seeds_of
from flgc.metrics import expected_calibration_error
from flgc.scaling import min_max

# Tables that need no download, 10 % of each class labelled.
TABLES = ("iris", "wine", "wdbc")
N_RUNS = 5


def rows(datasets: list[str], mirror: str | None) -> Iterator[dict]:
    """Accuracy and calibration error on test nodes, in percent, means over the runs."""
    for name in (*datasets, *TABLES):
        data = load(name, mirror=mirror)
        splits = [public(data.masks)] if data.masks else drawn(data)
        for combine in COMBINES:
            of_runs = [_measure(data, split, combine) for split in splits]
            accuracy, error = np.mean(of_runs, axis=0).tolist()
            yield {
                "dataset": name,
                "combine": combine,
                "accuracy": 100 * accuracy,
                "calibration_error": 100 * error,
            }


def drawn(data: Dataset) -> list[Split]:
    """Runs with 10 % of each class labelled."""
    return runs(data, "10%", seeds_of("calibration", data.name, N_RUNS))


def _measure(data: Dataset, split: Split, combine: str) -> tuple[float, float]:
    """Accuracy and calibration error on the test nodes of one run."""
    seen = np.concatenate([split.train, split.val])
    y = np.full(data.n_nodes, -1)
    y[seen] = data.labels[seen]
    X = data.features if data.edges is not None else min_max(data.features)
    model = FLGCClassifierCV(combine=combine)
    model.fit(X, y, data.edges, validation=split.val if len(split.val) else None)
    probabilities = softmax(model.label_scores_[split.test] / model.temperature_, axis=1)
    truth = data.labels[split.test]
    right = float(np.mean(model.transduction_[split.test] == truth))
    return right, expected_calibration_error(truth, probabilities)

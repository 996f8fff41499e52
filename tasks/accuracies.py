"""Classification: the closed-form fits of the picked setting."""

from collections.abc import Sequence

import numpy as np
from array_api_compat import array_namespace

from flgc.datasets.splits import Split
from flgc.device import resolve_device, to_device, to_numpy
from flgc.ridge import one_hot, ridge_weights


def run_accuracies(
    H: np.ndarray,
    labels: np.ndarray,
    n_classes: int,
    runs: Sequence[Split],
    regularization: float,
    device: str = "cpu",
) -> list[float]:
    """Test accuracy of the closed-form fit on the embedding H, in each run."""
    where = resolve_device(device)
    embedding, truth = to_device(H, where), to_device(labels, where)
    xp = array_namespace(embedding)
    weights = []
    for run in runs:
        labelled = to_device(run.train, where)
        targets = one_hot(truth[labelled], n_classes, embedding.dtype)
        weights.append(ridge_weights(embedding[labelled], targets, regularization))
    # The embedding is large: it is read once for all runs.
    scores = to_numpy(embedding @ xp.concat(weights, axis=1)).reshape(-1, len(runs), n_classes)
    predicted = scores.argmax(axis=2)
    return [
        float(np.mean(predicted[run.test, i] == labels[run.test])) for i, run in enumerate(runs)
    ]

"""Classification: the closed-form fits of the picked setting."""

from collections.abc import Sequence

import numpy as np

from flgc.classifier import fit_weights
from flgc.datasets.splits import Split
from flgc.device import resolve_device, to_device, to_numpy
from flgc.ridge import one_hot


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
    accuracies = []
    for run in runs:
        labelled = to_device(run.train, where)
        _, scores = fit_weights(
            None,
            embedding,
            labelled,
            one_hot(truth[labelled], n_classes, embedding.dtype),
            hops=0,
            teleport=0.0,
            regularization=regularization,
        )
        predicted = to_numpy(scores).argmax(axis=1)
        accuracies.append(float(np.mean(predicted[run.test] == labels[run.test])))
    return accuracies

"""Accuracy and training time against hops, all else fixed: the paper's Figure 2."""

import dataclasses
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from flgc.classifier import fit_weights
from flgc.device import one_core, resolve_device, to_device, to_numpy
from flgc.ridge import one_hot
from flgc.scaling import scaled
from tasks.picking import Method, Rival, Setting
from tasks.running.progress import tracked
from tasks.training import Data, predictions

COLUMNS = ["method", "scaling", "teleport", "hops", "accuracy", "seconds"]


def timed_fits(
    data: Data,
    methods: Mapping[str, Method | Rival],
    settings: Mapping[str, Setting],
    hops: Sequence[int],
    seed: int,
    repeats: int,
    within: float,
) -> pd.DataFrame:
    """One row per method and hops: test accuracy, and seconds from P and X to the predictions.

    One rule for all: float32, one core (a single run of a rival cannot use more), one fit before
    the watch runs, since the first pays for what is set up once, then the median of so many
    `repeats`, or of as many as start `within` so many seconds. Methods take turns, so that a busy
    minute of the machine hits all of them.
    """
    P, X = data.P.astype(np.float32), data.features.astype(np.float32)
    data = dataclasses.replace(data, P=P, features=X)
    fits = {name: _fit_of(data, methods[name], seed) for name in settings}

    def rows() -> Iterator[tuple]:
        for name, setting in settings.items():
            fits[name](dataclasses.replace(setting, hops=hops[0]))
        turns = [(n_hops, name) for n_hops in hops for name in settings]
        for n_hops, name in tracked(turns, len(turns)):
            setting = dataclasses.replace(settings[name], hops=n_hops)
            times: list[float] = []
            while len(times) < repeats and sum(times) < within:
                started = time.perf_counter()
                predicted = fits[name](setting)
                times.append(time.perf_counter() - started)
            accuracy = data.accuracy(predicted, 0, "test")
            about = (name, setting.scaling, setting.teleport, n_hops)
            yield *about, accuracy, statistics.median(times)

    with one_core():
        return pd.DataFrame(rows(), columns=COLUMNS)


def _fit_of(data: Data, method: Method | Rival, seed: int) -> Callable[[Setting], np.ndarray]:
    """From a setting to the class of every node, on the first split."""
    first = dataclasses.replace(data, splits=data.splits[:1])
    if isinstance(method, Rival):
        return lambda setting: predictions(first, method, setting, [seed])[0, 0]
    where = resolve_device(data.device)
    P, labels = to_device(data.P, where), to_device(data.labels, where)
    labelled = to_device(data.splits[0].train, where)

    def fit(setting: Setting) -> np.ndarray:
        X = to_device(scaled(data.features, setting.scaling), where)
        _, scores = fit_weights(
            P,
            X,
            labelled,
            one_hot(labels[labelled], data.n_classes, X.dtype),
            hops=setting.hops,
            teleport=setting.teleport,
            regularization=setting.regularization,
        )
        return to_numpy(scores).argmax(axis=1)

    return fit

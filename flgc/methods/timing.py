"""Accuracy and training time against hops, all else fixed: the paper's Figure 2."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from flgc.device import one_core
from flgc.methods.base import Method, as_columns
from flgc.methods.judging import posed
from flgc.methods.picking import usual
from flgc.progress import tracked

# A timed fit is repeated so often, or until so many seconds have passed, for every method.
REPEATS, SECONDS = 3, 0.2


def time_methods(
    data: Any,
    graph: Any,
    splits: Sequence[Any],
    picks: Mapping[str, pd.DataFrame],
    methods: Mapping[str, Method],
    hops: Sequence[int],
    seeds: Sequence[int],
    without: Sequence[str] = (),
    device: str = "cpu",
) -> pd.DataFrame:
    """One row per method and hops: test accuracy, and training time from P and X to predictions.

    One rule for all: the setting that most runs picked, float32, one core (a single run of a
    trained method cannot use more), one fit that is not timed, as it pays for the set-up, then the
    median of `REPEATS` fits, or of as many as start within `SECONDS`. Methods take turns, so that
    other load affects all of them.
    """
    data = data.without(without)
    P, X = graph.astype(np.float32), data.features.astype(np.float32)
    posed_to = {}
    for name, method in methods.items():
        problem, judge = posed(data, P, splits, seeds, method, device)
        posed_to[name] = (dataclasses.replace(problem.only([0]), X=X), judge)
    settings = {name: usual(of_method) for name, of_method in picks.items()}

    def fit(name: str, n_hops: int) -> tuple[dict[str, Any], np.ndarray]:
        setting = {axis: settings[name][axis] for axis in methods[name].axes} | {"hops": n_hops}
        grid = {axis: (value,) for axis, value in setting.items()}
        [(_, outputs)] = methods[name].answers(posed_to[name][0], grid)
        return setting, outputs.classes[0]

    def rows() -> Iterator[dict[str, Any]]:
        for name in methods:
            fit(name, hops[0])
        turns = [(n_hops, name) for n_hops in hops for name in methods]
        for n_hops, name in tracked(turns, len(turns)):
            times: list[float] = []
            while len(times) < REPEATS and sum(times) < SECONDS:
                started = time.perf_counter()
                setting, classes = fit(name, n_hops)
                times.append(time.perf_counter() - started)
            accuracy = posed_to[name][1]([0], [classes])["test"][0]
            measured = {
                "hops": n_hops,
                "accuracy": accuracy,
                "training_time": statistics.median(times),
            }
            yield {"method": name, **as_columns(setting), **measured}

    with one_core():
        return pd.DataFrame(rows())

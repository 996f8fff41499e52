"""One point of history: accuracies and costs of a run, and fits of this library and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from flgc.benchmark.rivals import Case, timed_in_turns

COLUMNS = ["when", "suite", "dataset", "method", "protocol", "metric", "value"]
RATIO, ONE_FIT, ALL_STAGES = "ratio to flgc", "seconds of one fit", "seconds of all stages"
SECONDS = (ONE_FIT, ALL_STAGES)
# The setting at which all are timed: FLGC*'s on Cora.
HOPS, TELEPORT, REGULARIZATION = 20, 0.1, 2.0


def measure(
    results: Sequence[pd.DataFrame],
    data: Any,
    suite: str,
    when: str,
    costs: Mapping[str, Mapping[str, float]],
    repeats: int = 3,
) -> pd.DataFrame:
    """Mean accuracies, seconds and ratios; `when` identifies the point.

    `costs` are the seconds of each method's stages, on all datasets, when they were computed.
    """
    names = ["dataset", "method", "protocol", "metric"]
    rows = pd.concat(results, ignore_index=True)
    means = rows.groupby(names, sort=False)["value"].mean().reset_index()
    seconds = {name: sum(stages.values()) for name, stages in costs.items()}
    spent = [("all datasets", name, "", ALL_STAGES, total) for name, total in seconds.items()]
    lines = [*means.itertuples(index=False, name=None), *spent, *_ratios(data, repeats)]
    table = pd.DataFrame(lines, columns=COLUMNS[2:])
    return table.assign(when=when, suite=suite)[COLUMNS]


def _ratios(data: Any, repeats: int) -> list[tuple]:
    masks, edges = data.masks, data.edges
    if masks is None or edges is None:
        raise ValueError(f"{data.name} has no graph with a public split to measure on")
    features = sp.csr_array(data.features)
    case = Case(features, data.labels, edges, masks["train"], HOPS, TELEPORT, REGULARIZATION)
    timings = timed_in_turns(case, repeats)
    own, _ = timings["flgc"]
    rows: list[tuple] = []
    for name, (median, scores) in timings.items():
        hits = (scores.argmax(axis=1) == data.labels)[masks["test"]]
        rows.append((data.name, name, "", "accuracy of one fit", float(np.mean(hits))))
        rows.append((data.name, name, "", ONE_FIT, median))
        rows.append((data.name, name, "", RATIO, float(np.divide(median, own))))
    return rows

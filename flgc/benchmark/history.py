"""One point of history: accuracies of a run, and what this library's fits take beside others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from flgc.benchmark.rivals import Case, timed_in_turns

COLUMNS = ["when", "suite", "dataset", "method", "protocol", "metric", "value"]
# The setting at which all are timed: FLGC*'s on Cora.
HOPS, TELEPORT, REGULARIZATION = 20, 0.1, 2.0


def measure(
    results: Sequence[pd.DataFrame], data: Any, suite: str, when: str, repeats: int = 3
) -> pd.DataFrame:
    """Mean accuracies, seconds and ratios; `when` makes it a point of its own."""
    names = ["dataset", "method", "protocol", "metric"]
    rows = pd.concat(results, ignore_index=True)
    means = rows.groupby(names, sort=False)["value"].mean().reset_index()
    found = [*means.itertuples(index=False, name=None), *_ratios(data, repeats)]
    table = pd.DataFrame(found, columns=COLUMNS[2:])
    return table.assign(when=when, suite=suite)[COLUMNS]


def _ratios(data: Any, repeats: int) -> list[tuple]:
    masks, edges = data.masks, data.edges
    if masks is None or edges is None:
        raise ValueError(f"{data.name} has no graph with a public split to measure on")
    features = sp.csr_array(data.features)
    case = Case(features, data.labels, edges, masks["train"], HOPS, TELEPORT, REGULARIZATION)
    found = timed_in_turns(case, repeats)
    own, _ = found["flgc"]
    rows: list[tuple] = []
    for name, (median, scores) in found.items():
        hits = (scores.argmax(axis=1) == data.labels)[masks["test"]]
        rows.append((data.name, name, "", "accuracy of one fit", float(np.mean(hits))))
        rows.append((data.name, name, "", "seconds of one fit", median))
        rows.append((data.name, name, "", "ratio to flgc", float(np.divide(median, own))))
    return rows

"""Speed ratios of one run: this library and its rivals on the same graph, in turns."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import scipy.sparse as sp

from flgc.benchmark.rivals import Problem, timed_in_turns
from tasks.document.results import read_results
from tasks.running.stage import as_task
from tasks.stages.dataset import read_dataset
from tasks.store.store import Artifact, Store

MODULES = ("flgc.benchmark.rivals",)
HISTORY = ["when", "suite", "dataset", "method", "protocol", "metric", "value"]
# The setting at which all are timed: FLGC*'s on Cora.
HOPS, TELEPORT, REGULARIZATION = 20, 0.1, 2.0


def measure_speed(
    store: str,
    suite: str,
    dataset: str | None,
    data: Artifact | None,
    results: list[Artifact],
    when: str,
    repeats: int = 3,
) -> Artifact:
    """One point of history: seconds, ratios and mean accuracies; `when` makes it one of its own."""
    opened = Store(store)

    def compute() -> pd.DataFrame:
        rows = _accuracies(read_results(opened, results))
        if dataset is not None and data is not None:
            rows += _ratios(opened, dataset, data, repeats)
        table = pd.DataFrame(rows, columns=HISTORY[2:])
        return table.assign(when=when, suite=suite)[HISTORY]

    return opened.get_or_compute(
        "history",
        MODULES,
        compute,
        parameters={"when": when, "suite": suite, "dataset": dataset, "repeats": repeats},
        inputs={f"{i:04d}": artifact for i, artifact in enumerate(results)},
    )


speed = as_task(measure_speed, "speed {suite} {when}")


def now() -> str:
    """The moment, as history writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _accuracies(results: pd.DataFrame) -> list[tuple]:
    names = ["dataset", "method", "protocol", "metric"]
    means = results.groupby(names, sort=False)["value"].mean().reset_index()
    return list(means.itertuples(index=False, name=None))


def _ratios(store: Store, dataset: str, data: Artifact, repeats: int) -> list[tuple]:
    loaded = read_dataset(store, data)
    masks, edges = loaded.masks, loaded.edges
    if masks is None or edges is None:
        raise ValueError(f"{dataset} has no graph with a public split to measure on")
    features = sp.csr_array(loaded.features)
    problem = Problem(
        features, loaded.labels, edges, masks["train"], HOPS, TELEPORT, REGULARIZATION
    )
    found = timed_in_turns(problem, repeats)
    own, _ = found["flgc"]
    rows: list[tuple] = []
    for name, (median, scores) in found.items():
        hits = (scores.argmax(axis=1) == loaded.labels)[masks["test"]]
        rows.append((dataset, name, "", "accuracy of one fit", float(np.mean(hits))))
        rows.append((dataset, name, "", "seconds of one fit", median))
        rows.append((dataset, name, "", "ratio to flgc", float(np.divide(median, own))))
    return rows

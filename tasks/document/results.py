"""Result rows: tidy, one schema for every experiment, one row per run and metric."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from tasks.declared.experiments import Cell
from tasks.picking import Setting
from tasks.store.store import Artifact, Store

COLUMNS = {
    "experiment": "str",
    "dataset": "str",
    "marks": "str",
    "noise": "str",
    "intensity": "float64",
    "changed": "Int64",
    "method": "str",
    "protocol": "str",
    "criterion": "str",
    "split": "str",
    "run": "int64",
    "seed": "str",  # 64 bits without a sign, which a spreadsheet would round
    "scaling": "str",
    "hops": "int64",
    "teleport": "float64",
    "regularization": "float64",  # the weight decay of a method that is trained
    "learning_rate": "float64",
    "epochs": "Int64",
    "metric": "str",
    "value": "float64",
    "device": "str",
    "seconds_graph": "float64",
    "seconds_select": "float64",
    "seconds_propagate": "float64",
    "seconds_fit": "float64",
}


def result_rows(
    cell: Cell,
    settings: Sequence[Setting],
    seeds: Iterable[int],
    values: Mapping[str, Iterable[float]],
    **rest: Any,
) -> pd.DataFrame:
    """The rows of one cell; `settings` has one for each run, `values` a list of each metric."""
    subject = cell.subject
    shared = {
        "experiment": cell.experiment.name,
        "dataset": subject.dataset,
        "noise": f"{subject.noise.kind}, {subject.noise.scaling}" if subject.noise else "",
        "intensity": subject.noise.intensity if subject.noise else 0.0,
        "method": cell.method,
        "protocol": cell.protocol,
        "split": cell.experiment.split,
        "learning_rate": None,
        "epochs": None,
        "marks": "",
        "changed": None,
        **rest,
    }
    rows = [
        {
            **shared,
            **setting.as_dict(),
            "criterion": setting.criterion,
            "run": subject.run + run,
            "seed": str(seed),
            "metric": metric,
            "value": value,
        }
        for metric, of_runs in values.items()
        for run, (setting, seed, value) in enumerate(zip(settings, seeds, of_runs, strict=True))
    ]
    return pd.DataFrame(rows)[list(COLUMNS)].astype(COLUMNS)


def read_results(store: Store, artifacts: Iterable[Artifact]) -> pd.DataFrame:
    """The rows of many cells, one below the other."""
    frames = [store.read(artifact.key).to_pandas().astype(COLUMNS) for artifact in artifacts]
    if not frames:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in COLUMNS.items()})
    return pd.concat(frames, ignore_index=True)

"""Result rows: tidy, one schema for every experiment, one row per run and metric."""

from collections.abc import Iterable, Mapping

import pandas as pd

# The columns of every method; its own settings stand beside them as p_<axis>.
COLUMNS = {
    "experiment": "str",
    "dataset": "str",
    "noise": "str",
    "intensity": "float64",
    "noise_pattern": "str",
    "method": "str",
    "protocol": "str",
    "split": "str",
    "marks": "str",
    "changed": "Int64",
    "changed_share": "float64",
    "device": "str",
    "criterion": "str",
    "tried": "int64",
    "run": "int64",
    "seed": "str",
    "metric": "str",
    "value": "float64",
}


_WHOSE = ("dataset", "method")


def joined(frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The rows of many cells, one below the other; a method lacks the settings of others."""
    every = list(frames)
    if not every:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in COLUMNS.items()})
    return pd.concat(every, ignore_index=True).astype(COLUMNS)


def varied(curves: Mapping[str, Mapping[str, pd.DataFrame]]) -> pd.DataFrame:
    """The curves of a figure, one below the other, each with its dataset and method."""
    frames = [
        frame.assign(dataset=dataset, method=method)
        for dataset, of_methods in curves.items()
        for method, frame in of_methods.items()
    ]
    found = pd.concat(frames, ignore_index=True)
    return found[["dataset", "method", *(name for name in found if name not in _WHOSE)]]


def timed(timings: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The timings of many datasets, one below the other, each with its dataset."""
    frames = [frame.assign(dataset=dataset) for dataset, frame in timings.items()]
    return pd.concat(frames, ignore_index=True)

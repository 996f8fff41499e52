"""Result rows: tidy, one schema for every experiment, one row per run and metric."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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


def joined(frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The rows of many cells, one below the other; a method lacks the settings of others."""
    every = list(frames)
    if not every:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in COLUMNS.items()})
    return pd.concat(every, ignore_index=True).astype(COLUMNS)


def stack(products: Mapping[str, Any], names: Sequence[str]) -> pd.DataFrame:
    """Frames in mappings of mappings, one below the other; each level of names is a column."""
    if not products:
        return pd.DataFrame()
    name, *inner = names
    parts = [
        (stack(each, inner) if inner else each).assign(**{name: key})
        for key, each in products.items()
    ]
    found = pd.concat(parts, ignore_index=True)
    return found[[*names, *(column for column in found if column not in names)]]

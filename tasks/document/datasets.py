"""The table of datasets, ours beside the paper's, with its slips named."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from flgc.datasets.dataset import Dataset, titled
from flgc.datasets.sizes import SIZES
from tasks.declared.described import Described

# Of one's own data, in the summary of its columns.
MOST_COLUMNS = 20


def dataset_table(table: Described, found: pd.DataFrame, absent: Mapping[str, str]) -> pd.DataFrame:
    """One row per dataset: its sizes, and where the paper prints something else."""
    ours: Any = found.set_index("dataset").to_dict("index")
    rows = []
    for name in table.datasets:
        printed = [row for row in table.sizes if row["dataset"] == name]
        here: dict[str, Any] = ours.get(name, {})
        known = here or (printed[0] if printed else {})
        marks = [mark for mark in (here.get("marks"), absent.get(name)) if mark]
        line = {"dataset": titled(name, marks)}
        line |= {size: known.get(size, "") for size in (*SIZES, "smallest class")}
        if table.sizes:
            line["the paper's table"] = "; ".join(_slips(here, printed)) or "the same"
        rows.append(line)
    return pd.DataFrame(rows)


def column_table(data: Dataset) -> pd.DataFrame:
    """One row per column of one's own table, as methods get it; nothing of other kinds of data."""
    if data.kind != "table" or not isinstance(data.features, np.ndarray):
        return pd.DataFrame()
    names = data.feature_names or [str(i) for i in range(data.n_features)]
    shown = pd.DataFrame(data.features[:, :MOST_COLUMNS], columns=list(names[:MOST_COLUMNS]))
    found = {"different values": shown.nunique(), "smallest": shown.min()}
    found |= {"median": shown.median(), "largest": shown.max()}
    return pd.DataFrame(found).rename_axis("column").reset_index()


def _slips(here: Mapping[str, Any], printed: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where the paper's rows of a dataset are not one, or say something else than the data."""
    if not printed:
        return ["not in it"]
    found = [f"in it {len(printed)} times"] if len(printed) > 1 else []
    if not here:
        return [*found, "its sizes, no data to compare"]
    return found + [
        f"{printed[0][size]} {size}"
        for size in SIZES
        if size in here and printed[0][size] != here[size]
    ]

"""Tables that users bring: files and data frames turned into numbers."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from flgc.datasets.errors import DatasetError

if TYPE_CHECKING:
    import pandas as pd

PathLike = str | os.PathLike[str]
Coding = Literal["onehot", "ordinal"]


def read_frame(table: "PathLike | pd.DataFrame", header: bool = True) -> "tuple[pd.DataFrame, str]":
    """The table and what to call it in a message; every column name is text."""
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return table.rename(columns=str), "the data frame"
    path = Path(table)
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return pd.read_parquet(path), path.name
        first = 0 if header else None
        frame = pd.read_csv(path, sep=None, engine="python", header=first).rename(columns=str)
    except FileNotFoundError:
        raise DatasetError(f"{path} does not exist") from None
    except Exception as error:
        raise DatasetError(f"{path} cannot be read as a table: {error}") from error
    if header and any(re.fullmatch(r"[-+]?[0-9]*\.?[0-9]+(\.[0-9]+)?", c) for c in frame.columns):
        raise DatasetError(
            f"{path}: the first line looks like data ({_listed(frame)}); if the file has no line "
            "of column names, say so: header=False, or --no-header"
        )
    return frame, path.name


def column_named(frame: "pd.DataFrame", column: str | int, source: str) -> str:
    """The name of a column that is given by name or by place."""
    if isinstance(column, int):
        return frame.columns[column]
    if column not in frame.columns:
        raise DatasetError(f"{source} has no column {column!r}; it has {_listed(frame)}")
    return column


def _listed(frame: "pd.DataFrame") -> str:
    return ", ".join(str(column) for column in frame.columns[:20])


def coded_labels(column: "pd.Series") -> tuple[np.ndarray, tuple[str, ...]]:
    """0..C-1 in sorted order of the values, -1 where there is none; and the class names."""
    import pandas as pd

    codes, values = pd.factorize(column, sort=True)
    return codes.astype(np.int64), tuple(str(value) for value in values)


def coded_features(
    frame: "pd.DataFrame", categorical: Coding, source: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers as they are, categories coded; a missing or infinite value is an error."""
    import pandas as pd

    columns: dict[str, np.ndarray] = {}
    for name, column in frame.items():
        if column.isna().any():
            row = int(np.argmax(column.isna().to_numpy()))
            raise DatasetError(
                f"{source}: column {name!r} has no value in row {row}; fill or drop such rows"
            )
        if pd.api.types.is_numeric_dtype(column):
            columns[str(name)] = column.to_numpy(dtype=np.float64)
            continue
        codes, values = pd.factorize(column, sort=True)
        if categorical == "ordinal":
            columns[str(name)] = codes.astype(np.float64)
        else:
            columns |= {f"{name}={v}": (codes == i) * 1.0 for i, v in enumerate(values)}
    if not columns:
        raise DatasetError(f"{source} has no feature column")
    features = np.column_stack(list(columns.values()))
    if not np.isfinite(features).all():
        raise DatasetError(f"{source} has infinite values")
    return features, tuple(columns)

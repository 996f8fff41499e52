"""Tables that users bring: files and data frames turned into numbers."""

import collections
import csv
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from flgc.datasets.errors import DatasetError

if TYPE_CHECKING:
    import pandas as pd

PathLike = str | os.PathLike[str]
Coding = Literal["onehot", "ordinal"]


def read_frame(
    table: "PathLike | pd.DataFrame", header: bool = True, missing: Sequence[str] = ()
) -> "tuple[pd.DataFrame, str]":
    """The table and what to call it in a message; every column name is text and there once.

    `missing` are texts that stand for no value in a CSV, besides those that pandas knows.
    """
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return _named(table, "the data frame"), "the data frame"
    path = Path(table)
    if path.is_dir():
        raise DatasetError(f"{path} is a folder; name a CSV or Parquet file")
    if path.is_file() and path.stat().st_size == 0:
        raise DatasetError(f"{path} cannot be read: it is empty")
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            frame = pd.read_parquet(path)
        else:
            separator, first_line = _separated(path)
            if header:
                _refuse_bad_header(first_line, path)
            frame = pd.read_csv(
                path,
                sep=separator,
                engine="python",
                header=0 if header else None,
                na_values=list(missing),
                skipinitialspace=separator != " ",
            )
    except FileNotFoundError:
        raise DatasetError(f"{path} does not exist") from None
    except UnicodeError as error:
        raise DatasetError(
            f"{path} cannot be read: it is not UTF-8 ({error}); save it as UTF-8"
        ) from error
    except DatasetError:
        raise
    except Exception as error:
        raise DatasetError(f"{path} cannot be read as a table: {error}") from error
    return _named(frame, path.name), path.name


def _separated(path: Path) -> tuple[str, list[str]]:
    """What separates the columns of a CSV, and the first line; pandas would take a letter too."""
    import pandas as pd

    options: dict[str, Any] = {"header": None, "nrows": 1, "dtype": str, "engine": "python"}
    lines = pd.read_csv(path, sep="\0", quoting=csv.QUOTE_NONE, keep_default_na=False, **options)
    line = lines.iloc[0, 0]
    try:
        separator = csv.Sniffer().sniff(line, delimiters=",;\t|:^~ ").delimiter
    except csv.Error:  # one column
        separator = ","
    return separator, next(csv.reader([line], delimiter=separator))


def column_named(frame: "pd.DataFrame", column: str | int, source: str) -> str:
    """The name of a column that is given by name or by place."""
    if isinstance(column, int):
        if not -frame.shape[1] <= column < frame.shape[1]:
            raise DatasetError(f"{source} has {frame.shape[1]} columns, none at place {column}")
        return frame.columns[column]
    if column not in frame.columns:
        raise DatasetError(f"{source} has no column {column!r}; it has {_listed(frame)}")
    return column


def _named(frame: "pd.DataFrame", source: str) -> "pd.DataFrame":
    names = [str(column) for column in frame.columns]
    _refuse_doubles(names, source)
    return frame.set_axis(names, axis=1)


def _refuse_bad_header(names: list[str], path: Path) -> None:
    """Names as they stand in the file: pandas would call the second of two equal ones name.1."""
    if any(re.fullmatch(r"[-+]?[0-9]*\.?[0-9]+", name.strip()) for name in names):
        raise DatasetError(
            f"{path}: the first line looks like data ({', '.join(names[:20])}); if the file has no "
            "line of column names, say so: header=False, or --no-header"
        )
    _refuse_doubles(filter(None, names), path.name)


def _refuse_doubles(names: Iterable[str], source: str) -> None:
    doubles = [name for name, times in collections.Counter(names).items() if times > 1]
    if doubles:
        raise DatasetError(
            f"{source} has more than one column {', '.join(map(repr, doubles))}; rename them"
        )


def _listed(frame: "pd.DataFrame") -> str:
    return ", ".join(str(column) for column in frame.columns[:20])


def coded_labels(column: "pd.Series", source: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """0..C-1 in sorted order of the values, -1 where there is none; and the class names."""
    import pandas as pd

    if pd.api.types.is_float_dtype(column):
        given = column.dropna().to_numpy(dtype=np.float64)
        odd = given[(given != np.round(given)) | np.isinf(given)]
        if odd.size:
            raise DatasetError(
                f"{source}: label {odd[0]} in column {column.name!r} is no class; "
                "use whole numbers or text"
            )
    codes, values = _codes(column, source)
    if not len(values):
        raise DatasetError(f"{source}: column {column.name!r} has no label at all")
    # Whole numbers are read as fractions where one is missing.
    whole = pd.api.types.is_float_dtype(column)
    return codes.astype(np.int64), tuple(str(int(v) if whole else v) for v in values)


def coded_features(
    frame: "pd.DataFrame", categorical: Coding, source: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers as they are, categories coded; a missing or infinite value is an error."""
    import pandas as pd

    columns: list[tuple[str, np.ndarray]] = []
    for name, column in frame.items():
        if column.isna().any():
            row = int(np.argmax(column.isna().to_numpy()))
            raise DatasetError(
                f"{source}: column {name!r} has no value in row {row}; fill or drop such rows, or "
                "let them be filled: tidy=True, or --tidy"
            )
        if pd.api.types.is_complex_dtype(column):
            raise DatasetError(f"{source}: column {name!r} has complex numbers; split them")
        if pd.api.types.is_numeric_dtype(column):
            columns.append((str(name), column.to_numpy(dtype=np.float64)))
            continue
        codes, values = _codes(column, source)
        if categorical == "ordinal":
            columns.append((str(name), codes.astype(np.float64)))
        else:
            columns += [(f"{name}={v}", (codes == i) * 1.0) for i, v in enumerate(values)]
    if not columns:
        raise DatasetError(f"{source} has no feature column")
    names = tuple(name for name, _ in columns)
    _refuse_doubles(names, source)
    features = np.column_stack([values for _, values in columns])
    if not np.isfinite(features).all():
        row, place = np.argwhere(~np.isfinite(features))[0]
        raise DatasetError(
            f"{source} has infinite values, the first in row {row} of column {names[place]!r}; "
            "replace them"
        )
    return features, names


def _codes(column: "pd.Series", source: str) -> "tuple[np.ndarray, pd.Index]":
    """The place of each value among the sorted ones, -1 where there is none; and the values."""
    import pandas as pd

    try:
        return pd.factorize(column, sort=True)
    except TypeError as error:
        raise DatasetError(
            f"{source}: column {column.name!r} has values that cannot be sorted ({error}); "
            "use numbers or text"
        ) from error

"""Tables of users: files and data frames become numbers."""

import codecs
import collections
import csv
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from flgc.datasets.errors import DatasetError
from flgc.datasets.limits import check_file, check_memory, check_shape

if TYPE_CHECKING:
    import pandas as pd

PathLike = str | os.PathLike[str]
Coding = Literal["onehot", "ordinal"]
BLOCK = 2**24  # bytes that are read at once
SNIFFED = 10_000  # characters of the first line in which the separator is looked for


def read_frame(
    table: "PathLike | pd.DataFrame", header: bool = True, missing: Sequence[str] = ()
) -> "tuple[pd.DataFrame, str]":
    """The table, and its name for messages; column names are text and unique.

    `missing` are texts that mean a missing value in a CSV, besides those of pandas.
    """
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return _with_text_names(table, "the data frame"), "the data frame"
    path = Path(table)
    check_file(path)
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            _check_parquet(path)
            frame = pd.read_parquet(path)
        else:
            encoding = _encoding(path)
            separator, first_line = _find_separator(path, encoding)
            if header:
                _refuse_bad_header(first_line, path)
            check_shape(path.name, (_n_lines(path), len(first_line)))
            frame = pd.read_csv(
                path,
                sep=separator,
                encoding=encoding,
                header=0 if header else None,
                na_values=list(missing),
                skipinitialspace=separator != " ",
                low_memory=False,  # one type for the whole column, not for each block of rows
            )
    except UnicodeError as error:
        raise DatasetError(
            f"{path} cannot be read: it is not UTF-8 ({error}); save it as UTF-8"
        ) from error
    except DatasetError:
        raise
    except Exception as error:
        raise DatasetError(f"{path} cannot be read as a table: {error}") from error
    return _with_text_names(frame, path.name), path.name


def _check_parquet(path: Path) -> None:
    """Check the unpacked size: a few bytes may stand for many values, or one text for many rows."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        about, schema = file.metadata, file.schema_arrow
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    columns = [group.column(j) for group in groups for j in range(group.num_columns)]
    check_shape(path.name, (sum(column.num_values for column in columns),))
    unpacked = sum(column.total_uncompressed_size for column in columns)
    check_memory(path.name, unpacked, "the unpacked file")
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)
    texts = [field.name for field in schema if any(is_kind(field.type) for is_kind in kinds)]
    n_bytes = 0
    for column in pq.read_table(path, columns=texts, read_dictionary=texts).columns:
        for chunk in column.chunks:
            lengths = pc.binary_length(chunk.dictionary).take(chunk.indices)
            n_bytes += pc.sum(lengths).as_py() or 0
    check_memory(path.name, n_bytes, "its text")


def _encoding(path: Path) -> str:
    """UTF-16 if the file begins with its byte order mark, else UTF-8."""
    with path.open("rb") as file:
        return "utf-16" if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8"


def _n_lines(path: Path) -> int:
    with path.open("rb") as file:
        return 1 + sum(block.count(b"\n") for block in iter(lambda: file.read(BLOCK), b""))


def _find_separator(path: Path, encoding: str) -> tuple[str, list[str]]:
    """The separator of a CSV, and its first line; pandas would also accept a letter."""
    with path.open(encoding="utf-8-sig" if encoding == "utf-8" else encoding) as file:
        line = next((text for text in file if text.strip()), "").rstrip("\n")
    try:
        separator = csv.Sniffer().sniff(line[:SNIFFED], delimiters=",;\t|:^~ ").delimiter
    except csv.Error:  # one column
        separator = ","
    return separator, next(csv.reader([line], delimiter=separator))


def column_named(frame: "pd.DataFrame", column: str | int, source: str) -> str:
    """The name of a column, from its name or its place."""
    if isinstance(column, int):
        if not -frame.shape[1] <= column < frame.shape[1]:
            raise DatasetError(f"{source} has {frame.shape[1]} columns, none at place {column}")
        return frame.columns[column]
    if column not in frame.columns:
        raise DatasetError(f"{source} has no column {column!r}; it has {_listed(frame)}")
    return column


def _with_text_names(frame: "pd.DataFrame", source: str) -> "pd.DataFrame":
    names = [str(column) for column in frame.columns]
    _refuse_doubles(names, source)
    return frame.set_axis(names, axis=1)


def _refuse_bad_header(names: list[str], path: Path) -> None:
    """Check the names in the file itself: pandas would rename the second of two equal ones."""
    if any(re.fullmatch(r"[-+]?[0-9]*\.?[0-9]+", name.strip()) for name in names):
        raise DatasetError(
            f"{path}: the first line looks like data ({', '.join(names[:20])}); if the file has no "
            "line of column names, use header=False, or --no-header"
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
    """Codes 0..C-1 in sorted order of the values, -1 if missing; and the class names."""
    import pandas as pd

    if pd.api.types.is_float_dtype(column):
        labels = column.dropna().to_numpy(dtype=np.float64)
        odd = labels[(labels != np.round(labels)) | np.isinf(labels)]
        if odd.size:
            raise DatasetError(
                f"{source}: label {odd[0]} in column {column.name!r} is not a class; "
                "use whole numbers or text"
            )
    codes, values = _codes(column, source)
    if not len(values):
        raise DatasetError(f"{source}: column {column.name!r} has no label at all")
    # pandas reads whole numbers as floats if one is missing.
    whole = pd.api.types.is_float_dtype(column)
    return codes.astype(np.int64), tuple(str(int(v) if whole else v) for v in values)


def coded_features(
    frame: "pd.DataFrame", categorical: Coding, source: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers as they are, categories coded; a missing or infinite value is an error."""
    import pandas as pd

    numbers: dict[int, np.ndarray] = {}  # by the place of the column
    kinds: dict[int, np.ndarray] = {}  # codes, by the place of their first column
    names: list[str] = []
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
            numbers[len(names)] = column.to_numpy(dtype=np.float64)
            names.append(str(name))
            continue
        codes, values = _codes(column, source)
        if categorical == "ordinal":
            numbers[len(names)] = codes.astype(np.float64)
            names.append(str(name))
            continue
        kinds[len(names)] = codes
        names += [f"{name}={value}" for value in values]
        advice = "--drop leaves it out, --ordinal makes numbers of it"
        where = f"{source}: {name!r} becomes {len(values)} columns, one for each text ({advice})"
        check_shape(where, (len(frame), len(names)))
    if not names:
        raise DatasetError(f"{source} has no feature column")
    _refuse_doubles(names, source)
    features = np.zeros((len(frame), len(names)))
    for place, cells in numbers.items():
        features[:, place] = cells
    for place, codes in kinds.items():
        features[np.arange(len(frame)), place + codes] = 1.0
    if not np.isfinite(features).all():
        row, place = np.argwhere(~np.isfinite(features))[0]
        raise DatasetError(
            f"{source} has infinite values, the first in row {row} of column {names[place]!r}; "
            "replace them"
        )
    return features, tuple(names)


def _codes(column: "pd.Series", source: str) -> "tuple[np.ndarray, pd.Index]":
    """The place of each value among the sorted ones, -1 if missing; and the sorted values."""
    import pandas as pd

    try:
        return pd.factorize(column, sort=True)
    except TypeError as error:
        raise DatasetError(
            f"{source}: column {column.name!r} has values that cannot be sorted ({error}); "
            "use numbers or text"
        ) from error

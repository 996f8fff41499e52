"""A table of results from a file: CSV or Parquet, datasets x methods, or one result per row."""

import csv
import io
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

TIDY = ("dataset", "method", "value")
# Further columns of a tidy table to average over even if they hold words.
RUNS = ("run", "seed", "split", "fold", "repeat", "repetition", "trial")
SEPARATORS = "\t;,"
MISSING = ("", "na", "n/a", "nan", "-", "–", "—", "none", "null")  # noqa: RUF001 (dashes)
SPREAD = re.compile(r"±|\+/-|\+-|\\pm")
NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)", re.IGNORECASE)
AVERAGES = ("average", "avg", "avg.", "mean", "overall", "mean rank", "average rank")


def read_results(source: str) -> tuple[pd.DataFrame, list[str]]:
    """The table of datasets x methods, and notes on how it was made.

    `source` is a path, or `-` for CSV from standard input. The first column names the dataset and
    each further one is a method; or the columns are dataset, method and value, and further columns
    distinguish the rows of one cell, which are averaged.
    """
    header, rows, comma = _parquet(source) if _is_parquet(source) else _text(source)
    if len(header) < 2:
        raise ValueError(f"{source}: one column only; separators are comma, semicolon and tab")
    unnamed = [i + 1 for i, name in enumerate(header) if not name and i]
    if unnamed:
        raise ValueError(f"{source}: no name above column {unnamed[0]}")
    lowered = [name.lower() for name in header]
    if "value" not in lowered and {"dataset", "method"} <= set(lowered):
        raise ValueError(f"{source}: columns dataset and method, but no column value")
    if set(TIDY) <= set(lowered):
        table, notes = _from_tidy(header, lowered, rows, comma)
    else:
        table, notes = _from_wide(header, rows, comma), []
    gaps = int(table.isna().to_numpy().sum())
    if gaps:
        notes.append(
            f"{gaps} of {table.size} cells are missing; a pair is compared on the datasets that "
            "have both."
        )
    averages = [str(name) for name in table.index if str(name).lower() in AVERAGES]
    if averages:
        notes.append(
            f"{', '.join(averages)} is taken for a dataset like the others; leave the row out if "
            "it sums them up."
        )
    return table, notes


def _is_parquet(source: str) -> bool:
    return Path(source).suffix.lower() in (".parquet", ".pq")


def _parquet(source: str) -> tuple[list[str], list[list[Any]], bool]:
    frame = pd.read_parquet(source)
    if frame.index.name is not None or not pd.api.types.is_integer_dtype(frame.index):
        frame = frame.reset_index()
    names = [str(name).strip() for name in frame.columns]
    return names, frame.astype(object).to_numpy().tolist(), False


def _text(source: str) -> tuple[list[str], list[list[Any]], bool]:
    """Header, rows, and whether commas are decimal: they are if semicolons separate."""
    raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{source}: not UTF-8 text ({error.reason})") from error
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(SEPARATORS, key=lambda sign: len(next(csv.reader([first], delimiter=sign), [])))
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ValueError(f"{source}: {error}") from error
    lines = [[cell.strip() for cell in line] for line in lines]
    filled = [(number, line) for number, line in enumerate(lines, 1) if any(line)]
    if not filled:
        raise ValueError(f"{source}: the file is empty")
    (_, header), *rows = filled
    for number, row in rows:
        if len(row) != len(header):
            raise ValueError(
                f"{source}: row {number} has {len(row)} columns, the header {len(header)}"
            )
    return header, [row for _, row in rows], separator == ";"


def _from_wide(header: list[str], rows: list[list[Any]], comma: bool) -> pd.DataFrame:
    datasets = [_dataset(row[0], i) for i, row in enumerate(rows)]
    values = [
        _numbers(row[1:], [(dataset, method) for method in header[1:]], comma)
        for dataset, row in zip(datasets, rows, strict=True)
    ]
    shape = (len(rows), len(header) - 1)
    return pd.DataFrame(np.reshape(values, shape), index=datasets, columns=header[1:], dtype=float)


def _from_tidy(
    header: list[str], lowered: list[str], rows: list[list[Any]], comma: bool
) -> tuple[pd.DataFrame, list[str]]:
    repeated = [name for name in TIDY if lowered.count(name) > 1]
    if repeated:
        raise ValueError(f"column twice in the table: {', '.join(repeated)}; keep one of each")
    at = [lowered.index(name) for name in TIDY]
    further = [i for i in range(len(header)) if i not in at]
    kind = [i for i in further if lowered[i] not in RUNS]
    of_datasets: dict[str, list[list[Any]]] = {}
    for i, row in enumerate(rows):
        of_datasets.setdefault(_dataset(row[at[0]], i), []).append(row)
    cells: dict[tuple[str, str], list[float]] = {}
    kinds: dict[tuple[str, str, int], Any] = {}
    for dataset, of_dataset in of_datasets.items():
        places = [(dataset, _name(row[at[1]], f"a row of {dataset}")) for row in of_dataset]
        values = _numbers([row[at[2]] for row in of_dataset], places, comma)
        for place, row, value in zip(places, of_dataset, values, strict=True):
            cells.setdefault(place, []).append(value)
            for i in kind:
                first = kinds.setdefault((*place, i), row[i])
                if first != row[i] and _is_word(first) and _is_word(row[i]):
                    raise ValueError(
                        f"{place[1]} on {dataset} has rows of several {header[i]}: {first}, "
                        f"{row[i]}; keep one of them"
                    )
    methods = list(dict.fromkeys(method for _, method in cells))
    table = pd.DataFrame(np.nan, index=list(of_datasets), columns=methods)
    for (dataset, method), values in cells.items():
        numbers = [value for value in values if not math.isnan(value)]
        table.at[dataset, method] = math.fsum(numbers) / len(numbers) if numbers else np.nan
    counts = [len(values) for values in cells.values()]
    notes = []
    if max(counts, default=0) > 1:
        few, many = min(counts), max(counts)
        rows_each = f"{few}" if few == many else f"{few} to {many}"
        over = f" (over {', '.join(header[i] for i in further)})" if further else ""
        notes.append(f"Each cell is the mean of {rows_each} rows{over}.")
        absent = sum(math.isnan(value) for values in cells.values() for value in values)
        if absent:
            notes.append(f"{absent} rows without a value are left out of the means.")
    return table, notes


def _dataset(cell: Any, i: int) -> str:
    return _name(cell, f"dataset in row {i + 1} below the header")


def _name(cell: Any, where: str) -> str:
    name = "" if _is_gap(cell) else str(cell).strip()
    if not name:
        raise ValueError(f"no name for {where}")
    return name


def _is_gap(cell: Any) -> bool:
    number = isinstance(cell, (float, np.floating))
    return cell is None or cell is pd.NA or (number and math.isnan(cell))


def _is_word(cell: Any) -> bool:
    return isinstance(cell, str) and not NUMBER.fullmatch(cell)


def _numbers(cells: Sequence[Any], places: Sequence[tuple[str, str]], comma: bool) -> list[float]:
    """The numbers of one dataset, all in percent or none, as they are compared."""
    pairs = [_number(cell, place, comma) for cell, place in zip(cells, places, strict=True)]
    signs = {percent for value, percent in pairs if not math.isnan(value)}
    if len(signs) > 1:
        raise ValueError(f"{places[0][0]} has values with % and without; use one form for all")
    return [value for value, _ in pairs]


def _number(cell: Any, place: tuple[str, str], comma: bool) -> tuple[float, bool]:
    """The mean in a cell, without what follows ±, and whether it is in percent."""
    if _is_gap(cell):
        return math.nan, False
    if isinstance(cell, (int, float, np.number)) and not isinstance(cell, bool):
        return float(cell), False
    text = str(cell).strip()
    if text.lower() in MISSING:
        return math.nan, False
    mean = SPREAD.split(text)[0].strip()
    percent = "%" in text
    mean = mean.removesuffix("%").strip()
    if comma:
        mean = mean.replace(",", ".")
    if not NUMBER.fullmatch(mean):
        raise ValueError(f"no number for {place[1]} on {place[0]}: {text!r}")
    return float(mean), percent

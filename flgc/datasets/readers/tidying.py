"""Columns of users' tables, prepared for methods, with a note of every step.

Labels are not used, so they cannot leak into the features.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from flgc.datasets.errors import DatasetError
from flgc.datasets.readers.frames import Coding

if TYPE_CHECKING:
    import pandas as pd

# Means a missing value in many public tables; pandas itself knows "", NA, N/A, null and the like.
UNKNOWN = ("?",)
MISSING = "(missing)"
# A text column with more values, or more than one per two rows, names rows instead of kinds.
MOST_TEXTS = 200
# So does one with more values than these, if most of them occur once.
MANY_TEXTS = 20
NAMES_OF_IDS = re.compile(r"(.*[ _-])?(id|idx|index|key|uuid)", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[-+]?\d+(,\d+)?")
THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})*")
# Year first, with a time or without; or the year last.
DATE = r"\d{4}([-/.])\d\d?\1\d\d?([T ]\d\d:\d\d\S*)?|\d\d?([-/.])\d\d?\3\d{4}"
DAY_OR_MONTH_FIRST = {", day first": "%d-%m-%Y", ", month first": "%m-%d-%Y"}
# The most names of columns in one note.
MOST_NAMES = 10
READ = "Text or dates read as numbers"
LEFT_OUT = "Columns left out"
FILLED = "Missing numbers filled with the median of their column"
CODED = {
    "onehot": "Text coded as a column for each value",
    "ordinal": "Text coded as numbers in sorted order",
}


def tidied(
    features: "pd.DataFrame", categorical: Coding, source: str
) -> "tuple[pd.DataFrame, list[str]]":
    """The columns with missing values filled and useless columns left out, and notes on the steps.

    A missing number becomes the median of its column, a missing text the value `(missing)`.
    """
    import pandas as pd

    kept: dict[str, Any] = {}
    done: dict[str, list[str]] = {}

    def note(what: str, column: str, detail: str) -> None:
        done.setdefault(what, []).append(f"{column!r} ({detail})")

    for name, column in features.items():
        name, values = str(name), column
        if not pd.api.types.is_numeric_dtype(values):
            read = _days if _is_date(values) else _numbers
            values = read(values, lambda detail, name=name: note(READ, name, detail))
        useless = _useless(name, values)
        if useless:
            note(LEFT_OUT, name, useless)
            continue
        n_missing = int(values.isna().sum())
        if pd.api.types.is_numeric_dtype(values):
            if n_missing:
                middle = values.median()
                note(FILLED, name, f"{n_missing} of {len(values)}, {middle:g}")
                values = values.astype(np.float64).fillna(middle)
        else:
            values = values.astype(str).where(values.notna(), MISSING)
            text = f"{values.nunique()} values"
            note(CODED[categorical], name, f"{text}, one is {MISSING}" if n_missing else text)
        kept[name] = values
    if not kept:
        raise DatasetError(f"{source} has no column with information. {_notes(done)[0]}")
    return pd.DataFrame(kept), _notes(done)


def _numbers(column: "pd.Series", note: Any) -> "pd.Series":
    """Numbers from text; other texts among many numbers are missing values."""
    import pandas as pd

    texts = column.dropna().astype(str).str.strip()
    if texts.empty:
        return column
    if texts.map(lambda text: bool(DECIMAL_COMMA.fullmatch(text))).all() and not (
        texts.map(lambda text: bool(THOUSANDS.fullmatch(text))).all()
    ):
        note("decimal commas")
        return pd.to_numeric(texts.str.replace(",", ".")).reindex(column.index)
    numbers = pd.to_numeric(texts, errors="coerce")
    odd = texts[numbers.isna()]
    if _too_many(texts) and len(odd) < len(texts) / 2:
        if len(odd):
            note(
                f"{len(odd)} of {len(texts)} are not numbers, as {odd.iloc[0]!r}, and count as "
                "missing"
            )
        return numbers.reindex(column.index)
    return column


def _is_date(column: "pd.Series") -> bool:
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column):
        return True
    texts = column.dropna().astype(str).str.strip()
    return not texts.empty and bool(texts.str.fullmatch(DATE).all())


def _days(column: "pd.Series", note: Any) -> "pd.Series":
    """Days since the first date; 3/4/2024 is day first, or month first if only that fits all."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column):
        times, order = pd.to_datetime(column, utc=True), ""
    else:
        texts = column.dropna().astype(str).str.strip().str.replace(r"[./]", "-", regex=True)
        orders = {"": "ISO8601"} if texts.iloc[0][:4].isdigit() else DAY_OR_MONTH_FIRST
        for order in orders:
            times = pd.to_datetime(texts, format=orders[order], errors="coerce", utc=True)
            if times.notna().all():
                break
        else:
            return column
    first = times.min()
    note(f"days since {first:%Y-%m-%d}{order}")
    return ((times - first) / pd.Timedelta(days=1)).reindex(column.index)


def _useless(name: str, column: "pd.Series") -> str:
    """Why a column has no information, or an empty text."""
    import pandas as pd

    values = column.dropna()
    if values.empty:
        return "no value"
    numeric = pd.api.types.is_numeric_dtype(column)
    texts = values if numeric else values.astype(str)
    n_values = texts.nunique()
    if n_values == 1 and (numeric or len(values) == len(column)):
        return f"always {texts.iloc[0]:g}" if numeric else f"always {texts.iloc[0]}"
    if numeric:
        if len(values) == len(column) > 2 and (np.diff(values.to_numpy(np.float64)) == 1).all():
            return "numbers the rows"
        distinct = n_values == len(column) > 2 and (values == np.round(values)).all()
        return "names the rows" if distinct and NAMES_OF_IDS.fullmatch(name) else ""
    n_alone = int((texts.value_counts() == 1).sum())
    if _too_many(texts) or (n_values > MANY_TEXTS and n_alone > n_values / 2):
        return f"{n_values} different texts in {len(values)} rows"
    return ""


def _too_many(texts: "pd.Series") -> bool:
    return texts.nunique() > min(MOST_TEXTS, max(len(texts) / 2, 2))


def _notes(done: dict[str, list[str]]) -> list[str]:
    return [f"{what}: {_listed(columns)}." for what, columns in done.items()]


def _listed(columns: Iterable[str]) -> str:
    columns = list(columns)
    more = len(columns) - MOST_NAMES
    return ", ".join(columns[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")

"""Columns as people have them, made fit for methods: every step is written down.

No label is looked at, so nothing of it can leak into the features.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from flgc.datasets.errors import DatasetError
from flgc.datasets.readers.frames import Coding

if TYPE_CHECKING:
    import pandas as pd

# Stands for no value in many public tables; pandas knows "", NA, N/A, null and the like itself.
UNKNOWN = ("?",)
MISSING = "(missing)"
# A text column with more values, or with more than one in two rows, names rows and no kinds.
MOST_TEXTS = 200
NAMES_OF_IDS = re.compile(r"(.*[ _-])?(id|idx|index|key|uuid)", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[-+]?\d+(,\d+)?")
THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})*")
# Names of columns in a line.
MOST_NAMES = 10
READ = "Text read as numbers"
LEFT_OUT = "Columns left out"
FILLED = "Missing numbers filled with the median of their column"
CODED = {
    "onehot": "Text coded as a column for each value",
    "ordinal": "Text coded as numbers in sorted order",
}


def tidied(
    features: "pd.DataFrame", categorical: Coding, source: str
) -> "tuple[pd.DataFrame, list[str]]":
    """The columns without a missing value, those that say nothing left out; and what was done.

    A missing number becomes the median of its column, a missing text a value of its own.
    """
    import pandas as pd

    kept: dict[str, Any] = {}
    done: dict[str, list[str]] = {}

    def note(what: str, column: str, detail: str) -> None:
        done.setdefault(what, []).append(f"{column!r} ({detail})")

    for name, column in features.items():
        name, values = str(name), column
        if not pd.api.types.is_numeric_dtype(values):
            values = _numbers(values, lambda detail, name=name: note(READ, name, detail))
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
            told = f"{values.nunique()} values"
            note(CODED[categorical], name, f"{told}, one is {MISSING}" if n_missing else told)
        kept[name] = values
    if not kept:
        raise DatasetError(f"{source} has no column that tells rows apart. {_said(done)[0]}")
    return pd.DataFrame(kept), _said(done)


def _numbers(column: "pd.Series", note: Any) -> "pd.Series":
    """Numbers that are written as text; what is none of them is missing."""
    import pandas as pd

    given = column.dropna().astype(str).str.strip()
    if given.empty or pd.api.types.is_datetime64_any_dtype(column):
        return column
    if given.map(lambda text: bool(DECIMAL_COMMA.fullmatch(text))).all() and not (
        given.map(lambda text: bool(THOUSANDS.fullmatch(text))).all()
    ):
        note("decimal commas")
        return pd.to_numeric(given.str.replace(",", ".")).reindex(column.index)
    found = pd.to_numeric(given, errors="coerce")
    odd = given[found.isna()]
    if _too_many(given) and len(odd) < len(given) / 2:
        if len(odd):
            note(f"{len(odd)} of {len(given)} are none, as {odd.iloc[0]!r}, and count as missing")
        return found.reindex(column.index)
    return column


def _useless(name: str, column: "pd.Series") -> str:
    """Why a column says nothing of what its rows are, if it does not."""
    import pandas as pd

    given = column.dropna()
    if given.empty:
        return "no value"
    numeric = pd.api.types.is_numeric_dtype(column)
    texts = given if numeric else given.astype(str)
    n_values = texts.nunique()
    if n_values == 1 and (numeric or len(given) == len(column)):
        return f"always {texts.iloc[0]:g}" if numeric else f"always {texts.iloc[0]}"
    if numeric:
        if len(given) == len(column) > 2 and (np.diff(given.to_numpy(np.float64)) == 1).all():
            return "numbers the rows"
        distinct = n_values == len(column) > 2 and (given == np.round(given)).all()
        return "names the rows" if distinct and NAMES_OF_IDS.fullmatch(name) else ""
    if _too_many(texts):
        return f"{n_values} different texts in {len(given)} rows"
    return ""


def _too_many(texts: "pd.Series") -> bool:
    return texts.nunique() > min(MOST_TEXTS, max(len(texts) / 2, 2))


def _said(done: dict[str, list[str]]) -> list[str]:
    return [f"{what}: {_listed(columns)}." for what, columns in done.items()]


def _listed(columns: Iterable[str]) -> str:
    columns = list(columns)
    more = len(columns) - MOST_NAMES
    return ", ".join(columns[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")

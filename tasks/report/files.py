"""Files as a table (name, content), which is how figures and reports are stored."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd

# The picture at the top of a report.
RESULT = "result"
# Names the parts of a report that failed, and exists only if some did.
FAULTS = "faults.json"


def as_table(
    files: Mapping[str, str], seconds: Mapping[str, str] = MappingProxyType({})
) -> pd.DataFrame:
    """Text columns even where there is no file.

    `seconds` are the ends of files, or files, that tell what the computation took: the store leaves
    a column of that name out of the digest.
    """
    names = list(dict.fromkeys([*files, *seconds]))
    columns = {"name": names, "content": [files.get(name, "") for name in names]}
    if seconds:
        columns["seconds"] = [seconds.get(name, "") for name in names]
    return pd.DataFrame(columns, dtype="str")


def from_table(table: pd.DataFrame | None) -> dict[str, str]:
    """File name to content; nothing where nothing was made."""
    if table is None:
        return {}
    whole = table["content"] + table["seconds"] if "seconds" in table else table["content"]
    return dict(zip(table["name"], whole, strict=True))


def as_json(value: Mapping[str, Any]) -> str:
    """Without spaces: charts are large."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

"""Files as a table (name, content), which is how figures and reports are stored."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd

# How the names of pictures and of charts, which are Vega-Lite, end.
PICTURE, CHART = ".svg", ".vl.json"
# The picture at the top of a report.
RESULT = "result"
# Names the parts of a report that failed, and is there only if some did.
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


def pictures(files: Mapping[str, str]) -> dict[str, str]:
    """Those of the files that are pictures."""
    return {name: content for name, content in files.items() if name.endswith(PICTURE)}


def charts(files: Mapping[str, str]) -> dict[str, str]:
    """The charts among the files, by the names of their pictures."""
    ends = {name: name.removesuffix(CHART) for name in files if name.endswith(CHART)}
    return {f"{stem}{PICTURE}": files[name] for name, stem in ends.items()}


def as_json(value: Mapping[str, Any]) -> str:
    """Without spaces: charts are large."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

"""Files as a table (name, content), which is how figures and reports are stored."""

from collections.abc import Mapping

import pandas as pd


def as_table(files: Mapping[str, str]) -> pd.DataFrame:
    """Text columns even where there is no file."""
    return pd.DataFrame({"name": list(files), "content": list(files.values())}, dtype="str")


def from_table(table: pd.DataFrame | None) -> dict[str, str]:
    """File name to content; nothing where nothing was made."""
    return {} if table is None else dict(zip(table["name"], table["content"], strict=True))

"""Values as they are printed: what is compared with a printed value is rounded as it is."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from flgc.datasets.dataset import titled
from tasks.declared.described import Described
from tasks.declared.published import COLUMNS

REDRAWN = "re-drawn"
CASE = ["dataset", "noise", "intensity", "noise_pattern", "metric"]
Case = tuple[Any, ...]


def in_points(value: float, table: Described) -> float:
    """A share as it is printed, in points: .82861 is 82.9."""
    return round(100 * float(value), table.decimals)


def cells_of(printed: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Published values as a table; a deviation that is not printed is NaN."""
    return pd.DataFrame(list(printed), columns=COLUMNS).astype({"value": float, "std": float})


def redrawn(results: pd.DataFrame) -> list[str]:
    """The datasets that are not the paper's own: its values were had on others of their kind."""
    each = results[["dataset", "marks"]].drop_duplicates()
    marked = [REDRAWN in marks.split(", ") for marks in each["marks"]]
    return each.loc[marked, "dataset"].unique().tolist()


def left_out(results: pd.DataFrame) -> list[str]:
    """What is said of them where published values are compared."""
    names = ", ".join(titled(dataset, [REDRAWN]) for dataset in redrawn(results))
    said = "Not compared with published values, which are the original's"
    return [f"{said}: {names}."] if names else []


def runs_of_cases(rows: pd.DataFrame) -> dict[Case, pd.Series]:
    """The values of one method and protocol by dataset, noise and metric."""
    groups: Any = rows.groupby(CASE, sort=False)["value"]
    return dict(iter(groups))


def printed_columns(
    printed: Sequence[dict[str, Any]], table: Described
) -> dict[str, dict[Case, float]]:
    """The paper's columns: by method and case, in points."""
    columns: dict[str, dict[Case, float]] = {}
    for row in printed:
        case = tuple(row[name] for name in CASE)
        columns.setdefault(row["method"], {})[case] = in_points(row["value"], table)
    return columns


def counterparts(
    cases: Iterable[Case], column: dict[Case, float], others: list[str]
) -> dict[Case, float]:
    """Of our cases, what the paper's column prints; nothing where our data are `others`."""
    return {case: column[case] for case in cases if case in column and case[0] not in others}

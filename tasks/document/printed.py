"""Values as they are printed: what is compared with a printed value is rounded as it is."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from flgc.datasets.dataset import titled
from tasks.declared.experiments import Experiment
from tasks.declared.published import published_cells

# Of tables in percent; where the paper prints shares, it gives three, which is one in points.
DECIMALS = {"citation_accuracy": 1, "uci_accuracy": 2}
REDRAWN = "re-drawn"
CASE = ["dataset", "noise", "intensity", "metric"]
Case = tuple[Any, ...]


def decimals(experiment: Experiment) -> int:
    """Of what is printed, in points."""
    return DECIMALS.get(experiment.published, 1)


def in_points(value: float, experiment: Experiment) -> float:
    """A share as it is printed, in points: .82861 is 82.9."""
    return round(100 * float(value), decimals(experiment))


def redrawn(results: pd.DataFrame) -> list[str]:
    """The datasets that are not the paper's own: its values were had on others of their kind."""
    marked = results["marks"].str.split(", ").map(lambda marks: REDRAWN in marks).astype(bool)
    return results.loc[marked, "dataset"].unique().tolist()


def left_out(results: pd.DataFrame) -> list[str]:
    """What is said of them where published values are compared."""
    names = ", ".join(titled(dataset, [REDRAWN]) for dataset in redrawn(results))
    said = "Not compared with published values, which are the original's"
    return [f"{said}: {names}."] if names else []


def runs_of_cases(rows: pd.DataFrame) -> dict[Case, pd.Series]:
    """The values of one method and protocol by dataset, noise and metric."""
    groups: Any = rows.groupby(CASE, sort=False)["value"]
    return dict(iter(groups))


def printed_columns(experiment: Experiment, origin: str = "") -> dict[str, dict[Case, float]]:
    """The paper's columns: by method and case, in points."""
    columns: dict[str, dict[Case, float]] = {}
    for row in published_cells(experiment, origin).to_dict("records"):
        case = tuple(row[name] for name in CASE)
        columns.setdefault(row["method"], {})[case] = in_points(row["value"], experiment)
    return columns


def counterparts(
    cases: Iterable[Case], column: dict[Case, float], others: list[str]
) -> dict[Case, float]:
    """Of our cases, what the paper's column prints; nothing where our data are `others`."""
    found = {}
    for case in cases:
        dataset, noise, *rest = case
        as_printed = (dataset, noise.split(",")[0], *rest)  # without the scale of the noise
        if as_printed in column and dataset not in others:
            found[case] = column[as_printed]
    return found

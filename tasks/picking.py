"""One setting per dataset and method, picked from the scores of the whole grid.

paper    on the test nodes, or by accuracy against the true clusters, as the paper did
honest   on the validation nodes; without any, by the squared error of leave-one-out on the
         labelled nodes; in clustering by the silhouette, which knows no labels
"""

from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

AXES = ["scaling", "hops", "teleport", "regularization"]


@dataclass(frozen=True)
class Setting:
    """One point of the grid, and by which criterion it was picked."""

    scaling: str
    hops: int
    teleport: float
    regularization: float
    criterion: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The axes alone."""
        return {name: value for name, value in asdict(self).items() if name in AXES}


def criterion(scores: pd.DataFrame, protocol: str) -> str:
    """The column by which the protocol picks."""
    if "silhouette" in scores:
        return "ACC" if protocol == "paper" else "silhouette"
    if protocol == "paper":
        return "test"
    return "validation" if scores["validation"].notna().all() else "loo_squared_error"


def pick(scores: pd.DataFrame, protocol: str) -> Setting:
    """The best setting on the average over the runs; of equals the first of the grid."""
    column = criterion(scores, protocol)
    means = scores.groupby(AXES, sort=False)[column].mean()
    best: Any = means.idxmin() if column == "loo_squared_error" else means.idxmax()
    scaling, hops, teleport, regularization = best
    return Setting(str(scaling), int(hops), float(teleport), float(regularization), column)

"""One setting per dataset and method, picked from the scores of the whole grid.

paper    on the test nodes, or by accuracy against the true clusters, as the paper did
honest   on the validation nodes; without any, by the squared error of leave-one-out on the
         labelled nodes; in clustering by the silhouette, which knows no labels
"""

from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from tasks.experiments import Method

AXES = ("scaling", "hops", "teleport", "regularization")
ERROR = "loo_squared_error"


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
    return "validation" if scores["validation"].notna().all() else ERROR


def pick(scores: pd.DataFrame, protocol: str, method: Method) -> Setting:
    """The method's best setting on the average over the runs.

    A few hundred validation nodes leave many settings level: the leave-one-out error decides among
    them, then the order of the grid.
    """
    admitted = scores[_admitted(scores, method)]
    if admitted.empty:
        raise ValueError(f"no setting of the grid is one of {method.name}'s: {method}")
    column = criterion(scores, protocol)
    means = admitted.groupby(list(AXES), sort=False).mean(numeric_only=True).round(12)
    worth = -means[column] if column == ERROR else means[column]
    level = means[worth == worth.max()]
    best: Any = level[ERROR].idxmin() if ERROR in level else level.index[0]
    scaling, hops, teleport, regularization = best
    return Setting(str(scaling), int(hops), float(teleport), float(regularization), column)


def _admitted(scores: pd.DataFrame, method: Method) -> pd.Series:
    mask = pd.Series(True, index=scores.index)
    for axis, values in (("hops", method.hops), ("teleport", method.teleports)):
        if values is not None:
            mask &= scores[axis].isin(values)
    return mask

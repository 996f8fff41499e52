"""One setting per dataset and method, picked from the scores of the whole grid.

paper    on the test nodes, or by accuracy against the true clusters, as the paper did
honest   on the validation nodes; without any, by the squared error of leave-one-out on the
         labelled nodes, or the first that a trained method declares; in clustering by the
         silhouette, which knows no labels
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

AXES = ("scaling", "hops", "teleport", "regularization")
TRAINED_AXES = (*AXES, "learning_rate", "epochs")
ERROR = "loo_squared_error"
DECLARED = "declared first"


@dataclass(frozen=True)
class Method:
    """A closed form, as the part of an experiment's grid from which its setting is picked.

    None means all of it. FLGC is FLGC* without a teleport (Section III). The scores of the whole
    grid are computed once and serve every method. `published` is its name in the paper's tables.
    """

    name: str
    hops: tuple[int, ...] | None = None
    teleports: tuple[float, ...] | None = None
    published: str = ""


@dataclass(frozen=True)
class Rival:
    """A method that is trained by gradient descent, and the settings from which one is picked.

    All combinations are trained on the first runs and compared there; the picked one is trained on
    all runs. `hops` are the layers of a GCN. Epochs cost nothing to compare: they lie on one path.
    The first of everything is taken where there are no validation nodes to pick on.
    """

    name: str
    hops: tuple[int, ...]
    learning_rates: tuple[float, ...]
    weight_decays: tuple[float, ...]
    epochs: tuple[int, ...]
    hidden: int | None = None
    teleport: float | None = None
    published: str = ""


@dataclass(frozen=True)
class Setting:
    """One point of the grid, and by which criterion it was picked.

    Of a method that is trained, `regularization` is the weight decay.
    """

    scaling: str
    hops: int
    teleport: float
    regularization: float
    learning_rate: float | None = None
    epochs: int | None = None
    criterion: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The axes that it has."""
        known = asdict(self).items()
        return {name: value for name, value in known if name in TRAINED_AXES and value is not None}


def criterion(scores: pd.DataFrame, protocol: str) -> str:
    """The column by which the protocol picks."""
    if "silhouette" in scores:
        return "ACC" if protocol == "paper" else "silhouette"
    if protocol == "paper":
        return "test"
    if scores["validation"].notna().all():
        return "validation"
    return ERROR if ERROR in scores else DECLARED


def pick(scores: pd.DataFrame, protocol: str) -> Setting:
    """The best setting on the average over the runs.

    A few hundred validation nodes leave many settings level: the leave-one-out error decides among
    them, then the order of the grid.
    """
    column = criterion(scores, protocol)
    axes = [name for name in TRAINED_AXES if name in scores]
    means = scores.groupby(axes, sort=False).mean(numeric_only=True).round(12)
    level = means
    if column != DECLARED:
        worth = -means[column] if column == ERROR else means[column]
        level = means[worth == worth.max()]
    best: Any = level[ERROR].idxmin() if ERROR in level else level.index[0]
    return Setting(**dict(zip(axes, best, strict=True)), criterion=column)


def most_picked(picks: Sequence[Setting], scores: pd.DataFrame) -> Setting:
    """What most runs picked, one pick for each; of equally many the first in the scores' grid."""
    settings = [tuple(setting.as_dict().values()) for setting in picks]
    axes = list(picks[0].as_dict())
    grid = list(dict.fromkeys(scores[axes].itertuples(index=False, name=None)))
    most = max(grid, key=settings.count)
    return picks[settings.index(most)]


def admitted(scores: pd.DataFrame, method: Method | Rival) -> pd.DataFrame:
    """The method's part of the grid; a rival has a grid of its own."""
    if isinstance(method, Rival):
        return scores
    part = scores
    for axis, values in (("hops", method.hops), ("teleport", method.teleports)):
        if values is not None:
            part = part[part[axis].isin(values)]
    if part.empty:
        raise ValueError(f"no setting of the grid is one of {method.name}'s: {method}")
    return part

"""The settings of rivals: of clusterings their own, of trained ones on regular tables these.

On regular tables a trained rival has two variants at three epochs.

The first variant has the rate and the decay of its authors. The second changes one axis so that
the labelled nodes are fitted better, as losses on them say after 200 epochs: a larger rate, or
where the decay keeps the loss up at any rate (APPNP), less of it. Tests did not decide. Of level
settings the first one counts: the authors' variant, the longer training.
"""

from collections.abc import Sequence
from typing import Any

from flgc.methods.base import Grid
from flgc.methods.registry import contender
from tasks.declared.types import values


def trained(**axes: Any) -> dict[str, tuple]:
    """The values of axes, a single one by itself, and three epochs."""
    return {**values(**axes), "epochs": (200, 100, 50)}


_GCN = trained(hops=2, hidden=16, learning_rate=(0.01, 0.05), weight_decay=5e-4)

TABLE_GRIDS: dict[str, Grid] = {
    "GCN": _GCN,
    "GCN-Linear": _GCN,
    "DropEdge": trained(
        hops=2, hidden=16, drop=0.6, learning_rate=(0.007, 0.05), weight_decay=1e-5
    ),
    "SGC": trained(hops=2, learning_rate=(0.2, 1.0), weight_decay=5e-5),
    "GCNII": trained(
        hops=4,
        hidden=16,
        teleport=0.1,
        theta=0.5,
        learning_rate=(0.01, 0.05),
        weight_decay=5e-4,
        conv_decay=0.01,
    ),
    "APPNP": trained(
        hops=10, hidden=16, teleport=0.1, learning_rate=0.01, weight_decay=(5e-3, 5e-4)
    ),
}


def own_grids(names: Sequence[str], most: int | None = None) -> dict[str, Grid]:
    """Those of clusterings that have their own features, whatever others are prepared with.

    `most` is how many values of each axis are kept.
    """
    axes = {name: contender(name, "clustering").method.axes for name in names}
    return {name: {axis: of[:most] for axis, of in own.items()} for name, own in axes.items()}

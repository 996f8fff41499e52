"""A method at one setting while labels, hops, teleport or neighbours vary: a curve of a figure."""

from collections.abc import Mapping
from typing import Any

from flgc.methods.varying import vary_method
from tasks.running.picked import picked
from tasks.running.scalings import of_setting
from tasks.running.stage import Stage
from tasks.store import Artifact


def at_setting(
    store: str,
    graphs: Any,
    grid: Mapping[str, Any],
    along: str,
    picks: Artifact | None = None,
    setting: Mapping[str, Any] | None = None,
    **given: Any,
) -> dict[str, Any]:
    """What the picks say that all runs share, without what varies: the rest need not be known.

    Graphs are then by the title of their preparation, and the one that was picked is left. Where a
    setting is given instead, axes that it leaves open have the first value of the grid.
    """
    if picks is not None:
        found = picked(store, picks, graphs, grid)
    else:
        first = {axis: values[0] for axis, values in grid.items()}
        found = {"setting": first | dict(setting or {}), "graphs": graphs}
    found["setting"].pop(along, None)
    return given | {"along": along, **found}


vary = Stage("vary", vary_method, code=of_setting, known=at_setting)

"""A method at one setting while labels, hops or neighbours vary: a curve of a figure."""

from collections.abc import Callable, Mapping
from typing import Any

from flgc.methods.picking import as_declared, usual
from flgc.methods.varying import vary_method
from flgc.scaling import SCALINGS
from tasks.running.stage import Stage
from tasks.store import Artifact, Store
from tasks.store.layouts import load


def at_setting(
    store: str,
    grid: Mapping[str, Any],
    along: str,
    picks: Artifact | None = None,
    setting: Mapping[str, Any] | None = None,
    **given: Any,
) -> dict[str, Any]:
    """What the picks say that all runs share, without what varies: the rest need not be known.

    Where a setting is given instead, axes that it leaves open have the first value of the grid.
    """
    if picks is not None:
        found = as_declared(usual(load(Store(store), picks)), grid)
    else:
        found = {axis: values[0] for axis, values in grid.items()} | dict(setting or {})
    found.pop(along, None)
    return given | {"along": along, "setting": found}


def scaling_code(store: str, setting: Mapping[str, Any], **given: Any) -> list[Callable]:
    """The code of the scaling, if the method has one."""
    return [SCALINGS[setting["scaling"]]] if "scaling" in setting else []


vary = Stage("vary", vary_method, code=scaling_code, known=at_setting)

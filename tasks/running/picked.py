"""The setting that was picked for all runs of a cell, and its graph, as a stage needs them."""

from collections.abc import Mapping, Sequence
from typing import Any

from flgc.methods.picking import as_declared, usual
from tasks.store import Artifact, Store
from tasks.store.layouts import load


def picked(
    store: str,
    picks: Artifact,
    graphs: Mapping[str, Artifact],
    grid: Mapping[str, Sequence[Any]],
) -> dict[str, Any]:
    """`setting` in the words of the grid and, of those by the titles of preparations, `graphs`."""
    setting = usual(load(Store(store), picks))
    return {"setting": as_declared(setting, grid), "graphs": [graphs[setting["graph"]]]}

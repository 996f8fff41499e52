"""The affinity matrix of a clustering at the setting that was picked, in the order of classes."""

from collections.abc import Mapping
from typing import Any

from flgc.methods.sorted_affinity import sort_affinity
from tasks.running.picked import picked
from tasks.running.scalings import of_setting
from tasks.running.stage import Stage


def at_pick(store: str, picks: Any, graphs: Any, grid: Mapping, **given: Any) -> dict[str, Any]:
    """The setting and the graph that were picked: the rest need not be known."""
    return given | picked(store, picks, graphs, grid)


affinity = Stage("affinity", sort_affinity, code=of_setting, known=at_pick)

"""The propagation matrix P of a dataset: from its own edges, or from nearest neighbours."""

from collections.abc import Callable
from typing import Any

from flgc.preparing import GIVEN, build_graph
from flgc.scaling import SCALINGS
from tasks.running.stage import Stage


def scaling(store: str, graph: str, **given: Any) -> list[Callable]:
    """The code of the scaling in which neighbours are sought."""
    return [] if graph == GIVEN else [SCALINGS[graph]]


graph = Stage("graph", build_graph, code=scaling)

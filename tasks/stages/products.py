"""The stages of analyses: what is made of cells, their data and their picks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flgc.datasets.sizes import sizes
from flgc.methods.criteria import compare_criteria
from flgc.methods.rules import compare_rules
from flgc.methods.sorted_affinity import sort_affinity
from flgc.methods.timing import time_methods
from flgc.methods.varying import vary_method
from flgc.scaling import SCALINGS
from tasks.report.ranks import compare_methods
from tasks.running.picked import picked
from tasks.running.scalings import of_picks, of_setting
from tasks.running.stage import Stage
from tasks.store import Artifact, Store
from tasks.store.layouts import load

# The datasets of an experiment: sizes, and how many nodes are labelled and tested.
describe = Stage("describe", sizes)


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


# A method at one setting while labels, hops, teleport or neighbours vary: a curve of a figure.
vary = Stage("vary", vary_method, code=of_setting, known=at_setting)


def at_pick(store: str, picks: Any, graphs: Any, grid: Mapping, **given: Any) -> dict[str, Any]:
    """The setting and the graph that were picked: the rest need not be known."""
    return given | picked(store, picks, graphs, grid)


# The affinity matrix of a clustering at that setting, in the order of classes.
affinity = Stage("affinity", sort_affinity, code=of_setting, known=at_pick)


def grid_code(store: str, grids: Sequence[Mapping[str, Any]], **given: Any) -> list[Callable]:
    """The code of all scalings of the grids."""
    return [SCALINGS[name] for name in sorted({s for g in grids for s in g["scaling"]})]


# What a clustering could be picked by without classes: each criterion's pick, side by side.
criteria = Stage("criteria", compare_criteria, code=grid_code)


def scored_scalings(store: str, scores: Mapping[str, Artifact], **given: Any) -> list[Callable]:
    """The code of all scalings in the scores."""
    names = {name for each in scores.values() for name in load(Store(store), each)["p_scaling"]}
    return [SCALINGS[name] for name in sorted(names)]


# What runs could be picked or averaged by without test labels: each rule's accuracy.
rules = Stage("rules", compare_rules, code=scored_scalings)

# Accuracy and training time of all methods over the hops, while nothing else runs.
time = Stage("time", time_methods, code=of_picks)

# Is one method better than another over the datasets of an experiment?
compare = Stage("compare", compare_methods)

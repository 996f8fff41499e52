"""The stages of analyses, which use cells, their data and their picks."""

from collections.abc import Mapping, Sequence
from typing import Any

from flgc.datasets.sizes import sizes
from flgc.methods.criteria import compare_criteria
from flgc.methods.picking import as_declared, usual
from flgc.methods.rules import compare_rules
from flgc.methods.sorted_affinity import sort_affinity
from flgc.methods.timing import time_methods
from flgc.methods.varying import vary_method
from tasks.report.ranks import compare_methods
from tasks.running.scalings import of_parameters, of_picks, of_scores
from tasks.running.stage import Stage
from tasks.store import Artifact, Store
from tasks.store.layouts import load

# The datasets of an experiment: sizes, and how many nodes are labelled and tested.
describe = Stage("describe", sizes)


def resolve_setting(
    store: str,
    graphs: Any,
    grid: Mapping[str, Sequence[Any]],
    picks: Artifact | None = None,
    setting: Mapping[str, Any] | None = None,
    **given: Any,
) -> dict[str, Any]:
    """The setting and the graphs that a method has, without the axis that varies.

    Picks name both, the graph by the title of its preparation. Where a setting is given instead of
    picks, axes that it leaves open have the first value of the grid.
    """
    if picks is None:
        full = {axis: values[0] for axis, values in grid.items()} | dict(setting or {})
    else:
        picked = usual(load(Store(store), picks))
        full, graphs = as_declared(picked, grid), [graphs[picked["graph"]]]
    full.pop(given.get("along", ""), None)
    return given | {"setting": full, "graphs": graphs}


# A method at one setting while labels, hops, teleport or neighbours vary: a curve of a figure.
vary = Stage("vary", vary_method, code=of_parameters, resolve=resolve_setting)

# The affinity matrix of a clustering at that setting, in the order of classes.
affinity = Stage("affinity", sort_affinity, code=of_parameters, resolve=resolve_setting)

# What a clustering could be picked by without classes: each criterion's pick, side by side.
criteria = Stage("criteria", compare_criteria, code=of_parameters)

# What runs could be picked or averaged by without test labels: each rule's accuracy.
rules = Stage("rules", compare_rules, code=of_scores)

# Accuracy and training time of all methods over the hops, while nothing else runs.
time = Stage("time", time_methods, code=of_picks)

# Is one method better than another over the datasets of an experiment?
compare = Stage("compare", compare_methods)

"""The stages of a cell, from its dataset to its result, in the order in which they run.

A stage names the plain function that it runs. Where a key needs more than the arguments, a small
function beside the stage adds it: the code of a scaling, or the setting that was picked.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from flgc.datasets.library import identity, load_identical
from flgc.datasets.splits import runs
from flgc.methods.fitting import fit_cell
from flgc.methods.picking import pick_settings, usual
from flgc.methods.scoring import score_settings
from flgc.noise import NOISES
from flgc.preparing import GIVEN, build_graph, propagate_features
from flgc.preparing import corrupt as corrupt_features
from flgc.scaling import SCALINGS
from tasks.running.scalings import of_fits, of_parameters
from tasks.running.stage import Stage
from tasks.store import Artifact, Store
from tasks.store.layouts import load


def resolve_dataset(store: str, dataset: str) -> dict[str, Any]:
    """Its full name, the digest of its content, and its description."""
    return identity(dataset)


# From wherever `flgc.datasets` finds it.
dataset = Stage("dataset", load_identical, retries=2, resolve=resolve_dataset)


def noise_code(store: str, kind: str, scaling: str, **given: Any) -> list[Callable]:
    """The code of the noise, and of the scaling that it is added in."""
    return [NOISES[kind], SCALINGS[scaling]]


# Seeded and counted: the corrupted dataset is a dataset of its own.
corrupt = Stage("corrupt", corrupt_features, code=noise_code)

# Which nodes are labelled and tested in each run: one artifact, the same for all methods.
splits = Stage("splits", runs)


def neighbours_code(store: str, graph: str, **given: Any) -> list[Callable]:
    """The code of the scaling in which neighbours are found."""
    return [] if graph == GIVEN else [SCALINGS[graph]]


# The propagation matrix P of a dataset: from its own edges, or from nearest neighbours.
graph = Stage("graph", build_graph, code=neighbours_code)


def resolve_features(store: str, picks: Artifact | None = None, **given: Any) -> dict[str, Any]:
    """The setting that all runs share, if picks are given instead of a setting."""
    if picks is None:
        return given
    setting = usual(load(Store(store), picks))
    return given | {name: setting[name] for name in ("scaling", "hops", "teleport")}


# H: its key has no method and no experiment, so that all methods and experiments share it.
propagate = Stage("propagate", propagate_features, code=of_parameters, resolve=resolve_features)


def features_of(
    store: str, data: Artifact, graph: Any, **given: Any
) -> dict[str, Callable[[str, int, float], np.ndarray]]:
    """A function that gives propagated features from the store, which computes what it lacks.

    Features belong to one graph: where settings name several, there is no such function.
    """
    if not isinstance(graph, Artifact):
        return {}
    shared = {name: given[name] for name in ("without", "device") if name in given}

    def kept(scaling: str, hops: int, teleport: float) -> np.ndarray:
        setting = {"scaling": scaling, "hops": int(hops), "teleport": float(teleport)}
        about = f"{scaling}, {hops} hops, teleport {teleport:g}"
        artifact = propagate(store, about, data=data, graph=graph, **setting, **shared)
        return load(Store(store), artifact)

    return {"kept": kept}


# Every setting of a method's grid in every run: both protocols and all its rows pick from it.
score = Stage("score", score_settings, code=of_parameters, extra=features_of, gpu=True)

# The settings of a cell and their weights, run by run. Cells are made from it and not from the
# scores, whose last digits may differ where cores add in another order: equal picks with equal
# values are equal cells.
pick = Stage("pick", pick_settings)

# What fills a cell: fitted anew from kept features, read off the pick, or averaged.
fit = Stage(
    "fit",
    fit_cell,
    outside=("device", "refit"),
    code=of_fits,
    extra=features_of,
    gpu=True,
)

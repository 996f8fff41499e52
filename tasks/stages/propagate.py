"""H, propagated once: its key holds no method and no experiment, so all that need it share it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from flgc.methods.picking import usual
from flgc.preparing import propagate_features
from flgc.scaling import SCALINGS
from tasks.running.stage import Stage
from tasks.store import Artifact, Store
from tasks.store.layouts import load


def at_pick(store: str, picks: Artifact | None = None, **given: Any) -> dict[str, Any]:
    """The setting that all runs share, if picks are given instead of a setting."""
    if picks is None:
        return given
    setting = usual(load(Store(store), picks))
    return given | {name: setting[name] for name in ("scaling", "hops", "teleport")}


def scaling_code(store: str, scaling: str, **given: Any) -> list[Callable]:
    """The code of the scaling that is propagated."""
    return [SCALINGS[scaling]]


propagate = Stage("propagate", propagate_features, code=scaling_code, known=at_pick)


def keeping(
    store: str, data: Artifact, graph: Any, **given: Any
) -> dict[str, Callable[[str, int, float], np.ndarray]]:
    """Propagated features on request of a running stage: from the store, or computed into it.

    They belong to one graph: if settings name several, none are kept.
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

"""Propagated features H of the picked setting.

The key knows graph, features, scaling, hops and teleport, and no method, split or experiment: all
flows that need the same H share it.
"""

import pyarrow as pa

from flgc.device import resolve_device, to_device, to_numpy
from flgc.propagation import propagate as propagated
from flgc.scaling import scaled
from tasks.clusterings import dense
from tasks.declared.experiments import Cell
from tasks.running.stage import as_task
from tasks.stages.dataset import read_dataset
from tasks.stages.graph import leaking
from tasks.stages.pick import shared_setting
from tasks.store.store import Artifact, Store, matrix_to_table

MODULES = ("flgc.propagation", "flgc.scaling")


def propagate_features(
    store: str, cell: Cell, data: Artifact, graph: Artifact, picks: Artifact, device: str = "cpu"
) -> Artifact:
    """H for the setting that all runs share."""
    opened = Store(store)
    setting = shared_setting(opened, picks)

    def compute() -> pa.Table:
        where = resolve_device(device)
        X = dense(scaled(read_dataset(opened, data, cell.protocol).features, setting.scaling))
        P = to_device(opened.read_matrix(graph.key), where)
        H = propagated(P, to_device(X, where), setting.hops, setting.teleport)
        return matrix_to_table(to_numpy(H))

    return opened.get_or_compute(
        "propagate",
        MODULES,
        compute,
        parameters={
            "scaling": setting.scaling,
            "hops": setting.hops,
            "teleport": setting.teleport,
            "without": leaking(opened, data, cell.protocol),
        },
        inputs={"dataset": data, "graph": graph},
    )


propagate = as_task(propagate_features, "propagate {cell.title}")

"""The propagation matrix P of a dataset: from its own edges, or from nearest neighbours."""

import pyarrow as pa
import scipy.sparse as sp

from flgc.datasets import Dataset
from flgc.graph import as_adjacency, default_n_neighbors, knn_graph, propagation_matrix
from flgc.scaling import scaled
from tasks.declared.experiments import GIVEN, Preparation
from tasks.running.stage import as_task
from tasks.stages.dataset import described, read_dataset
from tasks.store.store import Artifact, Store, matrix_to_table

MODULES = ("flgc.graph", "flgc.datasets.dataset", "flgc.scaling")


def build_graph(
    store: str, data: Artifact, dataset: str, preparation: Preparation, protocol: str
) -> Artifact:
    """P as CSR; `honest` does not see features that leak the label."""
    opened = Store(store)

    def compute() -> pa.Table:
        return matrix_to_table(_propagation(read_dataset(opened, data, protocol), preparation))

    return opened.get_or_compute(
        "graph",
        MODULES,
        compute,
        parameters={
            "graph": preparation.graph,
            "n_neighbors": preparation.n_neighbors,
            "without": leaking(opened, data, protocol),
        },
        inputs={"dataset": data},
    )


graph = as_task(build_graph, "graph {dataset}")


def leaking(store: Store, data: Artifact, protocol: str) -> list[str]:
    """The features that the protocol leaves out: a part of every key that depends on features.

    Mostly none, and then both protocols share all that they compute.
    """
    if protocol == "paper":
        return []
    return described(store.read(data.key))["leaking"]


def _propagation(data: Dataset, preparation: Preparation) -> sp.csr_array:
    if preparation.graph == GIVEN:
        return propagation_matrix(as_adjacency(data.edges, data.n_nodes))
    k = preparation.n_neighbors
    if k is None:
        k = default_n_neighbors(data.n_nodes, data.n_classes)
    return propagation_matrix(knn_graph(scaled(data.features, preparation.graph), k))

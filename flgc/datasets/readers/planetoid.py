"""Cora, CiteSeer and PubMed: Planetoid's pickles, read without running any of their code."""

import io
import pickle
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from flgc.datasets.readers.canonical import canonical_edges
from flgc.datasets.readers.reader import Parsed

N_VALIDATION = 500

# The six names in these files, each with its module of today.
ALLOWED = {
    ("numpy", "dtype"): "numpy",
    ("numpy", "ndarray"): "numpy",
    ("numpy.core.multiarray", "_reconstruct"): "numpy._core.multiarray",
    ("scipy.sparse.csr", "csr_matrix"): "scipy.sparse",
    ("collections", "defaultdict"): "collections",
    ("__builtin__", "list"): "builtins",
}


class _ArraysOnly(pickle.Unpickler):
    """Allows arrays, sparse matrices and plain containers, and refuses every other name."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed in a dataset")
        return super().find_class(ALLOWED[module, name], name)


def unpickle(content: bytes) -> Any:
    """The arrays of a pickle, whose sha256 must have been checked before."""
    with warnings.catch_warnings():
        # Pickles of numpy 1 mark their dtypes in a way that numpy 2 calls deprecated.
        warnings.simplefilter("ignore")
        return _ArraysOnly(io.BytesIO(content), encoding="latin1").load()


def read_planetoid(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """The eight files `ind.<name>.*`, labels from y, ty, ally."""
    part = _by_part(files)
    graph = _Graph(part, len(unpickle(part["y"])))
    labels = graph.in_order(unpickle(part["ally"]), unpickle(part["ty"])).argmax(axis=1)
    return graph.parsed(labels)


def read_cora_by_words(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """Cora without its label files: labels from another table, joined by the words of each paper.

    No two papers of different classes have the same words, so the join is unambiguous.
    """
    import pyarrow.parquet as pq

    part = _by_part(files)
    graph = _Graph(part, unpickle(part["x"]).shape[0])
    table = pq.read_table(io.BytesIO(files["cora_nodes.parquet"]), columns=["subject", "features"])
    words = np.stack(table["features"].to_numpy()).astype(np.uint8)
    classes_of_words: dict[bytes, set[int]] = {}
    for row, subject in zip(words, table["subject"].to_pylist(), strict=True):
        classes_of_words.setdefault(row.tobytes(), set()).add(CORA_SUBJECTS[subject])
    labels = []
    for node, row in enumerate(graph.features.toarray().astype(np.uint8)):
        classes = classes_of_words.get(row.tobytes(), set())
        if len(classes) != 1:
            raise ValueError(f"Cora node {node}: {len(classes)} classes have its words")
        labels.append(next(iter(classes)))
    return graph.parsed(np.array(labels))


# Planetoid's number for each subject of the other table.
CORA_SUBJECTS = {0: 3, 1: 6, 2: 1, 3: 4, 4: 0, 5: 2, 6: 5}


def _by_part(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name.split(".", 2)[2]: content for name, content in files.items() if name[:4] == "ind."}


class _Graph:
    """Nodes in the order of their numbers; Planetoid keeps the test nodes apart, shuffled."""

    def __init__(self, part: Mapping[str, bytes], n_train: int) -> None:
        import scipy.sparse as sp

        self.test = np.array(part["test.index"].split(), dtype=np.int64)
        self.first_test = unpickle(part["allx"]).shape[0]
        self.n_train = n_train
        self.features = sp.csr_array(
            self.in_order(unpickle(part["allx"]), unpickle(part["tx"])), dtype=np.float64
        )
        self.features.eliminate_zeros()
        self.features.sort_indices()
        self.adjacency = unpickle(part["graph"])

    def in_order(self, before: Any, test: Any) -> Any:
        """Rows by node number. CiteSeer's 15 isolated test nodes have no row: they are zero."""
        import scipy.sparse as sp

        n_nodes = int(self.test.max()) + 1
        place = sp.csr_array(
            (np.ones(len(self.test)), (self.test - self.first_test, np.arange(len(self.test)))),
            shape=(n_nodes - self.first_test, len(self.test)),
        )
        rows = place @ test
        return sp.vstack([before, rows]).tocsr() if sp.issparse(test) else np.vstack([before, rows])

    def parsed(self, labels: np.ndarray) -> Parsed:
        n_nodes = self.features.shape[0]
        source = [node for node, others in self.adjacency.items() for _ in others]
        target = [other for others in self.adjacency.values() for other in others]
        masks = {name: np.zeros(n_nodes, dtype=bool) for name in ("train", "val", "test")}
        masks["train"][: self.n_train] = True
        masks["val"][self.n_train : self.n_train + N_VALIDATION] = True
        masks["test"][self.test] = True
        edges = canonical_edges(np.array(source), np.array(target), n_nodes)
        return Parsed(self.features, labels.astype(np.int64), edges, masks)

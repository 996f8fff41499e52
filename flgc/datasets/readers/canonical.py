"""The canonical form of rows and edges, which does not depend on their source."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse as sp


def canonical_rows(features: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A table with its rows sorted by features, then label, so that a shuffled copy is the same.

    Nine decimals are more than any of the tables has, and fewer than another text format could
    change; adding zero turns -0 into 0.
    """
    features = np.round(np.asarray(features, dtype=np.float64), 9) + 0.0
    order = np.lexsort((labels, *features.T[::-1]))
    return np.ascontiguousarray(features[order]), labels[order]


def canonical_edges(source: np.ndarray, target: np.ndarray, n_nodes: int) -> np.ndarray:
    """Edges in both directions, each once, no self loops, sorted by target, then source."""
    source, target = np.asarray(source, dtype=np.int64), np.asarray(target, dtype=np.int64)
    unique = np.unique(np.concatenate([target * n_nodes + source, source * n_nodes + target]))
    rows, columns = np.divmod(unique, n_nodes)
    kept = rows != columns
    return np.stack([columns[kept], rows[kept]])


def weighted_edges(
    source: np.ndarray, target: np.ndarray, weight: np.ndarray, n_nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """The edges of `canonical_edges`, and their weights; edges of weight 0 are dropped."""
    from flgc.graph import as_adjacency  # slow to import, and rarely needed

    adjacency = as_adjacency(np.stack([source, target]), n_nodes, weight)
    adjacency.sort_indices()
    ends = np.repeat(np.arange(n_nodes), np.diff(adjacency.indptr))
    return np.stack([adjacency.indices.astype(np.int64), ends]), adjacency.data


def sparse_if_worth_it(features: np.ndarray) -> "np.ndarray | sp.csr_array":
    """Bags of words stay sparse: below a tenth of non-zeros CSR is smaller and faster."""
    import scipy.sparse as sp

    sparse = np.count_nonzero(features) < 0.1 * features.size
    return sp.csr_array(features) if sparse else features

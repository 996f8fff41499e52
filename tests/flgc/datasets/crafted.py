"""PyG files made by hand, as a table: sparse tensors whose parts do not fit, and good ones.

Compiled code trusts the indices of a sparse tensor, so a wrong one may end the process.
"""

import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import torch
from torch_geometric.data import Data

from flgc.datasets import DatasetError, from_pyg
from tests.flgc.watched import Row

HUGE = 10**12
X = torch.eye(4, 6, dtype=torch.float64)
EDGES = torch.tensor([[0, 1, 2], [1, 2, 3]])
# Pointers and indices of a good tensor in each layout; blocks are 2 x 2.
PARTS = {
    torch.sparse_csr: ([0, 1, 2, 3, 4], [0, 1, 2, 3]),
    torch.sparse_csc: ([0, 1, 2, 3, 4, 4, 4], [0, 1, 2, 3]),
    torch.sparse_bsr: ([0, 1, 2], [0, 1]),
    torch.sparse_bsc: ([0, 1, 2, 2], [0, 1]),
}


# Of pointers (0) or indices (1), the place of the fault and what stands there.
FAULTS = {
    "pointer too large": (0, 1, HUGE),
    "last pointer too large": (0, -1, HUGE),
    "negative pointer": (0, 1, -HUGE),
    "pointers that fall": (0, 1, 4),
    "index too large": (1, 0, HUGE),
    "negative index": (1, -1, -HUGE),
}


def compressed(layout: torch.layout, fault: str) -> torch.Tensor:
    """A tensor of 4 x 6 with a fault in one of its parts; torch does not look."""
    parts = [list(part) for part in PARTS[layout]]
    part, place, value = FAULTS[fault]
    parts[part][place] = value
    blocks = layout in (torch.sparse_bsr, torch.sparse_bsc)
    values = torch.ones(len(parts[1]), *((2, 2) if blocks else ()), dtype=torch.float64)
    return torch.sparse_compressed_tensor(
        *map(torch.tensor, parts), values, (4, 6), layout=layout, check_invariants=False
    )


def coordinates(rows: list[int], columns: list[int], n_values: int = 2) -> torch.Tensor:
    """A COO tensor of 4 x 6 of which torch looks at nothing."""
    values = torch.ones(n_values, dtype=torch.float64)
    return torch.sparse_coo_tensor([rows, columns], values, (4, 6), check_invariants=False)


def with_shape(shape: tuple[int, ...]) -> torch.Tensor:
    """A small sparse tensor that says it is large."""
    indices = torch.zeros((len(shape), 1), dtype=torch.int64)
    return torch.sparse_coo_tensor(indices, torch.ones(1), shape, check_invariants=False)


def read(**parts: object) -> np.ndarray:
    """The features of a graph with these parts, by way of a file."""
    whole = {"x": X, "edge_index": EDGES, "y": torch.tensor([0, 1, 0, 1])} | parts
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crafted.pt"
        torch.save(Data(**whole), path)
        try:
            features = from_pyg(path).features
        except DatasetError as error:
            raise ValueError(str(error)) from error
    return features if isinstance(features, np.ndarray) else features.toarray()


def faulty(name: str, message: str, **parts: object) -> Row:
    return Row(name, partial(read, **parts), message)


def rows() -> Iterator[Row]:
    for layout, fault in product(PARTS, FAULTS):
        yield faulty(f"x {layout}: {fault}", "x is", x=compressed(layout, fault))
    csr = compressed(torch.sparse_csr, "pointer too large")
    for field in ("y", "edge_index", "train_mask"):
        masks = {f"{role}_mask": torch.ones(4).bool() for role in ("train", "val", "test")}
        yield faulty(f"{field}: pointer too large", f"{field} ", **(masks | {field: csr}))
    yield faulty("COO: row too large", "x is", x=coordinates([0, HUGE], [0, 1]))
    yield faulty("COO: column too large", "x is", x=coordinates([0, 1], [0, HUGE]))
    yield faulty("COO: negative row", "x is", x=coordinates([0, -HUGE], [0, 1]))
    yield faulty("COO: negative column", "x is", x=coordinates([0, 1], [-1, 1]))
    yield faulty("COO: huge", "FLGC_MAX_GB", x=with_shape((10**6, 10**6)))
    yield faulty("COO: long y", "FLGC_MAX_GB", y=with_shape((HUGE,)))
    yield faulty("dense: one value as many", "FLGC_MAX_GB", x=torch.zeros(1).expand(15000, 15000))
    yield faulty("meta", "x is", x=torch.empty(4, 6, device="meta"))
    yield Row("dense", read, same_as=X.numpy)
    yield Row("COO", partial(read, x=X.to_sparse()), same_as=X.numpy)
    yield Row("CSR", partial(read, x=X.to_sparse_csr()), same_as=X.numpy)


ROWS = list(rows())

"""Graphs of PyTorch Geometric as datasets; each tensor is checked."""

import os
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from flgc.datasets.dataset import Dataset
from flgc.datasets.errors import DatasetError
from flgc.datasets.limits import check_file, check_memory, check_shape
from flgc.datasets.own import name_of, with_provenance
from flgc.datasets.readers.canonical import canonical_edges, sparse_if_worth_it
from flgc.datasets.splits import ROLES

ATTRIBUTES = ("x", "edge_index", "y", *(f"{role}_mask" for role in ROLES))
MOST_CLASSES = 100_000  # larger numbers are identifiers or targets, not classes


def from_pyg(data: Any, *, name: str | None = None) -> Dataset:
    """A PyG `Data` object, or a `.pt` file of one, read without running pickled code.

    `y` has classes 0..C-1; NaN and -1 mean an unlabelled node. `train_mask`, `val_mask` and
    `test_mask` must be all there, or none.
    """
    where = "a PyG Data object"
    if isinstance(data, (str, os.PathLike)):
        name, where = name or name_of(data), Path(data).name
        data = _load_pt(Path(data))
    for attribute in ("x", "edge_index", "y"):
        if getattr(data, attribute, None) is None:
            raise DatasetError(f"{where} has no {attribute!r}; a dataset needs x, edge_index and y")
    features = _features(_array(data, "x", where), where)
    labels = _labels(_array(data, "y", where), len(features), where)
    start, end = _edge_index(_array(data, "edge_index", where), len(features), where)
    dataset = Dataset(
        name=name or "pyg",
        kind="graph",
        features=sparse_if_worth_it(features),
        labels=labels,
        class_names=tuple(str(i) for i in range(int(labels.max()) + 1)),
        edges=canonical_edges(start, end, len(labels)),
        masks=_masks(data, len(features), where),
    )
    return with_provenance(dataset, where)


def _array(data: Any, attribute: str, where: str) -> np.ndarray:
    """A tensor as a dense array; indices of a sparse one are checked first."""
    import scipy.sparse as sp
    import torch

    from flgc.inputs import as_array

    try:
        tensor = torch.as_tensor(getattr(data, attribute))
        check_shape(f"{where}: {attribute}", tuple(tensor.shape))
        array = as_array(tensor, attribute)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DatasetError(
            f"{where}: {attribute} is not a tensor of numbers ({error}); give a dense one"
        ) from error
    dense = np.asarray(array.toarray() if sp.issparse(array) else array)
    return dense.astype(np.float64) if dense.dtype.kind == "f" else dense


def _features(x: np.ndarray, where: str) -> np.ndarray:
    if x.ndim != 2 or not x.size:
        raise DatasetError(
            f"{where}: x has shape {x.shape}; it needs one row per node and one column per feature"
        )
    if np.iscomplexobj(x):
        raise DatasetError(f"{where}: x has complex numbers; split them")
    if not np.isfinite(x).all():
        node, feature = np.argwhere(~np.isfinite(x))[0]
        raise DatasetError(
            f"{where}: x has {x[node, feature]} at node {node}, feature {feature}; fill such values"
        )
    return x.astype(np.float64)


def _labels(y: np.ndarray, n_nodes: int, where: str) -> np.ndarray:
    if y.shape not in ((n_nodes,), (n_nodes, 1)):
        raise DatasetError(
            f"{where}: y has shape {y.shape}, {y.size} labels for {n_nodes} nodes; "
            "it needs one class number per node"
        )
    y = np.where(np.isnan(y), -1, y).ravel()
    odd = y[(y != np.round(y)) | (y < -1) | (y >= MOST_CLASSES)]
    if odd.size:
        raise DatasetError(
            f"{where}: label {odd[0]} is not a class; use 0, 1, 2, ... and -1 for unlabelled nodes"
        )
    if (y < 0).all():
        raise DatasetError(f"{where}: no node has a label")
    return y.astype(np.int64)


def _edge_index(edges: np.ndarray, n_nodes: int, where: str) -> np.ndarray:
    if edges.ndim != 2 or len(edges) != 2 or not np.issubdtype(edges.dtype, np.integer):
        raise DatasetError(
            f"{where}: edge_index has shape {edges.shape} of {edges.dtype}; it needs two rows of "
            "node numbers"
        )
    outside = edges[(edges < 0) | (edges >= n_nodes)]
    if outside.size:
        raise DatasetError(
            f"{where}: edge_index names node {outside[0]}; nodes are 0 to {n_nodes - 1}"
        )
    return edges


def _masks(data: Any, n_nodes: int, where: str) -> dict[str, np.ndarray] | None:
    roles = [role for role in ROLES if getattr(data, f"{role}_mask", None) is not None]
    if not roles:
        return None
    missing = [f"{role}_mask" for role in ROLES if role not in roles]
    if missing:
        raise DatasetError(
            f"{where} has {roles[0]}_mask but no {' and no '.join(missing)}; "
            "a split needs all three: add them, or remove the others"
        )
    masks = {role: _array(data, f"{role}_mask", where) for role in ROLES}
    for role, mask in masks.items():
        if mask.shape != (n_nodes,) or mask.dtype != bool:
            raise DatasetError(
                f"{where}: {role}_mask has shape {mask.shape} of {mask.dtype}; it needs one bool "
                f"for each of the {n_nodes} nodes"
            )
    return masks


def _load_pt(path: Path) -> Any:
    try:
        import torch
        import torch_geometric.data.data as classes
        from torch_geometric.data import Data
        from torch_geometric.data.storage import GlobalStorage
    except ImportError as error:
        raise DatasetError(f"{path} needs torch-geometric: pip install 'flgc[gnn]'") from error

    check_file(path)
    allowed = [Data, GlobalStorage, classes.DataEdgeAttr, classes.DataTensorAttr]
    try:
        with torch.serialization.safe_globals(allowed):
            # The only format that torch has written since 2020; it knows its unpacked size.
            with zipfile.ZipFile(path) as packed:
                unpacked = sum(member.file_size for member in packed.infolist())
            check_memory(path.name, unpacked, "the unpacked file")
            data = torch.load(path, map_location="cpu", weights_only=True)
            # Attributes may be anything: if reading one fails, it fails here, with the file's name.
            return SimpleNamespace(**{name: getattr(data, name, None) for name in ATTRIBUTES})
    except DatasetError:
        raise
    except Exception as error:
        raise DatasetError(f"{path} is not a plain file of a PyG Data object: {error}") from error

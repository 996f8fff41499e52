"""The inputs of estimators: features, labels with gaps, masks of nodes, PyG `Data` objects.

Everything is brought into one form here, or refused by name. Each check is one pass over the input.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from flgc.checks import brief, kind


def is_pyg(graph: Any) -> bool:
    """Whether it is a PyG `Data`, by its attributes, as torch is optional."""
    return hasattr(graph, "edge_index") and hasattr(graph, "num_nodes")


def unpack_pyg(data: Any, adjacency: Any) -> tuple[Any, Any]:
    """Features and graph of a PyG `Data`; an `adjacency` passed beside it takes precedence."""
    if data.x is None:
        raise ValueError("the Data object has no features `x`: set data.x before fitting.")
    return data.x, data if adjacency is None else adjacency


def pyg_labels(data: Any) -> Any:
    """Labels of a PyG `Data`; with a `train_mask`, all others become -1."""
    if data.y is None:
        return None
    y = np.asarray(as_array(data.y, "data.y"))
    if y.ndim == 2 and y.shape[1] == 1:  # the form of OGB
        y = y[:, 0]
    train_mask = getattr(data, "train_mask", None)
    if train_mask is None or y.ndim != 1:
        return y
    return np.where(node_mask(train_mask, len(y), "train_mask"), y, np.int64(-1))


def is_tensor(values: Any) -> bool:
    """Whether it is a torch tensor, by its attributes."""
    return hasattr(values, "detach") and hasattr(values, "layout")


def as_array(values: Any, name: str) -> Any:
    """Torch tensors as numpy, sparse matrices as checked CSR, the rest unchanged."""
    if is_tensor(values):
        try:
            values = _from_torch(values.detach().cpu())
        except (RuntimeError, TypeError) as error:
            raise TypeError(
                f"{name} is a {kind(values)} that numpy cannot read ({error}): give a dense, COO "
                f"or CSR tensor of real numbers."
            ) from error
    if sp.issparse(values):
        return sound_csr(values, name)
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} is a masked array with {np.ma.count_masked(values)} masked entries, which "
            f"would count as values: fill them first, see numpy.ma.filled."
        )
    return values


def _from_torch(tensor: Any) -> Any:
    """From the parts of each layout, unchecked: torch trusts the indices of sparse tensors too."""
    if tensor.is_sparse:
        parts = (_dense_numpy(tensor._values()), tuple(tensor._indices().numpy()))
        return sp.coo_array(parts, shape=tuple(tensor.shape))
    if str(tensor.layout) == "torch.sparse_csr":
        indices = (tensor.col_indices().numpy(), tensor.crow_indices().numpy())
        return sp.csr_array((_dense_numpy(tensor.values()), *indices), shape=tuple(tensor.shape))
    return _dense_numpy(tensor)


def _dense_numpy(tensor: Any) -> np.ndarray:
    try:
        values = tensor.numpy()
    except TypeError:  # numpy has no bfloat16
        values = tensor.float().numpy()
    return values.astype(np.float32) if values.dtype == np.float16 else values  # for scipy


def sound_csr(matrix: Any, name: str) -> Any:
    """The matrix as CSR, its indices checked: one out of range would crash compiled code."""
    try:
        # A new matrix around the same arrays, as the check may replace arrays.
        if matrix.format in ("csr", "csc", "bsr"):
            parts = (matrix.data, matrix.indices, matrix.indptr)
            shell = type(matrix)(parts, shape=matrix.shape)
            _check_compressed(shell)
            return shell.tocsr()
        if matrix.format == "coo":  # checks itself when it is made
            return type(matrix)((matrix.data, matrix.coords), shape=matrix.shape).tocsr()
        rows = matrix.tocsr()
        _check_compressed(rows)
        return rows
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(
            f"{name} is a damaged {matrix.format} matrix of shape {matrix.shape} ({error}): build "
            f"it anew from rows, columns and values."
        ) from error


def _check_compressed(matrix: Any) -> None:
    matrix.check_format(full_check=True)
    if (np.diff(matrix.indptr) < 0).any():  # scipy skips this if the last entry is 0
        raise ValueError("indptr must be a non-decreasing sequence")


@contextmanager
def refusing(name: str, values: Any) -> Iterator[None]:
    """Add the input's name and type, and what to give instead, to errors of reading numbers."""
    try:
        yield
    except (TypeError, ValueError, OverflowError, NotImplementedError) as error:
        refusal = TypeError if isinstance(error, TypeError) else ValueError
        raise refusal(
            f"{name} ({kind(values)}) cannot be used: {error} Give numbers, as an array, sparse "
            f"matrix or DataFrame of shape (rows, features)."
        ) from error


def read_features(estimator: Any, X: Any, *, fitting: bool = True, **options: Any) -> Any:
    """X validated by scikit-learn, with errors that name X and a check of its scale."""
    X = as_array(X, "X")
    with refusing("X", X):
        types = getattr(X, "dtypes", [getattr(X, "dtype", np.dtype(float))])
        if any(getattr(each, "kind", "f") in "mM" for each in types):
            raise TypeError("dates and times cannot be features.")
        valid = validate_data(estimator, X, accept_sparse="csr", reset=fitting, **options)
    _check_scale(valid, fitting)
    return valid


def _check_scale(X: Any, fitting: bool) -> None:
    """Refuse values whose products overflow, and at a fit also those whose products all vanish."""
    values = X.data if sp.issparse(X) else X
    if values.size == 0:
        return
    largest = max(float(values.max()), -float(values.min()))
    limits = np.finfo(X.dtype)
    highest = float(np.sqrt(float(limits.max) / (X.shape[0] * X.shape[1])))
    lowest = float(np.sqrt(float(limits.tiny))) if fitting else 0.0
    if largest > highest or 0 < largest < lowest:
        raise ValueError(
            f"the scale of X is out of range: its largest value is {largest:.3g}, but sums of "
            f"products need {lowest:.1g} to {highest:.1g} in {X.dtype}. Rescale the features, e.g. "
            f"with sklearn.preprocessing.StandardScaler."
        )


def read_labels(y: Any, n_rows: int) -> np.ndarray:
    """One label per row; `unlabelled` says which are unknown."""
    try:
        labels = np.asarray(as_array(y, "y"))
    except ValueError as error:
        raise ValueError(
            f"y ({kind(y)}) cannot be read as one array ({error}): give one label per row of X, "
            f"-1 where it is not known."
        ) from error
    if labels.dtype.kind not in "biufUSO":
        raise ValueError(f"y has labels of type {labels.dtype}: give whole numbers or strings.")
    labels = column_or_1d(labels, warn=True)
    if len(labels) != n_rows:
        raise ValueError(
            f"y has {len(labels)} labels, but X has {n_rows} rows: give one label per row, -1 "
            f"where it is not known."
        )
    return labels


def unlabelled(y: np.ndarray) -> np.ndarray:
    """Where y is unknown: -1, or missing (None, NaN, pandas.NA); in text also "-1" and ""."""
    if y.dtype.kind in "US":
        return np.isin(y, np.array(["-1", ""], dtype=y.dtype))
    if y.dtype.kind == "O":
        import pandas as pd  # slow to import, and not needed for numbers

        return pd.isna(y) | np.array([_says_unknown(label) for label in y], dtype=bool)
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise ValueError("y contains infinity: mark unlabelled nodes with -1.")
    return (y == -1) | (y != y)


def _says_unknown(label: Any) -> bool:
    return isinstance(label, str | Real) and label in (-1, "-1", "")


def plain_labels(labels: np.ndarray) -> np.ndarray:
    """Labels of an object array in their own type: text stays, numbers become a numeric array."""
    types = {type(label) for label in labels} if labels.dtype.kind == "O" else set()
    if all(issubclass(each, str) for each in types):
        return labels
    truths = [issubclass(each, bool | np.bool_) for each in types]
    if all(truths) or (all(issubclass(each, Real) for each in types) and not any(truths)):
        return np.array(labels.tolist())
    raise ValueError(
        f"y has labels of type {', '.join(sorted(each.__name__ for each in types))}: give whole "
        f"numbers or strings, all labels of one type."
    )


def node_mask(nodes: Any, n_nodes: int, name: str) -> np.ndarray:
    """Nodes as a boolean mask, from a mask (also of 0 and 1) or from node numbers."""
    values = np.asarray(as_array(nodes, name))
    if values.size == 0 or (values.dtype.kind == "b" and not values.any()):
        raise ValueError(f"{name} names no node: give at least one, or leave it out.")
    if values.ndim != 1 or values.dtype.kind not in "biu":
        raise ValueError(
            f"{name}={brief(nodes)} has shape {values.shape} and type {values.dtype}: give one "
            f"boolean per node, shape ({n_nodes},), or node numbers. Of several splits choose one, "
            f"e.g. {name}[:, 0]."
        )
    lowest, highest = values.min(), values.max()
    if values.dtype.kind == "b" or (len(values) == n_nodes > 2 and lowest >= 0 and highest <= 1):
        if len(values) != n_nodes:
            raise ValueError(
                f"{name} is a mask of {len(values)} entries, but there are {n_nodes} nodes: give "
                f"one per node."
            )
        return values.astype(bool)
    if lowest < 0 or highest >= n_nodes:
        raise ValueError(
            f"{name} names node {lowest if lowest < 0 else highest}: choose among the nodes "
            f"0..{n_nodes - 1}."
        )
    mask = np.zeros(n_nodes, dtype=bool)
    mask[values] = True
    return mask

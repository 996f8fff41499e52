"""What estimators accept: PyG `Data` objects, and labels with -1 where they are not known."""

from __future__ import annotations

from typing import Any

import numpy as np


def unpack_pyg(data: Any, y: Any, adjacency: Any) -> tuple[Any, Any, Any]:
    """Features, labels and graph of a PyG `Data`; what was passed beside it takes precedence.

    Labels outside `train_mask`, where there is one, are hidden from the fit.
    """
    if data.x is None:
        raise ValueError("the Data object has no features `x`: set data.x before fitting.")
    if y is None and data.y is not None:
        y = data.y.detach().cpu().numpy()
        train_mask = getattr(data, "train_mask", None)
        if train_mask is not None:
            y = np.where(train_mask.detach().cpu().numpy(), y, -1)
    features = data.x.detach().cpu()
    features = features.to_dense() if features.is_sparse else features
    return features.numpy(), y, data if adjacency is None else adjacency


def unlabelled(y: np.ndarray) -> np.ndarray:
    """Where y says "not known": -1; in arrays of strings also ""; in object arrays also None."""
    if y.dtype.kind in "US":
        return np.isin(y, np.array(["-1", ""], dtype=y.dtype))
    if y.dtype.kind == "O":
        return np.array([label is None or label in (-1, "-1", "") for label in y], dtype=bool)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("y contains NaN or infinity: mark unlabelled nodes with -1.")
    return y == -1

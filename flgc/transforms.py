"""The propagation as a PyTorch Geometric transform."""

from __future__ import annotations

from typing import Any

import torch
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from flgc.checks import brief, check_hops, check_teleport, kind
from flgc.device import to_device
from flgc.graph import as_adjacency, propagation_matrix
from flgc.inputs import as_array
from flgc.propagation import propagate


@functional_transform("flgc_propagate")
class Propagate(BaseTransform):
    """Replace the features `x` of a `Data` by H(hops), on the device where they are.

    H(0) = X, H(h+1) = (1 - teleport) P H(h) + teleport X                         (Eq. 10)
    """

    def __init__(self, hops: int = 10, teleport: float = 0.1):
        check_hops(hops)
        check_teleport(teleport)
        self.hops = hops
        self.teleport = teleport

    def forward(self, data: Data) -> Data:
        """PyG calls it on a shallow copy; half precision is kept, integers become floats."""
        if not isinstance(data, Data):
            raise TypeError(
                f"Propagate works on a Data object, found {brief(data)}: give several graphs one "
                f"after the other, and the to_homogeneous() of a HeteroData."
            )
        x = _features(data.x)
        # The product exists in two precisions only.
        full = x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)
        dtype = str(full.dtype).removeprefix("torch.")
        P = to_device(propagation_matrix(as_adjacency(data, len(x)), dtype), x.device)
        H = propagate(P, full, self.hops, self.teleport)
        data.x = H.to(x.dtype) if x.is_floating_point() else H
        if not data.x.isfinite().all():
            raise ValueError(
                f"the propagated features are not finite: data.x ({kind(x)}) contains NaN or "
                f"infinity, or is out of the range of {x.dtype}. Remove them, or rescale data.x."
            )
        return data

    def __repr__(self) -> str:
        return f"{type(self).__name__}(hops={self.hops}, teleport={self.teleport})"


def _features(x: Any) -> torch.Tensor:
    """The features as a dense tensor of real numbers; anything else is an error."""
    if x is None:
        raise ValueError("the Data object has no features `x`: set data.x first.")
    if not isinstance(x, torch.Tensor) or x.is_complex() or x.ndim != 2:
        raise ValueError(
            f"data.x is {brief(x)}: give a tensor of real numbers of shape (nodes, features)."
        )
    if x.layout is torch.strided:
        return x
    return torch.as_tensor(as_array(x, "data.x").toarray(), device=x.device).to(x.dtype)

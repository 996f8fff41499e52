"""The propagation as a PyTorch Geometric transform."""

from __future__ import annotations

import torch
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from flgc.device import to_device
from flgc.graph import as_adjacency, propagation_matrix
from flgc.propagation import check_hops, check_teleport, propagate


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
        """Called on a shallow copy of the `Data`."""
        if data.x is None:
            raise ValueError("the Data object has no features `x`: set data.x first.")
        x: torch.Tensor = data.x
        dtype = str(x.dtype).removeprefix("torch.")
        P = to_device(propagation_matrix(as_adjacency(data), dtype), x.device)
        data.x = propagate(P, x, self.hops, self.teleport)
        return data

    def __repr__(self) -> str:
        return f"{type(self).__name__}(hops={self.hops}, teleport={self.teleport})"

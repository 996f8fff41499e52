"""A H_r for every run r at once: one matrix A without gradient, H of shape (R, k, h) with one.

Three of four multiplications of a rival are of this kind, and most entries of A are zero.
"""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
import torch

from flgc.device import to_device

# Above this share of non-zeros dense is faster (on PubMed: .25 at 64 columns, .5 at 16).
_DENSE_FROM = 0.3
# MKL's sparse product slows down when the rows that it gathers are longer than this.
_MOST_COLUMNS = 64


class Product:
    """H -> A H, (R, k, h) -> (R, m, h), for a sparse or dense A of shape (m, k)."""

    def __init__(self, matrix: Any, device: torch.device, *, symmetric: bool = False) -> None:
        m, k = matrix.shape
        nnz = matrix.nnz if sp.issparse(matrix) else (matrix != 0).sum()
        self._dense = self._forward = self._backward = None
        if nnz > _DENSE_FROM * m * k:
            dense = matrix.toarray() if sp.issparse(matrix) else matrix
            self._dense = torch.as_tensor(dense, device=device)
            return
        self._forward = _sparse(matrix, device)
        self._backward = self._forward if symmetric else _sparse(matrix.T, device)

    def __call__(self, H: torch.Tensor) -> torch.Tensor:
        """A H of each run; the gradient is A' times what comes back."""
        if self._dense is not None:
            return _dense_times(self._dense, H)
        return _SparseProduct.apply(H, self._forward, self._backward)


def _dense_times(A: torch.Tensor, H: torch.Tensor) -> torch.Tensor:
    """(H' A')' with the runs' columns as rows: few of them, and BLAS is far faster this way."""
    n_runs, k, h = H.shape
    product = H.transpose(1, 2).reshape(-1, k) @ A.T
    return product.view(n_runs, h, -1).transpose(1, 2)


class _SparseProduct(torch.autograd.Function):
    """Torch's own gradient would transpose A anew in every epoch."""

    @staticmethod
    def forward(ctx: Any, H: torch.Tensor, A: torch.Tensor, A_transposed: torch.Tensor) -> Any:
        ctx.transposed = A_transposed
        return _times(A, H)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        return _times(ctx.transposed, gradients[0]), None, None


def _times(A: torch.Tensor, H: torch.Tensor) -> torch.Tensor:
    """As many runs in one call as it takes at full speed."""
    n_runs, _, h = H.shape
    together = max(1, _MOST_COLUMNS // h) if H.device.type == "cpu" else n_runs
    if together >= n_runs:
        return _side_by_side(A, H)
    return torch.cat([_side_by_side(A, some) for some in H.split(together)])


def _side_by_side(A: torch.Tensor, H: torch.Tensor) -> torch.Tensor:
    """A H with the runs' columns beside each other: one large product instead of R small ones."""
    n_runs, k, h = H.shape
    return (A @ H.transpose(0, 1).reshape(k, -1)).view(-1, n_runs, h).transpose(0, 1)


def _sparse(matrix: Any, device: torch.device) -> torch.Tensor:
    """CSR with 32-bit indices where they fit: MKL would convert longer ones at every call."""
    tensor = to_device(sp.csr_array(matrix), device)
    if max(*matrix.shape, tensor.values().shape[0]) > torch.iinfo(torch.int32).max:
        return tensor
    return torch.sparse_csr_tensor(
        tensor.crow_indices().to(torch.int32),
        tensor.col_indices().to(torch.int32),
        tensor.values(),
        size=matrix.shape,
        check_invariants=False,
    )

"""A H_r for every run r at once: one matrix A without gradient, H of shape (R, k, h) with one.

Three of four multiplications of trained methods are of this kind, and most entries of A are zero.
"""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
import torch

from flgc.device import to_device

# Above this share of non-zeros a dense product is faster (on PubMed: .25 at 64 columns, .5 at 16).
_DENSE_FROM = 0.3
# MKL's sparse product slows down when the rows that it gathers are longer than this.
_MOST_COLUMNS = 64
# It also slows down if a wide matrix gathers from more rows than fit into the cache: cut there.
_MOST_ROWS = 2000
_WIDE = 4

# A sparse matrix, cut between columns.
Blocks = tuple[torch.Tensor, ...]
Factor = torch.Tensor | Blocks


class Product:
    """H -> A H, (R, k, h) -> (R, m, h), for a sparse or dense A of shape (m, k)."""

    def __init__(self, matrix: Any, device: torch.device, *, symmetric: bool = False) -> None:
        m, k = matrix.shape
        nnz = matrix.nnz if sp.issparse(matrix) else (matrix != 0).sum()
        self._forward: Factor
        self._backward: Factor
        if nnz > _DENSE_FROM * m * k:
            dense = matrix.toarray() if sp.issparse(matrix) else matrix
            self._forward = torch.as_tensor(dense, device=device)
            self._backward = self._forward.T
        else:
            self._forward = _blocks(matrix, device)
            self._backward = self._forward if symmetric else _blocks(matrix.T, device)

    def __call__(self, H: torch.Tensor) -> torch.Tensor:
        """A H of each run; the gradient is A' times the incoming gradient."""
        return _Times.apply(H, self._forward, self._backward)


class _Times(torch.autograd.Function):
    """A H with its own gradient: torch's would transpose a sparse A in every epoch, and multiply a
    dense one in the slow order.
    """

    @staticmethod
    def forward(ctx: Any, H: torch.Tensor, A: Factor, A_transposed: Factor) -> Any:
        ctx.transposed = A_transposed
        return _times(A, H)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        return _times(ctx.transposed, gradients[0]), None, None


def _times(A: Factor, H: torch.Tensor) -> torch.Tensor:
    """A H, with as many runs per call as are fast."""
    n_runs, k, h = H.shape
    if isinstance(A, torch.Tensor):
        # (H' A')' with the runs' columns as rows: few of them, and BLAS is far faster this way.
        return (H.transpose(1, 2).reshape(-1, k) @ A.T).view(n_runs, h, -1).transpose(1, 2)
    together = max(1, _MOST_COLUMNS // h) if H.device.type == "cpu" else n_runs
    if together >= n_runs:
        return _side_by_side(A, H)
    return torch.cat([_side_by_side(A, some) for some in H.split(together)])


def _side_by_side(A: Blocks, H: torch.Tensor) -> torch.Tensor:
    """A H with the runs' columns beside each other: one large product instead of R small ones."""
    n_runs, k, h = H.shape
    parts = H.transpose(0, 1).reshape(k, -1).split([block.shape[1] for block in A])
    product = parts[0].new_empty(A[0].shape[0], n_runs * h)
    for i, (block, part) in enumerate(zip(A, parts, strict=True)):
        product.addmm_(block, part, beta=min(i, 1))  # `@` would fill with zeros and copy them first
    return product.view(-1, n_runs, h).transpose(0, 1)


def _blocks(matrix: Any, device: torch.device) -> Blocks:
    """The matrix cut between columns if that helps; A H is the sum of the blocks' products."""
    m, k = matrix.shape
    if device.type != "cpu" or k <= _WIDE * m:
        return (_sparse(matrix, device),)
    columns, starts = sp.csc_array(matrix), range(0, k, _MOST_ROWS)
    return tuple(_sparse(columns[:, i : i + _MOST_ROWS], device) for i in starts)


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

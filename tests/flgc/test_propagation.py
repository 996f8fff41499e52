import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from torch_geometric.nn import APPNP, SGConv

import flgc.propagation
from flgc.graph import as_adjacency, propagation_matrix
from flgc.propagation import (
    embedding_grid,
    hop,
    iterate_hops,
    kernel_grid,
    propagate,
    propagate_indicators,
)
from tests import plain


@given(plain.problems(), plain.hop_counts, plain.teleports)
def test_every_hop_is_the_formula(problem, hops, teleport):
    A, X, *_ = problem
    P = propagation_matrix(as_adjacency(A))
    for features in (X, sp.csr_array(X)):
        embeddings = [H.copy() for H in iterate_hops(P, features, hops, teleport)]
        assert len(embeddings) == hops + 1
        for h, H in enumerate(embeddings):
            expected = plain.propagate(plain.propagation_matrix(A), X, h, teleport)
            np.testing.assert_allclose(H, expected, atol=1e-10)
    np.testing.assert_array_equal(propagate(P, X, hops, 1.0), X)


@given(plain.problems(), plain.hop_counts, plain.teleports)
def test_indicators_propagate_as_any_features(problem, hops, teleport):
    A, X, _, labelled, _ = problem
    P = propagation_matrix(as_adjacency(A))
    found = propagate_indicators(P, X, labelled, hops, teleport)
    expected = plain.propagate(P.toarray(), np.eye(len(X))[:, labelled], hops, teleport)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    np.testing.assert_allclose(
        found.T @ X, plain.propagate(P.toarray(), X, hops, teleport)[labelled], atol=1e-8
    )


@given(plain.problems())
def test_grids_equal_the_embeddings_one_by_one(problem):
    A, X, _, labelled, _ = problem
    P = propagation_matrix(as_adjacency(A))
    hops, teleports = [0, 3, 1, 6], [0.0, 0.2, 0.7, 1.0]
    rows = np.arange(len(X))[::2]
    for source in (
        embedding_grid(P, X, rows, hops, teleports),
        kernel_grid(P, sp.csr_array(X), labelled, rows, hops, teleports),
    ):
        seen = set()
        for i, t, matrix in source:
            H = plain.propagate(P.toarray(), X, hops[i], teleports[t])
            expected = H[rows] if matrix.shape[1] == X.shape[1] else H[rows] @ H[labelled].T
            if X.shape[1] != len(labelled):  # else the two cannot be told apart by shape
                np.testing.assert_allclose(matrix, expected, atol=1e-8)
            seen.add((i, t))
        assert len(seen) == 16


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threaded_product_is_the_product(monkeypatch, dtype):
    monkeypatch.setattr(flgc.propagation, "_THREADING_PAYS", 0)
    monkeypatch.setattr(flgc.propagation, "n_threads", lambda: 3)
    rng = np.random.default_rng(0)
    for n, density in ((200, 0.05), (7, 0.5), (50, 0.0), (1, 1.0)):
        P = sp.random_array((n, n), density=density, rng=rng, dtype=dtype, format="csr")
        H = rng.standard_normal((n, 9)).astype(dtype)
        product = hop(P, H)
        np.testing.assert_array_equal(product, P @ H)
        assert product.dtype == dtype
        blended = hop(P, H, H[::-1], 0.25)
        np.testing.assert_allclose(blended, 0.75 * (P @ H) + 0.25 * H[::-1], rtol=1e-6, atol=1e-7)
        assert blended.dtype == dtype


@pytest.mark.parametrize("teleport", [0.0, 0.3, 1.0])
def test_memory_used_again_changes_neither_result_nor_features(monkeypatch, teleport):
    monkeypatch.setattr(flgc.propagation, "_THREADING_PAYS", 0)
    monkeypatch.setattr(flgc.propagation, "n_threads", lambda: 2)
    rng = np.random.default_rng(0)
    P = sp.random_array((30, 30), density=0.2, rng=rng, format="csr")
    X = rng.standard_normal((30, 4))
    before = X.copy()
    for h, H in enumerate(iterate_hops(P, X, 6, teleport, reuse=True)):
        np.testing.assert_allclose(H, plain.propagate(P.toarray(), X, h, teleport), atol=1e-12)
    np.testing.assert_array_equal(X, before)


def test_equals_pyg_layers():
    rng = np.random.default_rng(1)
    A = as_adjacency(np.triu(rng.random((20, 20)) < 0.2, 1).astype(float))
    X = torch.as_tensor(rng.standard_normal((20, 5)))
    edge_index = torch.as_tensor(np.array(A.nonzero()))
    P = propagation_matrix(A)
    appnp = APPNP(K=6, alpha=0.3)(X, edge_index).numpy()
    np.testing.assert_allclose(propagate(P, X.numpy(), 6, 0.3), appnp, atol=1e-10)
    sgc = SGConv(5, 5, K=4, bias=False).double()
    with torch.no_grad():
        sgc.lin.weight.copy_(torch.eye(5))
        np.testing.assert_allclose(
            propagate(P, X.numpy(), 4, 0.0), sgc(X, edge_index).numpy(), atol=1e-10
        )

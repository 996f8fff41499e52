import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from torch_geometric.data import Data
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import to_dense_adj

from flgc.graph import (
    _is_symmetric,
    as_adjacency,
    default_n_neighbors,
    knn_graph,
    propagation_matrix,
)
from tests import plain

TRIANGLE_AND_LONER = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]], float)


@given(plain.problems())
def test_propagation_matrix_is_the_formula(problem):
    A = problem[0]
    P = propagation_matrix(as_adjacency(A))
    np.testing.assert_allclose(P.toarray(), plain.propagation_matrix(A), atol=1e-12)


def test_propagation_matrix_equals_pyg_on_a_weighted_graph():
    A = TRIANGLE_AND_LONER * 0.7
    A[0, 1] = A[1, 0] = 3.0
    edge_index = torch.as_tensor(np.array(A.nonzero()))
    weights = torch.as_tensor(A[A.nonzero()])
    index, values = gcn_norm(edge_index, weights, num_nodes=4, add_self_loops=True)
    expected = to_dense_adj(index, edge_attr=values, max_num_nodes=4)[0].numpy()
    np.testing.assert_allclose(propagation_matrix(as_adjacency(A)).toarray(), expected, atol=1e-12)


@pytest.mark.parametrize(
    "graph",
    [
        sp.coo_array(TRIANGLE_AND_LONER),
        sp.csc_matrix(TRIANGLE_AND_LONER),
        sp.lil_array(TRIANGLE_AND_LONER),
        TRIANGLE_AND_LONER.astype(int),
        np.array(TRIANGLE_AND_LONER.nonzero()),
        torch.as_tensor(np.array(TRIANGLE_AND_LONER.nonzero())),
        np.array([[0, 0, 1], [1, 2, 2]]),  # one direction only
        np.array([[0, 0, 0, 1, 2], [1, 1, 2, 2, 2]]),  # a duplicate and a self loop
        Data(edge_index=torch.tensor([[0, 0, 1], [1, 2, 2]]), num_nodes=4),
        sp.csr_array(TRIANGLE_AND_LONER + np.eye(4)),
    ],
    ids=lambda graph: type(graph).__name__,
)
def test_every_form_of_a_graph_is_the_same_graph(graph):
    np.testing.assert_array_equal(as_adjacency(graph, 4).toarray(), TRIANGLE_AND_LONER)


@given(plain.problems())
def test_a_symmetric_graph_is_recognised_and_one_missing_direction_is_noticed(problem):
    A = sp.csr_array(problem[0] * np.pi)
    assert _is_symmetric(A)
    np.testing.assert_array_equal(as_adjacency(A).toarray(), A.toarray())
    for dtype in (np.float32, np.float64):
        one_way = A.astype(dtype).tolil()
        rows, columns = A.nonzero()
        if len(rows):
            one_way[rows[0], columns[0]] = 0
            assert not _is_symmetric(sp.csr_array(one_way))
            np.testing.assert_allclose(as_adjacency(one_way).toarray(), A.toarray(), rtol=1e-6)


def test_the_input_is_left_alone():
    given = sp.csr_array(TRIANGLE_AND_LONER + np.eye(4))
    before = given.copy()
    propagation_matrix(as_adjacency(given))
    assert (given != before).nnz == 0


def test_weights_are_kept_and_duplicates_add():
    edges, weights = torch.tensor([[0, 0, 1], [1, 1, 2]]), [0.5, 0.25, 2.0]
    data = Data(edge_index=edges, edge_weight=torch.tensor(weights), num_nodes=3)
    for A in (as_adjacency(edges.numpy(), 3, edge_weight=weights), as_adjacency(data)):
        np.testing.assert_array_equal(A.toarray(), [[0, 0.75, 0], [0.75, 0, 2], [0, 2, 0]])


def test_knn_graph_equals_sorting_all_distances():
    X = np.random.default_rng(0).standard_normal((30, 3))
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    expected = np.zeros((30, 30))
    np.put_along_axis(expected, np.argsort(distances, axis=1)[:, :4], 1, axis=1)
    np.testing.assert_array_equal(knn_graph(X, 4).toarray(), np.maximum(expected, expected.T))


def test_knn_graph_never_joins_a_duplicated_row_with_itself():
    A = knn_graph(np.zeros((6, 2)), 2)
    assert A.diagonal().sum() == 0
    assert A.sum(axis=1).min() >= 2


@pytest.mark.parametrize(
    ("n_samples", "n_classes", "expected"),
    [(150, 3, 10), (6, 3, 1), (1, 1, 0), (5000, 2, 500), (100_000, 10, 100), (10_000_000, 2, 30)],
)
def test_default_neighbours_are_the_papers_and_stay_linear(n_samples, n_classes, expected):
    assert default_n_neighbors(n_samples, n_classes) == expected

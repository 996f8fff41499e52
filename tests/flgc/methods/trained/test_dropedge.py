"""An epoch's graph is P of the edges that stay, made once for all batches."""

import gc
import weakref
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from flgc.device import one_core
from flgc.graph import as_adjacency, propagation_matrix
from flgc.methods.trained import GCN, DropEdge, Training, dropedge, training
from flgc.methods.trained.dropedge import Edges
from tests.flgc.methods.trained.plain import small
from tests.flgc.methods.trained.test_training import FIRST, different_splits, trained
from tests.plain import seeds


def plain_thinned(A, drop, generator):
    """P of a dense A, edge by edge."""
    n = len(A)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if A[i, j] > 0]
    order = torch.randperm(len(pairs), generator=generator).tolist()
    looped = A + np.eye(n)
    for i, j in (pairs[place] for place in order[: round(drop * len(pairs))]):
        looped[i, j] = looped[j, i] = 0
    degrees = looped.sum(axis=1)
    return looped / np.sqrt(np.outer(degrees, degrees))


@given(
    n_nodes=st.integers(1, 12),
    density=st.sampled_from([0.0, 0.2, 1.0]),
    weighted=st.booleans(),
    drop=st.sampled_from([0.0, 0.3, 0.5, 0.99]),
    dtype=st.sampled_from(["float32", "float64"]),
    seed=seeds,
)
def test_a_thinned_graph_is_that_of_the_edges_that_stay(
    n_nodes, density, weighted, drop, dtype, seed
):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n_nodes, n_nodes)) < density, 1).astype(float)
    A *= rng.uniform(0.1, 5, A.shape) if weighted else 1.0
    A += A.T
    P = propagation_matrix(sp.csr_array(A), dtype)
    found = Edges(P).thinned(drop, torch.Generator().manual_seed(seed))
    expected = plain_thinned(A, drop, torch.Generator().manual_seed(seed))
    assert found.dtype == dtype
    assert found.nnz == (expected > 0).sum(), "an edge that is left out is not stored"
    atol = 1e-12 if dtype == "float64" else 1e-6
    np.testing.assert_allclose(found.toarray(), expected, atol=atol)


def test_a_matrix_that_cannot_be_thinned_is_refused():
    adjacency = as_adjacency(np.array([[0, 1], [1, 2]]))
    with pytest.raises(ValueError, match=r"no loop at node 0: .*propagation_matrix"):
        Edges(sp.csr_array(adjacency))
    one_way = sp.csr_array(np.array([[0.5, 0.5], [0, 1.0]]))
    with pytest.raises(ValueError, match="not symmetric"):
        Edges(one_way)


@pytest.fixture
def made(monkeypatch):
    """The places of entries of each graph that is made from now on, and a weak reference to it."""
    notes, thinned = [], Edges.thinned

    def noted(*given):
        P = thinned(*given)
        notes.append((P.indices.tolist(), weakref.ref(P)))
        return P

    monkeypatch.setattr(Edges, "thinned", noted)
    return notes


def places(notes):
    return [place for place, _ in notes]


def test_batches_share_the_graphs_of_the_epochs(made, monkeypatch):
    monkeypatch.setattr(training, "_EPOCH_COSTS", 0)
    problem, how = small(3).problem(different_splits(3), [4, 9, 4]), Training(epochs=6)
    with one_core():
        shared = trained(DropEdge(), problem, how)
        assert len(made) == 6
        monkeypatch.setattr(dropedge, "_MOST_BYTES", 0)
        again = trained(DropEdge(), problem, how)
    assert len(made) == 6 + 3 * 6, "what has no room is made again"
    np.testing.assert_array_equal(shared.scores, again.scores)


def test_after_a_training_nothing_is_kept(made):
    """Hundreds of megabytes on a table: they must not wait for the collector of cycles."""
    gc.disable()
    try:
        trained(DropEdge(), small(3).problem([FIRST], [0]), Training(epochs=3))
        assert [P() for _, P in made] == [None] * 3
    finally:
        gc.enable()


def test_without_drop_it_is_a_gcn():
    problem = small(3).problem([FIRST] * 2, [0, 1])
    one, other = trained(DropEdge(drop=0.0), problem), trained(GCN(), problem)
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-9)
    thinned = trained(DropEdge(drop=0.5), problem)
    assert np.abs(thinned.weights[0] - other.weights[0]).max() > 1e-3


def test_every_epoch_has_its_own_edges_in_any_company(made):
    how = Training(epochs=4)
    with one_core():
        trained(DropEdge(), small(3).problem([FIRST], [0]), how)
        trained(DropEdge(), small(3).problem([FIRST, FIRST + 1], [5, 6]), how)
    first, again = places(made[:4]), places(made[4:])
    assert first == again
    assert all(one != other for one, other in pairwise(first))


def test_every_dataset_has_its_own_seed():
    P = small(3).P
    long = sp.csr_array((P.data, P.indices.astype("int64"), P.indptr.astype("int64")), P.shape)
    assert training._seed_of(long) == training._seed_of(P)
    assert training._seed_of(small(4).P) != training._seed_of(P)
    problem = small(3).problem([FIRST], [0])
    own, same, other = (
        trained(DropEdge(), problem, seed=seed).scores for seed in (None, training._seed_of(P), 0)
    )
    np.testing.assert_array_equal(own, same)
    assert np.abs(np.subtract(own, other)).max() > 1e-3


def test_the_order_of_stored_entries_does_not_matter(made):
    """A matrix read from a store may hold the entries of a row in another order."""
    data, how = small(3), Training(epochs=3)
    rows = (np.arange(start, end)[::-1] for start, end in pairwise(data.P.indptr))
    order = np.concatenate(list(rows))
    turned = (data.P.data[order], data.P.indices[order], data.P.indptr)
    turned = sp.csr_array(turned, data.P.shape)
    assert not turned.has_sorted_indices
    with one_core():
        for P in (data.P, turned):
            trained(DropEdge(), replace(data, P=P).problem([FIRST], [0]), how)
    assert places(made[:3]) == places(made[3:])

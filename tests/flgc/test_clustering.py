import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from flgc import FLGCClustering, clustering, spectral
from flgc.clustering import expressed
from flgc.eigenpairs import operator
from flgc.metrics import clustering_accuracy
from flgc.self_expression import (
    COLUMNS_AT_ONCE,
    prune_columns,
    self_expression,
    self_expression_factors,
)
from flgc.spectral import dense_affinity, quadratic_embedding, subspace_rows
from tests import plain
from tests.flgc.drawn import union_of_subspaces


@pytest.mark.parametrize("solver", ["exact", "lowrank"])
def test_a_rank_of_d_for_each_cluster_and_one_more_is_kept(solver, monkeypatch):
    kept = []

    def noted(C, rank):
        kept.append(rank)
        return subspace_rows(C, rank)

    monkeypatch.setattr(clustering, "subspace_rows", noted)
    monkeypatch.setattr(spectral, "subspace_rows", noted)
    X, _ = union_of_subspaces()
    FLGCClustering(3, hops=0, subspace_dim=2, solver=solver).fit(X)
    assert kept == [2 * 3 + 1]


@pytest.mark.parametrize("n", [12, 450])  # by LAPACK, and by iteration
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(seed=st.integers(0, 1000), size=st.sampled_from([1e-30, 1e-22, 1.0]))
@settings(max_examples=10)
def test_a_node_that_expresses_nothing_has_no_affinity(n, dtype, seed, size):
    """Its row is 0, or next to the others nothing but rounding."""
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((n, 5)) * np.logspace(0, -4, 5)
    silent = rng.permutation(n) < n // 2
    L[silent] = 0
    C = L @ L.T
    C[np.ix_(silent, silent)] = size * np.eye(n // 2) if size < 1 else 0
    C = C.astype(dtype)
    for form in (C, operator(lambda V: C @ V, n, C.dtype)):
        F = subspace_rows(form, 13)
        assert not F[silent].any()
        np.testing.assert_allclose(np.linalg.norm(F[~silent], axis=1), 1, rtol=1e-5)


def test_a_direction_that_is_rounding_does_not_count():
    """All nodes are in one direction, some of them by very little."""
    u = np.repeat([1.0, 1e-9], 6)
    F = subspace_rows(np.outer(u, u), 5)
    np.testing.assert_allclose(F @ F.T, 1, atol=1e-6)


def test_nodes_that_are_in_no_expression_have_no_affinity():
    X = np.random.default_rng(0).standard_normal((12, 12))
    X[6:] = 0
    model = FLGCClustering(3, n_neighbors=3, hops=1, threshold=0.25, regularization=0.01).fit(X)
    H = plain.propagate(plain.propagation_matrix(model.adjacency_.toarray()), X, 1, 0.1)
    Z = prune_columns(plain.self_expression(H, X, 0.01), 0.25)
    silent = ~(Z.any(axis=0) | Z.any(axis=1))
    assert silent.any()
    assert not model.affinity_matrix_[silent].any()


@given(plain.problems(), plain.hop_counts, plain.teleports, plain.regularizations)
def test_self_expression_is_the_formula_in_both_forms(problem, hops, teleport, regularization):
    A, X, *_ = problem
    H = plain.propagate(plain.propagation_matrix(A), X, hops, teleport)
    expected = plain.self_expression(H, X, regularization)
    left, right = self_expression_factors(H, X, regularization)
    np.testing.assert_allclose(left @ right.T, expected, atol=1e-8)
    np.testing.assert_allclose(self_expression(H, X, regularization), expected, atol=1e-8)


def test_the_estimator_without_edges_clusters_edscs_matrix():
    X, _ = union_of_subspaces()
    gram = X @ X.T
    Z = np.linalg.solve(gram + 10.0 * np.eye(len(X)), gram)
    C = prune_columns(Z, 0.8)
    values, vectors = np.linalg.eigh((C + C.T) / 2)
    top = np.argsort(-np.abs(values))[:13]
    F = vectors[:, top] * np.sqrt(np.abs(values[top]))
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    expected = np.clip(F @ F.T, 0, None) ** 4
    for without_edges in ({"hops": 0}, {"n_neighbors": 0}):
        model = FLGCClustering(3, random_state=0, **without_edges).fit(X)
        np.testing.assert_allclose(model.affinity_matrix_, expected / expected.max(), atol=1e-8)


@given(plain.seeds, st.sampled_from([0.1, 0.5, 0.8, 0.99, 1.0]))
def test_pruning_is_the_loop(seed, threshold):
    Z = np.random.default_rng(seed).standard_normal((9, 9))
    expected = np.zeros_like(Z)
    for column in range(9):
        total, kept = np.abs(Z[:, column]).sum(), 0.0
        for row in np.argsort(-np.abs(Z[:, column])):
            expected[row, column] = Z[row, column]
            kept += abs(Z[row, column])
            if kept > threshold * total:
                break
    np.testing.assert_array_equal(prune_columns(Z, threshold), expected)


def test_pruning_in_parts_is_pruning_column_by_column():
    Z = np.random.default_rng(0).standard_normal((30, 2 * COLUMNS_AT_ONCE + 7))
    alone = [prune_columns(Z[:, [column]], 0.5) for column in range(Z.shape[1])]
    np.testing.assert_array_equal(prune_columns(Z, 0.5), np.hstack(alone))


def test_lowrank_equals_exact_in_the_subspace_it_keeps():
    X, _ = union_of_subspaces(n_per_cluster=150)
    L, R = self_expression_factors(X, X, 1.0)
    Z = self_expression(X, X, 1.0)
    C = (Z + Z.T) / 2
    exact = subspace_rows(C, 6)
    factors = operator(lambda V: (L @ (R.T @ V) + R @ (L.T @ V)) / 2, len(X), L.dtype)
    thin = subspace_rows(factors, 6)
    np.testing.assert_allclose(thin @ thin.T, exact @ exact.T, atol=1e-8)

    affinity = (exact @ exact.T) ** 2
    np.testing.assert_allclose(
        dense_affinity(np.abs(exact), 2), (np.abs(exact) @ np.abs(exact).T) ** 2, atol=1e-8
    )
    scale = 1 / np.sqrt(affinity.sum(axis=1))
    _, vectors = np.linalg.eigh(scale[:, None] * affinity * scale)
    expected = vectors[:, -3:] * scale[:, None]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = quadratic_embedding(thin, 3)
    # The embedding is defined up to a rotation: compare what is invariant.
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)


FORMS = [{"solver": "exact"}, {"solver": "lowrank"}, {"norm": "l1"}, {"norm": "nuclear"}]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_finds_independent_subspaces(form):
    X, truth = union_of_subspaces(n_per_cluster=150 if "solver" in form else 40)
    given = {"hops": 0, "subspace_dim": 2, "random_state": 0}
    given["regularization"] = 0.01 if "solver" in form else 0.1
    model = FLGCClustering(3, **given, **form)
    assert clustering_accuracy(truth, model.fit_predict(X)) == 1.0
    assert model.solver_ == form.get("solver", "exact")


def test_lowrank_never_makes_an_n_by_n_matrix(monkeypatch):
    monkeypatch.setattr("flgc.clustering.self_expression", _forbidden)
    monkeypatch.setattr("flgc.clustering.block_affinity", _forbidden)
    X, _ = union_of_subspaces(n_per_cluster=200)
    model = FLGCClustering(3, solver="lowrank", random_state=0).fit(sp.csr_array(X))
    assert model.embedding_.shape == (600, 3)
    assert not hasattr(model, "affinity_matrix_")


def _forbidden(*_):
    raise AssertionError("an N x N matrix was formed")


@pytest.mark.parametrize("settings", FORMS)
def test_a_black_image_a_duplicate_and_a_constant_pixel_do_not_spread_nan(settings):
    X, truth = union_of_subspaces()
    X[5], X[7], X[:, 3] = 0, X[8], 1.0
    given = {"hops": 1, "n_neighbors": 5, "regularization": 3.0, "random_state": 0}
    model = FLGCClustering(3, **given, **settings).fit(X)
    assert clustering_accuracy(truth, model.labels_) > 0.7


def test_with_the_l1_norm_no_node_expresses_itself():
    X, _ = union_of_subspaces()
    [(_, Z)] = expressed(X, X, "l1", [0.1])
    assert Z.any()
    np.testing.assert_array_equal(Z.diagonal(), 0)


def test_more_clusters_than_there_are_mix_nothing():
    """Two kinds of rows, three clusters: one may be empty, or a part of a kind."""
    X = np.repeat(np.eye(2), 10, axis=0)
    labels = FLGCClustering(3, hops=0, regularization=0.1, random_state=0).fit_predict(X)
    assert set(labels) <= {0, 1, 2}
    assert not set(labels[:10]) & set(labels[10:])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"solver": "lowrank", "power": 4}, "never forms Z"),
        ({"norm": "l1", "regularization": 0}, "regularization=0"),
        ({"norm": "nuclear", "solver": "lowrank"}, "norm='nuclear' .* solver='lowrank'"),
    ],
)
def test_bad_settings_are_refused_before_any_work(monkeypatch, settings, message):
    monkeypatch.setattr("flgc.clustering.graph_for", _forbidden)
    X, _ = union_of_subspaces()
    with pytest.raises(ValueError, match=message):
        FLGCClustering(**({"n_clusters": 3} | settings)).fit(X)


@pytest.mark.parametrize("solver", ["exact", "lowrank"])
def test_a_given_embedding_is_clustered_as_that_of_the_fit(solver):
    X, _ = union_of_subspaces()
    A = (np.abs(X @ X.T) > 1.0).astype(float)
    settings = {"regularization": 0.1, "solver": solver, "random_state": 0}
    fitted = FLGCClustering(3, hops=2, teleport=0.3, **settings).fit(X, adjacency=A)
    H = plain.propagate(plain.propagation_matrix(A), X, 2, 0.3)
    given = FLGCClustering(3, **settings).fit_embedding(H, X)
    np.testing.assert_array_equal(given.labels_, fitted.labels_)

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from flgc import FLGCClassifier, FLGCClassifierCV
from flgc.graph import propagation_matrix, without_self_loops
from tests import plain

GRID = {"hops": (0, 2), "teleports": (0.0, 0.2), "regularizations": (0.01, 0.1, 1.0)}
CLASS = {"check_classifiers_classes": "has a class named -1, which here means unlabelled"}


@parametrize_with_checks(
    [
        FLGCClassifier(filter="per-hop", hops=3),
        FLGCClassifier(self_loops=False),
        FLGCClassifierCV(filter="per-hop", self_loops=False, **GRID),
        FLGCClassifierCV(filter="per-hop", combine="average", **GRID),
    ],
    expected_failed_checks=lambda estimator: CLASS,
)
def test_scikit_learn_estimator_contract(estimator, check):
    check(estimator)


def loopless(A):
    """D^-1/2 A D^-1/2, rows of isolated nodes 0."""
    degrees = A.sum(axis=1)
    root = np.diag(np.where(degrees > 0, 1 / np.sqrt(np.maximum(degrees, 1)), 0))
    return root @ A @ root


def stacked(P, X, hops):
    """[X, 1], P [X, 1], ... each divided by the root mean square of its entries."""
    blocks, power = [], np.hstack([X, np.ones((len(X), 1))])
    for _ in range(hops + 1):
        blocks.append(power / (np.sqrt(np.mean(power**2)) or 1))
        power = P @ power
    return np.hstack(blocks)


@pytest.mark.parametrize("self_loops", [True, False])
@given(problem=plain.problems(), hops=plain.hop_counts, regularization=plain.regularizations)
def test_it_is_one_ridge_on_all_hops(self_loops, problem, hops, regularization):
    A, X, labels, labelled, n_classes = problem
    P = plain.propagation_matrix(A) if self_loops else loopless(A)
    H, Y = stacked(P, X, hops), np.eye(n_classes)[labels[labelled]]
    ridge = Ridge(alpha=regularization, fit_intercept=False, solver="svd").fit(H[labelled], Y)
    expected = ridge.predict(H).reshape(len(X), -1)
    for features in (X, sp.csr_array(X)):
        model = FLGCClassifier(
            filter="per-hop", self_loops=self_loops, hops=hops, regularization=regularization
        ).fit(features, plain.partly(labels, labelled), adjacency=A)
        np.testing.assert_allclose(model.label_scores_, expected, atol=1e-7)
        assert model.coef_.shape == (hops + 1, X.shape[1], n_classes)
        assert model.intercept_.shape == (hops + 1, n_classes)
    horner = sum(
        np.linalg.matrix_power(P, h) @ (X @ B + b)
        for h, (B, b) in enumerate(zip(model.coef_, model.intercept_, strict=True))
    )
    np.testing.assert_allclose(horner, expected, atol=1e-7)


@given(plain.problems(), plain.hop_counts)
def test_without_regularization_it_is_least_squares(problem, hops):
    A, X, labels, labelled, n_classes = problem
    H = stacked(plain.propagation_matrix(A), X, hops)[labelled]
    Y = np.eye(n_classes)[labels[labelled]]
    model = FLGCClassifier(filter="per-hop", hops=hops, regularization=0.0)
    model.fit(X, plain.partly(labels, labelled), adjacency=A)
    fitted = H @ np.linalg.lstsq(H, Y, rcond=None)[0]
    np.testing.assert_allclose(model.label_scores_[labelled], fitted, atol=1e-4)


@pytest.mark.parametrize("filter", ["polynomial", "per-hop"])
@pytest.mark.parametrize("self_loops", [True, False])
@given(problem=plain.problems(), hops=plain.hop_counts)
def test_prediction_of_a_new_row_is_the_filter_on_the_extended_graph(
    filter, self_loops, problem, hops
):
    A, X, labels, labelled, _ = problem
    model = FLGCClassifier(filter=filter, self_loops=self_loops, hops=hops)
    model.fit(X, plain.partly(labels, labelled), adjacency=A)
    x_new, edges = np.ones((1, X.shape[1])), np.zeros((1, len(X)))
    edges[0, :2] = 1
    P = np.zeros((len(X) + 1, len(X) + 1))
    P[:-1, :-1] = plain.propagation_matrix(A) if self_loops else loopless(A)
    degrees = A.sum(axis=1) + self_loops
    heard = edges[0] * np.where(degrees > 0, 1 / np.sqrt(np.maximum(degrees, 1)), 0)
    P[-1, :-1] = heard / np.sqrt(2 + self_loops)
    P[-1, -1] = 1 / 3 if self_loops else 0
    rows = np.vstack([X, x_new])
    if filter == "polynomial":
        expected = plain.propagate(P, rows, hops, 0.1)[[-1]] @ model.coef_
    else:
        expected = sum(
            np.linalg.matrix_power(P, h)[[-1]] @ (rows @ B + b)
            for h, (B, b) in enumerate(zip(model.coef_, model.intercept_, strict=True))
        )
    np.testing.assert_allclose(model._scores_of_new(x_new, edges), expected, atol=1e-8)


def drawn(n_nodes=40, n_features=5):
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((n_nodes, n_nodes)) < 0.1, 1)
    X, truth = rng.standard_normal((n_nodes, n_features)), rng.integers(3, size=n_nodes)
    return (A + A.T) * 1.0, X, truth


@pytest.mark.parametrize("device", ["cpu", "torch:cpu"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_leave_one_out_and_validation_of_a_grid_are_refitting(dtype, device):
    A, X, truth = drawn()
    labelled, validation = np.arange(20), np.arange(20, 30)
    settings = {"filter": "per-hop", "dtype": dtype, "device": device, **GRID}
    model = FLGCClassifierCV(**settings)
    model.fit(X, plain.partly(truth, np.arange(30)), A, validation=validation)
    table, Y = model.cv_results_, np.eye(3)[truth[labelled]]
    assert len(table["hops"]) == 2 * 3
    assert set(table["teleport"]) == {0.0}
    for k, error in enumerate(table["loo_squared_error"]):
        H = stacked(plain.propagation_matrix(A), X, table["hops"][k])
        r = table["regularization"][k]
        residuals = plain.leave_one_out_residuals(H[labelled], Y, r)
        rel = 1e-6 if dtype == "float64" else 1e-3
        assert error == pytest.approx(np.mean((residuals**2).sum(axis=1)), rel=rel)
        scores = H @ plain.precise_ridge_weights(H[labelled], Y, r)
        hits = scores[validation].argmax(axis=1) == truth[validation]
        assert table["validation_accuracy"][k] == pytest.approx(hits.mean())
    refit = FLGCClassifier(filter="per-hop", **model.best_params_)
    refit.fit(X, plain.partly(truth, labelled), A)
    np.testing.assert_allclose(model.label_scores_, refit.label_scores_, atol=1e-5)


def test_an_average_is_the_weighted_sum_of_learnt_filters():
    A, X, truth = drawn()
    y = plain.partly(truth, np.arange(20))
    model = FLGCClassifierCV(filter="per-hop", combine="average", **GRID).fit(X, y, A)
    table, expected = model.cv_results_, 0.0
    for hops, r, weight in zip(*map(table.get, ("hops", "regularization", "weight")), strict=True):
        one = FLGCClassifier(filter="per-hop", hops=int(hops), regularization=r).fit(X, y, A)
        H = stacked(plain.propagation_matrix(A), X, hops)[:20]
        left_out = np.eye(3)[y[:20]] - plain.leave_one_out_residuals(H, np.eye(3)[y[:20]], r)
        expected += weight / np.abs(left_out).mean() * one.label_scores_
    np.testing.assert_allclose(model.label_scores_, expected, atol=1e-8)
    assert model.coef_.shape == (3, 5, 3)


@pytest.mark.parametrize("self_loops", [True, False])
def test_a_learnt_filter_knows_classes_by_neighbours_that_differ(self_loops):
    """Of two classes each node has neighbours of the other: a mean of both says nothing."""
    rng = np.random.default_rng(0)
    truth = np.arange(400) % 2
    ends = rng.integers(200, size=(2, 2000))
    edges = np.stack([2 * ends[0], 2 * ends[1] + 1])
    X = rng.standard_normal((400, 3)) + 0.5 * truth[:, None]
    y = np.where(np.arange(400) % 10 < 2, truth, -1)
    given = {"n_neighbors": None, "self_loops": self_loops, "hops": 2}
    per_hop = FLGCClassifier(filter="per-hop", **given).fit(X, y, edges)
    assert np.mean(per_hop.transduction_ == truth) > 0.95
    if self_loops:
        low_pass = FLGCClassifier(teleport=0.0, **given).fit(X, y, edges)
        assert np.mean(low_pass.transduction_ == truth) < 0.9


@given(plain.problems())
def test_loops_are_taken_out_of_a_propagation_matrix(problem):
    A = sp.csr_array(problem[0] * 2.5)
    expected = loopless(A.toarray())
    P = propagation_matrix(A, self_loops=False)
    np.testing.assert_allclose(P.toarray(), expected, atol=1e-12)
    found = without_self_loops(propagation_matrix(A))
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"filter": "per hop"}, "filter='per hop' is not known"),
        ({"filter": None}, "filter=None is not known"),
        ({"self_loops": 1}, "self_loops=1 is not possible"),
        ({"self_loops": "no"}, "self_loops='no' is not possible"),
    ],
)
@pytest.mark.parametrize("make", [FLGCClassifier, FLGCClassifierCV])
def test_what_is_no_filter_is_refused(make, wrong, said):
    A, X, truth = drawn()
    with pytest.raises(ValueError, match=said):
        make(**wrong).fit(X, truth, A)

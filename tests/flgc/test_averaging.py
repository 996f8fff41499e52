import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.datasets import load_wine, make_blobs

from flgc import FLGCClassifierCV
from flgc.averaging import average_grid, filtered, log_weights, of_one_size, with_constant
from flgc.calibration import fit_temperature
from flgc.classifier_cv import _left_out
from flgc.device import to_numpy
from flgc.graph import as_adjacency, propagation_matrix
from flgc.grid import GridScores, score_grid
from tests import plain
from tests.flgc.drawn import one_more_node, random_graph, splits_of

GRID = {"hops": [0, 2, 5], "teleports": [0.0, 0.3, 1.0], "regularizations": [0.1, 1.0, 30.0]}
SHAPE = (3, 3, 3)


def _drawn_weights(seed, shape=SHAPE):
    rng = np.random.default_rng(seed)
    return rng.random(shape) * (rng.random(shape) < 0.7)


@given(plain.problems(), st.integers(0, 99))
def test_one_filter_equals_the_sum_of_all_models(problem, seed):
    A, X, labels, labelled, n_classes = problem
    P, weights = propagation_matrix(as_adjacency(A)), _drawn_weights(seed)
    Y = np.eye(n_classes)[labels[labelled]]
    scores, left_out = plain.averaged(P.toarray(), X, Y, labelled, weights, *GRID.values())
    for features in (X, sp.csr_array(X)):
        found = average_grid(P, features, labels, labelled, weights, n_classes=n_classes, **GRID)
        assert found.filters.shape == (6, X.shape[1], n_classes)
        dense = P.toarray()
        powers = [np.linalg.matrix_power(dense, h) @ X @ B for h, B in enumerate(found.filters)]
        np.testing.assert_allclose(sum(powers), scores, atol=1e-8)
        np.testing.assert_allclose(filtered(P, features, found.filters), scores, atol=1e-8)
        np.testing.assert_allclose(found.left_out, left_out, atol=1e-8)


@pytest.mark.parametrize("n_features", [4, 40])
@pytest.mark.parametrize("at_once", [1, 1000, 10**9])
def test_many_splits_equal_one_after_the_other(n_features, at_once, monkeypatch):
    monkeypatch.setattr("flgc.grid._MOST_LABELLED_NUMBERS", at_once)
    P, X, labels, labelled = _problem(n_features)
    weights = _drawn_weights(0, (len(labelled), *SHAPE))
    run = {"n_classes": 3, **GRID}
    together = average_grid(P, X, labels, labelled, weights, **run)
    scores = filtered(P, X, together.filters)
    for k, nodes in enumerate(labelled):
        alone = average_grid(P, X, labels, nodes, weights[k], **run)
        np.testing.assert_allclose(together.filters[k], alone.filters, atol=1e-10)
        np.testing.assert_allclose(together.left_out[k], alone.left_out, atol=1e-10)
        np.testing.assert_allclose(scores[k], filtered(P, X, alone.filters), atol=1e-10)


def _problem(n_features):
    return *random_graph(50, n_features), splits_of(50)[0]


def test_weights_count_hits_and_errors():
    errors, sizes = np.array([0.5, 1.0, np.nan, 1.0]), np.array([2.0, 4.0, np.nan, 0.0])
    found = np.exp(log_weights(np.array([2.0, 5.0, 14.0, 14.0]), errors, sizes))
    np.testing.assert_allclose(found, [np.exp(2) * 2**4, np.exp(5), 0, 0])
    np.testing.assert_allclose(
        of_one_size(np.array([0.5, 0.5, 0.0, 0.0]), sizes), [1 / 4, 1 / 8, 0, 0]
    )


def test_the_estimator_counts_labelled_and_validation_nodes():
    scores = GridScores(
        loo_squared_error=np.array([0.5, 1.0]),
        loo_accuracy=np.array([0.5, 1.0]),
        loo_size=np.array([2.0, 4.0]),
        judged={"validation": np.array([0.3, 0.1])},
    )
    hits, errors, sizes = _left_out(scores, np.arange(4), np.arange(10))
    np.testing.assert_allclose(hits, [5, 5])
    np.testing.assert_allclose(_left_out(scores, np.arange(4), None)[0], [2, 4])
    np.testing.assert_allclose(errors, [0.5, 1.0])
    np.testing.assert_allclose(sizes, [2.0, 4.0])


def test_the_constant_column_is_the_last_one():
    X = np.arange(6.0).reshape(3, 2)
    expected = np.array([[0, 1, 1], [2, 3, 1], [4, 5, 1]])
    for features in (X, sp.csr_array(X), sp.csr_matrix(X), torch.as_tensor(X)):
        found = with_constant(features)
        found = found.toarray() if sp.issparse(found) else to_numpy(found)
        np.testing.assert_array_equal(found, expected)
    assert with_constant(sp.csr_array(X.astype("float32"))).dtype == np.float32


# --- the estimator --------------------------------------------------------------------------------


@given(plain.problems(), st.integers(0, 4))
def test_the_estimator_is_the_average_of_models_fitted_by_themselves(problem, n_validation):
    A, X, labels, labelled, n_classes = problem
    assume(np.bincount(labels[labelled]).min() > 1)
    validation = np.setdiff1d(np.arange(len(X)), labelled)[:n_validation]
    P, ones = plain.propagation_matrix(A), np.column_stack([X, np.ones(len(X))])
    Y = np.eye(n_classes)[labels[labelled]]
    truth = np.concatenate([labels[labelled], labels[validation]])
    logs, sizes = [], []
    for setting in itertools.product(*GRID.values()):
        left_out, held_out = plain.unfitted_scores(P, ones, Y, labelled, validation, *setting)
        seen = np.vstack([left_out, held_out])
        best = np.sort(seen, axis=1)
        assume((best[:, -1] - best[:, -2]).min() > 1e-9)
        error = np.mean(np.sum((Y - left_out) ** 2, axis=1))
        logs.append(np.sum(seen.argmax(axis=1) == truth) - 4 * np.log(error))
        sizes.append(np.abs(left_out).mean())
    shares = softmax(logs)
    weights = np.reshape(shares / sizes, SHAPE)
    expected, left_out = plain.averaged(P, ones, Y, labelled, weights, *GRID.values())

    y = np.full(len(X), -1)
    y[labelled], y[validation] = labels[labelled], labels[validation]
    model = FLGCClassifierCV(combine="average", **GRID)
    model.fit(X, y, A, validation=validation if len(validation) else None)
    np.testing.assert_allclose(model.cv_results_["weight"], shares, atol=1e-8)
    np.testing.assert_allclose(model.label_scores_, expected, rtol=1e-8, atol=1e-8)
    unfitted = np.vstack([left_out, expected[validation]])
    assert model.temperature_ == pytest.approx(fit_temperature(unfitted, truth), rel=1e-4)
    assert model.coef_.shape == (6, X.shape[1], n_classes)
    assert model.intercept_.shape == (6, n_classes)
    powers = [np.linalg.matrix_power(P, h) for h in range(6)]
    terms = [X @ B + b for B, b in zip(model.coef_, model.intercept_, strict=True)]
    filtered_terms = sum(p @ term for p, term in zip(powers, terms, strict=True))
    np.testing.assert_allclose(filtered_terms, expected, rtol=1e-8, atol=1e-8)


@given(plain.problems())
def test_prediction_is_the_filter_on_the_extended_graph(problem):
    A, X, labels, labelled, _ = problem
    assume(np.bincount(labels[labelled]).min() > 1)
    y = plain.partly(labels, labelled)
    model = FLGCClassifierCV(combine="average", **GRID).fit(X, y, A)
    x_new = np.random.default_rng(0).standard_normal((1, X.shape[1]))
    edges, extended = one_more_node(A)
    rows = np.vstack([X, x_new])
    scores = sum(
        (np.linalg.matrix_power(extended, h) @ (rows @ model.coef_[h] + model.intercept_[h]))[-1]
        for h in range(6)
    )
    found = model.decision_function(x_new, adjacency=edges)
    expected = [scores[1] - scores[0]] if len(model.classes_) == 2 else scores[None]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
    probabilities = model.predict_proba(x_new, adjacency=edges)
    np.testing.assert_allclose(probabilities, softmax(scores / model.temperature_)[None], atol=1e-8)


def test_a_pick_has_one_weight_and_an_average_many():
    X, truth = make_blobs(90, centers=3, cluster_std=4.0, random_state=1)
    y = np.where(np.arange(90) < 45, truth, -1)
    best = FLGCClassifierCV(**GRID).fit(X, y)
    expected = np.zeros(27)
    expected[best.best_index_] = 1
    np.testing.assert_array_equal(best.cv_results_["weight"], expected)
    average = FLGCClassifierCV(combine="average", **GRID).fit(X, y)
    assert (average.cv_results_["weight"] > 0).all()
    assert average.cv_results_["weight"].sum() == pytest.approx(1.0)
    scores = best.decision_function(X)
    again = average.set_params(combine="best").fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X), scores)


@pytest.mark.parametrize("validation", [None, np.arange(30, 45)])
def test_the_temperature_of_a_pick_comes_from_what_it_did_not_fit(validation):
    X, truth = make_blobs(90, centers=3, cluster_std=4.0, random_state=1)
    A = np.triu(np.random.default_rng(0).random((90, 90)) < 0.1, 1)
    A = (A + A.T) * 1.0
    y = np.where(np.arange(90) < 45, truth, -1)
    model = FLGCClassifierCV(**GRID).fit(X, y, A, validation=validation)
    held_out = np.arange(0) if validation is None else validation
    labelled = np.setdiff1d(np.arange(45), held_out)
    unfitted = plain.unfitted_scores(
        plain.propagation_matrix(A),
        X,
        np.eye(3)[truth[labelled]],
        labelled,
        held_out,
        *model.best_params_.values(),
    )
    codes = np.concatenate([truth[labelled], truth[held_out]])
    expected = fit_temperature(np.vstack(unfitted), codes)
    assert model.temperature_ == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_average_on_torch_and_in_float32_is_that_of_numpy_in_float64(dtype):
    X, truth = load_wine(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(dtype)
    y = np.where(np.arange(178) % 9 == 0, truth, -1)
    # Fewer and more features than labels.
    for features in (X, sp.csr_array(X), np.hstack([X, X**2])):
        exact = FLGCClassifierCV(combine="average", **GRID).fit(features.astype("float64"), y)
        for device in ("cpu", "torch:cpu"):
            model = FLGCClassifierCV(combine="average", device=device, **GRID).fit(features, y)
            kept = (model.coef_, model.intercept_, model.label_scores_)
            assert {array.dtype.name for array in kept} == {dtype}
            atol = 1e-8 if dtype == "float64" else 1e-3
            np.testing.assert_allclose(model.label_scores_, exact.label_scores_, atol=atol)


def test_an_average_needs_leave_one_out():
    X, truth = make_blobs(40, centers=2, random_state=0)
    grid = GRID | {"regularizations": [0.0, 1.0]}
    with pytest.raises(
        ValueError, match=r"found 0\.0: drop it from the grid, or take combine='best'"
    ):
        FLGCClassifierCV(combine="average", **grid).fit(X, truth, validation=np.arange(9))
    model = FLGCClassifierCV(**grid).fit(X, truth, validation=np.arange(9))
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_union_of_grids_is_averaged_by_common_shares():
    """As for two scalings of one dataset: shares over both, one filter each."""
    P, X, labels, labelled = _problem(4)
    run = {"n_classes": 3, **GRID}
    scalings = [X, X / 2]
    grids = [score_grid(P, scaled, labels, labelled[0], **run) for scaled in scalings]
    shares = softmax([log_weights(*_left_out(scores, labelled[0], None)) for scores in grids])
    total = 0
    for scaled, scores, share in zip(scalings, grids, shares, strict=True):
        weights = of_one_size(share, scores.loo_size)
        average = average_grid(P, scaled, labels, labelled[0], weights, **run)
        total = total + filtered(P, scaled, average.filters)
    # Halved features with a quarter of the regularization are the same model.
    both = GRID | {"regularizations": [0.1, 1.0, 30.0, 0.4, 4.0, 120.0]}
    scores = score_grid(P, X, labels, labelled[0], n_classes=3, **both)
    weights = of_one_size(
        softmax(log_weights(*_left_out(scores, labelled[0], None))), scores.loo_size
    )
    average = average_grid(P, X, labels, labelled[0], weights, n_classes=3, **both)
    np.testing.assert_allclose(total, filtered(P, X, average.filters), atol=1e-8)

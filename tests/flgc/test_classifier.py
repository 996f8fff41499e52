import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs
from sklearn.linear_model import RidgeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from flgc import FLGCClassifier, FLGCClassifierCV, FLGCClustering
from flgc.graph import knn_graph
from tests import plain
from tests.flgc.drawn import one_more_node

SMALL_GRID = {"hops": (0, 2, 4), "teleports": (0.0, 0.2), "regularizations": (0.1, 1.0, 10.0)}


def _reasons(estimator):
    if isinstance(estimator, FLGCClustering):
        return {}
    return {"check_classifiers_classes": "has a class named -1, which here means unlabelled"}


@parametrize_with_checks(
    [
        FLGCClassifier(),
        FLGCClassifierCV(**SMALL_GRID),
        FLGCClassifierCV(combine="average", **SMALL_GRID),
        FLGCClustering(n_clusters=3),
    ],
    expected_failed_checks=_reasons,
)
def test_scikit_learn_estimator_contract(estimator, check):
    check(estimator)


@given(plain.problems(), plain.hop_counts, plain.teleports, plain.regularizations)
def test_every_solver_is_the_formula(problem, hops, teleport, regularization):
    A, X, labels, labelled, n_classes = problem
    y = plain.partly(labels, labelled)
    H = plain.propagate(plain.propagation_matrix(A), X, hops, teleport)
    W = plain.ridge_weights(H, np.eye(n_classes)[labels[labelled]], labelled, regularization)
    for solver in ("auto", "primal", "dual", "labels"):
        for features in (X, sp.csr_array(X)):
            model = FLGCClassifier(
                hops=hops, teleport=teleport, regularization=regularization, solver=solver
            ).fit(features, y, adjacency=A)
            np.testing.assert_allclose(model.coef_, W, atol=1e-8)
            np.testing.assert_allclose(model.label_scores_, H @ W, atol=1e-8)


@given(plain.problems(), plain.regularizations)
def test_without_edges_it_is_the_ridge_classifier(problem, regularization):
    _, X, labels, labelled, _ = problem
    y = plain.partly(labels, labelled)
    ridge = RidgeClassifier(alpha=regularization, fit_intercept=False, solver="cholesky")
    ridge.fit(X[labelled], labels[labelled])
    for settings in ({"hops": 0}, {"hops": 3, "n_neighbors": 0}, {"hops": 2, "teleport": 1.0}):
        model = FLGCClassifier(regularization=regularization, **settings).fit(X, y)
        best = np.sort(model.label_scores_, axis=1)
        decided = best[:, -1] - best[:, -2] > 1e-9
        np.testing.assert_array_equal(model.transduction_[decided], ridge.predict(X)[decided])


@given(plain.problems(), plain.hop_counts, plain.teleports)
def test_prediction_is_the_recursion_on_the_extended_graph(problem, hops, teleport):
    A, X, labels, labelled, _ = problem
    y = plain.partly(labels, labelled)
    model = FLGCClassifier(hops=hops, teleport=teleport).fit(X, y, adjacency=A)
    rng = np.random.default_rng(0)
    x_new = rng.standard_normal((1, X.shape[1]))
    edges, extended = one_more_node(A)
    H = plain.propagate(extended, np.vstack([X, x_new]), hops, teleport)
    scores = H[-1] @ model.coef_
    found = model.decision_function(x_new, adjacency=edges)
    expected = [scores[1] - scores[0]] if len(model.classes_) == 2 else scores[None]
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_prediction_of_new_rows_on_iris():
    X, truth = load_iris(return_X_y=True)
    seen = np.arange(150) % 3 != 0
    y = np.where(np.arange(seen.sum()) % 5 == 0, truth[seen], -1)
    model = FLGCClassifier().fit(X[seen], y)
    assert np.mean(model.predict(X[~seen]) == truth[~seen]) > 0.9
    alone = model.predict(X[~seen][:1])
    assert alone == model.predict(X[~seen])[:1]


@pytest.mark.parametrize(("first", "second", "dtype"), [("-1", "", str), (-1, None, object)])
def test_string_labels(first, second, dtype):
    X = np.array([[0.0, 1], [1, 0], [0, 1], [0, 2], [1, 0]])
    labels = np.array(["ham", "spam", first, "ham", second], dtype=dtype)
    model = FLGCClassifier(hops=0).fit(X, labels)
    assert list(model.classes_) == ["ham", "spam"]
    assert list(model.transduction_) == ["ham", "spam", "ham", "ham", "spam"]


def test_cv_picks_what_leave_one_out_or_validation_says():
    X, truth = make_blobs(90, centers=3, cluster_std=4.0, random_state=1)
    y = np.where(np.arange(90) < 45, truth, -1)
    for scoring, column in (("squared_error", "loo_squared_error"), ("accuracy", "loo_accuracy")):
        model = FLGCClassifierCV(scoring=scoring, **SMALL_GRID).fit(X, y)
        table = model.cv_results_
        best = table[column].min() if scoring == "squared_error" else table[column].max()
        assert table[column][model.best_index_] == best
        assert abs(model.best_score_) == best
        assert len(table["hops"]) == 3 * 2 * 3
        refit = FLGCClassifier(**model.best_params_).fit(X, y)
        np.testing.assert_allclose(model.label_scores_, refit.label_scores_, atol=1e-10)

    validation = np.arange(30, 45)
    model = FLGCClassifierCV(**SMALL_GRID).fit(X, y, validation=validation)
    table = model.cv_results_
    hidden = np.where(np.arange(90) < 30, truth, -1)
    for k in range(len(table["hops"])):
        one = FLGCClassifier(
            hops=int(table["hops"][k]),
            teleport=table["teleport"][k],
            regularization=table["regularization"][k],
        ).fit(X, hidden)
        accuracy = np.mean(one.transduction_[validation] == truth[validation])
        assert table["validation_accuracy"][k] == pytest.approx(accuracy)
    best = table["validation_accuracy"].max()
    near = table["validation_accuracy"] >= best - 0.5 * np.sqrt(best * (1 - best) / 15) - 1e-9
    assert near.sum() > 1
    assert near[model.best_index_]
    assert table["loo_squared_error"][model.best_index_] == table["loo_squared_error"][near].min()
    assert model.best_score_ == table["validation_accuracy"][model.best_index_]
    mask = np.zeros(90, dtype=bool)
    mask[validation] = True
    assert (
        FLGCClassifierCV(**SMALL_GRID).fit(X, y, validation=mask).best_params_ == model.best_params_
    )


def test_validation_labels_never_enter_a_fit():
    X, truth = make_blobs(60, centers=2, cluster_std=5.0, random_state=2)
    y = np.where(np.arange(60) < 40, truth, -1)
    flipped = y.copy()
    flipped[20:40] = 1 - flipped[20:40]
    one_setting = {"hops": (2,), "teleports": (0.1,), "regularizations": (1.0,)}
    fits = [
        FLGCClassifierCV(**one_setting).fit(X, labels, validation=np.arange(20, 40))
        for labels in (y, flipped)
    ]
    np.testing.assert_array_equal(fits[0].label_scores_, fits[1].label_scores_)


@pytest.mark.parametrize(("scale", "combine"), [(1.0, "best"), (100.0, "best"), (1.0, "average")])
def test_cv_with_one_label_per_class_says_so_and_takes_the_usual_setting(scale, combine):
    X, truth = load_iris(return_X_y=True)
    accuracies = []
    for seed in range(10):
        nodes = [np.random.default_rng(seed).choice(np.flatnonzero(truth == c)) for c in range(3)]
        with pytest.warns(UserWarning, match=r"\[0, 1, 2\].*label a second .*validation mask"):
            model = FLGCClassifierCV(combine=combine).fit(scale * X, plain.partly(truth, nodes))
        accuracies.append(np.mean(model.transduction_ == truth))
        assert (model.best_params_["hops"], model.best_params_["teleport"]) == (10, 0.1)
        assert model.cv_results_["weight"][model.best_index_] == 1.0
    assert np.mean(accuracies) > 0.75  # what leave-one-out picks has 0.36


def test_cv_names_the_classes_with_one_label_only():
    X, truth = load_iris(return_X_y=True)
    y = np.where(np.arange(150) % 10 == 0, truth, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FLGCClassifierCV(**SMALL_GRID).fit(X, y)
    y[(truth == 1) & (np.arange(150) > 50)] = -1
    with pytest.warns(UserWarning, match=r"class\(es\) \[1\]"):
        model = FLGCClassifierCV(**SMALL_GRID).fit(X, y)
    assert model.best_params_ == {"hops": 4, "teleport": 0.0, "regularization": 0.1}
    assert model.best_score_ == -model.cv_results_["loo_squared_error"][model.best_index_]
    with warnings.catch_warnings():  # validation nodes can judge
        warnings.simplefilter("error")
        y[[1, 51, 101]] = 0, 1, 2
        FLGCClassifierCV(**SMALL_GRID).fit(X, y, validation=[1, 51, 101])


@pytest.mark.parametrize("combine", ["best", "average"])
def test_cv_leaves_a_class_out_that_only_validation_nodes_have(combine):
    """As one of five is in some splits of Texas."""
    X, truth = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"], dtype=object)[truth]
    labelled, validation = np.r_[0:5, 100:105], np.r_[10:20, 60:63, 110:120]
    y[np.setdiff1d(np.arange(150), np.r_[labelled, validation])] = None
    model = FLGCClassifierCV(**SMALL_GRID, combine=combine)
    said = r"\['versicolor'\].*validation nodes only.* 3 of 23 "
    with pytest.warns(UserWarning, match=said):
        model.fit(X, y, validation=validation)
    y[60:63], without = None, np.setdiff1d(validation, [60, 61, 62])
    expected = clone(model).set_params(n_neighbors=model.n_neighbors_)
    expected.fit(X, y, validation=without)
    assert model.classes_.tolist() == expected.classes_.tolist() == ["setosa", "virginica"]
    np.testing.assert_array_equal(model.label_scores_, expected.label_scores_)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    assert model.best_params_ == expected.best_params_


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_cv_never_picks_what_is_not_finite():
    """Next to such features so small a regularization vanishes, and with it 1 - leverage."""
    X, y = np.eye(4), np.array([0, 0, 1, 1])
    grid = {"hops": (0,), "teleports": (0.0,), "n_neighbors": 0}
    with pytest.raises(ValueError, match="not finite for any of the 1 models"):
        FLGCClassifierCV(regularizations=(1e-320,), **grid).fit(1e9 * X, y)
    for scoring in ("squared_error", "accuracy"):
        model = FLGCClassifierCV(regularizations=(1e-320, 1.0), scoring=scoring, **grid)
        assert model.fit(1e9 * X, y).best_params_["regularization"] == 1.0
        assert np.isnan(model.cv_results_["loo_squared_error"][0])


TABLES = {"iris": load_iris, "wine": load_wine, "wdbc": load_breast_cancer}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("device", ["cpu", "torch:cpu"])
def test_small_regularizations_on_raw_tables_are_least_squares_in_both_precisions(name, device):
    """Features in their own units: their squares span more digits than float64 has."""
    X, truth = TABLES[name](return_X_y=True)
    y = np.where(np.arange(len(X)) % 9 == 0, truth, -1)
    labelled = y >= 0
    A = knn_graph(X, 10)
    H = plain.propagate(plain.propagation_matrix(A.toarray()), X, 10, 0.1)
    Y = np.eye(truth.max() + 1)[truth[labelled]]
    for regularization in (0.0, 1e-12, 1e-6, 1.0):
        expected = H @ plain.precise_ridge_weights(H[labelled], Y, regularization)
        for solver in ("auto", "primal", "dual", "labels"):
            for dtype, atol in (("float64", 1e-8), ("float32", 1e-4)):
                model = FLGCClassifier(
                    regularization=regularization, solver=solver, dtype=dtype, device=device
                ).fit(X, y, adjacency=A)
                np.testing.assert_allclose(model.label_scores_, expected, atol=atol)
                np.testing.assert_array_equal(model.transduction_, expected.argmax(axis=1))
                assert model.label_scores_.dtype == model.coef_.dtype == np.dtype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_labelled", [9, 12, 13, 14, 40])
def test_cv_scores_its_grid_in_both_precisions(n_labelled, dtype):
    """On raw wine (13 features); a validation mask admits regularization 0 too."""
    X, truth = load_wine(return_X_y=True)
    y = np.full(178, -1)
    nodes = np.random.default_rng(0).permutation(178)
    order = np.argsort([np.sum(truth[nodes[:i]] == truth[nodes[i]]) for i in range(178)])
    labelled, validation = nodes[order[:n_labelled]], nodes[order[n_labelled : n_labelled + 30]]
    y[labelled] = truth[labelled]
    A = knn_graph(X, 10)
    H = {h: plain.propagate(plain.propagation_matrix(A.toarray()), X, h, 0.2) for h in (0, 4)}
    Y = np.eye(3)[truth[labelled]]
    grid = {"hops": (0, 4), "teleports": (0.2,), "dtype": dtype}
    table = FLGCClassifierCV(regularizations=(1e-12, 1e-6, 1.0), **grid).fit(X, y, A).cv_results_
    for k, error in enumerate(table["loo_squared_error"]):
        residuals = plain.leave_one_out_residuals(
            H[table["hops"][k]][labelled], Y, table["regularization"][k]
        )
        assert error == pytest.approx(np.mean((residuals**2).sum(axis=1)), rel=1e-2)

    y[validation] = truth[validation]
    model = FLGCClassifierCV(regularizations=(0.0, 1e-12, 1.0), **grid)
    table = model.fit(X, y, A, validation=validation).cv_results_
    for k, accuracy in enumerate(table["validation_accuracy"]):
        embedding = H[table["hops"][k]]
        W = plain.precise_ridge_weights(embedding[labelled], Y, table["regularization"][k])
        hits = (embedding[validation] @ W).argmax(axis=1) == truth[validation]
        assert accuracy == pytest.approx(hits.mean())

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from sklearn.datasets import load_iris, make_circles
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from flgc import FLGCClassifier, FLGCClassifierCV
from flgc.kernels import KernelFeatures, median_distance
from tests import plain

GRID = {"hops": (0, 2), "teleports": (0.0, 0.2), "regularizations": (0.01, 0.1, 1.0)}
CLASS = {"check_classifiers_classes": "has a class named -1, which here means unlabelled"}


def quadratic(A, B):
    return polynomial_kernel(A, B, degree=2, gamma=0.5, coef0=1.0)


KERNELS = {
    "rbf": (lambda gamma: {"kernel": "rbf", "gamma": gamma}, rbf_kernel),
    "callable": (lambda gamma: {"kernel": quadratic}, lambda A, B, gamma: quadratic(A, B)),
}


@parametrize_with_checks(
    [
        FLGCClassifier(kernel="rbf"),
        FLGCClassifierCV(kernel="rbf", **GRID),
        FLGCClassifierCV(kernel="rbf", combine="average", **GRID),
    ],
    expected_failed_checks=lambda estimator: CLASS,
)
def test_scikit_learn_estimator_contract(estimator, check):
    check(estimator)


def filtered_kernel(P, K, hops, teleport):
    """p(P) k(X, X) p(P)'."""
    return plain.propagate(P, plain.propagate(P, K, hops, teleport).T, hops, teleport)


@pytest.mark.parametrize("name", KERNELS)
@given(
    problem=plain.problems(),
    hops=plain.hop_counts,
    teleport=plain.teleports,
    regularization=plain.regularizations,
)
def test_it_is_the_dual_formula(name, problem, hops, teleport, regularization):
    A, X, labels, labelled, n_classes = problem
    settings, kernel = KERNELS[name]
    gamma = 0.5 / X.shape[1]
    K = filtered_kernel(plain.propagation_matrix(A), kernel(X, X, gamma=gamma), hops, teleport)
    Y = np.eye(n_classes)[labels[labelled]]
    system = K[np.ix_(labelled, labelled)] + regularization * np.eye(len(labelled))
    expected = K[:, labelled] @ np.linalg.solve(system, Y)
    for features in (X, sp.csr_array(X)):
        model = FLGCClassifier(
            hops=hops, teleport=teleport, regularization=regularization, **settings(gamma)
        )
        model.fit(features, plain.partly(labels, labelled), adjacency=A)
        np.testing.assert_allclose(model.label_scores_, expected, atol=1e-7)
        assert model.kernel_features_.is_exact_
        assert model.features_fit_.shape[1] <= len(X)


@given(plain.problems(), plain.hop_counts, plain.teleports)
def test_prediction_of_a_new_row_is_the_formula_on_the_extended_graph(problem, hops, teleport):
    """A new row listens and does not speak: P gets its row, and not its column."""
    A, X, labels, labelled, n_classes = problem
    gamma, n = 0.5 / X.shape[1], len(X)
    model = FLGCClassifier(hops=hops, teleport=teleport, kernel="rbf", gamma=gamma)
    model.fit(X, plain.partly(labels, labelled), adjacency=A)
    x_new = np.random.default_rng(0).standard_normal((1, X.shape[1]))
    edges = np.zeros((1, n))
    edges[0, :2] = 1
    P = np.zeros((n + 1, n + 1))
    P[:-1, :-1] = plain.propagation_matrix(A)
    P[-1, :-1] = edges[0] / np.sqrt(3 * (1 + A.sum(axis=1)))
    P[-1, -1] = 1 / 3
    rows = np.vstack([X, x_new])
    K = filtered_kernel(P, rbf_kernel(rows, gamma=gamma), hops, teleport)
    system = K[np.ix_(labelled, labelled)] + np.eye(len(labelled))
    scores = K[[-1]][:, labelled] @ np.linalg.solve(system, np.eye(n_classes)[labels[labelled]])
    found = model._scores_of_new(x_new, edges)
    np.testing.assert_allclose(found, scores, atol=1e-7)


@pytest.mark.parametrize("device", ["cpu", "torch:cpu"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_leave_one_out_of_a_grid_is_refitting(dtype, device):
    X, truth = load_iris(return_X_y=True)
    y = np.where(np.arange(150) % 10 == 0, truth, -1)
    labelled = np.flatnonzero(y >= 0)
    model = FLGCClassifierCV(kernel="rbf", gamma=0.3, dtype=dtype, device=device, **GRID).fit(X, y)
    P = plain.propagation_matrix(model.adjacency_.toarray())
    Y, table = np.eye(3)[y[labelled]], model.cv_results_
    K = rbf_kernel(X, gamma=0.3)
    for k, error in enumerate(table["loo_squared_error"]):
        M = filtered_kernel(P, K, table["hops"][k], table["teleport"][k])
        M, squares = M[np.ix_(labelled, labelled)], []
        for i in range(len(labelled)):
            rest = np.arange(len(labelled)) != i
            system = M[np.ix_(rest, rest)] + table["regularization"][k] * np.eye(rest.sum())
            squares.append(np.sum((Y[i] - M[i, rest] @ np.linalg.solve(system, Y[rest])) ** 2))
        assert error == pytest.approx(np.mean(squares), rel=1e-6 if dtype == "float64" else 1e-2)
    refit = FLGCClassifier(kernel="rbf", gamma=0.3, dtype=dtype, **model.best_params_).fit(X, y)
    np.testing.assert_allclose(model.label_scores_, refit.label_scores_, atol=1e-4)


def test_an_average_predicts_fitted_rows_as_new_ones_far_from_the_graph():
    """Without neighbours P is the identity, and a fitted row is as good as a new one."""
    X, truth = load_iris(return_X_y=True)
    y = np.where(np.arange(150) % 10 == 0, truth, -1)
    model = FLGCClassifierCV(kernel="rbf", combine="average", n_neighbors=0, **GRID).fit(X, y)
    np.testing.assert_allclose(model._scores_of_new(X, None), model.label_scores_, atol=1e-8)
    assert model.coef_.shape[1] == model.features_fit_.shape[1]
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)


def test_the_kernel_separates_what_is_not_linear():
    X, truth = make_circles(300, factor=0.4, noise=0.05, random_state=0)
    y = np.where(np.arange(300) % 10 == 0, truth, -1)
    accuracy = {
        kernel: np.mean(FLGCClassifierCV(kernel=kernel, **GRID).fit(X, y).transduction_ == truth)
        for kernel in ("linear", "rbf")
    }
    assert accuracy["linear"] < 0.8 < 0.98 < accuracy["rbf"]


def test_gamma_is_that_of_the_median_distance():
    X, _ = load_iris(return_X_y=True)
    features = KernelFeatures().fit(X)
    assert features.gamma_ == pytest.approx(0.5 / median_distance(X) ** 2)
    assert KernelFeatures(gamma=2.0).fit(X).gamma_ == 2.0


@pytest.mark.parametrize("kernel", ["rbf", quadratic])
def test_landmarks_approximate_and_all_rows_are_exact(kernel):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 6))
    X[600:] = X[:100]  # the same rows again are no landmarks
    K = rbf_kernel(X, gamma=0.05) if kernel == "rbf" else quadratic(X, X)
    gamma = 0.05 if kernel == "rbf" else None
    exact = KernelFeatures(kernel, gamma)
    Phi = exact.fit_transform(X)
    np.testing.assert_allclose(Phi @ Phi.T, K, atol=1e-8)
    assert (exact.is_exact_, exact.lost_) == (True, 0.0)
    assert Phi.shape[1] <= 600
    np.testing.assert_allclose(exact.transform(X[:50]), Phi[:50], atol=1e-5)
    lost = []
    for n_landmarks in (5, 20, 700):
        features = KernelFeatures(kernel, gamma, n_landmarks=n_landmarks, seed=1)
        Phi = features.fit_transform(X)
        assert len(features.landmarks_) == Phi.shape[1] <= n_landmarks
        lost.append((np.trace(K) - np.sum(Phi**2)) / np.trace(K))
        assert features.lost_ == pytest.approx(lost[-1], abs=1e-9)
        S = features.landmarks_  # Nystroem: K_:S K_SS^-1 K_S:
        between = rbf_kernel(X, S, gamma=0.05) if kernel == "rbf" else quadratic(X, S)
        among = rbf_kernel(S, S, gamma=0.05) if kernel == "rbf" else quadratic(S, S)
        if n_landmarks < 700:
            nystroem = between @ np.linalg.solve(among, between.T)
            np.testing.assert_allclose(Phi @ Phi.T, nystroem, atol=1e-6)
    assert lost[0] > lost[1] > abs(lost[2])
    again = KernelFeatures(kernel, gamma, n_landmarks=20, seed=1).fit(X)
    np.testing.assert_array_equal(
        again.landmarks_, KernelFeatures(kernel, gamma, n_landmarks=20, seed=1).fit(X).landmarks_
    )


def test_many_rows_have_landmarks_and_say_so():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5_200, 8)).astype(np.float32)
    truth = (np.linalg.norm(X, axis=1) > 2.7).astype(int)
    y = np.where(np.arange(len(X)) % 10 == 0, truth, -1)
    model = FLGCClassifier(kernel="rbf", n_neighbors=5, hops=1, teleport=0.5, regularization=0.1)
    model.fit(X, y)
    assert not model.kernel_features_.is_exact_
    assert 0 < model.kernel_features_.lost_ < 0.3
    assert model.features_fit_.shape == (5_200, 1_000)
    assert model.features_fit_.dtype == np.float32
    assert np.mean(model.transduction_ == truth) > 0.8
    assert np.mean(model.predict(X[:500]) == model.transduction_[:500]) > 0.9


X_SMALL, Y_SMALL = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 1, 1, -1])


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.nan, np.inf, "scale", True, [1.0]])
@pytest.mark.parametrize("make", [FLGCClassifier, FLGCClassifierCV])
def test_a_gamma_that_is_none_is_refused(make, gamma):
    with pytest.raises(ValueError, match=r"gamma=.* is not possible"):
        make(kernel="rbf", gamma=gamma).fit(X_SMALL, Y_SMALL)


@pytest.mark.parametrize("gamma", [1e-300, 1e-12, 1e12, 1e300, 1])
def test_an_extreme_gamma_has_finite_scores(gamma):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FLGCClassifier(kernel="rbf", gamma=gamma).fit(X_SMALL, Y_SMALL)
        assert np.isfinite(model.decision_function(X_SMALL)).all()


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        ("cubic", "kernel='cubic' is not known"),
        (None, "kernel=None is not known"),
        (lambda A, B: A @ -B.T, "k\\(x, x\\) = .* semidefinite"),
        (lambda A, B: 1 - np.abs(A[:, :1] - B[:, 0]), "semidefinite"),
        (lambda A, B: A @ B[::-1].T, "semidefinite"),
        (lambda A, B: A @ A.T, "the kernel gave .* shape"),
        (lambda A, B: "no", "the kernel gave"),
        (lambda A, B: A @ B.T * np.nan, "not finite"),
    ],
)
def test_what_is_no_kernel_is_refused(kernel, said):
    with pytest.raises(ValueError, match=said):
        FLGCClassifier(kernel=kernel).fit(X_SMALL, Y_SMALL).predict(X_SMALL[:3])


def test_rows_out_of_range_are_refused():
    with pytest.raises(ValueError, match="rescale X"):
        KernelFeatures("rbf").fit(1e200 * X_SMALL)
    assert KernelFeatures("rbf").fit(np.ones((4, 2))).landmarks_.shape == (1, 2)

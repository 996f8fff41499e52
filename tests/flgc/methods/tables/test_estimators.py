"""The rivals as estimators: the contract of scikit-learn, and each equal to its formula."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from flgc.kernels import gaussian, median_distance
from flgc.methods.tables import LapRLSClassifier, SSELMClassifier, TSVMClassifier
from flgc.methods.tables.tsvm import Machine, started, switched, transductive
from tests import plain

THREE = (LapRLSClassifier(), SSELMClassifier(hidden=40, random_state=0), TSVMClassifier())
weights = plain.regularizations


@pytest.mark.slow
@parametrize_with_checks(
    list(THREE),
    expected_failed_checks=lambda _: {
        "check_classifiers_classes": "has a class named -1, which here means unlabelled"
    },
)
def test_scikit_learn_estimator_contract(estimator, check):
    check(estimator)


def decision(scores: np.ndarray) -> np.ndarray:
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def test_the_kernel_is_that_of_scikit_learn_at_a_width_in_median_distances():
    X = np.array([[0.0, 0], [3, 4], [3, 4], [0, 10]])  # 5, 5, 10, 0 (the same), 6.7, 6.7
    assert median_distance(X) == pytest.approx(np.sqrt(9 + 36))
    assert median_distance(np.ones((4, 2))) == 1.0
    assert median_distance(np.ones((1, 2))) == 1.0
    np.testing.assert_allclose(gaussian(X, X[:2], 3.0), RBF(3.0)(X, X[:2]), atol=1e-12)
    np.testing.assert_allclose(gaussian(sp.csr_array(X), X, 3.0), RBF(3.0)(X), atol=1e-12)


@given(plain.problems(), weights, st.sampled_from([0.0, 0.1, 1.0, 50.0]), weights)
def test_laprls_is_the_dense_formula(problem, width, ratio, ambient):
    """alpha = (J K + ambient I + ambient ratio L K)^-1 Y, J the diagonal of labelled rows."""
    A, X, labels, labelled, n_classes = problem
    width = min(width, 4.0)
    model = LapRLSClassifier(width=width, ratio=ratio, ambient=ambient)
    model.fit(X, plain.partly(labels, labelled), adjacency=A)
    n = len(X)
    K = RBF(width * median_distance(X))(X)
    L = np.eye(n) - plain.propagation_matrix(A)
    J, Y = np.zeros((n, n)), np.zeros((n, n_classes))
    J[labelled, labelled] = 1
    Y[labelled] = np.eye(n_classes)[labels[labelled]]
    alpha = np.linalg.solve(J @ K + ambient * np.eye(n) + ambient * ratio * L @ K, Y)
    np.testing.assert_allclose(model.dual_coef_, alpha, atol=1e-7)
    np.testing.assert_allclose(model.label_scores_, K @ alpha, atol=1e-7)
    new = X[:3] + 0.1
    expected = decision(RBF(width * median_distance(X))(new, X) @ alpha)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-7)
    if ratio == 0:
        ridge = KernelRidge(alpha=ambient, kernel="precomputed")
        ridge.fit(K[np.ix_(labelled, labelled)], Y[labelled])
        np.testing.assert_allclose(model.label_scores_, ridge.predict(K[:, labelled]), atol=1e-7)


@given(plain.problems(), st.sampled_from([3, 17, 60]), st.sampled_from([0.0, 0.1, 5.0]), weights)
def test_ss_elm_is_the_dense_formula(problem, hidden, smoothness, cost):
    """beta = (I + H'CH + smoothness H'LH)^-1 H'C Y."""
    A, X, labels, labelled, n_classes = problem
    model = SSELMClassifier(hidden=hidden, smoothness=smoothness, cost=cost, random_state=5)
    model.fit(X, plain.partly(labels, labelled), adjacency=A)
    W, b = model.layer_
    assert (W.shape, b.shape) == ((X.shape[1], hidden), (hidden,))
    H = expit(X @ W + b)
    L = np.eye(len(X)) - plain.propagation_matrix(A)
    C, Y = np.zeros(len(X)), np.zeros((len(X), n_classes))
    counts = np.bincount(labels[labelled])
    C[labelled] = cost / counts[labels[labelled]]
    Y[labelled] = np.eye(n_classes)[labels[labelled]]
    system = np.eye(hidden) + H.T @ np.diag(C) @ H + smoothness * H.T @ L @ H
    beta = np.linalg.solve(system, H.T @ np.diag(C) @ Y)
    np.testing.assert_allclose(model.coef_, beta, atol=1e-7)
    np.testing.assert_allclose(model.label_scores_, H @ beta, atol=1e-7)
    new = X[:3] + 0.1
    np.testing.assert_allclose(
        model.decision_function(new), decision(expit(new @ W + b) @ beta), atol=1e-7
    )


def test_a_layer_is_drawn_by_its_seed():
    X, y = load_iris(return_X_y=True)
    first, again, other = (SSELMClassifier(random_state=seed).fit(X, y) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.coef_, again.coef_)
    assert (first.layer_[0] != other.layer_[0]).all()
    assert np.abs(first.layer_[0]).max() <= 1


@pytest.mark.parametrize("centers", [2, 4])
def test_without_unlabelled_rows_the_tsvm_is_the_svm(centers):
    X, y = make_blobs(60, centers=centers, cluster_std=4.0, random_state=3)
    model = TSVMClassifier(width=0.5, cost=3.0).fit(X, y)
    svm = SVC(C=3.0, gamma=0.5 / (0.5 * median_distance(X)) ** 2)
    svm = svm if centers == 2 else OneVsRestClassifier(svm)
    new = X + 0.1
    expected = svm.fit(X, y).decision_function(new)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-2)
    np.testing.assert_array_equal(model.predict(new), svm.predict(new))


@st.composite
def crossed(draw):
    """Two classes that overlap, some rows of each labelled."""
    rng = np.random.default_rng(draw(plain.seeds))
    truth = np.repeat([0, 1], [draw(st.integers(4, 20)), draw(st.integers(4, 20))])
    X = rng.standard_normal((len(truth), 2)) + truth[:, None] * draw(st.sampled_from([0.5, 1.5]))
    y = np.where(rng.random(len(truth)) < 0.3, truth, -1)
    y[[0, -1]] = truth[[0, -1]]
    return X, y, draw(st.sampled_from([0.1, 1.0, 10.0]))


@given(crossed())
def test_no_switch_raises_the_objective(problem):
    X, y, cost = problem
    model = TSVMClassifier(width=0.5, cost=cost).fit(X, y)
    assert len(model.objectives_) == 1
    for step in model.objectives_[0]:
        assert np.all(np.diff(step) < 0)


@given(crossed(), st.sampled_from([0.01, 0.3, 1.0]), st.sampled_from([0.1, 1.0]))
def test_switched_pairs_lower_the_slack_of_a_machine_as_it_is(problem, plus, minus):
    X, y, cost = problem
    rng = np.random.default_rng(0)
    free = np.flatnonzero(y < 0)
    signs = np.where(y == 1, 1.0, -1.0)
    signs[free] = np.where(rng.random(len(free)) < 0.5, 1.0, -1.0)

    def weights(signs):
        return np.where(y >= 0, 1.0, np.where(signs > 0, plus, minus))

    def slack(signs):
        return weights(signs) @ np.maximum(0, 1 - signs * machine.scores)

    K = gaussian(X, X, 0.5)
    machine = Machine.fitted(K, signs, weights(signs), cost)
    after = switched(signs, machine.scores, free)
    np.testing.assert_array_equal(after[y >= 0], signs[y >= 0])
    assert after.sum() == signs.sum()
    moved = np.flatnonzero(after != signs)
    assert (slack(after) < slack(signs)) == (len(moved) > 0)
    xi = np.maximum(0, 1 - after * machine.scores)
    most = [xi[free][after[free] == sign].max(initial=0.0) for sign in (1, -1)]
    if len(moved) == 0 and min(most) > 0:
        assert sum(most) <= 2


@pytest.mark.parametrize("seed", [3, 10, 18])
def test_small_steps_and_switches_find_two_moons_from_three_labels_in_each(seed):
    X, truth = make_moons(60, noise=0.08, random_state=seed)
    signs, random = np.zeros(60), np.random.default_rng(seed)
    for c in (0, 1):
        signs[random.choice(np.flatnonzero(truth == c), 3, replace=False)] = 2 * c - 1
    K = gaussian(X, X, 0.4)
    alone = Machine.fitted(K, signs, np.abs(signs), 10.0)
    assert np.mean((alone.scores > 0) == truth) < 0.9
    machine, history = transductive(K, signs, 10.0)
    np.testing.assert_array_equal(machine.scores > 0, truth)

    # At first the others count a thousandth: the machine of labelled rows alone is nearly the best.
    # The solver has a tolerance of its own.
    slack = np.maximum(0, 1 - started(signs, alone.scores) * alone.scores)[signs == 0].sum()
    assert history[0][0] <= 1.001 * (alone.objective + 1e-3 * 10.0 * slack)


def test_the_highest_scores_are_the_first_positives():
    signs = np.array([1.0, -1, -1, 0, 0, 0, 0, 0, 0])
    found = started(signs, np.array([9.0, 0, 0, 3, -1, 7, 2, 8, 1]))
    np.testing.assert_array_equal(found, [1, -1, -1, -1, -1, 1, -1, 1, -1])
    rare = np.array([1.0, *[-1] * 30, 0, 0])
    np.testing.assert_array_equal(started(rare, np.arange(33.0))[31:], [-1, 1])
    np.testing.assert_array_equal(started(-rare, np.arange(33.0))[31:], [-1, 1])


def test_a_machine_knows_its_objective():
    X, y = make_blobs(30, centers=2, cluster_std=5.0, random_state=0)
    signs, K = np.where(y == 1, 1.0, -1.0), gaussian(X, X, 4.0)
    weights = np.where(np.arange(30) < 10, 1.0, 0.2)
    weights[25:] = 0
    machine = Machine.fitted(K, signs, weights, 2.0)
    w_squared = machine.coef @ K @ machine.coef
    slack = np.maximum(0, 1 - signs * (K @ machine.coef + machine.intercept))
    assert machine.objective == pytest.approx(w_squared / 2 + 2.0 * weights @ slack)
    assert (machine.coef[25:] == 0).all()


@given(crossed())
def test_in_the_end_unlabelled_rows_count_fully_and_have_the_share_of_labelled_ones(problem):
    X, y, cost = problem
    K, signs = gaussian(X, X, 0.5), np.where(y < 0, 0.0, np.where(y == 1, 1.0, -1.0))
    machine, history = transductive(K, signs, cost)
    free = y < 0
    np.testing.assert_array_equal(machine.signs[~free], signs[~free])
    whole = Machine.fitted(K, machine.signs, np.ones(len(y)), cost)
    assert machine.objective == pytest.approx(whole.objective, rel=1e-9)
    if free.sum() > 1:
        wanted = round(np.mean(y[~free] == 1) * free.sum())
        assert np.sum(machine.signs[free] > 0) == np.clip(wanted, 1, free.sum() - 1)
    assert history[-1][-1] == machine.objective


def test_unlabelled_rows_move_the_boundary_into_the_gap():
    """One label at the far end of a long cloud, one at the near end of a short one."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.uniform([0, 0], [3, 1], (40, 2)), rng.uniform([4, 0], [5, 1], (40, 2))])
    X[0], X[40] = [0.0, 0.5], [4.1, 0.5]
    truth = np.repeat([0, 1], 40)
    y = plain.partly(truth, np.array([0, 40]))
    alone = SVC(C=10, gamma=0.5 / median_distance(X) ** 2).fit(X[[0, 40]], truth[[0, 40]])
    assert np.mean(alone.predict(X) == truth) < 0.9
    for model in (LapRLSClassifier(n_neighbors=5, ratio=10.0, width=0.5), TSVMClassifier()):
        assert np.mean(model.fit(X, y).transduction_ == truth) > 0.97, model


@pytest.mark.parametrize("model", THREE, ids=lambda m: type(m).__name__)
def test_names_sparse_rows_clones_and_pickles(model):
    X, truth = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"], dtype=object)[truth]
    y = np.where(np.arange(150) % 5 == 0, names, None)
    fitted = clone(model).fit(X, y)
    assert np.mean(fitted.transduction_ == names) > 0.9
    np.testing.assert_array_equal(fitted.predict(X), fitted.transduction_)
    sparse = clone(model).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.label_scores_, fitted.label_scores_, atol=1e-2)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X[:9]), fitted.predict(X[:9]))


BAD = [
    (LapRLSClassifier(width=0.0), "width=0.0"),
    (LapRLSClassifier(ratio=-1.0), "ratio=-1.0"),
    (LapRLSClassifier(ambient=0), "ambient=0"),
    (LapRLSClassifier(n_neighbors=20), "n_neighbors=20 .* 20 samples"),
    (SSELMClassifier(hidden=0), "hidden=0"),
    (SSELMClassifier(smoothness=float("nan")), "smoothness=nan"),
    (SSELMClassifier(cost=-2.0), "cost=-2.0"),
    (SSELMClassifier(random_state=-1), "random_state=-1"),
    (TSVMClassifier(width="wide"), "width='wide'"),
    (TSVMClassifier(cost=0.0), "cost=0.0"),
]


@pytest.mark.parametrize(("model", "message"), BAD, ids=lambda part: str(part)[:30])
def test_bad_parameters_are_refused(model, message):
    X = np.arange(40.0).reshape(20, 2)
    with pytest.raises(ValueError, match=message):
        model.fit(X, np.arange(20) % 2)
    for y, reason in ((np.full(20, -1), "all 20"), (np.zeros(20), "single class")):
        with pytest.raises(ValueError, match=reason):
            type(model)().fit(X, y)

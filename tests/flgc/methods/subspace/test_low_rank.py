"""LRR and LRSC: each equal to its formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from flgc.graph import knn_graph
from flgc.low_rank_expression import low_rank_expression, robust_low_rank_expression
from flgc.methods.base import Problem
from flgc.methods.estimators import Estimator
from flgc.methods.subspace.lrr import LRRClustering
from flgc.methods.subspace.lrsc import LRSCClustering, cleaned, lrsc
from flgc.metrics import clustering_accuracy
from tests.flgc.drawn import union_of_subspaces
from tests.speeds import slow

KINDS = (LRRClustering, LRSCClustering)
X, TRUTH = union_of_subspaces()
NOISY = X + 0.1 * np.random.default_rng(0).standard_normal(X.shape)


@pytest.mark.slow
@parametrize_with_checks([kind(2, random_state=0) for kind in KINDS])
def test_scikit_learn_estimator_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", [LRRClustering(3, weight=100.0), LRSCClustering(3)])
def test_samples_of_independent_subspaces_have_no_affinity(model):
    """Without noise Z is the shape interaction matrix: blocks, to the tolerance."""
    affinity = clone(model).set_params(random_state=0).fit(X).affinity_matrix_
    assert affinity[TRUTH[:, None] != TRUTH].max() < 1e-3


@pytest.mark.parametrize("pca", [None, slow(2)])
@pytest.mark.parametrize("model", [LRRClustering(3, weight=0.1), LRSCClustering(3, tau=0.1)])
def test_noise_and_projection_are_survived(model, pca):
    model = clone(model).set_params(pca=pca, random_state=0).fit(NOISY)
    assert clustering_accuracy(TRUTH, model.labels_) == 1.0
    assert model.rank_ == 6


def test_lrr_passes_over_samples_that_are_no_combination():
    """A tenth of the samples replaced by noise: the others are still told apart."""
    rng = np.random.default_rng(2)
    outliers = rng.choice(len(X), 12, replace=False)
    spoiled = X.copy()
    spoiled[outliers] = rng.standard_normal((12, X.shape[1]))
    spoiled /= np.linalg.norm(spoiled, axis=1, keepdims=True)
    model = LRRClustering(3, weight=0.5, random_state=0).fit(spoiled)
    kept = np.setdiff1d(np.arange(len(X)), outliers)
    assert clustering_accuracy(TRUTH[kept], model.labels_[kept]) > 0.95


@pytest.mark.parametrize("power", [2, 3.5])
def test_lrr_is_its_paper(power):
    model = LRRClustering(3, weight=0.3, power=power, tol=1e-8, random_state=0).fit(NOISY)
    Z = robust_low_rank_expression(NOISY, NOISY, 0.3, tol=1e-8).matrix
    U, S, _ = np.linalg.svd(Z)
    M = U[:, S > 1e-6] * np.sqrt(S[S > 1e-6])
    cosines = M @ M.T / np.linalg.norm(M, axis=1) / np.linalg.norm(M, axis=1)[:, None]
    np.testing.assert_allclose(model.affinity_matrix_, np.abs(cosines) ** power, atol=1e-6)
    assert model.rank_ == M.shape[1]
    assert (model.n_iter_ > 0, model.residual_ <= 1e-8) == (True, True)


def test_lrr_that_is_cut_off_says_so():
    with pytest.warns(ConvergenceWarning, match="after 2 iterations"):
        model = LRRClustering(3, tol=1e-12, max_iter=2, random_state=0).fit(X)
    assert (model.n_iter_, model.residual_ > 1e-12) == (2, True)


def test_lrr_with_no_weight_on_errors_expresses_nothing():
    model = LRRClustering(3, weight=1e-6, random_state=0).fit(X)
    assert model.rank_ == 0
    assert not model.affinity_matrix_.any()


def test_lrsc_without_noise_is_the_nuclear_norm():
    Z = low_rank_expression(X, X, 1 / 0.2).matrix
    model = LRSCClustering(3, tau=0.2, random_state=0).fit(X)
    np.testing.assert_allclose(model.affinity_matrix_, np.abs(Z) + np.abs(Z.T), atol=1e-12)


@pytest.mark.parametrize("alpha", [1e8, 2.0])
def test_lrsc_is_optimal_in_both_variables(alpha):
    """Z given A, and A given Z, cannot be made better; with alpha large A = X."""
    tau = 0.2
    U, S, Vt = np.linalg.svd(NOISY.T, full_matrices=False)
    A = (U * cleaned(S, tau, alpha)) @ Vt
    Z = low_rank_expression(A.T, A.T, 1 / tau).matrix
    model = LRSCClustering(3, tau=tau, alpha=alpha, random_state=0).fit(NOISY)
    np.testing.assert_allclose(model.affinity_matrix_, np.abs(Z) + np.abs(Z.T), atol=1e-8)
    fit = tau * A @ (np.eye(len(Z)) - Z) @ (np.eye(len(Z)) - Z).T + alpha * (A - NOISY.T)
    np.testing.assert_allclose(fit, 0, atol=1e-6 * alpha)


@given(
    st.floats(1e-3, 50),
    st.sampled_from([0.01, 0.5, 3.0, 100.0]),
    st.sampled_from([0.01, 0.5, 3.0, 100.0]),
)
def test_polynomial_thresholding_is_the_best_value(s, tau, alpha):
    def cost(a):
        below = tau / 2 * a**2
        fit = np.where(a <= tau**-0.5, below, 1 - 1 / (2 * tau * np.maximum(a, 1e-9) ** 2))
        return alpha / 2 * (s - a) ** 2 + fit

    (found,) = cleaned(np.array([s]), tau, alpha)
    tried = np.linspace(0, s, 2001)
    best = tried[np.argmin(cost(tried))]
    near = minimize_scalar(
        cost, bounds=(max(best - s / 2000, 0), best + s / 2000), method="bounded"
    )
    assert cost(found) <= min(cost(best), near.fun) * (1 + 1e-6) + 1e-12


def test_lrsc_shares_its_decompositions_and_changes_nothing():
    plain_row = Estimator("LRSC", LRSCClustering, **lrsc.axes)
    grid = {**lrsc.axes, "tau": (0.5, 5.0), "pca": (None, 2)}
    nodes, seeds = (np.arange(len(NOISY)),) * 2, (0, 1)
    given = Problem(NOISY, knn_graph(NOISY, 0), 3, np.full((2, len(NOISY)), -1), nodes, seeds)
    shared, single = (list(row.outputs(given, grid)) for row in (lrsc, plain_row))
    assert len(shared) == 8
    expected = {str(setting): outputs for setting, outputs in single}
    for setting, outputs in shared:
        same = expected[str(setting)]
        for ours, theirs in zip(outputs.classes, same.classes, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        affinities = zip(outputs.extras["affinity"], same.extras["affinity"], strict=True)
        for ours, theirs in affinities:
            np.testing.assert_allclose(ours, theirs, atol=1e-10)

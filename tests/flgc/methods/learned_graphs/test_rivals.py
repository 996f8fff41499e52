"""What only one rival of the small sets does, and what those with components have in common."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from flgc.methods.learned_graphs.can import CANClustering
from flgc.methods.learned_graphs.clr import CLRClustering
from flgc.methods.learned_graphs.kmm import KMMClustering
from flgc.methods.learned_graphs.ncut import NCutClustering
from flgc.methods.learned_graphs.of_sklearn import NMFClustering
from flgc.methods.learned_graphs.rrcsl import RRCSLClustering
from flgc.methods.learned_graphs.ssr import SSRClustering
from flgc.methods.registry import contender
from flgc.metrics import clustering_accuracy
from tests.flgc.methods.test_clusterers import BLOBS, OF_BLOBS, THIRDS, quiet  # noqa: F401
from tests.speeds import slow_but

X, TRUTH = load_iris(return_X_y=True)
WITH_COMPONENTS = ("CAN", "CLR", "CLR, l1", "KMM", "RRCSL")


@pytest.mark.parametrize("name", slow_but(["CAN", "KMM"], WITH_COMPONENTS))
def test_clusters_are_the_components_where_there_are_as_many(name):
    model = clone(OF_BLOBS[name]).set_params(n_neighbors=10).fit(X)
    assert model.n_components_ == 3
    assert clustering_accuracy(TRUTH, model.labels_) > 0.65
    if name != "KMM":
        apart = model.labels_[:, None] != model.labels_
        assert model.affinity_matrix_[apart].max() < 1e-9
        np.testing.assert_array_equal(model.clusters(1), model.labels_)
        assert len(model.objective_) == len(model.strength_) == model.n_iter_


@pytest.mark.parametrize("name", WITH_COMPONENTS)
def test_what_does_not_come_to_the_components_says_so(name):
    model = clone(OF_BLOBS[name]).set_params(max_iter=1)
    with pytest.warns(ConvergenceWarning, match="components.*, not 3: its spectral clustering"):
        model.fit(X)
    assert model.n_components_ != 3
    assert len(set(model.labels_)) == 3


def test_ssr_says_when_it_is_not_done():
    with pytest.warns(ConvergenceWarning, match=r"above tol=1\.0e-06: raise max_iter"):
        model = SSRClustering(3, tol=1e-6, max_iter=2, random_state=0).fit(BLOBS)
    assert model.n_iter_ == 2
    assert model.gap_ > 1e-6
    assert SSRClustering(3, random_state=0).fit(BLOBS).gap_ <= 1e-3


def test_kmm_says_when_clusters_still_change():
    with pytest.warns(ConvergenceWarning, match="after 1 sets of means: raise max_rounds"):
        KMMClustering(3, max_rounds=1, random_state=0).fit(X)


def test_kmm_has_as_many_means_as_its_rule_says_and_starts_at_random():
    model = KMMClustering(3, random_state=0).fit(X)
    assert model.means_.shape == (22, 4)  # sqrt(150 * 3) = 21.2
    again, other = (KMMClustering(3, random_state=seed).fit(X).means_ for seed in (0, 1))
    np.testing.assert_array_equal(model.means_, again)
    assert not np.array_equal(model.means_, other)
    assert model.weights_.shape == (150, 22)
    np.testing.assert_allclose(model.weights_.sum(axis=1), 1.0, atol=1e-9)
    assert KMMClustering(3, means_ratio=99.0, random_state=0).fit(X).means_.shape == (150, 4)
    assert len(KMMClustering(3, means_ratio=0.01, n_neighbors=2).fit(X).means_) == 3


def test_kmms_means_are_those_of_its_weights():
    model = KMMClustering(3, random_state=0).fit(X)
    sums = model.weights_.sum(axis=0)
    used = sums > 0
    expected = [np.average(X, axis=0, weights=column) for column in model.weights_[:, used].T]
    np.testing.assert_allclose(model.means_[used], expected, atol=1e-9)


def test_a_pull_without_end_is_clr():
    near = RRCSLClustering(3, pull=1e6, random_state=0).fit_predict(X)
    expected = CLRClustering(3, random_state=0).fit_predict(X)
    assert clustering_accuracy(expected, near) == 1.0


def test_ncut_is_the_gaussian_of_its_radii():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    tuned = NCutClustering(2, width=0.5, n_neighbors=2, random_state=0).fit(X).affinity_matrix_
    radii = np.array([3.0, 2.0, 3.0, 6.0])
    expected = np.exp(-((X - X.T) ** 2) / (0.5 * np.outer(radii, radii))) * (1 - np.eye(4))
    np.testing.assert_allclose(tuned, expected)
    plain = NCutClustering(2, width=0.5, random_state=0).fit(X).affinity_matrix_
    np.testing.assert_allclose(plain[0, 3], np.exp(-49 / (0.5 * 3.5**2)))  # of 1 2 3 4 6 7


def test_nmf_is_the_largest_coefficient_of_components_at_one_length_after_a_shift_above_0():
    differs = False
    for seed in range(6):
        model, plain = NMFClustering(3, random_state=seed), NMF(3, init="random", random_state=seed)
        W = plain.fit_transform(X)
        expected = (W * np.linalg.norm(plain.components_, axis=1)).argmax(axis=1)
        np.testing.assert_array_equal(model.fit_predict(X), expected)
        np.testing.assert_array_equal(model.shift_, 0)
        differs |= (W.argmax(axis=1) != expected).any()
    assert differs
    model = NMFClustering(3, random_state=0).fit(BLOBS - [0.0, 3.0, 0.0, 9.0])
    np.testing.assert_allclose(
        model.shift_, np.maximum([0.0, 3.0, 0.0, 9.0] - BLOBS.min(axis=0), 0)
    )
    assert (model.shift_ > 0).tolist() == [False, True, False, True]


@pytest.mark.parametrize("kind", [CANClustering, CLRClustering, RRCSLClustering])
def test_two_samples_are_too_few_for_a_graph(kind):
    with pytest.raises(ValueError, match="n_samples=2 is too few"):
        kind(1, n_neighbors=1).fit(BLOBS[:2])


@pytest.mark.parametrize("name", ["CAN", "SSR", "KMM", "NCut"])
def test_principal_components_may_come_first(name):
    noisy = np.hstack([BLOBS, 0.01 * np.random.default_rng(0).standard_normal((36, 60))])
    model = clone(OF_BLOBS[name]).set_params(pca=1)
    assert clustering_accuracy(THIRDS, model.fit_predict(noisy)) == 1.0
    if name == "KMM":
        assert model.means_.shape[1] == 3


def test_a_seed_of_k_means_is_one_start_or_the_best_of_ten():
    method = contender("K-Means", "clustering").method
    assert method.axes["n_init"] == (1, 10)
    assert method.estimator is KMeans

"""Each rival of the small sets: known answers, odd tables, parameters, and its row for tables."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from flgc.methods.base import Problem, settings_of
from flgc.methods.learned_graphs.can import CANClustering
from flgc.methods.learned_graphs.clr import CLRClustering
from flgc.methods.learned_graphs.kmm import KMMClustering
from flgc.methods.learned_graphs.ncut import NCutClustering
from flgc.methods.learned_graphs.of_sklearn import NMFClustering
from flgc.methods.learned_graphs.rrcsl import RRCSLClustering
from flgc.methods.learned_graphs.ssr import SSRClustering
from flgc.methods.registry import contender
from flgc.metrics import clustering_accuracy

MODELS = {
    "CAN": CANClustering(3, n_neighbors=5, random_state=0),
    "CLR": CLRClustering(3, n_neighbors=5, random_state=0),
    "CLR, l1": CLRClustering(3, n_neighbors=5, norm="l1", random_state=0),
    "SSR": SSRClustering(3, random_state=0),
    "KMM": KMMClustering(3, n_neighbors=3, random_state=0),
    "RRCSL": RRCSLClustering(3, n_neighbors=5, random_state=0),
    "NCut": NCutClustering(3, n_neighbors=5, random_state=0),
    "NMF": NMFClustering(3, random_state=0),
}
WITH_COMPONENTS = ("CAN", "CLR", "CLR, l1", "KMM", "RRCSL")
ROWS = ("K-Means", "NMF", "NCut", "CAN", "CLR", "SSR", "KMM", "RRCSL")
RNG = np.random.default_rng(0)
BLOBS = np.repeat(4 * np.eye(3, 4), 12, axis=0) + 0.3 * RNG.random((36, 4))
THIRDS = np.repeat([0, 1, 2], 12)
ODD = {
    "a constant column": np.hstack([BLOBS, np.full((36, 1), 7.0)]),
    "a duplicated row": np.vstack([BLOBS, BLOBS[:1]]),
    "an all-zero row": np.vstack([BLOBS, np.zeros((1, 4))]),
    "nothing but copies": np.full((20, 3), 7.0),
    "nothing but zeros": np.zeros((20, 3)),
    "copies of three rows": np.repeat(np.eye(3), 8, axis=0),
    "negative features": -BLOBS,
    "one column": BLOBS[:, :1],
    "single precision": BLOBS.astype(np.float32),
}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@pytest.mark.parametrize("name", MODELS)
def test_what_is_apart_is_found(name):
    assert clustering_accuracy(THIRDS, clone(MODELS[name]).fit_predict(BLOBS)) == 1.0


@pytest.mark.parametrize("name", [name for name in MODELS if name != "NMF"])
@pytest.mark.parametrize("case", ODD)
def test_odd_tables_have_clusters(case, name):
    X = ODD[case]
    model = clone(MODELS[name]).fit(X)
    assert model.labels_.shape == (len(X),)
    assert set(model.labels_) <= {0, 1, 2}
    if hasattr(model, "affinity_matrix_"):
        affinity = model.affinity_matrix_
        assert np.isfinite(affinity).all()
        assert (affinity >= 0).all()
        np.testing.assert_array_equal(affinity, affinity.T)
    if case in ("a constant column", "single precision", "negative features"):
        assert clustering_accuracy(THIRDS, model.labels_) == 1.0
    if case in ("a duplicated row", "an all-zero row"):
        assert clustering_accuracy(THIRDS, model.labels_[:36]) == 1.0
    if case == "a duplicated row":
        assert model.labels_[0] == model.labels_[36]


@pytest.mark.parametrize("case", ODD)
def test_odd_tables_are_factorised(case):
    model = clone(MODELS["NMF"]).fit(ODD[case])
    assert set(model.labels_) <= {0, 1, 2}
    assert (model.coefficients_ >= 0).all()


@pytest.mark.parametrize("name", MODELS)
def test_one_cluster_and_too_many(name):
    model = clone(MODELS[name])
    assert set(model.set_params(n_clusters=1).fit_predict(BLOBS)) == {0}
    with pytest.raises(ValueError, match="n_clusters=37 is not possible with n_samples=36"):
        model.set_params(n_clusters=37).fit(BLOBS)


@pytest.mark.parametrize("name", MODELS)
def test_a_cluster_may_come_out_empty(name):
    """Three different rows have no five clusters: labels stay in range, whatever is empty."""
    X = np.repeat(np.eye(3), 8, axis=0)
    labels = clone(MODELS[name]).set_params(n_clusters=5).fit_predict(X)
    assert set(labels) <= set(range(5))


@pytest.mark.parametrize("name", WITH_COMPONENTS)
def test_clusters_are_the_components_where_there_are_as_many(name):
    X, truth = load_iris(return_X_y=True)
    model = clone(MODELS[name]).set_params(n_neighbors=10).fit(X)
    assert model.n_components_ == 3
    assert clustering_accuracy(truth, model.labels_) > 0.65
    if name != "KMM":
        apart = model.labels_[:, None] != model.labels_
        assert model.affinity_matrix_[apart].max() < 1e-9
        np.testing.assert_array_equal(model.clusters(1), model.labels_)
        assert len(model.objective_) == len(model.strength_) == model.n_iter_


@pytest.mark.parametrize("name", WITH_COMPONENTS)
def test_what_does_not_come_to_the_components_says_so(name):
    X, _ = load_iris(return_X_y=True)
    model = clone(MODELS[name]).set_params(max_iter=1)
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
    X, _ = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="after 1 sets of means: raise max_rounds"):
        KMMClustering(3, max_rounds=1, random_state=0).fit(X)


def test_kmm_has_as_many_means_as_its_rule_says():
    X, _ = load_iris(return_X_y=True)
    model = KMMClustering(3, random_state=0).fit(X)
    assert model.means_.shape == (22, 4)  # sqrt(150 * 3) = 21.2
    assert model.weights_.shape == (150, 22)
    np.testing.assert_allclose(model.weights_.sum(axis=1), 1.0, atol=1e-9)
    assert KMMClustering(3, means_ratio=99.0, random_state=0).fit(X).means_.shape == (150, 4)
    assert len(KMMClustering(3, means_ratio=0.01, n_neighbors=2).fit(X).means_) == 3


def test_kmms_means_are_those_of_its_weights():
    X, _ = load_iris(return_X_y=True)
    model = KMMClustering(3, random_state=0).fit(X)
    sums = model.weights_.sum(axis=0)
    used = sums > 0
    expected = [np.average(X, axis=0, weights=column) for column in model.weights_[:, used].T]
    np.testing.assert_allclose(model.means_[used], expected, atol=1e-9)


def test_kmm_starts_at_random():
    X, _ = load_iris(return_X_y=True)
    means = [KMMClustering(3, random_state=seed).fit(X).means_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(means[0], means[1])
    assert not np.array_equal(means[0], means[2])


def test_a_pull_without_end_is_clr():
    X, _ = load_iris(return_X_y=True)
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


def test_nmf_is_the_largest_coefficient_of_components_at_one_length():
    X, _ = load_iris(return_X_y=True)
    differs = False
    for seed in range(6):
        model, plain = NMFClustering(3, random_state=seed), NMF(3, init="random", random_state=seed)
        W = plain.fit_transform(X)
        expected = (W * np.linalg.norm(plain.components_, axis=1)).argmax(axis=1)
        np.testing.assert_array_equal(model.fit_predict(X), expected)
        np.testing.assert_array_equal(model.shift_, 0)
        differs |= (W.argmax(axis=1) != expected).any()
    assert differs


def test_nmf_shifts_features_that_are_negative():
    X = BLOBS - [0.0, 3.0, 0.0, 9.0]
    model = NMFClustering(3, random_state=0).fit(X)
    np.testing.assert_allclose(model.shift_, np.maximum(-X.min(axis=0), 0))
    assert model.shift_[0] == 0
    assert model.shift_[1] > 0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CANClustering(3, n_neighbors=35), "n_neighbors=35 is not possible with 36 samples: .* 34"),
        (CLRClustering(3, n_neighbors=0), "n_neighbors=0 is not possible"),
        (CLRClustering(3, norm="l3"), r"norm='l3' is not known: choose one of \('l2', 'l1'\)"),
        (RRCSLClustering(3, pull=0.0), "pull=0.0 is not possible"),
        (RRCSLClustering(3, max_iter=0), "max_iter=0 is not possible"),
        (SSRClustering(3, tol=0.0), "tol=0.0 is not possible"),
        (SSRClustering(3, max_iter=0), "max_iter=0 is not possible"),
        (KMMClustering(3, n_neighbors=11), "n_neighbors=11 is not possible with 11 means"),
        (KMMClustering(3, means_ratio=0.0), "means_ratio=0.0 is not possible"),
        (KMMClustering(3, max_rounds=0), "max_rounds=0 is not possible"),
        (KMMClustering(3, max_iter=0), "max_iter=0 is not possible"),
        (KMMClustering(3, random_state=-1), "random_state=-1 is not possible"),
        (NCutClustering(3, width=0.0), "width=0.0 is not possible"),
        (NCutClustering(3, n_neighbors=0), "n_neighbors=0 is not possible"),
        (NMFClustering(3, max_iter=0), "max_iter=0 is not possible"),
    ],
)
def test_parameters_that_cannot_be_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(BLOBS)


@pytest.mark.parametrize("kind", [CANClustering, CLRClustering, RRCSLClustering])
def test_two_samples_are_too_few_for_a_graph(kind):
    with pytest.raises(ValueError, match="n_samples=2 is too few"):
        kind(1, n_neighbors=1).fit(BLOBS[:2])


@pytest.mark.parametrize("name", ["CAN", "SSR", "KMM", "NCut"])
def test_principal_components_may_come_first(name):
    noisy = np.hstack([BLOBS, 0.01 * RNG.standard_normal((36, 60))])
    model = clone(MODELS[name]).set_params(pca=1)
    assert clustering_accuracy(THIRDS, model.fit_predict(noisy)) == 1.0
    if name == "KMM":
        assert model.means_.shape[1] == 3


@pytest.mark.parametrize("name", ROWS)
def test_rows_have_a_fair_grid_and_find_the_blobs(name):
    method = contender(name, "clustering").method
    assert method.reference
    assert 8 <= len(list(settings_of(method.axes))) <= 48
    grid = {axis: values[:1] for axis, values in method.axes.items()}
    problem = Problem(BLOBS, None, 3, np.full((2, 36), -1), (np.arange(36),) * 2, (0, 1))
    ((setting, outputs),) = method.outputs(problem, grid)
    assert setting.keys() == method.axes.keys()
    assert len(outputs.classes) == 2
    assert max(clustering_accuracy(THIRDS, labels) for labels in outputs.classes) == 1.0


def test_a_seed_of_k_means_is_one_start_or_the_best_of_ten():
    method = contender("K-Means", "clustering").method
    assert method.axes["n_init"] == (1, 10)
    assert method.estimator is KMeans

"""What all clusterers of the tables have in common: known answers, odd tables, refusals, rows."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
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
from flgc.methods.subspace.kssc import KSSC
from flgc.methods.subspace.lrr import LRRClustering
from flgc.methods.subspace.lrsc import LRSCClustering
from flgc.methods.subspace.ssc import SSC
from flgc.methods.subspace.ssc_omp import SSCOMP
from flgc.metrics import clustering_accuracy
from tests.flgc.drawn import union_of_subspaces
from tests.speeds import each_once, slow, slow_but

OF_BLOBS = {
    "CAN": CANClustering(3, n_neighbors=5, random_state=0),
    "CLR": CLRClustering(3, n_neighbors=5, random_state=0),
    "CLR, l1": CLRClustering(3, n_neighbors=5, norm="l1", random_state=0),
    "SSR": SSRClustering(3, random_state=0),
    "KMM": KMMClustering(3, n_neighbors=3, random_state=0),
    "RRCSL": RRCSLClustering(3, n_neighbors=5, random_state=0),
    "NCut": NCutClustering(3, n_neighbors=5, random_state=0),
    "NMF": NMFClustering(3, random_state=0),
}
OF_SUBSPACES = {
    "SSC": SSC(3, random_state=0),
    "KSSC": KSSC(3, random_state=0),
    "SSC-OMP": SSCOMP(3, random_state=0),
    "LRR": LRRClustering(3, random_state=0),
    "LRSC": LRSCClustering(3, random_state=0),
}
MODELS = OF_BLOBS | OF_SUBSPACES
WITHIN = {"SSC": 0.9, "KSSC": 0.9, "SSC-OMP": 0.999}  # the share of the affinity within subspaces
# The least and the most settings that their rows of the tables pick from.
ROWS = dict.fromkeys(("K-Means", *OF_BLOBS), (8, 48))
ROWS |= dict.fromkeys(("SSC", "KSSC", "LRR"), (1, 10))
ROWS |= dict.fromkeys(("SSC-OMP", "LRSC"), (1, 20))
del ROWS["CLR, l1"]
THIRDS = np.repeat([0, 1, 2], 12)
BLOBS = 4 * np.eye(3, 4)[THIRDS] + 0.3 * np.random.default_rng(0).random((36, 4))
SUBSPACES = union_of_subspaces(25, dim=3, ambient=30)
ODD = {
    "a constant column": lambda X: np.hstack([X, np.full((len(X), 1), 7.0)]),
    "a duplicated row": lambda X: np.vstack([X, X[:1]]),
    "an all-zero row": lambda X: np.vstack([X, 0 * X[:1]]),
    "negative features": lambda X: -X,
    "single precision": lambda X: X.astype(np.float32),
    "nothing but copies": lambda X: np.full((20, 3), 7.0),
    "nothing but zeros": lambda X: np.zeros((20, 3)),
    "copies of three rows": lambda X: np.repeat(np.eye(3), 8, axis=0),
    "copies of two rows": lambda X: np.repeat(np.eye(2, 3), 10, axis=0),
    "one column": lambda X: X[:, :1],
    "more columns than rows": lambda X: X[::3],
}
STILL_FOUND = tuple(ODD)[:5]  # but with the first, in all subspaces, no subspace is


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def clean(name: str) -> tuple[np.ndarray, np.ndarray]:
    return SUBSPACES if name in OF_SUBSPACES else (BLOBS, THIRDS)


@pytest.mark.parametrize("name", MODELS)
def test_what_is_apart_is_found(name):
    X, truth = clean(name)
    model = clone(MODELS[name]).fit(X)
    assert clustering_accuracy(truth, model.labels_) == 1.0
    if name in WITHIN:
        W = model.affinity_matrix_
        np.testing.assert_array_equal(W, W.T)
        assert not W.diagonal().any()
        assert W[truth[:, None] == truth].sum() / W.sum() > WITHIN[name]


@pytest.mark.parametrize(("name", "case"), each_once(MODELS, ODD))
@pytest.mark.parametrize("n_clusters", [3, slow(1)])
def test_odd_tables_have_clusters(name, case, n_clusters):
    if (name, case) == ("KSSC", "nothing but zeros"):
        pytest.skip("of nothing the kernel has no features")
    X, truth = clean(name)
    n, X = len(X), ODD[case](X)
    model = clone(MODELS[name]).set_params(n_clusters=n_clusters).fit(X)
    assert model.labels_.shape == (len(X),)
    assert set(model.labels_) <= set(range(n_clusters))
    if hasattr(model, "affinity_matrix_"):
        affinity = model.affinity_matrix_
        assert np.isfinite(affinity).all()
        assert (affinity >= 0).all()
        digits = 1e-6 if case == "single precision" else 1e-12
        atol = digits if name in OF_SUBSPACES else 0
        np.testing.assert_allclose(affinity, affinity.T, rtol=0, atol=atol)
    if name == "NMF":
        assert (model.coefficients_ >= 0).all()
    elif case in STILL_FOUND[name in OF_SUBSPACES :] and n_clusters == 3:
        assert clustering_accuracy(truth, model.labels_[:n]) == 1.0
    if case == "a duplicated row":
        assert model.labels_[0] == model.labels_[n]
    if case == "an all-zero row" and name in OF_SUBSPACES:
        assert not model.affinity_matrix_[n].any()


@pytest.mark.parametrize("name", MODELS)
def test_too_many_clusters_are_refused_and_some_may_come_out_empty(name):
    X, model = np.repeat(np.eye(3), 8, axis=0), clone(MODELS[name])
    assert set(model.set_params(n_clusters=5).fit_predict(X)) <= set(range(5))
    with pytest.raises(ValueError, match="n_clusters=25 is not possible with n_samples=24"):
        model.set_params(n_clusters=25).fit(X)


NO_NUMBERS = (0, -1, "a", np.nan)
IMPOSSIBLE = [
    (RRCSLClustering, {"pull": 0.0, "max_iter": 0}),
    (SSRClustering, {"tol": 0.0, "max_iter": 0}),
    (KMMClustering, {"means_ratio": 0.0, "max_rounds": 0, "max_iter": 0, "random_state": -1}),
    (NCutClustering, {"width": 0.0, "n_neighbors": 0}),
    (NMFClustering, {"max_iter": 0}),
    (CLRClustering, {"n_neighbors": 0}),
    (SSC, {"alpha": 0, "outliers": 0, "threshold": 2}),
    (KSSC, {"degree": 0, "offset": -1, "width": 0, "kernel_pca": 0}),
    (SSCOMP, {"n_nonzero": 0, "tolerance": -1, "threshold": 0}),
    *((LRRClustering, dict.fromkeys(("weight", "power", "tol", "max_iter", "pca"), value))
      for value in NO_NUMBERS),
    *((LRSCClustering, dict.fromkeys(("tau", "alpha", "pca"), value)) for value in NO_NUMBERS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("model", "message"),
    [
        *(
            (kind(3, **{name: value}), f"{name}={value!r} is not possible")
            for kind, parameters in IMPOSSIBLE
            for name, value in parameters.items()
        ),
        (CANClustering(3, n_neighbors=35), "n_neighbors=35 is not possible with 36 samples: .* 34"),
        (KMMClustering(3, n_neighbors=11), "n_neighbors=11 is not possible with 11 means"),
        (CLRClustering(3, norm="l3"), r"norm='l3' is not known: choose one of \('l2', 'l1'\)"),
        (KSSC(3, kernel="cubic"), "kernel='cubic' is not known"),
    ],
    ids=str,
)
def test_parameters_that_cannot_be_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(BLOBS)


@pytest.mark.parametrize("name", slow_but(("K-Means", "CAN", "KSSC"), ROWS))
def test_rows_have_a_fair_grid_and_find_what_is_apart(name):
    row, (X, truth) = contender(name, "clustering"), clean(name)
    least, most = ROWS[name]
    assert row.method.reference
    assert least <= len(list(settings_of(row.method.axes))) <= most
    whole = name in ("SSC-OMP", "LRR", "LRSC")  # in which the first value is not the best
    axes = {axis: values if whole else values[:1] for axis, values in row.whole({}).items()}
    nodes = np.arange(len(X))
    problem = Problem(X, None, 3, np.full((2, len(X)), -1), (nodes, nodes), (0, 1))
    found = [
        classes for _, outputs in row.method.outputs(problem, axes) for classes in outputs.classes
    ]
    assert len(found) == 2 * len(list(settings_of(axes)))
    assert max(clustering_accuracy(truth, labels) for labels in found) == 1.0

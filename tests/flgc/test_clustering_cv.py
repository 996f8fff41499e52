"""The clustering that picks from a grid, against settings that are fitted one by one."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from flgc import FLGCClustering, FLGCClusteringCV
from flgc.graph import knn_graph
from flgc.label_free import CHOSEN, LabelFree
from tests.flgc.drawn import union_of_subspaces

GRID = {"hops": (3, 0), "teleports": (0.5, 0.0), "regularizations": (100.0, 1.0)}


@parametrize_with_checks(
    [FLGCClusteringCV(3, hops=(0, 2), teleports=(0.1,), regularizations=(1.0, 10.0))]
)
def test_scikit_learn_estimator_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def fitted() -> tuple[np.ndarray, FLGCClusteringCV]:
    X, _ = union_of_subspaces()
    return X, FLGCClusteringCV(3, **GRID, random_state=4).fit(X)


def test_each_setting_is_what_it_is_alone_and_the_best_is_picked(fitted) -> None:
    X, model = fitted
    table = pd.DataFrame(model.cv_results_)
    judge = LabelFree(X)
    assert table[["hops", "teleport", "regularization"]].values.tolist() == [
        [h, t, r] for h in (3, 0) for t in (0.5, 0.0) for r in (100.0, 1.0)
    ]
    for row in table.to_dict("records"):
        setting = {name: row.pop(name) for name in ("hops", "teleport", "regularization")}
        setting["hops"] = int(setting["hops"])
        alone = FLGCClustering(3, **setting, random_state=4).fit(X)
        row.pop(CHOSEN)
        assert row == pytest.approx(judge(alone.labels_))
    full = table[table["n_clusters"] == table["n_clusters"].max()]
    ranks = full[["rate2", "rate3"]].round(9).rank().sum(axis=1)
    pd.testing.assert_series_equal(full[CHOSEN], ranks, check_names=False)
    assert model.best_score_ == ranks.max()
    assert table.loc[model.best_index_, CHOSEN] == model.best_score_
    alone = FLGCClustering(3, **model.best_params_, random_state=4).fit(X)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    np.testing.assert_array_equal(model.best_estimator_.affinity_matrix_, alone.affinity_matrix_)


def test_a_setting_that_lost_a_cluster_is_not_picked_however_good(monkeypatch) -> None:
    X, _ = union_of_subspaces()

    def judge(self, labels):
        asked.append(labels)
        lost = len(asked) == 2
        rate = 9.0 if lost else float(len(asked))
        return {"n_clusters": 2.0 if lost else 3.0, "rate2": rate, "rate3": rate}

    asked: list[np.ndarray] = []
    monkeypatch.setattr(LabelFree, "__call__", judge)
    grid = {"hops": (1,), "teleports": (0.0,), "regularizations": (1.0, 10.0, 100.0)}
    model = FLGCClusteringCV(3, **grid, random_state=0).fit(X)
    assert model.best_index_ == 2
    assert np.isnan(model.cv_results_[CHOSEN][1])


def test_a_graph_sparse_features_and_both_solvers(fitted) -> None:
    X, model = fitted
    graph = knn_graph(X, 4)
    for solver in ("exact", "lowrank"):
        given = clone(model).set_params(solver=solver).fit(sp.csr_array(X), adjacency=graph)
        assert given.solver_ == solver
        assert given.labels_.shape == (len(X),)
        np.testing.assert_array_equal(given.adjacency_.toarray(), graph.toarray())


def test_the_start_is_the_same_for_all_settings_whatever_the_random_state() -> None:
    X, _ = union_of_subspaces()
    one_setting = {"hops": (2,), "teleports": (0.2,), "regularizations": (10.0,)}
    drawn = np.random.RandomState(5).randint(2**31)
    model = FLGCClusteringCV(3, **one_setting, random_state=np.random.RandomState(5)).fit(X)
    expected = FLGCClustering(
        3, hops=2, teleport=0.2, regularization=10.0, random_state=int(drawn)
    ).fit(X)
    np.testing.assert_array_equal(model.labels_, expected.labels_)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hops": ()}, "the grid has no hops"),
        ({"teleports": (1.5,)}, "teleport"),
        ({"regularizations": (-1.0,)}, "regularization"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"random_state": "a"}, "random_state"),
        ({"solver": "quick"}, "solver"),
    ],
)
def test_what_cannot_work_is_refused_before_any_work(wrong, message, monkeypatch) -> None:
    monkeypatch.setattr("flgc.clustering_cv.graph_for", None)
    with pytest.raises(ValueError, match=message):
        FLGCClusteringCV(**{"n_clusters": 2, **wrong}).fit(np.eye(6))

import numpy as np
import pandas as pd
import pytest

from flgc.datasets import load
from flgc.graph import knn_graph, propagation_matrix
from flgc.label_free import LabelFree, medoids
from flgc.methods import criteria
from flgc.methods.criteria import CLUSTERS, CRITERIA, among, compare_criteria, criteria_of
from flgc.methods.flgc_clustering import Clustering

DATA = load("subspaces-unequal")
GRID = {**Clustering.axes, "scaling": ("standardised",), "hops": (1, 5), "teleport": (0.0, 0.1)}
GRID["regularization"] = (1.0, 100.0)


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    graph = propagation_matrix(knn_graph(DATA.features, 10))
    return criteria_of(DATA, graph, GRID, Clustering(), seed=0)


def test_every_setting_has_every_criterion_within_its_range(found: pd.DataFrame) -> None:
    assert len(found) == 8
    whole = among(found)
    assert whole[[*CRITERIA]].notna().all(axis=None)
    for name, low, high in (("embedding", -1, 1), ("common", -0.5, 1), ("medoid", -1, 1)):
        assert whole[name].between(low, high).all(), name
    judge = LabelFree(DATA.features)
    for row in whole.to_dict("records"):
        expected = judge(row[CLUSTERS])
        assert {name: row[name] for name in expected} == pytest.approx(expected)
    np.testing.assert_allclose(whole["medoid-mod4"], medoids(found[CLUSTERS]) * found["mod4"])


def test_each_row_has_what_its_best_by_each_criterion_is_worth(
    found: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among its own settings, and of those that have lost no cluster."""
    lost = found.assign(n_clusters=np.where(found.index == 3, 4.0, 5.0))
    monkeypatch.setattr(criteria, "criteria_of", lambda data, graph, *_: lost.iloc[graph])
    halves = [np.arange(0, 8, 2), np.arange(1, 8, 2)]
    parts = {"FLGC": {"teleport": (0.0,)}, "FLGC*": {}}
    shown = compare_criteria(None, halves, [GRID, GRID], Clustering(), parts, 0)
    each = len(CRITERIA) + 1
    assert shown["row"].tolist() == ["FLGC"] * each + ["FLGC*"] * each
    every = pd.concat([lost.iloc[half] for half in halves])
    for row, own in (("FLGC", every[every["p_teleport"] == 0]), ("FLGC*", every)):
        of_row = shown[shown["row"] == row].set_index("criterion")
        kept = among(own[own["n_clusters"] == 5])
        for name in CRITERIA:
            best = kept.sort_values(name, ascending=False, kind="stable").iloc[0]
            assert of_row.loc[name, "ACC"] == best["ACC"]
        assert of_row.loc["ACC", "ACC"] == own["ACC"].max()
        assert of_row.loc["ACC", "correlation"] == pytest.approx(1)

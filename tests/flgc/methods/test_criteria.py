import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from flgc.datasets import load
from flgc.graph import knn_graph, propagation_matrix
from flgc.methods import criteria
from flgc.methods.criteria import CRITERIA, compare_criteria, criteria_of
from flgc.methods.flgc_clustering import Clustering

GRID = {**Clustering.axes, "scaling": ("standardised",), "hops": (1, 5), "teleport": (0.0, 0.1)}
GRID["regularization"] = (1.0, 100.0)


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    graph = propagation_matrix(knn_graph(load_iris().data, 10))
    return criteria_of(load("iris"), graph, GRID, Clustering(), seed=0)


def test_every_setting_has_every_criterion_within_its_range(found: pd.DataFrame) -> None:
    assert len(found) == 8
    assert found[[*CRITERIA]].notna().all(axis=None)
    for name, low, high in (("embedding", -1, 1), ("modularity", -0.5, 1), ("stability", -1, 1)):
        assert found[name].between(low, high).all(), name
    assert found["eigengap"].between(0, 1).all()
    assert found["stability"].max() > 0.5
    assert found["stability"].min() < 1, "fewer nodes are clustered otherwise"


def test_each_row_has_what_its_best_by_each_criterion_is_worth(
    found: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(criteria, "criteria_of", lambda data, graph, *_: found.iloc[graph])
    halves = [np.arange(0, 8, 2), np.arange(1, 8, 2)]
    parts = {"FLGC": {"teleport": (0.0,)}, "FLGC*": {}}
    shown = compare_criteria(None, halves, [GRID, GRID], Clustering(), parts, 0)
    assert shown["row"].tolist() == ["FLGC"] * 7 + ["FLGC*"] * 7
    every = pd.concat([found.iloc[half] for half in halves])
    for row, own in (("FLGC", every[every["p_teleport"] == 0]), ("FLGC*", every)):
        of_row = shown[shown["row"] == row].set_index("criterion")
        for name in (*CRITERIA, "ACC"):
            best = own.sort_values(name, ascending=False, kind="stable").iloc[0]
            assert of_row.loc[name, "ACC"] == best["ACC"]
        assert of_row.loc["ACC", "correlation"] == pytest.approx(1)

"""FLGC's clusterings as methods: what a grid shares changes nothing."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from flgc import FLGCClustering
from flgc.graph import knn_graph, propagation_matrix
from flgc.methods.base import Problem, as_columns
from flgc.methods.flgc_clustering import EDSC, Clustering, LowRank
from flgc.methods.judging import clustering
from flgc.methods.picking import MOST_CLUSTERINGS, weighting
from flgc.methods.registry import contender
from flgc.scaling import scaled
from flgc.spectral import spectral_clusters

GRID = {"scaling": ("standardised", "unit-length"), "hops": (0, 2, 3), "teleport": (0.0, 0.3)}
GRID |= {"norm": ("fro",), "regularization": (0.5, 10.0), "threshold": (0.8, 1.0)}
GRID |= {"subspace_dim": (2,), "power": (4,)}


@pytest.fixture(scope="module")
def problem() -> Problem:
    iris = load_iris()
    graph = propagation_matrix(knn_graph(iris.data, 8))
    found, _ = clustering(iris.data, iris.target, 3, graph, [3, 4])
    return found


def fitted(problem: Problem, setting: dict, dtype: str = "float64", **more) -> FLGCClustering:
    """The estimator with the same setting, by itself."""
    own = {name: value for name, value in setting.items() if name != "scaling"}
    X = scaled(problem.X, setting["scaling"]).astype(dtype)
    return FLGCClustering(3, random_state=3, **own, **more).fit(
        X, adjacency=knn_graph(problem.X, 8)
    )


def test_every_setting_is_the_estimators(problem: Problem) -> None:
    found = list(Clustering().outputs(problem, GRID))
    assert len(found) == len({tuple(setting.values()) for setting, _ in found}) == 48
    for setting, outputs in found:
        expected = fitted(problem, setting).affinity_matrix_
        close = np.isclose(outputs.extras["affinity"][0], expected, atol=1e-3)
        assert close.mean() > 0.98, setting  # float32 may prune another entry of level ones
        assert len(outputs.classes) == 2


def test_starts_share_an_affinity_and_nothing_else(problem: Problem) -> None:
    grid = {name: values[:1] for name, values in GRID.items()}
    [(_, both)] = Clustering().outputs(problem, grid)
    for run, seed in enumerate(problem.seeds):
        [(_, alone)] = Clustering().outputs(problem.only([run]), grid)
        np.testing.assert_array_equal(both.classes[run], alone.classes[0])
        expected = spectral_clusters(both.extras["affinity"][0], 3, seed)
        np.testing.assert_array_equal(alone.classes[0], expected)


def test_an_average_clusters_the_weighted_sum_of_affinities(problem: Problem) -> None:
    eyes = propagation_matrix(knn_graph(problem.X, 3))
    on_two = dataclasses.replace(problem, graphs={"wide": problem.P, "narrow": eyes})
    method = Clustering()
    grid = {name: values[-1:] for name, values in GRID.items()}
    [(setting, wide)] = method.outputs(problem, grid)
    [(_, narrow)] = method.outputs(dataclasses.replace(problem, P=eyes), grid)
    rows = [
        {"run": run, "p_graph": graph, **as_columns(setting), "weight": weight}
        for run in (0, 1)
        for graph, weight in (("wide", 0.75), ("narrow", 0.25))
    ]
    found = method.combined(on_two, pd.DataFrame(rows))
    expected = 0.75 * wide.extras["affinity"][0] + 0.25 * narrow.extras["affinity"][0]
    np.testing.assert_allclose(found.extras["affinity"][1], expected, rtol=1e-5)
    for run, seed in enumerate(problem.seeds):
        np.testing.assert_array_equal(found.classes[run], spectral_clusters(expected, 3, seed))


def test_the_best_by_coding_rates_are_averaged_one_as_good_as_the_other() -> None:
    rates = dict.fromkeys(("rate2", "rate3"), np.arange(15) % 12)
    scores = pd.DataFrame(
        {"run": 0, "p_hops": range(15), "n_clusters": 3.0, **rates, "ACC": 0.0, "NMI": 0.0}
    )
    found = weighting(scores, "honest", combine="average")
    assert sorted(found["p_hops"]) == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert found["weight"].tolist() == [1 / MOST_CLUSTERINGS] * MOST_CLUSTERINGS


def test_edsc_and_egcsc_keep_their_hops_whatever_the_data_are_prepared_with() -> None:
    given = {"hops": (5, 9), "teleport": (0.1, 0.5), "regularization": (7.0,)}
    for name, hops in (("EDSC", 0), ("EGCSC", 1)):
        grid = contender(name, "clustering").whole(given)
        assert (grid["hops"], grid["teleport"]) == ((hops,), (0.0,))
        assert grid["regularization"] == (7.0,)
    assert not EDSC().sees_graph


def test_edsc_does_not_see_the_graph(problem: Problem) -> None:
    grid = {name: values[:1] for name, values in GRID.items()} | {"hops": (0,)}
    other = dataclasses.replace(problem, P=propagation_matrix(knn_graph(problem.X, 2)))
    [(_, one)], [(_, two)] = EDSC().outputs(problem, grid), EDSC().outputs(other, grid)
    np.testing.assert_array_equal(one.extras["affinity"][0], two.extras["affinity"][0])


@pytest.mark.parametrize("norm", ["l1", "nuclear"])
def test_other_norms_are_the_estimators(problem: Problem, norm: str) -> None:
    grid = {name: values[:1] for name, values in GRID.items()} | {"norm": (norm,), "hops": (2,)}
    [(setting, outputs)] = Clustering().outputs(problem, grid)
    own = {name: setting[name] for name in setting if name not in ("threshold", "power")}
    expected = fitted(problem, own, "float32").affinity_matrix_
    assert np.isclose(outputs.extras["affinity"][0], expected, atol=0.05).mean() > 0.9


def test_low_rank_settings_are_the_estimators(problem: Problem) -> None:
    grid = {"scaling": ("standardised",), "hops": (1, 3), "teleport": (0.1,)}
    grid |= {"regularization": (1.0, 10.0), "subspace_dim": (2,)}
    long = dataclasses.replace(problem, seeds=tuple(seed + 2**40 for seed in problem.seeds))
    found = list(LowRank().outputs(long, grid))
    assert len(found) == 4
    for setting, outputs in found:
        model = fitted(problem, setting, "float32", solver="lowrank")
        np.testing.assert_array_equal(outputs.classes[0], model.labels_)
        assert "affinity" not in outputs.extras

"""Curves are the same models fitted one by one; nobody sees more than a fit alone would."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from flgc import FLGCClassifier, FLGCClustering
from flgc.datasets import load
from flgc.datasets.splits import Split, runs
from flgc.methods.base import Method, Outputs
from flgc.methods.estimators import Estimator
from flgc.methods.flgc import FLGC
from flgc.methods.flgc_clustering import Clustering
from flgc.methods.varying import vary_method
from flgc.metrics import clustering_accuracy, normalized_mutual_information
from flgc.preparing import build_graph
from flgc.scaling import min_max
from tests.flgc.drawn import CLUSTERING

IRIS, SEEDS = load("iris"), [7, 8, 9]
X = min_max(IRIS.features)
P = build_graph(IRIS, "min-max", 5)
COUNTS = (1, 2, 5)
SPLITS = runs(IRIS, [f"{count}-per-class" for count in COUNTS], SEEDS)
SETTING = {"scaling": "min-max", "constant": False}
SETTING |= {"hops": 3, "teleport": 0.1, "regularization": 0.01}


def fitted(split: Split, n_neighbors: int = 5, **changed) -> float:
    """The test accuracy of one model by itself."""
    known = {name: SETTING[name] for name in ("hops", "teleport", "regularization")}
    model = FLGCClassifier(n_neighbors=n_neighbors, device="cpu", **known | changed)
    labels = np.full(IRIS.n_nodes, -1)
    labels[split.train] = IRIS.labels[split.train]
    model.fit(X, labels)
    return float(np.mean(model.transduction_[split.test] == IRIS.labels[split.test]))


def varied(method: Method = FLGC(), along="splits", values=COUNTS, **given) -> pd.DataFrame:  # noqa: B008
    known = {"graphs": [P], "splits": SPLITS, "setting": SETTING, "seeds": SEEDS}
    return vary_method(IRIS, method=method, along=along, values=values, **known | given)


def test_numbers_of_labels() -> None:
    found = varied()
    assert found["x"].tolist() == [1] * 3 + [2] * 3 + [5] * 3
    assert found["run"].tolist() == [0, 1, 2] * 3
    assert found["accuracy"].tolist() == pytest.approx([fitted(split) for split in SPLITS])
    assert found[[f"p_{axis}" for axis in SETTING]].drop_duplicates().to_dict("records") == [
        {f"p_{axis}": value for axis, value in SETTING.items()}
    ]
    [labelled] = {tuple(np.bincount(IRIS.labels[split.train])) for split in SPLITS[3:6]}
    assert labelled == (2, 2, 2)


def test_hops() -> None:
    rest = {axis: value for axis, value in SETTING.items() if axis != "hops"}
    found = varied(along="hops", values=(1, 4), splits=SPLITS[6:], setting=rest)
    expected = {(x, r): fitted(SPLITS[6 + r], hops=x) for x in (1, 4) for r in range(3)}
    by_point = found.set_index(["x", "run"])["accuracy"].to_dict()
    assert by_point == pytest.approx(expected)
    assert (found["x"] == found["p_hops"]).all()


def test_neighbours_down_to_none() -> None:
    graphs = [build_graph(IRIS, "min-max", k) for k in (0, 8)]
    found = varied(along="graphs", values=(0, 8), graphs=graphs, splits=SPLITS[6:])
    assert found["x"].tolist() == [0] * 3 + [8] * 3
    expected = [fitted(split, k) for k in (0, 8) for split in SPLITS[6:]]
    assert found["accuracy"].tolist() == pytest.approx(expected)
    alone = [fitted(split, 5, hops=0) for split in SPLITS[6:]]
    assert found["accuracy"].tolist()[:3] == pytest.approx(alone), "only X is seen"


BLOCKS = {"scaling": "min-max"} | CLUSTERING


def clustered(seed: int, **changed) -> list[float]:
    """ACC and NMI of one clustering by itself."""
    known = {"n_neighbors": 5, "solver": "exact", "random_state": seed, **CLUSTERING}
    model = FLGCClustering(3, **known | changed)
    clusters = model.fit_predict(X)
    judges = (clustering_accuracy, normalized_mutual_information)
    return [judge(IRIS.labels, clusters) for judge in judges]


@pytest.mark.parametrize(("along", "values"), [("hops", (1, 4)), ("teleport", (0.0, 0.5, 1.0))])
def test_clusterings_have_no_splits_and_a_run_for_each_seed(along: str, values: tuple) -> None:
    rest = {axis: value for axis, value in BLOCKS.items() if axis != along}
    found = varied(Clustering(), along=along, values=values, splits=None, setting=rest)
    assert found.groupby("x")["run"].apply(list).to_dict() == {x: [0, 1, 2] for x in values}
    for x, run, *judged in found[["x", "run", "ACC", "NMI"]].itertuples(index=False):
        assert judged == pytest.approx(clustered(SEEDS[int(run)], **{along: x}))
    assert (found["x"] == found[f"p_{along}"]).all()
    assert "accuracy" not in found


def test_clusterings_on_several_graphs() -> None:
    graphs = [build_graph(IRIS, "min-max", k) for k in (5, 8)]
    given = {"along": "graphs", "values": (5, 8), "graphs": graphs, "splits": None}
    found = varied(Clustering(), setting=BLOCKS, **given)
    assert found["x"].tolist() == [5] * 3 + [8] * 3
    assert found["ACC"].tolist()[:3] == pytest.approx([clustered(seed)[0] for seed in SEEDS])


def test_what_must_be_known_of_the_data_stands_beside_each_point() -> None:
    assert set(varied()["marks"]) == {""}
    data = replace(IRIS, provenance={"marks": ("rebuilt", "small")})
    given = {"along": "splits", "values": COUNTS, "seeds": SEEDS}
    found = vary_method(data, [P], SPLITS, Watching(batched=True), {"hops": 1}, **given)
    assert set(found["marks"]) == {"rebuilt, small"}


class Watching(Method):
    """Notes what it is given, and says 0 everywhere."""

    name = "watching"
    axes = MappingProxyType({"hops": (1, 2)})

    def __init__(self, batched: bool) -> None:
        self.batched = batched
        self.problems: list = []

    def outputs(self, problem, grid):
        self.problems.append(problem)
        for hops in grid["hops"]:
            yield {"hops": hops}, Outputs([np.zeros(len(a), dtype=int) for a in problem.asked])


@pytest.mark.parametrize(("batched", "asked"), [(True, [9]), (False, [1] * 9)])
def test_only_batched_methods_see_two_runs_together(batched: bool, asked: list[int]) -> None:
    watching = Watching(batched)
    found = varied(watching, setting={"hops": 1})
    assert [problem.n_runs for problem in watching.problems] == asked
    labels = np.concatenate([problem.labels for problem in watching.problems])
    for run, split in enumerate(SPLITS):
        assert np.flatnonzero(labels[run] >= 0).tolist() == split.train.tolist()
    seeds = [seed for problem in watching.problems for seed in problem.seeds]
    assert seeds == SEEDS * 3, "a run has its seed at all points"
    assert all(problem.folds is None for problem in watching.problems), "nothing is picked"
    shares = [np.mean(IRIS.labels[split.test] == 0) for split in SPLITS]
    assert found["accuracy"].tolist() == pytest.approx(shares)


def test_features_that_leak_are_not_seen() -> None:
    data = replace(IRIS, feature_names=tuple("abcd"))
    watching = Watching(batched=True)
    vary_method(data, [P], SPLITS, watching, {"hops": 1}, "splits", COUNTS, SEEDS, without=("b",))
    np.testing.assert_array_equal(watching.problems[0].X, IRIS.features[:, [0, 2, 3]])


def test_what_no_method_can_vary_is_refused_by_name() -> None:
    near = Estimator("near", KNeighborsClassifier, n_neighbors=(1,))
    with pytest.raises(ValueError, match="near cannot vary along 'hops'; choose from splits, "):
        varied(near, along="hops", setting={"scaling": "raw", "n_neighbors": 1})
    with pytest.raises(ValueError, match=r"cannot vary along 'splits'; choose from graphs, scal"):
        varied(Clustering(), setting=BLOCKS, splits=None)

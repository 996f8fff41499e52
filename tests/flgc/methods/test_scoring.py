"""Scores are those of the same models fitted one by one, at the nodes that a judge names."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading

from flgc import FLGCClassifier, FLGCClassifierCV
from flgc.datasets import load
from flgc.datasets.splits import Split, runs, seeds_of
from flgc.graph import as_adjacency, knn_graph, propagation_matrix
from flgc.methods.base import Method, Outputs, axes_of
from flgc.methods.estimators import Estimator
from flgc.methods.fitting import fit_cell
from flgc.methods.flgc import FLGC
from flgc.methods.judging import classification, clustering
from flgc.methods.picking import pick_settings, weighting
from flgc.methods.registry import BUILT_IN, contender
from flgc.methods.scoring import score_settings, score_table
from flgc.methods.tables import TSVM
from flgc.metrics import clustering_accuracy, normalized_mutual_information
from flgc.propagation import propagate
from flgc.scaling import dense
from tests.plain import partly
from tests.speeds import slow

KARATE = load("KarateClub")
P = propagation_matrix(as_adjacency(KARATE.edges, KARATE.n_nodes))
GRID = {"scaling": ["raw"], "constant": [False], "hops": [0, 2], "teleport": [0.0, 0.3]}
GRID |= {"regularization": [0.1, 1.0]}
SPLITS = [
    Split(np.array([0, 4, 8, 24, 1, 5]), np.array([2, 3, 9, 31]), np.arange(10, 22)),
    Split(np.array([0, 4, 8, 24, 2, 6]), np.array([1, 5, 32, 33]), np.arange(12, 24)),
]
# The second run fits and is asked for more nodes.
RAGGED = [
    SPLITS[0],
    Split(np.array([0, 4, 8, 24, 2, 6, 7, 30]), np.array([1, 5, 32]), np.arange(12, 23)),
]


def posed(method: Method, splits: list[Split] = SPLITS, seeds: tuple = (7, 8)):
    data = (KARATE.features, KARATE.labels, KARATE.n_classes)
    return classification(*data, P, splits, seeds, method)


def accuracy(predicted: np.ndarray, nodes: np.ndarray) -> float:
    return float(np.mean(predicted[nodes] == KARATE.labels[nodes]))


def test_a_problem_hides_all_labels_but_those_to_fit() -> None:
    problem, _ = posed(FLGC())
    for run, split in enumerate(SPLITS):
        seen = np.flatnonzero(problem.labels[run] >= 0)
        np.testing.assert_array_equal(seen, np.sort(split.train))
        np.testing.assert_array_equal(problem.labels[run][seen], KARATE.labels[seen])
        np.testing.assert_array_equal(problem.asked[run], [*split.val, *split.test])


def test_a_single_split_is_run_once_unless_seeds_make_a_difference() -> None:
    problem, _ = posed(FLGC(), SPLITS[:1])
    assert problem.n_runs == 1
    problem, judge = posed(Estimator("kNN", KNeighborsClassifier), SPLITS[:1])
    assert problem.seeds == (7, 8)
    assert len(judge.roles) == 2


class Spy(Method):
    """Looks for labels wherever it can, and says what it found."""

    name = "spy"
    axes = MappingProxyType({"setting": (0, 1)})
    found: list

    def outputs(self, problem, grid):
        assert problem.n_runs == 1, "a node that one run tests is labelled in another"
        for setting in grid["setting"]:
            at = [problem.labels[run][asked] for run, asked in enumerate(problem.asked)]
            self.found += [labels.tolist() for labels in at]
            yield {"setting": setting}, Outputs([np.maximum(labels, 0) for labels in at])


def test_a_method_that_looks_for_test_labels_finds_none() -> None:
    spy = Spy()
    spy.found = []
    table = score_table(spy, *posed(spy), spy.axes)
    assert table["run"].tolist() == [0, 0, 1, 1]
    assert len(spy.found) == 4
    assert {label for labels in spy.found for label in labels} == {-1}


def test_what_a_method_was_given_tells_it_from_others_of_its_class() -> None:
    class Given(Method):
        def __init__(self, name: str, factor: float) -> None:
            self.name, self.factor, self._cache = name, factor, object()

    assert Given("one", 0.5).parameters() == {"factor": 0.5}
    assert Given("two", 0.5).parameters() == Given("one", 0.5).parameters()
    assert FLGC().parameters() == {}
    mine = type("KMeans", (KNeighborsClassifier,), {"__module__": "mine"})
    assert mine.__qualname__ == KMeans.__qualname__
    assert Estimator("a", mine).parameters() != Estimator("a", KMeans).parameters()


@pytest.mark.parametrize("splits", [SPLITS, RAGGED], ids=["even", "ragged"])
def test_closed_forms_are_scored_at_the_nodes_of_each_role(splits: list[Split]) -> None:
    found = score_table(FLGC(), *posed(FLGC(), splits), GRID)
    assert len(found) == 2 * 2 * 2 * 2
    for row in found.itertuples():
        run = splits[row.run]
        y = partly(KARATE.labels, run.train)
        model = FLGCClassifier(
            hops=row.p_hops, teleport=row.p_teleport, regularization=row.p_regularization
        )
        predicted = model.fit(KARATE.features, y, adjacency=KARATE.edges).transduction_
        assert row.validation == pytest.approx(accuracy(predicted, run.val))
        assert row.test == pytest.approx(accuracy(predicted, run.test))
        assert row.validated == len(run.val)
        left_out = 0
        for node in run.train:
            without = np.where(np.arange(34) == node, -1, y)
            if set(without) == set(y):
                scores = model.fit(KARATE.features, without, adjacency=KARATE.edges)
                left_out += scores.transduction_[node] == y[node]
        assert row.hits >= left_out - 1e-9
    assert (found["validation"] != found["test"]).any()
    assert found["hits"].nunique() > 1


@pytest.mark.parametrize("splits", [SPLITS, RAGGED], ids=["even", "ragged"])
@pytest.mark.parametrize("protocol", ["paper", "honest"])
def test_what_is_read_off_is_what_a_fit_gives(splits: list[Split], protocol: str) -> None:
    problem, judge = posed(FLGC(), splits)
    picks = weighting(score_table(FLGC(), problem, judge, GRID), protocol)
    outputs = FLGC().combined(problem, picks[["run", *axes_of(picks), "weight"]])
    np.testing.assert_allclose(judge([0, 1], outputs.classes)["test"], picks["test"])
    plain = Method.combined(FLGC(), problem, picks[["run", *axes_of(picks), "weight"]])
    np.testing.assert_allclose(judge([0, 1], plain.classes)["test"], picks["test"])
    for ours, theirs in zip(outputs.scores, plain.scores, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_a_constant_is_a_column_of_ones() -> None:
    problem, judge = posed(FLGC())
    with_ones = replace(problem, X=np.column_stack([dense(problem.X), np.ones(34)]))
    found = score_table(FLGC(), problem, judge, GRID | {"constant": [True]})
    expected = score_table(FLGC(), with_ones, judge, GRID).assign(p_constant=True)
    pd.testing.assert_frame_equal(found, expected)
    assert not found["error"].equals(score_table(FLGC(), problem, judge, GRID)["error"])


@pytest.mark.parametrize("constant", [False, True])
def test_an_average_is_the_weighted_sum_of_its_models(constant: bool) -> None:
    """The default of all methods, model by model, is the plain twin of the filter."""
    problem, judge = posed(FLGC(), RAGGED)
    grid = GRID | {"constant": [constant], "scaling": ["raw", "row-normalised"]}
    weights = weighting(
        score_table(FLGC(), problem, judge, grid), "honest", {"teleport": [0.3]}, "average"
    )
    assert len(weights) > 4
    found = FLGC().combined(problem, weights)
    plain = Method.combined(FLGC(), problem, weights[["run", *axes_of(weights), "weight"]])
    for ours, theirs in zip(found.scores, plain.scores, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_a_methods_folds_are_fits_without_them() -> None:
    data = load("iris")
    seeds = seeds_of("test", "iris", 2)
    splits = runs(data, "10%", seeds)
    nobody = propagation_matrix(as_adjacency(np.zeros((150, 150))))
    method = Estimator("kNN", KNeighborsClassifier, n_neighbors=(1, 3))
    given = (data.features, data.labels, 3, nobody, splits, seeds, method)
    found = score_table(method, *classification(*given), method.axes)
    assert found["run"].tolist() == [0, 0, 1, 1]
    for row in found.itertuples():
        split, hits = splits[row.run], 0
        model = KNeighborsClassifier(row.p_n_neighbors)
        for fold in range(3):
            out = split.folds == fold
            rest, left_out = split.train[~out], split.train[out]
            model.fit(data.features[rest], data.labels[rest])
            hits += int(np.sum(model.predict(data.features[left_out]) == data.labels[left_out]))
        assert row.hits == hits
        model.fit(data.features[split.train], data.labels[split.train])
        right = model.predict(data.features[split.test]) == data.labels[split.test]
        assert row.test == right.mean()
    assert set(weighting(found, "honest")["criterion"]) == {"hits"}


@pytest.mark.parametrize("name", ["FLGC", "FLGC*", "FLGC* averaged"])
@pytest.mark.filterwarnings("ignore:a single node is labelled")
def test_a_class_with_a_single_label_gets_what_the_estimator_gives_it(name: str) -> None:
    data, row = load("iris"), contender(name, "classification")
    splits = runs(data, "1-per-class", [1, 2]) + runs(data, "2-per-class", [3])
    uneven = np.array([0, 60, 61, 120, 121, 122])
    splits.append(Split(uneven, uneven[:0], np.setdiff1d(np.arange(150), uneven)))
    grid = {"hops": (2, 9, 12), "teleport": (0.0, 0.3), "regularization": (0.01, 0.1, 1.0, 10.0)}
    adjacency = knn_graph(data.features, 10)
    P = propagation_matrix(adjacency)
    seeds = range(len(splits))
    scored = score_settings(data, P, splits, row.method, row.whole(grid), seeds)
    picks = weighting(scored, "honest", row.part, row.combine)
    found = fit_cell(data, P, splits, picks, row.method, seeds, {"first_run": 0})
    teleports = row.part.get("teleport", grid["teleport"])
    model = FLGCClassifierCV(
        hops=grid["hops"],
        teleports=teleports,
        regularizations=grid["regularization"],
        combine=row.combine,
    )
    for run, split in enumerate(splits):
        model.fit(data.features, partly(data.labels, split.train), adjacency=adjacency)
        expected = np.mean(model.transduction_[split.test] == data.labels[split.test])
        assert found["value"][run] == pytest.approx(expected)
    assert (found["criterion"] == "from_usual").tolist() == [True, True, False, True]
    usual = picks[picks["criterion"] == "from_usual"]
    assert usual[["p_hops", "p_teleport"]].values.tolist() == [[9, 0.0]] * 3


def test_a_fold_is_one_run_more_of_its_owner() -> None:
    problem, _ = posed(FLGC())
    folds = np.full((2, 34), -1)
    folds[0, [0, 4, 8]], folds[1, [0, 2]] = [0, 0, 1], 0
    more, owners = replace(problem, folds=folds).with_folds()
    assert owners.tolist() == [0, 1, 0, 0, 1]
    assert more.seeds == (7, 8, 7, 7, 8)
    assert [asked.tolist() for asked in more.asked[2:]] == [[0, 4], [8], [0, 2]]
    for run in range(2, 5):
        expected = problem.labels[owners[run]].copy()
        expected[more.asked[run]] = -1
        np.testing.assert_array_equal(more.labels[run], expected)


@pytest.mark.parametrize("method", [Estimator("kNN", KNeighborsClassifier), TSVM()])
def test_where_some_validate_nothing_is_folded(method: Method) -> None:
    grid = {axis: values[:2] for axis, values in method.axes.items()}
    found = score_table(method, *posed(method), grid)
    assert found["hits"].isna().all()
    assert set(weighting(found, "honest")["criterion"]) == {"validation"}


def test_an_estimator_may_take_unlabelled_rows() -> None:
    method = Estimator("spreading", LabelSpreading, unlabelled=True, gamma=(0.1, 1.0))
    problem, judge = posed(method)
    found = score_table(method, problem, judge, method.axes)
    model = LabelSpreading(gamma=1.0).fit(KARATE.features, problem.labels[1])
    expected = accuracy(model.transduction_, SPLITS[1].test)
    row = found[(found["run"] == 1) & (found["p_gamma"] == 1.0)]
    assert row["test"].tolist() == [expected]


def test_a_clusterer_is_a_method_too_with_the_seed_of_its_run() -> None:
    noted = []

    class Noted(KMeans):
        def fit_predict(self, X, y=None, sample_weight=None):
            noted.append((self.random_state, self.n_clusters))
            return super().fit_predict(X)

    data, method = load("iris"), Estimator("noted", Noted, n_init=(3,), scaling=("standardised",))
    assert method.task == "clustering"
    given = (data.features, data.labels, 3, sp_eye(150), [5, 2**32 + 6])
    found = score_table(method, *clustering(*given), method.axes)
    assert noted == [(5, 3), (6, 3)]
    assert found[["run", "p_n_init"]].values.tolist() == [[0, 3], [1, 3]]
    assert (found["ACC"] > 0.7).all()
    assert found["silhouette"].between(0.4, 0.5).all()


def sp_eye(n: int):
    return propagation_matrix(as_adjacency(np.zeros((n, n))))


QUICK = ("FLGC*", "FLGC* averaged", "GCN", "LapRLS", "SS-ELM", "TSVM", "SVM", "K-Means", "LRSC")


@pytest.mark.parametrize(("name", "task"), [k if k[0] in QUICK else slow(*k) for k in BUILT_IN])
def test_runs_of_a_batch_do_not_see_each_other(name: str, task: str) -> None:
    """Methods that take all runs at once give each what it would have alone."""
    row = contender(name, task)
    small = {"hops": (1, 2), "teleport": (0.0, 0.1), "regularization": (1.0,), "epochs": (3,)}
    grid = {a: values if a in small else values[:1] for a, values in row.whole(small).items()}
    if task == "clustering":
        data = load("iris")
        posed_to = clustering(data.features, data.labels, 3, sp_eye(150), (3, 4))
    else:
        posed_to = posed(row.method, RAGGED)
    together = score_table(row.method, *posed_to, grid)
    problem, judge = posed_to
    apart = [
        row.method.scores(problem.only([r]), grid, lambda _, c, r=r: judge([r], c)).assign(run=r)
        for r in range(2)
    ]
    axes = ["run", *axes_of(together)]
    expected = pd.concat(apart).sort_values(axes).reset_index(drop=True)
    found = together.sort_values(axes).reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected[list(found)], atol=1e-6)


def test_clusterings_are_scored_against_the_truth_and_by_a_silhouette_that_knows_no_label() -> None:
    truth, every_other = np.repeat([0, 1], 12), np.arange(24) % 2
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 2, (24, 1)) * np.eye(6)[3 * truth] + 0.01 * rng.standard_normal((24, 6))
    wrong = np.where(np.arange(24) < 3, 1, truth)
    for labels in (truth, wrong):
        _, judge = clustering(X, labels, 2, sp_eye(24), [0, 1, 2])
        found = judge([0, 1, 2], [truth, every_other, 0 * truth])
        standardised = (X - X.mean(axis=0)) / X.std(axis=0)
        silhouettes = found["silhouette"]
        assert silhouettes[0] == pytest.approx(silhouette_score(standardised, truth))
        assert silhouettes[0] > 0.15
        assert abs(silhouettes[1]) < 0.1
        assert silhouettes[2] == -1
        assert found["ACC"][0] == clustering_accuracy(labels, truth)
        assert found["NMI"][0] == pytest.approx(normalized_mutual_information(labels, truth))
    assert found["ACC"][0] == 21 / 24


CELL = {"experiment": "small", "method": "FLGC*", "first_run": 3}


def picked(protocol: str, combine: str = "best", **part: tuple) -> pd.DataFrame:
    scores = score_table(FLGC(), *posed(FLGC()), GRID)
    return pick_settings([scores], ["given"], protocol, part, combine)


def filled(picks: pd.DataFrame, **given: object) -> pd.DataFrame:
    return fit_cell(KARATE, P, SPLITS, picks, FLGC(), (7, 8), CELL, **given)  # type: ignore[arg-type]


def test_a_pick_is_read_off_and_each_run_says_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    picks = picked("honest")
    monkeypatch.setattr(FLGC, "combined", None)
    rows = filled(picks)
    assert rows["value"].tolist() == picks["test"].tolist()
    assert rows["run"].tolist() == [3, 4], "the first run of this cell is the fourth of its table"
    assert rows["seed"].tolist() == ["7", "8"]
    assert axes_of(rows) == axes_of(picks)
    assert "first_run" not in rows


def test_an_average_is_computed_and_has_no_setting() -> None:
    picks, (problem, judge) = picked("honest", "average"), posed(FLGC())
    rows = filled(picks)
    own = ["run", *(f"p_{name}" for name in FLGC.axes), "weight"]
    outputs = FLGC().combined(problem, picks[own])
    assert rows["value"].tolist() == judge([0, 1], outputs.classes)["test"].tolist()
    assert axes_of(rows) == []


def test_a_setting_is_fitted_from_the_kept_features_of_just_that_setting() -> None:
    picks, asked_for = picked("paper", teleport=(0.3,), hops=(2,)), []

    def kept(scaling: str, hops: int, teleport: float) -> np.ndarray:
        asked_for.append((scaling, hops, teleport))
        return propagate(P, KARATE.features, hops, teleport)

    rows = filled(picks, refit=True, kept=kept)
    assert asked_for == [("raw", 2, 0.3)]
    assert rows["value"].tolist() == picks["test"].tolist()

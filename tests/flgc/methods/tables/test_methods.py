"""The rivals as methods: whole paths equal single fits, left-out nodes equal refits."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from flgc.datasets.splits import Split, with_folds
from flgc.graph import knn_graph, propagation_matrix
from flgc.kernels import gaussian, median_distance
from flgc.methods.base import Method, Outputs, axes_of, settings_of
from flgc.methods.judging import classification
from flgc.methods.picking import weighting
from flgc.methods.registry import contender
from flgc.methods.scoring import score_table
from flgc.methods.tables import LapRLSClassifier, SSELMClassifier, TSVMClassifier
from flgc.methods.tables.ss_elm import drawn_layer
from flgc.scaling import min_max

RIVALS = ("LapRLS", "SS-ELM", "TSVM", "LabelSpreading", "SVM")
SMALL = {
    "LapRLS": {"width": (0.5, 1.0), "ratio": (0.1, 10.0), "ambient": (1e-3, 0.1, 5.0)},
    "SS-ELM": {"hidden": (7, 60), "smoothness": (0.01, 3.0), "cost": (0.5, 10.0, 1e3)},
    "TSVM": {"width": (0.5, 1.0), "cost": (1.0, 20.0)},
    "LabelSpreading": {"gamma": (1.0, 10.0), "alpha": (0.2,)},
    "SVM": {"C": (1.0, 10.0), "gamma": (0.1, 1.0)},
}
IRIS, TRUTH = load_iris(return_X_y=True)
IRIS, TRUTH = IRIS[::3], TRUTH[::3]
A = knn_graph(min_max(IRIS), 4)
P = propagation_matrix(A)
SEEDS = (7, 2**40 + 8, 9)


def drawn(n_labelled: tuple[int, ...] = (12, 12, 15)) -> list[Split]:
    """The third run fits more nodes than the others, and is asked for fewer."""
    splits = []
    for seed, n in enumerate(n_labelled):
        order = np.random.default_rng(seed).permutation(50)
        order = order[np.argsort([np.sum(TRUTH[order[:i]] == TRUTH[order[i]]) for i in range(50)])]
        split = Split(np.sort(order[:n]), np.array([], dtype=int), np.sort(order[n:]))
        splits.append(with_folds(split, TRUTH, seed))
    return splits


def posed(method: Method):
    return classification(IRIS, TRUTH, 3, P, drawn(), SEEDS, method)


def small(name: str) -> tuple[Method, dict]:
    row = contender(name, "classification")
    return row.method, row.whole({"scaling": ("min-max",), **SMALL[name]})


def fitted(name: str, setting: dict, y: np.ndarray, seed: int):
    """The estimator of the same name and setting."""
    rest = {axis: value for axis, value in setting.items() if axis != "scaling"}
    if name == "TSVM":
        return TSVMClassifier(**rest).fit(min_max(IRIS), y)
    if name == "LapRLS":
        return LapRLSClassifier(**rest).fit(min_max(IRIS), y, adjacency=A)
    model = SSELMClassifier(**rest, random_state=seed % 2**32)
    return model.fit(min_max(IRIS), y, adjacency=A)


@pytest.mark.parametrize("name", ["LapRLS", "SS-ELM", "TSVM"])
def test_every_setting_is_the_estimators_fit(name):
    method, grid = small(name)
    problem, judge = posed(method)
    table = score_table(method, problem, judge, grid).set_index(
        ["run", *(f"p_{axis}" for axis in grid)]
    )
    found = list(method.outputs(problem, grid))
    assert sorted(map(str, (s for s, _ in found))) == sorted(map(str, settings_of(grid)))
    assert len(table) == 3 * len(found)
    for setting, outputs in found:
        for run, seed in enumerate(SEEDS):
            model = fitted(name, setting, problem.labels[run], seed)
            asked = problem.asked[run]
            np.testing.assert_allclose(outputs.scores[run], model.label_scores_[asked], atol=1e-6)
            row = table.loc[(run, *setting.values())]
            right = model.label_scores_[asked].argmax(axis=1) == TRUTH[asked]
            assert row["test"] == pytest.approx(np.mean(right))
            for criterion, values in outputs.seen.items():
                assert row[criterion] == pytest.approx(values[run])


def weighted_refits(kernel: np.ndarray, Y: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """Scores of each labelled row by a fit without it: (G + diagonal)^-1 Y of the others."""
    rows, found = np.arange(len(Y)), []
    for i in rows:
        rest = rows != i
        system = kernel[np.ix_(rest, rest)] + np.diag(diagonal[rest])
        found.append(kernel[i, rest] @ np.linalg.solve(system, Y[rest]))
    return np.array(found)


def in_kernel(name: str, setting: dict, codes: np.ndarray, seed: int):
    """The kernel that the graph has deformed, and what stands on its diagonal, by inverses."""
    X, L = min_max(IRIS), np.eye(50) - P.toarray()
    if name == "LapRLS":
        K = gaussian(X, X, setting["width"] * median_distance(X))
        kernel = np.linalg.inv(np.eye(50) + setting["ratio"] * K @ L) @ K
        return kernel, np.full(len(codes), setting["ambient"])
    W, b = drawn_layer(4, setting["hidden"], seed % 2**32)
    H = expit(X @ W + b)
    inner = np.linalg.inv(np.eye(H.shape[1]) + setting["smoothness"] * H.T @ L @ H)
    return H @ inner @ H.T, np.bincount(codes)[codes] / setting["cost"]


@pytest.mark.parametrize("name", ["LapRLS", "SS-ELM"])
def test_leave_one_out_is_a_refit_without_each_node(name):
    method, grid = small(name)
    problem, _ = posed(method)
    for setting, outputs in method.outputs(problem, grid):
        for run, seed in enumerate(SEEDS):
            labelled = problem.labelled(run)
            codes = problem.labels[run][labelled]
            kernel, diagonal = in_kernel(name, setting, codes, seed)
            Y = np.eye(3)[codes]
            left_out = weighted_refits(kernel[np.ix_(labelled, labelled)], Y, diagonal)
            errors = np.mean(np.sum((Y - left_out) ** 2, axis=1))
            assert outputs.seen["error"][run] == pytest.approx(errors, rel=1e-5)
            assert outputs.seen["size"][run] == pytest.approx(np.mean(np.abs(left_out)), rel=1e-5)
            assert outputs.seen["hits"][run] == np.sum(left_out.argmax(axis=1) == codes)


def test_tsvm_is_picked_by_the_plain_machine_in_folds():
    method, grid = small("TSVM")
    problem, judge = posed(method)
    table = score_table(method, problem, judge, grid)
    assert len(table) == 3 * 4
    X = min_max(IRIS)
    for row in table.itertuples():
        labels, folds, hits = problem.labels[row.run], problem.folds[row.run], 0
        for fold in range(3):
            rest, out = (labels >= 0) & (folds != fold), folds == fold
            gamma = 0.5 / (row.p_width * median_distance(X)) ** 2
            svm = SVC(C=row.p_cost, gamma=gamma).fit(X[rest], labels[rest])
            hits += np.sum(svm.predict(X[out]) == labels[out])
        assert row.hits == hits
    assert (weighting(table, "honest")["criterion"] == "hits").all()


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize("protocol", ["paper", "honest"])
def test_what_is_read_off_is_what_a_fit_gives(name, protocol):
    method, grid = small(name)
    problem, judge = posed(method)
    picks = weighting(score_table(method, problem, judge, grid), protocol)
    outputs = method.combined(problem, picks[["run", *axes_of(picks), "weight"]])
    np.testing.assert_allclose(judge(range(3), outputs.classes)["test"], picks["test"])


def test_a_method_cannot_say_itself_how_good_it_is_on_tests():
    class Boaster(Method):
        name, axes, leaves_out = "boaster", {"setting": (0,)}, True

        def outputs(self, problem, grid):
            wrong = [(TRUTH[asked] + 1) % 3 for asked in problem.asked]
            n = problem.n_runs
            yield {"setting": 0}, Outputs(wrong, seen={"test": np.ones(n), "hits": np.full(n, 5.0)})

    boaster = Boaster()
    table = score_table(boaster, *posed(boaster), boaster.axes)
    assert (table["test"] == 0).all()
    assert (table["hits"] == 5).all()


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize("n_classes", [3, 4])
def test_a_class_without_a_label_is_never_said(name, n_classes):
    method, grid = small(name)
    known = Split(np.r_[0:5, 20:25], np.array([], dtype=int), np.r_[5:16, 26:50])
    given = (IRIS, TRUTH, n_classes, P, [known], SEEDS[:1], method)
    problem, _ = classification(*given)
    for _, outputs in method.outputs(problem, grid):
        assert set(np.unique(outputs.classes[0])) <= {0, 1}


def test_grids_are_of_the_declared_size():
    sizes = {name: contender(name, "classification").n_settings() for name in RIVALS}
    assert sizes == {"LapRLS": 240, "SS-ELM": 128, "TSVM": 6, "LabelSpreading": 6, "SVM": 16}
    for name in RIVALS[:3]:
        assert contender(name, "classification").method.leaves_out

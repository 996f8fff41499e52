"""Tables that are judged by the AUC: decisions in the place of classes, whatever the method."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import roc_auc_score

from flgc.datasets.dataset import Dataset
from flgc.datasets.splits import Split, with_folds
from flgc.graph import knn_graph, propagation_matrix
from flgc.methods.base import settings_of
from flgc.methods.fitting import fit_cell
from flgc.methods.judging import AUC, posed
from flgc.methods.picking import VALIDATED as THEN_ERROR
from flgc.methods.picking import pick_settings
from flgc.methods.registry import contender
from flgc.methods.scoring import score_settings
from flgc.metrics import area_under_curve
from flgc.scaling import standardised

X, TRUTH = load_breast_cancer(return_X_y=True)
X, TRUTH = standardised(X[::4]), TRUTH[::4]
DATA = Dataset("cancer", "table", X, TRUTH, ("0", "1"), provenance={"marks": []})
P = propagation_matrix(knn_graph(X, 5))
ORDER = np.random.default_rng(0).permutation(len(X))
VALIDATED = Split(np.sort(ORDER[:30]), np.sort(ORDER[30:70]), np.sort(ORDER[70:]))
IN_FOLDS = with_folds(Split(np.sort(ORDER[:30]), ORDER[:0], np.sort(ORDER[30:])), TRUTH, seed=0)
FEW = {
    "FLGC*": {"hops": (1, 3), "teleport": (0.1,), "regularization": (0.1, 10.0)},
    "FLGC*, per hop": {"hops": (1, 3), "regularization": (0.1, 10.0)},
    "LapRLS": {"width": (1.0,), "ratio": (0.1,), "ambient": (0.01, 1.0)},
    "GCN": {"hops": (2,), "hidden": (4,), "epochs": (5, 3)},
    "SVM": {"C": (1.0,), "gamma": (0.1, 1.0)},
}


def test_it_is_that_of_scikit_learn_and_counts_ties_as_halves():
    rng = np.random.default_rng(0)
    truth, scores = rng.integers(2, size=50), np.round(rng.standard_normal((50, 3, 2)), 1)
    found = area_under_curve(truth, scores)
    expected = np.apply_along_axis(lambda column: roc_auc_score(truth, column), 0, scores)
    np.testing.assert_allclose(found, expected)
    assert np.isnan(area_under_curve(np.ones(3), np.arange(3.0)))


@pytest.mark.parametrize("split", [VALIDATED, IN_FOLDS], ids=["validated", "in folds"])
@pytest.mark.parametrize("name", FEW)
def test_settings_picks_and_cells_have_the_auc_of_their_scores(name, split):
    row = contender(name, "classification")
    method, given = row.method, {"scaling": ("raw",), **FEW[name]}
    grid = {axis: given.get(axis, of[:1]) for axis, of in row.whole({}).items()}
    scores = score_settings(DATA, P, [split], method, grid, [7], metric=AUC)
    problem, _ = posed(DATA, P, [split], [7], method, metric=AUC)
    found = scores.set_index([f"p_{axis}" for axis in grid])
    for setting, outputs in method.outputs(problem, grid):
        n_validated = len(split.val)
        if outputs.scores is None:
            decisions = outputs.classes[0].astype(float)
        else:
            decisions = outputs.scores[0][:, 1] - outputs.scores[0][:, 0]
        key = tuple(setting.values())
        at_test = roc_auc_score(TRUTH[split.test], decisions[n_validated:])
        assert found.loc[key, "test"] == pytest.approx(at_test, abs=2e-3)
        if n_validated:
            at_validation = roc_auc_score(TRUTH[split.val], decisions[:n_validated])
            assert found.loc[key, "validation"] == pytest.approx(at_validation, abs=2e-3)
        else:
            assert 0 < found.loc[key, "hits"] <= len(split.train), "hits stay right classes"
    assert len(found) == len(list(settings_of(grid)))
    picks = pick_settings([scores], ["given"], "honest")
    if split is VALIDATED:
        assert picks["criterion"].tolist() == [THEN_ERROR if "error" in scores else "validation"]
    for refit in (False, True):
        cell = fit_cell(
            DATA, P, [split], picks, method, [7], {"first_run": 0}, refit=refit, metric=AUC
        )
        assert cell["metric"].tolist() == ["AUC"]
        assert cell["value"].item() == pytest.approx(picks["test"].item(), abs=2e-3)


def test_more_than_two_classes_have_none():
    X, truth = load_iris(return_X_y=True)
    data = Dataset("iris", "table", X, truth, ("0", "1", "2"))
    method = contender("FLGC*", "classification").method
    with pytest.raises(ValueError, match="AUC is of two classes, and the data have 3"):
        posed(data, propagation_matrix(knn_graph(X, 5)), [VALIDATED], [0], method, metric=AUC)

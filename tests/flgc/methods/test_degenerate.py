"""Tables on which something could be divided by zero, or be empty."""

import warnings

import numpy as np
import pytest

from flgc.datasets.splits import Split, with_folds
from flgc.graph import knn_graph, propagation_matrix
from flgc.methods.base import settings_of
from flgc.methods.judging import classification
from flgc.methods.picking import weighting
from flgc.methods.registry import Contender, contender, names
from flgc.methods.scoring import score_table
from flgc.methods.tables import LapRLSClassifier, SSELMClassifier, TSVMClassifier
from tests.plain import partly
from tests.speeds import each_once, slow_but

TRAINED = ("GCN", "GCN-Linear", "DropEdge", "SGC", "GCNII", "APPNP")
RNG = np.random.default_rng(0)
BLOBS = np.repeat(np.eye(3, 4), 10, axis=0) + 0.1 * RNG.random((30, 4))
THIRDS = np.repeat([0, 1, 2], 10)
RARE = np.array([0] * 99 + [1])
ONE_CLASS = "one class alone is labelled"
CASES = {
    # features, labels, labelled nodes, neighbours
    "one labelled node in a class": (BLOBS, THIRDS, [0, 10, 11, 20, 21, 22], 3),
    "one labelled node in each class": (BLOBS, THIRDS, [0, 10, 20], 3),
    "constant columns": (np.hstack([BLOBS, np.full((30, 2), 7.0)]), THIRDS, [0, 1, 10, 11, 20], 3),
    "nothing but constant columns": (np.full((30, 3), 7.0), THIRDS, [0, 1, 10, 11, 20], 3),
    "duplicate rows": (np.repeat(np.eye(3), 10, axis=0), THIRDS, [0, 1, 10, 11, 20, 21], 4),
    "99 of one class, 1 of the other": (RNG.random((100, 3)), RARE, [0, 1, 2, 3, 99], 5),
    ONE_CLASS: (RNG.random((100, 3)), RARE, [0, 1, 2, 3], 5),
    "more neighbours than a class has": (BLOBS, THIRDS, [0, 1, 10, 11, 20, 21], 25),
    "no edges": (BLOBS, THIRDS, [0, 1, 10, 11, 20, 21], 0),
    "one column": (BLOBS[:, :1], THIRDS, [0, 1, 10, 11, 20, 21], 3),
}


def few(row: Contender) -> dict[str, tuple]:
    """Its grid, with two values of an axis at most."""
    short = {"scaling": ("min-max",), "epochs": (6, 3), "hops": row.method.axes.get("hops", ())[:3]}
    grid = row.whole({name: values for name, values in short.items() if values})
    return {name: values if name == "hops" else values[:2] for name, values in grid.items()}


SILENT = ("LapRLS", "SS-ELM", "TSVM", "LabelSpreading", "SVM")
ROWS = [name for name in names("classification") if "," not in name]


@pytest.mark.parametrize(("case", "name"), each_once(CASES, ROWS))
def test_every_method_is_scored_and_picked(case: str, name: str):
    X, labels, labelled, n_neighbors = CASES[case]
    row = contender(name, "classification")
    P, train, grid = propagation_matrix(knn_graph(X, n_neighbors)), np.array(labelled), few(row)
    split = Split(train, train[:0], np.setdiff1d(np.arange(len(X)), train))
    splits = [with_folds(split, labels, seed) for seed in (0, 1)]
    given = (X, labels, labels.max() + 1, P, splits, (0, 1), row.method)
    problem, judge = classification(*given)
    if case == ONE_CLASS and name in ("SVM", "TSVM"):
        with pytest.raises(ValueError, match="number of classes has to be greater than one"):
            score_table(row.method, problem, judge, grid)
        return
    with warnings.catch_warnings():
        if name in SILENT:
            warnings.simplefilter("error")
        scores = score_table(row.method, problem, judge, grid)
    assert len(scores) == 2 * len(list(settings_of(grid)))
    assert scores["test"].between(0, 1).all()
    if name in SILENT:
        unknown = ["hits"] if splits[0].folds.max() < 0 else []
        found = scores.filter(["error", "hits", "size"]).drop(columns=unknown, errors="ignore")
        assert np.isfinite(found.to_numpy()).all()
    for protocol in row.protocols:
        weights = weighting(scores, protocol, row.part, row.combine)
        axes = [f"p_{axis}" for axis in row.method.axes]
        outputs = row.method.combined(problem, weights[["run", *axes, "weight"]])
        assert outputs.scores is None or all(np.isfinite(each).all() for each in outputs.scores)
        assert (judge(range(2), outputs.classes)["test"] <= 1).all()


@pytest.mark.parametrize("case", [case for case in CASES if case != ONE_CLASS])
def test_estimators_say_a_class_for_each_row(case: str):
    X, labels, labelled, k = CASES[case]
    given = {"n_neighbors": k}
    for model in (LapRLSClassifier(**given), SSELMClassifier(**given), TSVMClassifier()):
        assert np.isfinite(model.fit(X, partly(labels, labelled)).label_scores_).all()


@pytest.mark.parametrize("name", slow_but(("GCN", "GCNII"), TRAINED))
def test_without_edges_a_node_sees_itself_alone(name):
    """Then P = I, and rows that are the same have the same scores, whatever the others are."""
    X, labels, labelled, _ = CASES["duplicate rows"]
    train = np.array(labelled)
    split = Split(train, train[:0], np.setdiff1d(np.arange(30), train))
    method = contender(name, "classification").method
    grid = {**method.axes, "scaling": ("min-max",), "epochs": (60,)}
    P = propagation_matrix(knn_graph(X, 0))
    problem, judge = classification(X, labels, 3, P, [split], (0,), method)
    scores = method.scores(problem, grid, judge)
    assert scores["test"].max() == 1.0

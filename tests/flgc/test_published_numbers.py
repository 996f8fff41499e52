"""The paper's numbers through the public API, on the real data, to the digit."""

import numpy as np
import pytest
from scipy.special import softmax

from flgc import FLGCClassifierCV
from flgc.averaging import average_grid, filtered, log_weights, of_one_size, with_constant
from flgc.benchmark.settings import (
    GRAPH_SETTINGS,
    graph_accuracy,
    iris_clustering,
    row_normalised,
    wine_clustering,
)
from flgc.graph import as_adjacency, propagation_matrix
from flgc.grid import score_grid

# PubMed's FLGC was published as 79.2; the same grid reaches more.
REACHED = {("PubMed", "FLGC"): 80.2}


@pytest.mark.data
@pytest.mark.parametrize("setting", GRAPH_SETTINGS, ids=lambda s: f"{s.dataset}-{s.method}")
def test_citation_graphs(setting, real_data):
    accuracy = graph_accuracy(real_data(setting.dataset), setting)
    expected = REACHED.get((setting.dataset, setting.method), setting.published)
    assert round(accuracy, 1) == expected


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "normalised", "least"),
    [("Cora", False, 82.5), ("CiteSeer", True, 72.0), ("PubMed", False, 79.5)],
)
def test_picked_on_validation_nodes(name, normalised, least, real_data):
    data = real_data(name)
    X = row_normalised(data.features) if normalised else data.features
    seen = data.masks["train"] | data.masks["val"]
    model = FLGCClassifierCV(teleports=(0.1,)).fit(
        X, np.where(seen, data.labels, -1), data.edges, validation=data.masks["val"]
    )
    test = data.masks["test"]
    assert 100 * np.mean((model.transduction_ == data.labels)[test]) >= least


@pytest.mark.data
@pytest.mark.parametrize(("name", "least"), [("Cora", 82.5), ("CiteSeer", 72.5), ("PubMed", 79.7)])
def test_averaged_over_both_scalings(name, least, real_data):
    data = real_data(name)
    P = propagation_matrix(as_adjacency(data.edges, len(data.labels)))
    train, validation, test = (
        np.flatnonzero(data.masks[part]) for part in ("train", "val", "test")
    )
    grid = {
        "n_classes": len(data.class_names),
        "hops": range(21),
        "teleports": (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
        "regularizations": tuple(4.0**exponent for exponent in range(-5, 6)),
    }
    scalings = [with_constant(X) for X in (data.features, row_normalised(data.features))]
    evaluate = {"validation": validation}
    grids = [score_grid(P, X, data.labels, train, evaluate=evaluate, **grid) for X in scalings]
    shares = softmax([log_weights(scores, len(train), len(validation)) for scores in grids])
    total = 0
    for X, scores, share in zip(scalings, grids, shares, strict=True):
        average = average_grid(P, X, data.labels, train, of_one_size(share, scores), **grid)
        total = total + filtered(P, X, average.filters)
    assert 100 * np.mean((total.argmax(axis=1) == data.labels)[test]) >= least


def test_iris():
    accuracy, information = iris_clustering()
    assert round(accuracy, 3) == 0.973
    assert round(information, 3) == 0.914


def test_wine():
    accuracy, information = wine_clustering()
    assert round(accuracy, 3) == 0.983
    assert round(information, 3) == 0.928

"""The paper's numbers through the public API, on the real data, to the digit."""

import numpy as np
import pytest

from flgc import FLGCClassifierCV
from flgc.benchmark.settings import (
    GRAPH_SETTINGS,
    graph_accuracy,
    iris_clustering,
    row_normalised,
    wine_clustering,
)
from flgc.datasets.splits import Split
from flgc.graph import as_adjacency, propagation_matrix
from flgc.methods.flgc import FLGC
from flgc.methods.judging import classification
from flgc.methods.picking import weighting
from flgc.methods.scoring import score_table
from tests.speeds import slow, slow_but

# PubMed's FLGC was published as 79.2; the same grid reaches more.
REACHED = {("PubMed", "FLGC"): 80.2}


@pytest.mark.data
@pytest.mark.parametrize(
    "setting", slow_but(GRAPH_SETTINGS[:2], GRAPH_SETTINGS), ids=lambda s: f"{s.dataset}-{s.method}"
)
def test_citation_graphs(setting, real_data):
    accuracy = graph_accuracy(real_data(setting.dataset), setting)
    expected = REACHED.get((setting.dataset, setting.method), setting.published)
    assert round(accuracy, 1) == expected


# What the rules give that were chosen on other data (docs/rules.md). Those that had been chosen on
# these graphs had .1 to .2 more in three of the six.
@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "normalised", "least"),
    [("Cora", False, 82.5), slow("CiteSeer", True, 72.0), slow("PubMed", False, 79.4)],
)
def test_picked_on_validation_nodes(name, normalised, least, real_data):
    data = real_data(name)
    X = row_normalised(data.features) if normalised else data.features
    seen = data.masks["train"] | data.masks["val"]
    model = FLGCClassifierCV(teleports=(0.1,)).fit(
        X, np.where(seen, data.labels, -1), data.edges, validation=data.masks["val"]
    )
    test = data.masks["test"]
    assert round(100 * np.mean((model.transduction_ == data.labels)[test]), 1) >= least


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("name", "least"), [("Cora", 82.3), ("CiteSeer", 72.4), ("PubMed", 79.7)])
def test_averaged_over_both_scalings(name, least, real_data):
    data = real_data(name)
    P = propagation_matrix(as_adjacency(data.edges, len(data.labels)))
    train, validation, test = (
        np.flatnonzero(data.masks[part]) for part in ("train", "val", "test")
    )
    splits = [Split(train, validation, test)]
    given = (data.features, data.labels, data.n_classes, P, splits, [0], FLGC())
    problem, judge = classification(*given)
    grid = {
        "scaling": ("raw", "row-normalised"),
        "constant": (True,),
        "hops": range(21),
        "teleport": (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
        "regularization": tuple(4.0**exponent for exponent in range(-5, 6)),
    }
    scores = score_table(FLGC(), problem, judge, grid)
    weights = weighting(scores, "honest", combine="average")
    found = judge([0], FLGC().combined(problem, weights).classes)
    assert round(100 * found["test"][0], 1) >= least


@pytest.mark.parametrize(
    ("clustered", "published"),
    [(iris_clustering, (0.973, 0.914)), (wine_clustering, (0.983, 0.928))],
)
def test_small_tables_are_clustered(clustered, published):
    accuracy, information = clustered()
    assert (round(accuracy, 3), round(information, 3)) == published

"""Rules for picking and averaging: each against what a run would do by itself."""

import numpy as np
import pandas as pd
import pytest

from flgc.datasets import load
from flgc.datasets.splits import make, n_per_class
from flgc.graph import knn_graph, propagation_matrix
from flgc.methods import rules
from flgc.methods.flgc import FLGC
from flgc.methods.judging import posed
from flgc.methods.picking import weighting
from flgc.methods.rules import compare_rules, picks
from flgc.methods.scoring import score_table
from flgc.validation import near_best

DATA = load("subspaces-crowded")
P = propagation_matrix(knn_graph(DATA.features, 5))
GRID = {
    "scaling": ("min-max", "standardised"),
    "constant": (False,),
    "hops": (1, 3),
    "teleport": (0.0, 0.2),
    "regularization": (0.1, 10.0),
}
SPLITS = [n_per_class(DATA.labels, seed, 3) for seed in (1, 2)]


def scored(grid: dict) -> pd.DataFrame:
    problem, judge = posed(DATA, P, SPLITS, (1, 2), FLGC())
    return score_table(FLGC(), problem, judge, grid)


def test_an_average_is_what_the_method_makes_of_its_weights(monkeypatch) -> None:
    scores = {
        "plain": scored(GRID),
        "constant": scored(GRID | {"constant": (True,)}),
    }
    found = compare_rules(DATA, P, SPLITS, scores)
    assert len(found) == 2 * 2 * (3 + len(rules.PER_HITS) * len(rules.POWERS))
    problem, judge = posed(DATA, P, SPLITS, (1, 2), FLGC())
    for e, p in ((0.25, 8.0), (1.0, 2.0)):
        monkeypatch.setattr(
            "flgc.methods.picking.log_weights",
            lambda hits, errors, sizes, e=e, p=p: rules.log_weights(hits, errors, sizes, e, p),
        )
        for features, table in scores.items():
            weights = weighting(table, "honest", combine="average")
            expected = judge([0, 1], FLGC().combined(problem, weights).classes)["test"]
            own = found[(found["e"] == e) & (found["p"] == p) & (found["features"] == features)]
            np.testing.assert_allclose(own["accuracy"], expected, atol=0.011)  # two nodes


def test_picks_are_those_of_the_run_itself() -> None:
    scores = scored(GRID)
    for run, of_run in scores.groupby("run"):
        found = {rule: picked["test"] for rule, picked in picks(of_run)}
        honest = weighting(scores, "honest")
        assert found["error"] == honest.loc[honest["run"] == run, "test"].item()
        assert found["the best on test nodes"] == of_run["test"].max()
        assert set(found) == {"error", "accuracy", "the best on test nodes"}


VALIDATED = pd.DataFrame(
    {
        "run": 0,
        "p_hops": [1, 2, 3, 4],
        "validation": [0.80, 0.79, 0.77, 0.70],
        "validated": 100.0,
        "error": [0.9, 0.5, 0.3, 0.1],
        "hits": 3.0,
        "test": [0.1, 0.2, 0.3, 0.4],
    }
)


@pytest.mark.parametrize(("count", "kept"), [(0, [1]), (0.25, [1, 2]), (1, [1, 2, 3]), (3, 4)])
def test_settings_within_standard_errors_of_the_best(count: float, kept: list[int]) -> None:
    """Here one is sqrt(.8 * .2 / 100) = .04."""
    near = near_best(VALIDATED["validation"].to_numpy(), 100.0, count)
    assert VALIDATED["p_hops"][near].tolist() == (kept if isinstance(kept, list) else [1, 2, 3, 4])


def test_where_some_validate_the_error_decides_among_the_best() -> None:
    found = {rule: picked["p_hops"] for rule, picked in picks(VALIDATED)}
    assert found == {
        "validation": 1,
        "validation, 0.25 SE": 2,
        "validation, 0.5 SE": 2,
        "validation, 1 SE": 3,
        "the best on test nodes": 4,
    }


def test_validation_nodes_count_as_hits() -> None:
    split = make(load("communities-edges"), "random", 0)
    few = type(split)(split.train, split.val[:60], split.test[:200])
    data = load("communities-edges")
    graph = propagation_matrix(knn_graph(data.features[:, :20], 2))
    problem, judge = posed(data, graph, [few], (0,), FLGC())
    grid = GRID | {"scaling": ("raw",), "hops": (1, 2)}
    table = score_table(FLGC(), problem, judge, grid)
    found = compare_rules(data, graph, [few], {"plain": table})
    weights = weighting(table, "honest", combine="average")
    expected = judge([0], FLGC().combined(problem, weights).classes)["test"][0]
    own = found[(found["e"] == 1) & (found["p"] == 4)]
    assert own["accuracy"].item() == pytest.approx(expected, abs=0.006)

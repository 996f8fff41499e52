"""What a method gives is checked where it comes back, and an error names the method."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from flgc.datasets import load
from flgc.datasets.splits import Split
from flgc.graph import as_adjacency, propagation_matrix
from flgc.methods.base import Method, Outputs
from flgc.methods.judging import classification, clustering
from flgc.methods.scoring import score_table

KARATE = load("KarateClub")
P = propagation_matrix(as_adjacency(KARATE.edges, KARATE.n_nodes))
SPLIT = Split(np.array([0, 4, 8, 24]), np.array([], dtype=int), np.arange(10, 22))
N = 12


class Given(Method):
    """Gives what it was made with."""

    name = "mine"

    def __init__(self, given: Any, task: Any = "classification") -> None:
        self.given, self.task = given, task

    def outputs(self, problem: Any, grid: Any) -> Any:
        return self.given


def scored(given: Any, task: Any = "classification") -> Any:
    method = Given(given, task)
    data = (KARATE.features, KARATE.labels, KARATE.n_classes, P)
    posed = (
        classification(*data, [SPLIT], [1], method)
        if task == "classification"
        else clustering(*data, [1])
    )
    return score_table(method, *posed, {})


def classes(*of_runs: Any, **more: Any) -> Any:
    return [({}, Outputs(of_runs, **more))]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "outputs gave None; yield (setting, Outputs)"),
        ([np.zeros(N)], "yield (setting, Outputs)"),
        ([({}, np.zeros(N))], "yield (setting, Outputs)"),
        ([], "no outputs for {}; yield each"),
        (2 * classes(np.zeros(N)), "{} is not in the grid, or came twice"),
        ([({"a": 1}, Outputs([np.zeros(N)]))], "{'a': 1} is not in the grid, or came twice"),
        ([({}, Outputs(None))], "classes have type NoneType; give one for each run"),  # type: ignore[arg-type]
        (classes(np.zeros(N), np.zeros(N)), "classes are for 2 runs; give one for each of 1"),
        (classes(None), "classes of a run have type NoneType; give an array of codes"),
        (classes(iter([0] * N)), "classes of a run have type list_iterator; give an array"),
        (classes("a" * N), "classes of a run have type str; give an array"),
        (classes(np.zeros((N, 2))), f"have shape ({N}, 2); give ({N},), one code for each"),
        (classes(np.zeros(3)), f"have shape (3,); give ({N},)"),
        (classes(0), "classes of a run have type int"),
        (classes(np.full(N, "a")), "'a' is among the classes; give codes"),
        (classes(np.full(N, None)), "None is among the classes; give codes"),
        (classes(np.full(N, np.nan)), "nan is among the classes; give 0 to 3, or -1 for none"),
        (classes(np.full(N, np.inf)), "inf is among the classes; give 0 to 3, or -1 for none"),
        (classes(np.full(N, 0.5)), "0.5 is among the classes; give 0 to 3, or -1 for none"),
        (classes(np.full(N, 99)), "99 is among the classes; give 0 to 3, or -1 for none"),
        (classes(np.full(N, -2)), "-2 is among the classes; give 0 to 3, or -1 for none"),
        (classes(np.zeros(N), scores=[np.zeros(N)]), f"scores of a run have shape ({N},); give"),
        (classes(np.zeros(N), scores=[]), "scores are for 0 runs; give one for each of 1"),
        (classes(np.zeros(N), seen={"hits": [1, 2]}), "hits is [1, 2]; give a number for each run"),
        (classes(np.zeros(N), seen={"error": ["a"]}), "error is ['a']; give a number for each"),
    ],
)
def test_an_answer_that_is_none_is_refused_by_the_methods_name(given: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError)) as raised:
        scored(given)
    assert str(raised.value).startswith("mine: ")
    assert message in str(raised.value)


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda codes: np.array(codes, float)])
def test_codes_may_be_any_whole_numbers_of_classes(kind: Any) -> None:
    truth = KARATE.labels[SPLIT.test].tolist()
    assert scored(classes(kind(truth)))["test"].tolist() == [1.0]
    half = [code if i % 2 else -1 for i, code in enumerate(truth)]
    assert scored(classes(kind(half)))["test"].tolist() == [0.5]


def test_clusters_may_have_any_whole_numbers() -> None:
    found = scored(classes(10 * KARATE.labels - 1), "clustering")
    assert found["ACC"].tolist() == [1.0]
    with pytest.raises(ValueError, match=r"^mine: 1.5 is among the classes; give whole numbers"):
        scored(classes(KARATE.labels + 0.5), "clustering")


def test_no_class_is_no_vote() -> None:
    method = Given(classes(np.array([1] + [-1] * (N - 1))))
    data = (KARATE.features, KARATE.labels, KARATE.n_classes, P)
    problem, _ = classification(*data, [SPLIT], [1], method)
    method.axes = {"a": (1,)}
    method.given = [({"a": 1}, each) for _, each in method.given]
    weights = pd.DataFrame({"run": [0], "p_a": [1], "weight": [2.0]})
    [scores] = method.combined(problem, weights).scores or [None]
    assert scores.tolist() == [[0, 2, 0, 0], *[[0, 0, 0, 0]] * (N - 1)]

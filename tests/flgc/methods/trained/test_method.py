"""A trained method gives every setting of a grid, and a run what it gets alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from flgc.graph import as_adjacency, propagation_matrix
from flgc.methods.base import Problem, as_columns, settings_of
from flgc.methods.registry import BUILT_IN, contender
from flgc.methods.trained import (
    APPNPMethod,
    DropEdgeMethod,
    GCNIIMethod,
    GCNLinearMethod,
    GCNMethod,
    SGCMethod,
    TrainedMethod,
    Training,
    train,
)
from flgc.propagation import propagate
from flgc.scaling import scaled
from tests.flgc.methods.trained.plain import small
from tests.flgc.methods.trained.test_training import FIRST, different_splits
from tests.speeds import slow_but

METHODS = [
    *(GCNMethod(), GCNLinearMethod(), DropEdgeMethod()),
    *(SGCMethod(), GCNIIMethod(), APPNPMethod()),
]
NAMES = [method.name for method in METHODS]
MOSTLY_SLOW = slow_but(METHODS[3:5], METHODS)


@pytest.fixture(autouse=True)
def _double(monkeypatch):
    monkeypatch.setattr(TrainedMethod, "dtype", "float64")


def short(method):
    """The method's own grid, with fewer epochs and epochs before the other axes."""
    return {"epochs": (7, 20, 3)} | {name: v for name, v in method.axes.items() if name != "epochs"}


@pytest.mark.parametrize("method", MOSTLY_SLOW, ids=NAMES)
def test_every_setting_is_a_training_of_its_own(method):
    grid, problem = short(method), small(1).problem(different_splits(2), [3, 2**64 - 1])
    found = list(method.outputs(problem, grid))
    wanted = list(settings_of(grid))
    assert len(found) == len(wanted)
    assert all(setting in wanted and list(setting) == list(grid) for setting, _ in found)
    for setting, outputs in found:
        about = ("hops", "hidden", "teleport", "drop", "theta")
        own = {name: setting[name] for name in about if name in setting}
        decay = setting["weight_decay"]
        if "conv_decay" in setting:
            decay = (decay, setting["conv_decay"])
        how = Training(setting["epochs"], setting["learning_rate"], decay)
        X = scaled(problem.X, setting["scaling"])
        expected = train(method.model(**own), replace(problem, X=X), how, dtype="float64").scores[0]
        for run in range(2):
            np.testing.assert_allclose(outputs.scores[run], expected[run], atol=1e-9)
            np.testing.assert_array_equal(outputs.classes[run], expected[run].argmax(axis=1))


@pytest.mark.parametrize("method", MOSTLY_SLOW, ids=NAMES)
def test_epochs_lie_on_one_path(method, monkeypatch):
    trainings = []

    def counted(*arguments, **settings):
        trainings.append(arguments)
        return train(*arguments, **settings)

    monkeypatch.setattr("flgc.methods.trained.method.train", counted)
    list(method.outputs(small(1).problem([FIRST], [0]), short(method)))
    assert len(trainings) == np.prod([len(values) for values in method.axes.values()]) / len(
        method.axes["epochs"]
    )


@pytest.mark.parametrize("method", MOSTLY_SLOW, ids=NAMES)
def test_a_run_does_not_see_the_labels_of_others(method):
    data, grid = small(1), {**method.axes, "epochs": (20,), "scaling": ("raw",)}
    problem = data.problem(different_splits(3), [0, 1, 2])
    others = problem.labels.copy()
    others[1] = (data.labels + 1) % 3  # wrong, and at all nodes
    others[2] = np.where(others[2] >= 0, 0, -1)
    changed = method.outputs(replace(problem, labels=others), grid)
    for (_, before), (_, after) in zip(method.outputs(problem, grid), changed, strict=True):
        np.testing.assert_allclose(before.scores[0], after.scores[0], atol=1e-4)
        assert np.abs(before.scores[1] - after.scores[1]).max() > 0.1


@pytest.mark.parametrize("method", MOSTLY_SLOW, ids=NAMES)
def test_a_setting_from_a_table_gives_the_same(method, monkeypatch):
    """Tables hold numpy's numbers, whose precision is not that of the training."""
    monkeypatch.setattr(TrainedMethod, "dtype", "float32")
    problem = small(1).problem([FIRST] * 3, [0, 1, 2])
    grid = {name: values[:1] for name, values in method.axes.items()} | {"epochs": (40,)}
    setting, outputs = next(method.outputs(problem, grid))
    weights = pd.DataFrame([{"run": r, **as_columns(setting), "weight": 1.0} for r in range(3)])
    combined = method.combined(problem, weights)
    of_numpy = {name: tuple(np.array(values)) for name, values in grid.items()}
    [(_, again)] = method.outputs(problem, of_numpy)
    for run in range(3):
        np.testing.assert_allclose(again.scores[run], outputs.scores[run], atol=1e-5)
        np.testing.assert_allclose(combined.scores[run], outputs.scores[run], atol=1e-5)


@pytest.mark.parametrize("method", [SGCMethod(), GCNLinearMethod()], ids=lambda m: m.name)
def test_propagated_features_are_shared_where_they_are_kept(method):
    problem, asked_for = small(1).problem([FIRST] * 2, [0, 1]), set()

    def kept(scaling, hops, teleport):
        asked_for.add((scaling, hops, teleport))
        return propagate(problem.P, scaled(problem.X, scaling), hops, teleport)

    plain = method.outputs(problem, method.axes)
    sharing = method.outputs(replace(problem, kept=kept), method.axes)
    for (_, expected), (_, outputs) in zip(plain, sharing, strict=True):
        np.testing.assert_allclose(outputs.scores, expected.scores, atol=1e-4)
    assert asked_for == {("raw", 2, 0.0), ("row-normalised", 2, 0.0)}


def test_an_axis_that_nobody_knows_is_refused():
    grid = {**SGCMethod.axes, "hidden": (4,)}
    with pytest.raises(TypeError, match="hidden"):
        next(SGCMethod().outputs(small(1).problem([FIRST], [0]), grid))


@pytest.mark.data
def test_gcn_on_cora(real_data):
    data = real_data("Cora")
    P = propagation_matrix(as_adjacency(data.edges, data.n_nodes))
    labels = np.tile(np.where(data.masks["train"], data.labels, -1), (4, 1))
    test = np.flatnonzero(data.masks["test"])
    problem = Problem(data.features, P, data.n_classes, labels, (test,) * 4, tuple(range(4)))
    grid = {**GCNMethod.axes, "scaling": ("row-normalised",), "epochs": (200,)}
    [(_, outputs)] = GCNMethod().outputs(problem, grid)
    assert np.mean(np.stack(outputs.classes) == data.labels[test]) > 0.79


def test_every_trained_rival_has_one():
    built_in = [contender(name, task) for name, task in BUILT_IN]
    trained = [row for row in built_in if isinstance(row.method, TrainedMethod)]
    assert {row.name for row in trained} == {*NAMES, *(f"{n}, authors' setting" for n in NAMES)}


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_single_setting_of_its_method(name):
    row, whole = (
        contender(f"{name}, authors' setting", "classification"),
        contender(name, "classification"),
    )
    assert type(row.method) is type(whole.method)
    assert row.whole({}) == whole.whole({}), "it shares the scores of the whole grid"
    assert row.published == name
    assert row.n_settings({"scaling": ("min-max",)}) == 1
    # All axes are named: what a grid has besides would be picked from.
    assert {*row.part} == {*row.method.axes} - {"scaling"}
    assert row.picks_nothing
    assert row.protocols == ("honest",), "where nothing is picked, tests are of no use"
    assert not whole.picks_nothing

"""Runs in a batch end where they end alone, which is where a textbook loop takes them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from flgc.datasets import load
from flgc.datasets.splits import runs
from flgc.methods.judging import posed
from flgc.methods.trained import (
    APPNP,
    GCN,
    GCNII,
    SGC,
    DropEdge,
    GCNLinear,
    GCNMethod,
    Training,
    train,
    training,
)
from flgc.preparing import build_graph
from tests.flgc.methods.trained.plain import plain_training, small
from tests.speeds import slow, slow_but

MODELS = [
    *(GCN(), GCN(hops=4), GCNLinear(), GCNLinear(hops=4), SGC(), APPNP(), APPNP(hops=3)),
    *(DropEdge(hops=3), GCNII()),
]
MOSTLY_SLOW = slow_but([GCN(), DropEdge(hops=3)], MODELS)
SHORT = Training(epochs=20, learning_rate=0.02, weight_decay=5e-3)
FIRST = np.arange(6)


def trained(model, problem, how=SHORT, **settings):
    return train(model, problem, how, **{"dtype": "float64", **settings})


def assert_alone_as_in_company(model, problem, **settings):
    """Weights and outputs of each run of a problem are those that it has alone."""
    batch = trained(model, problem, **settings)
    for run in range(problem.n_runs):
        alone = trained(model, problem.only([run]), **settings)
        np.testing.assert_allclose(batch.scores[0][run], alone.scores[0][0], atol=1e-4)
        for W, expected in zip(batch.weights, alone.weights, strict=True):
            np.testing.assert_allclose(W[run], expected[0], atol=1e-4)


def different_splits(n_runs, n_nodes=40, n_labelled=6):
    rng = np.random.default_rng(5)
    return [rng.permutation(n_nodes)[:n_labelled] for _ in range(n_runs)]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_equals_a_textbook_loop(model):
    """Of GCNII, whose convolutions have a decay of their own, with that too."""
    data, labelled = small(2), np.arange(8)
    start = model.initial_weights(
        torch.Generator().manual_seed(11), data.X.shape[1], data.n_classes
    )
    for decay in [SHORT.weight_decay] + [(0.5, 1e-3)] * isinstance(model, GCNII):
        how = replace(SHORT, weight_decay=decay)
        result = trained(model, data.problem([labelled], [11]), how, seed=5)
        expected = plain_training(model, start, data, labelled, how, seed=5)
        np.testing.assert_allclose(result.scores[0][0], expected, atol=1e-4)


def problem_of(company):
    seeds, data = [4, 9, 2**64 - 3], small(3)
    if company == "one split":
        return data.problem([FIRST] * 3, [4, 9, 4])
    if company == "own splits":
        return data.problem(different_splits(3), [4, 9, 4])
    problem = data.problem([*different_splits(2, n_labelled=7), np.arange(11)], seeds)
    if company == "iris":  # as the tables have it
        iris = load("iris")
        graph, splits = build_graph(iris, "min-max"), runs(iris, "10%", seeds)
        problem, _ = posed(iris, graph, splits, seeds, GCNMethod())
    else:
        folds = np.where(problem.labels >= 0, np.arange(40) % 3, -1)
        problem = replace(problem, folds=folds)
    with_folds, owners = problem.with_folds()
    sizes = [len(with_folds.labelled(run)) for run in range(len(owners))]
    for each in (sizes, [len(asked) for asked in with_folds.asked]):
        assert company == "iris" or len(set(each)) > 2
    return with_folds


@pytest.mark.parametrize("model", MOSTLY_SLOW, ids=repr)
@pytest.mark.parametrize("epoch_costs", [0, 10**9], ids=["apart", "together"])
@pytest.mark.parametrize("company", ["one split", "own splits", "folds", slow("iris")])
def test_a_batch_equals_runs_one_by_one(model, epoch_costs, company, monkeypatch):
    monkeypatch.setattr(training, "_EPOCH_COSTS", epoch_costs)
    scaling = {"scaling": "min-max"} if company == "iris" else {}
    assert_alone_as_in_company(model, problem_of(company), **scaling)


def test_outputs_stand_in_the_order_in_which_they_are_asked_for():
    data, asked = small(3), (np.array([7, 2, 30]), np.array([], dtype=int))
    whole = trained(GCN(), data.problem([FIRST] * 2, [0, 1]))
    some = trained(GCN(), data.problem([FIRST] * 2, [0, 1], asked=asked))
    for run in range(2):
        expected = whole.scores[0][run][asked[run]]
        np.testing.assert_allclose(some.scores[0][run], expected, atol=1e-9)


@pytest.mark.parametrize("model", MOSTLY_SLOW, ids=repr)
def test_sparse_and_dense_features_agree(model):
    problem = small(4).problem(different_splits(3), [0, 1, 2])
    sparse = trained(model, problem)
    dense = trained(model, replace(problem, X=problem.X.toarray()))
    for one, other in zip(sparse.weights, dense.weights, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("model", MOSTLY_SLOW, ids=repr)
def test_the_same_seed_gives_the_same_result(model):
    problem = small(5).problem([FIRST] * 2, [3, 3])
    first, again = (trained(model, problem, dtype="float32") for _ in "ab")
    np.testing.assert_array_equal(first.scores, again.scores)
    for W, same in zip(first.weights, again.weights, strict=True):
        np.testing.assert_array_equal(W, same)
        np.testing.assert_allclose(W[0], W[1], atol=1e-5)


@settings(max_examples=6)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=3), st.sampled_from(MODELS))
def test_a_checkpoint_is_a_shorter_training(checkpoints, model):
    problem = small(6).problem([FIRST] * 2, [0, 1])
    result = trained(model, problem, checkpoints=checkpoints)
    for epochs, scores in zip(checkpoints, result.scores, strict=True):
        stopped = trained(model, problem, replace(SHORT, epochs=epochs))
        np.testing.assert_allclose(scores, stopped.scores[0], atol=1e-9)


def test_threads_are_given_back():
    torch.set_num_threads(3)
    trained(GCN(), small(7).problem([FIRST] * 2, [0, 1]))
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"P": np.eye(40)}, "P is a ndarray .*propagation_matrix"),
        ({"X": np.eye(39)}, "of the 39 rows of X"),
        ({"labels": np.zeros(40, dtype=int)}, r"labels has shape \(40,\): .* 2 seeds"),
        ({"labels": np.full((2, 40), 3)}, "class 3: with n_classes=3"),
        ({"labels": np.full((2, 40), -1)}, "run 0 has no labelled node"),
        ({"asked": (np.array([40]), np.array([1]))}, r"node 40: .* 0\.\.39"),
        ({"asked": (np.array([0]), np.array([-1]))}, "node -1"),
        ({"asked": (np.array([0]),)}, "of 1 runs, but there are 2 seeds"),
        ({"seeds": ()}, "seeds is empty"),
        ({"device": "tpu"}, "device='tpu'"),
    ],
)
def test_a_problem_that_does_not_fit_is_refused(changes, words):
    problem = replace(small(8).problem([FIRST] * 2, [0, 1]), **changes)
    with pytest.raises(ValueError, match=words):
        trained(GCN(), problem)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"checkpoints": [0]}, r"checkpoint 0 .* 1\.\.20"),
        ({"checkpoints": [21]}, "checkpoint 21"),
        ({"dtype": "float16"}, "dtype='float16'"),
        ({"scaling": "sideways"}, "scaling.*sideways"),
        ({"how": Training(weight_decay=(0.1, 0.2))}, "has 2 values, but the model has 1 groups"),
    ],
)
def test_what_cannot_be_done_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        trained(GCN(), small(8).problem([FIRST], [0]), **changes)

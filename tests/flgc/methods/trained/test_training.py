"""Runs in a batch end where they end alone, which is where a textbook loop takes them."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from flgc.graph import as_adjacency, propagation_matrix
from flgc.methods.trained import APPNP, GCN, SGC, GCNLinear, Training, train, training
from flgc.methods.trained.fields import Graph
from tests.flgc.methods.trained.plain import plain_training, random_problem

MODELS = [GCN(), GCN(hops=4), GCNLinear(), GCNLinear(hops=4), SGC(), APPNP(), APPNP(hops=3)]
SHORT = Training(epochs=20, learning_rate=0.02, weight_decay=5e-3)


def trained(model, problem, labelled, seeds, **settings):
    settings = {"training": SHORT, "dtype": "float64", **settings}
    return train(
        model,
        problem.P,
        settings.pop("X", problem.X),
        problem.labels,
        np.asarray(labelled),
        n_classes=problem.n_classes,
        seeds=seeds,
        **settings,
    )


def scores(model, problem, weights):
    graph = Graph(problem.P, problem.X, torch.device("cpu"))
    with torch.no_grad():
        return model.scorer(graph, graph.all_nodes)([torch.as_tensor(W) for W in weights]).numpy()


def different_splits(n_runs, n_nodes=40, n_labelled=6):
    rng = np.random.default_rng(5)
    return np.stack([rng.permutation(n_nodes)[:n_labelled] for _ in range(n_runs)])


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_equals_a_textbook_loop(model):
    problem, labelled = random_problem(2), np.arange(8)
    result = trained(model, problem, labelled, seeds=[11])
    start = model.initial_weights(
        torch.Generator().manual_seed(11), problem.X.shape[1], problem.n_classes
    )
    expected = plain_training(model, start, problem, labelled, SHORT)
    np.testing.assert_allclose(scores(model, problem, result.weights)[0], expected, atol=1e-4)
    np.testing.assert_array_equal(result.predictions[-1, 0], expected.argmax(axis=1))


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("epoch_costs", [0, 10**9], ids=["apart", "together"])
@pytest.mark.parametrize("shared", [True, False], ids=["one split", "own splits"])
def test_a_batch_equals_runs_one_by_one(model, epoch_costs, shared, monkeypatch):
    monkeypatch.setattr(training, "_EPOCH_COSTS", epoch_costs)
    problem, seeds = random_problem(3), [4, 9, 4]
    splits = np.tile(np.arange(6), (3, 1)) if shared else different_splits(3)
    batch = trained(model, problem, splits[0] if shared else splits, seeds)
    for r, seed in enumerate(seeds):
        alone = trained(model, problem, splits[r], [seed])
        for W, expected in zip(batch.weights, alone.weights, strict=True):
            np.testing.assert_allclose(W[r], expected[0], atol=1e-4)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_sparse_and_dense_features_agree(model):
    problem, splits = random_problem(4), different_splits(3)
    sparse = trained(model, problem, splits, [0, 1, 2])
    dense = trained(model, problem, splits, [0, 1, 2], X=problem.X.toarray())
    for one, other in zip(sparse.weights, dense.weights, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_same_seed_gives_the_same_result(model):
    problem = random_problem(5)
    first, again = (trained(model, problem, np.arange(6), [3, 3], dtype="float32") for _ in "ab")
    np.testing.assert_array_equal(first.predictions, again.predictions)
    for W, same in zip(first.weights, again.weights, strict=True):
        np.testing.assert_array_equal(W, same)
        np.testing.assert_allclose(W[0], W[1], atol=1e-5)


@settings(max_examples=6)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=3), st.sampled_from(MODELS))
def test_a_checkpoint_is_a_shorter_training(checkpoints, model):
    problem = random_problem(6)
    result = trained(model, problem, np.arange(6), [0, 1], checkpoints=checkpoints)
    assert result.checkpoints == tuple(checkpoints)
    for epochs, predictions in zip(checkpoints, result.predictions, strict=True):
        shorter = Training(epochs, SHORT.learning_rate, SHORT.weight_decay)
        stopped = trained(model, problem, np.arange(6), [0, 1], training=shorter)
        np.testing.assert_array_equal(predictions, stopped.predictions[0])


def test_threads_are_given_back():
    torch.set_num_threads(3)
    trained(GCN(), random_problem(7), np.arange(6), [0, 1])
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "GNC"}, "model='GNC' is not known: choose one of GCN, GCN-Linear, SGC, APPNP"),
        ({"P": np.eye(40)}, "P is a ndarray .*propagation_matrix"),
        ({"X": np.eye(39)}, "of the 39 rows of X"),
        ({"labels": np.zeros(3, dtype=int)}, r"labels has shape \(3,\)"),
        ({"labelled": np.array([40])}, r"node 40: .* 0\.\.39"),
        ({"labelled": np.array([-1])}, "node -1"),
        ({"labelled": np.array([0.5])}, "type float64"),
        ({"labelled": np.array([], dtype=int)}, r"shape \(0,\)"),
        ({"labelled": np.zeros((3, 2), dtype=int)}, "3 rows but there are 2 seeds"),
        ({"n_classes": 2}, "class 2: with n_classes=2"),
        ({"seeds": []}, "seeds is empty"),
        ({"checkpoints": [0]}, r"checkpoint 0 .* 1\.\.20"),
        ({"checkpoints": [21]}, "checkpoint 21"),
        ({"device": "tpu"}, "device='tpu'"),
        ({"dtype": "float16"}, "dtype='float16'"),
    ],
)
def test_what_does_not_fit_is_refused(changes, words):
    problem = random_problem(8)
    arguments = {
        "model": "GCN",
        "P": problem.P,
        "X": problem.X,
        "labels": problem.labels,
        "labelled": np.arange(3),
        "n_classes": 3,
        "seeds": [0, 1],
        "training": SHORT,
    }
    with pytest.raises(ValueError, match=words):
        train(**arguments | changes)


@pytest.mark.data
def test_gcn_on_cora(real_data):
    data = real_data("Cora")
    P = propagation_matrix(as_adjacency(data.edges, data.n_nodes))
    result = train(
        "GCN",
        P,
        normalize(data.features, norm="l1"),
        data.labels,
        np.flatnonzero(data.masks["train"]),
        n_classes=data.n_classes,
        seeds=range(4),
    )
    hits = result.predictions[0] == data.labels
    assert hits[:, data.masks["test"]].mean() > 0.79

"""What other models may need: chance of a run's own in training, objectives of one's own.

A toy model stands for each of them.
"""

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from flgc.methods.trained import Model, training
from flgc.methods.trained.model import layers
from tests.flgc.methods.trained.plain import small
from tests.flgc.methods.trained.test_training import (
    FIRST,
    SHORT,
    assert_alone_as_in_company,
    different_splits,
    trained,
)


@dataclass(frozen=True)
class Dropping(Model):
    """P (dropout(relu(X W_1)) W_2): dropout of each run's own."""

    def initial_weights(self, generator, n_features, n_classes):
        return layers([n_features, 8, n_classes], generator)[::2]

    def layer_size(self, graph, nodes):
        return 8 * len(nodes)

    def scorer(self, graph, nodes):
        X, P = (torch.as_tensor(A.toarray()) for A in (graph.X, graph.P[nodes]))

        def scores(weights, epoch=None):
            hidden = (X @ weights[0]).relu()
            if epoch is not None:
                hidden = hidden * 2 * (epoch.uniform(graph.n_nodes, 8) < 0.5)
            return P @ (hidden @ weights[1])

        return scores


@pytest.mark.parametrize("epoch_costs", [0, 10**9], ids=["apart", "together"])
def test_chance_is_the_same_in_any_company(epoch_costs, monkeypatch):
    monkeypatch.setattr(training, "_EPOCH_COSTS", epoch_costs)
    problem = small(3).problem(different_splits(4), [4, 9, 4, 2**64 - 1])
    assert_alone_as_in_company(Dropping(), problem)


def test_dropout_is_drawn_for_each_run_and_epoch(monkeypatch):
    drawn = []
    uniform = training.Epoch.uniform

    def noted(epoch, *shape):
        drawn.append(uniform(epoch, *shape))
        return drawn[-1]

    monkeypatch.setattr(training.Epoch, "uniform", noted)
    trained(Dropping(), small(3).problem([FIRST] * 2, [0, 1]))
    assert len(drawn) == SHORT.epochs
    masks = torch.cat(drawn).flatten(1)
    assert len(torch.unique(masks, dim=0)) == 2 * SHORT.epochs


def test_edges_are_drawn_by_the_seed_that_all_share_and_the_epoch():
    def draw(seed, number):
        epoch = training.Epoch(number, seed, (), torch.device("cpu"))
        return torch.rand(4, generator=epoch.shared).tolist()

    assert draw(0, 1) == draw(0, 1)
    assert len({tuple(draw(*pair)) for pair in [(0, 1), (0, 2), (1, 1), (1, 0), (2, 0)]}) == 5


def test_nothing_is_left_to_chance_in_evaluation():
    data = small(3)
    result = trained(Dropping(), data.problem([FIRST] * 2, [0, 1]), checkpoints=(20, 20))
    W, V = result.weights
    expected = data.P.toarray() @ (np.maximum(data.X.toarray() @ W, 0) @ V)
    np.testing.assert_allclose(result.scores[0], expected, atol=1e-9)
    np.testing.assert_array_equal(result.scores[0], result.scores[1])


def test_chance_changes_the_training_only():
    problem = small(3).problem([FIRST], [0])
    looked = trained(Dropping(), problem, checkpoints=(5, 10, 20)).scores[-1]
    np.testing.assert_array_equal(looked, trained(Dropping(), problem).scores[-1])


@dataclass(frozen=True)
class Autoencoder(Model):
    """|X W V - X|^2; asked for X W."""

    def initial_weights(self, generator, n_features, n_classes):
        return layers([n_features, 3, n_features], generator)[::2]

    def layer_size(self, graph, nodes):
        return graph.X.shape[1] * len(nodes)

    def scorer(self, graph, nodes):
        features = graph.product(graph.X[nodes])
        return lambda weights, epoch=None: (
            features(weights[0]) if epoch is None else features(weights[0]) @ weights[1]
        )

    def objective(self, graph):
        X = torch.as_tensor(graph.X.toarray())
        return lambda outputs, _: (outputs - X).square().mean(dim=(1, 2))


def test_an_objective_without_labels_equals_a_textbook_loop():
    data = small(4)
    problem = data.problem([[]] * 3, [5, 6, 7])
    assert (problem.labels == -1).all()
    assert_alone_as_in_company(Autoencoder(), problem)
    W, V = Autoencoder().initial_weights(torch.Generator().manual_seed(6), 12, 3)
    W, V = W.requires_grad_(), V.requires_grad_()
    optimizer = torch.optim.Adam([W, V], lr=SHORT.learning_rate, weight_decay=SHORT.weight_decay)
    for _ in range(SHORT.epochs):
        optimizer.zero_grad()
        (data.dense @ W @ V - data.dense).square().mean().backward()
        optimizer.step()
    expected = (data.dense @ W).detach().numpy()
    np.testing.assert_allclose(trained(Autoencoder(), problem).scores[0][1], expected, atol=1e-4)

"""Each model's scores are those of PyTorch Geometric's own layers with the same weights."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from flgc.methods.trained import APPNP, GCN, GCNII, SGC, DropEdge, GCNLinear, Training
from flgc.methods.trained.fields import Graph
from flgc.propagation import propagate
from tests.flgc.methods.trained.plain import plain_model, small
from tests.speeds import slow_but

MODELS = [
    *(GCN(hops=hops, hidden=5) for hops in (1, 2, 3, 6)),
    *(GCNLinear(hops=hops, hidden=5) for hops in (1, 2, 3, 6)),
    *(SGC(hops=hops) for hops in (0, 1, 2, 3, 15)),
    *(APPNP(hops=hops, hidden=6, teleport=0.1) for hops in (1, 2, 3, 15)),
    APPNP(hops=3, hidden=6, teleport=0.0),
    *(DropEdge(hops=hops, hidden=5) for hops in (1, 3)),
    *(GCNII(hops=hops, hidden=5) for hops in (1, 2, 4, 9)),
    GCNII(hops=3, hidden=5, teleport=0.4, theta=1.2),
]
FIRSTS = {type(model): model for model in reversed(MODELS)}.values()
MOSTLY_SLOW = slow_but(FIRSTS, MODELS)


def drawn_weights(model, n_features, n_classes, n_runs=2):
    """Biases too are drawn: zeros would hide a bias in the wrong place."""
    generator = torch.Generator().manual_seed(0)
    runs = [model.initial_weights(generator, n_features, n_classes) for _ in range(n_runs)]
    runs = [
        [W if W.ndim == 2 else torch.randn(W.shape, dtype=W.dtype) for W in run] for run in runs
    ]
    return [torch.stack(of_runs) for of_runs in zip(*runs, strict=True)]


@pytest.mark.parametrize("model", MOSTLY_SLOW, ids=repr)
@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
@pytest.mark.parametrize("seldom", [True, False], ids=["seldom", "often"])
def test_scores_are_those_of_pyg(model, sparse, seldom):
    problem = small(0)
    weights = drawn_weights(model, problem.X.shape[1], problem.n_classes)
    X = problem.X if sparse else problem.X.toarray()
    graph = Graph(problem.P, X, torch.device("cpu"), seldom=seldom)
    scores = model.scorer(graph, graph.all_nodes)(weights)
    for run in range(2):
        oracle = plain_model(model, [W[run] for W in weights])
        expected = oracle(problem.dense, problem.edges)
        torch.testing.assert_close(scores[run], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("model", MOSTLY_SLOW, ids=repr)
@pytest.mark.parametrize("n_nodes", [1, 5, 20, 39])
def test_the_field_of_a_few_nodes_is_enough(model, n_nodes):
    problem = small(1)
    weights = drawn_weights(model, problem.X.shape[1], problem.n_classes)
    for W in weights:
        W.requires_grad_()
    graph = Graph(problem.P, problem.X, torch.device("cpu"))
    nodes = np.sort(np.random.default_rng(n_nodes).permutation(graph.n_nodes)[:n_nodes])
    few = model.scorer(graph, nodes)(weights)
    whole = model.scorer(graph, graph.all_nodes)(weights)[:, nodes]
    torch.testing.assert_close(few, whole, rtol=0, atol=1e-9)
    outer = torch.randn(few.shape, dtype=few.dtype)
    for one, other in zip(
        torch.autograd.grad(few, weights, outer),
        torch.autograd.grad(whole, weights, outer),
        strict=True,
    ):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-9)


@pytest.mark.parametrize("model", [SGC(), SGC(hops=5), GCNLinear(hops=3, hidden=5)], ids=repr)
@pytest.mark.parametrize("n_nodes", [1, 5, 20, 40])
@pytest.mark.parametrize("seldom", [True, False])
def test_kept_features_give_the_same(model, n_nodes, seldom):
    problem = small(1)
    weights = drawn_weights(model, problem.X.shape[1], problem.n_classes)
    cpu, asked_for = torch.device("cpu"), []

    def kept(hops):
        asked_for.append(hops)
        return propagate(problem.P, problem.X, hops)

    nodes = np.sort(np.random.default_rng(n_nodes).permutation(40)[:n_nodes])
    few = model.scorer(Graph(problem.P, problem.X, cpu, kept, seldom), nodes)(weights)
    plain = Graph(problem.P, problem.X, cpu)
    whole = model.scorer(plain, plain.all_nodes)(weights)[:, nodes]
    torch.testing.assert_close(few, whole, rtol=0, atol=1e-9)
    assert asked_for == [model.hops]


def test_the_convolutions_of_gcnii_are_one_group_and_its_dense_layers_another():
    weights = GCNII(hops=3, hidden=5).initial_weights(torch.Generator(), 12, 4)
    shapes = [tuple(W.shape) for W in weights]
    assert shapes == [(12, 5), (5,), (5, 5), (5, 5), (5, 5), (5, 4), (4,)]
    assert GCNII(hops=3).groups(len(weights)) == [0, 0, 1, 1, 1, 0, 0]


def test_isolated_nodes_and_empty_rows_are_fine():
    X = sp.csr_array(np.eye(4, 3))
    graph = Graph(sp.csr_array(sp.eye_array(4)), X, torch.device("cpu"))
    for model in (GCN(), GCNLinear(), DropEdge(), SGC(), GCNII(), APPNP()):
        scores = model.scorer(graph, graph.all_nodes)(drawn_weights(model, 3, 2))
        assert torch.isfinite(scores).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GCN(hops=0), "hops=0 .* >= 1"),
        (lambda: GCNLinear(hidden=0), "hidden=0 .* >= 1"),
        (lambda: GCN(hops=2.5), "hops=2.5"),
        (lambda: SGC(hops=-1), "hops=-1 .* from 0 to"),
        (lambda: APPNP(teleport=1.5), r"teleport=1.5 .* \[0, 1\]"),
        (lambda: APPNP(hidden=True), "hidden=True"),
        (lambda: DropEdge(drop=1), r"drop=1 .* \[0, 1\)"),
        (lambda: DropEdge(drop=-0.1), "drop=-0.1"),
        (lambda: DropEdge(drop=True), "drop=True"),
        (lambda: DropEdge(hops=0), "hops=0"),
        (lambda: GCNII(hops=0), "hops=0 .* >= 1"),
        (lambda: GCNII(hidden=0), "hidden=0"),
        (lambda: GCNII(teleport=-1), "teleport=-1"),
        (lambda: GCNII(theta=-0.5), "theta=-0.5 .* >= 0"),
        (lambda: GCNII(theta=float("nan")), "theta=nan"),
        (lambda: Training(epochs=0), "epochs=0"),
        (lambda: Training(epochs=1.5), "epochs=1.5"),
        (lambda: Training(learning_rate=0), "learning_rate=0 .* > 0"),
        (lambda: Training(learning_rate=float("nan")), "learning_rate=nan"),
        (lambda: Training(weight_decay=-1e-4), "weight_decay=-0.0001 .* >= 0"),
        (lambda: Training(weight_decay=(5e-4, -1.0)), r"weight_decay=\(0.0005, -1.0\)"),
        (lambda: Training(weight_decay=(0.1,)).decays([0, 1]), "has 1 values, .* 2 groups"),
        (lambda: Training(weight_decay=(0.1,) * 3).decays([0, 1]), "has 3 values"),
    ],
)
def test_wrong_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()

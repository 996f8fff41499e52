import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from flgc.methods.learned_graphs.can import AdaptiveNeighbors, CANClustering
from flgc.methods.learned_graphs.clr import NearestInL1, NearestInL2
from flgc.methods.learned_graphs.distances import neighbor_graph, squared_distances
from flgc.methods.learned_graphs.kmm import Bipartite, means_of
from flgc.methods.learned_graphs.rank import Graph, alternated, rank_constrained
from flgc.methods.learned_graphs.rrcsl import RobustRepresentation
from flgc.methods.learned_graphs.simplex import k_neighbor_weights
from tests.plain import seeds

KINDS = {
    "CAN": lambda X, squares, A, gamma: (AdaptiveNeighbors(squares, gamma), gamma),
    "CLR, l2": lambda X, squares, A, gamma: (NearestInL2(A), 1.0),
    "CLR, l1": lambda X, squares, A, gamma: (NearestInL1(A), 1.0),
    "RRCSL": lambda X, squares, A, gamma: (RobustRepresentation(X, A, 1.0), 1.0),
}


def graph_of(kind, X, k=5):
    squares, A, gamma = neighbor_graph(X, k)
    return *KINDS[kind](X, squares, A, gamma), A


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, factor=st.sampled_from([0.1, 1.0, 10.0]))
@settings(max_examples=10)
def test_at_a_fixed_strength_the_objective_falls(kind, seed, factor):
    X = np.random.default_rng(seed).standard_normal((25, 4))
    graph, strength, S = graph_of(kind, X)
    distances, last = graph.distances(S, 3), np.inf
    for _ in range(8):
        S, distances, objective = alternated(graph, S, distances, 3, factor * strength)
        assert objective <= last * (1 + 1e-9)
        np.testing.assert_allclose(S.sum(axis=1), 1.0, atol=1e-9)
        assert (S >= 0).all()
        assert (np.diag(S) == 0).all()
        last = objective


@pytest.mark.parametrize("kind", KINDS)
def test_the_penalty_is_twice_the_sum_of_the_least_eigenvalues(kind):
    """Ky Fan, and L = D - (S + S') / 2: the objective is what the paper says it is."""
    X = np.random.default_rng(0).standard_normal((20, 3))
    graph, _, S = graph_of(kind, X)
    S, _, objective = alternated(graph, S, graph.distances(S, 3), 3, 0.5)
    W = (S + S.T) / 2
    values = np.linalg.eigvalsh(np.diag(W.sum(axis=1)) - W)
    np.testing.assert_allclose(objective - graph.cost(S), 0.5 * 2 * values[:3].sum(), rtol=1e-8)


@pytest.mark.parametrize("kind", ["CAN", "CLR, l2"])
def test_no_other_graph_is_better_than_the_closed_form(kind):
    rng = np.random.default_rng(0)
    graph, strength, A = graph_of(kind, rng.standard_normal((12, 3)))
    distances = graph.distances(A, 3)
    best = graph.learn(A, distances, strength)

    def objective(S):
        return graph.cost(S) + strength * np.vdot(distances, S)

    # The objective is convex: at the minimum no step to a corner of a row's simplex pays.
    for i, j in zip(*np.nonzero(1 - np.eye(12)), strict=True):
        other = best.copy()
        other[i] *= 1 - 1e-5
        other[i, j] += 1e-5
        assert objective(best) <= objective(other) + 1e-13


def test_costs_are_those_of_the_papers():
    X = np.random.default_rng(0).standard_normal((10, 3))
    squares, A, gamma = neighbor_graph(X, 3)
    S = np.random.default_rng(1).dirichlet(np.ones(10), 10) * (1 - np.eye(10))
    pairs = [(i, j) for i in range(10) for j in range(10)]
    plain = sum(np.sum((X[i] - X[j]) ** 2) * S[i, j] + gamma * S[i, j] ** 2 for i, j in pairs)
    np.testing.assert_allclose(AdaptiveNeighbors(squares, gamma).cost(S), plain)
    np.testing.assert_allclose(NearestInL2(A).cost(S), sum((S[p] - A[p]) ** 2 for p in pairs))
    np.testing.assert_allclose(
        NearestInL1(A).cost(S), sum(abs(S[p] - A[p]) for p in pairs), rtol=1e-4
    )
    centred = X - X.mean(axis=0)
    size = np.sqrt(np.mean(np.sum(centred**2, axis=1)))
    S /= S.sum(axis=1, keepdims=True)
    plain = np.linalg.norm(X - S @ X, axis=1).sum() + 2 * size * np.sum((S - A) ** 2)
    np.testing.assert_allclose(RobustRepresentation(X, A, 2.0).cost(S), plain, rtol=1e-6)


class Scripted(Graph):
    """Has as many components as the strength says, and notes what it is asked."""

    def __init__(self, counts):
        self.counts, self.asked = counts, []

    def learn(self, S, distances, strength):
        self.asked.append((float(S[0, 0]), strength))
        return np.full((6, 6), strength)

    def cost(self, S):
        return 0.0

    def distances(self, S, n_clusters):
        return S

    def components(self, S):
        return self.counts(S[0, 0]), np.zeros(6, dtype=int)


def test_the_strength_doubles_below_and_halves_above():
    graph = Scripted(lambda s: 1 if s < 4 else 5)
    found = rank_constrained(graph, np.zeros((6, 6)), 3, 1.0, 6)
    assert [strength for _, strength in graph.asked] == [1, 2, 4, 2, 4, 2]
    # What had too many components is taken back.
    assert [start for start, _ in graph.asked] == [0, 1, 2, 2, 2, 2]
    assert found.n_components == 1
    np.testing.assert_array_equal(found.strength, [1, 2, 4, 2, 4, 2])
    assert found.S[0, 0] == 2


def test_it_stops_at_as_many_components_as_clusters():
    graph = Scripted(lambda s: 3 if s >= 4 else 1)
    found = rank_constrained(graph, np.zeros((6, 6)), 3, 1.0, 50)
    assert (len(found.objective), found.n_components, found.S[0, 0]) == (3, 3, 4)


def test_where_the_first_has_too_many_it_is_the_first():
    found = rank_constrained(Scripted(lambda s: 9), np.full((6, 6), 7.0), 3, 1.0, 4)
    assert (found.n_components, found.S[0, 0]) == (9, 7)


def test_too_many_components_are_told_and_clustered():
    """Five groups far apart, where one neighbour each leaves five parts."""
    X = np.repeat(10.0 * np.arange(5), 3)[:, None] + np.tile([0.0, 0.1, 0.2], 5)[:, None]
    with pytest.warns(ConvergenceWarning, match="5 components after 50 iterations, not 2"):
        model = CANClustering(2, n_neighbors=1, random_state=0).fit(X)
    assert model.n_components_ == 5
    assert set(model.labels_) <= {0, 1}
    np.testing.assert_array_equal(model.labels_.reshape(5, 3).min(1), model.labels_[::3])


def test_bipartite_distances_are_those_of_the_whole_graph():
    """F of the normalised Laplacian of [0 S; S' 0], up to a turn, which distances do not see."""
    rng = np.random.default_rng(0)
    S = rng.dirichlet(np.ones(5), 9)
    whole = np.block([[np.zeros((9, 9)), S], [S.T, np.zeros((5, 5))]])
    scale = 1 / np.sqrt(whole.sum(axis=1))
    values, vectors = np.linalg.eigh(np.eye(14) - scale[:, None] * whole * scale)
    F = vectors[:, :3] * scale[:, None]
    expected = squared_distances(F[:9], F[9:])
    np.testing.assert_allclose(Bipartite(S, 1.0).distances(S, 3), expected, atol=1e-10)
    np.testing.assert_allclose(np.vdot(expected, S), values[:3].sum(), atol=1e-10)


def test_a_mean_that_nobody_is_joined_with_is_no_component_and_stays():
    S = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 0, 1.0]])
    graph = Bipartite(S, 1.0)
    count, parts = graph.components(S)
    assert count == 2
    np.testing.assert_array_equal(parts, [0, 0, 1])
    assert np.isfinite(graph.distances(S, 3)).all()
    X, before = np.array([[0.0], [2.0], [7.0]]), np.array([[9.0], [9.0], [9.0]])
    np.testing.assert_array_equal(means_of(S, X, before), [[1.0], [9.0], [7.0]])


@given(seeds)
def test_distances_are_those_of_the_formula(seed):
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((4, 3)), rng.standard_normal((5, 3))
    expected = [[np.sum((x - z) ** 2) for z in Z] for x in X]
    np.testing.assert_allclose(squared_distances(X, Z), expected, atol=1e-12)
    S, _ = k_neighbor_weights(squared_distances(X, Z), 2)
    assert S.shape == (4, 5)

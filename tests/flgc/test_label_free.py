"""The criteria that know no class, each against its formula in plain loops."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from flgc.label_free import (
    Kernel,
    LabelFree,
    agreements,
    by_ranks,
    full_first,
    medoids,
    of_distinct,
    whitened,
)

RNG = np.random.default_rng(3)
# Three groups around different directions, of unequal sizes.
TRUTH = np.repeat([0, 1, 2], [14, 9, 5])
X = 3 * np.eye(3, 6)[TRUTH] * RNG.uniform(1, 2, (28, 1)) + 0.3 * RNG.standard_normal((28, 6))
RANDOM = RNG.integers(0, 3, 28)
MOVED = np.where(np.arange(28) % 7 == 0, 2, TRUTH)


def plain_spaces() -> list[np.ndarray]:
    S1 = np.array([(column - column.mean()) / column.std() for column in X.T]).T
    S2 = np.array([row / np.linalg.norm(row) for row in X])
    S3 = np.array([row / np.linalg.norm(row) for row in S1])
    values, vectors = np.linalg.eigh(np.cov(S1.T, bias=True))
    order = np.argsort(values)[::-1]
    shares = np.cumsum(values[order]) / values.sum()
    count = min(next(i + 1 for i, share in enumerate(shares) if share >= 0.95), len(X) // 4)
    S4 = (S1 - S1.mean(axis=0)) @ vectors[:, order[:count]] / np.sqrt(values[order[:count]])
    return [S1, S2, S3, S4]


def plain_modularity(S: np.ndarray, labels: np.ndarray) -> float:
    """Of the graph that joins each row with its three nearest, in both directions."""
    n = len(S)
    A = np.zeros((n, n))
    for i in range(n):
        nearest = sorted((j for j in range(n) if j != i), key=lambda j: np.linalg.norm(S[i] - S[j]))
        for j in nearest[:3]:
            A[i, j] = A[j, i] = 1
    degrees, total, found = A.sum(axis=1), A.sum(), 0.0
    for i in range(n):
        for j in range(n):
            if labels[i] == labels[j]:
                found += A[i, j] / total - degrees[i] * degrees[j] / total**2
    return found


def plain_rate(S: np.ndarray, labels: np.ndarray) -> float:
    K = S @ S.T
    K = K * len(S) / np.trace(K)
    d, found = np.linalg.matrix_rank(S), 0.0
    for code in set(labels):
        own = np.flatnonzero(labels == code)
        inner = np.eye(len(own)) + d / (0.1 * len(own)) * K[np.ix_(own, own)]
        found += len(own) / (2 * len(S)) * np.linalg.slogdet(inner)[1]
    return -found


@pytest.mark.parametrize("labels", [TRUTH, RANDOM, MOVED, 0 * TRUTH], ids=str)
def test_criteria_are_their_formulas(labels: np.ndarray) -> None:
    found = LabelFree(X)(labels)
    _, S2, S3, _ = spaces = plain_spaces()
    assert found["n_clusters"] == len(set(labels))
    assert found["mod4"] == pytest.approx(np.mean([plain_modularity(S, labels) for S in spaces]))
    assert found["rate2"] == pytest.approx(plain_rate(S2, labels))
    assert found["rate3"] == pytest.approx(plain_rate(S3, labels))


def test_the_true_clusters_are_better_than_others_by_each() -> None:
    judge = LabelFree(X)
    true, moved, drawn = judge(TRUTH), judge(MOVED), judge(RANDOM)
    for name in ("mod4", "rate2", "rate3"):
        assert true[name] > moved[name] > drawn[name]


def test_names_of_clusters_and_sparse_features_change_nothing() -> None:
    expected = LabelFree(X)(TRUTH)
    assert LabelFree(X)(np.array([7, -3, 5])[TRUTH]) == pytest.approx(expected)
    assert LabelFree(sp.csr_array(X))(TRUTH) == pytest.approx(expected)


def test_of_many_rows_some_are_looked_at_but_all_clusters_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("flgc.label_free.MOST_ROWS", 10)
    rows = np.unique(np.linspace(0, 27, 10).astype(int))
    labels = np.where(np.arange(28) == 1, 3, TRUTH)  # a cluster that none of these has
    assert 1 not in rows
    found, some = LabelFree(X)(labels), LabelFree(X[rows])(labels[rows])
    assert found.pop("n_clusters") == 4
    assert found == {name: some[name] for name in found}


def test_features_without_information_are_worth_nothing_and_no_error() -> None:
    found = LabelFree(np.zeros((12, 3)))(np.arange(12) % 2)
    assert found["rate2"] == found["rate3"] == 0
    assert np.isfinite(found["mod4"])


def test_a_rate_costs_the_same_by_rows_and_by_features() -> None:
    wide = RNG.standard_normal((9, 40))
    for S in (wide, wide.T):
        labels = np.arange(len(S)) % 2
        assert Kernel.of(S).rate(labels) == pytest.approx(plain_rate(S, labels))


def test_whitened_components_have_variance_one_and_nothing_in_common() -> None:
    S = whitened(X)
    np.testing.assert_allclose(S.T @ S / len(S), np.eye(S.shape[1]), atol=1e-12)
    assert whitened(RNG.standard_normal((20, 50))).shape[1] == 5, "at most N / 4"


def test_agreements_are_adjusted_rand_indices() -> None:
    every = [TRUTH, RANDOM, MOVED, 0 * TRUTH, np.arange(28), TRUTH + 5]
    found = agreements(every)
    for (i, one), (j, other) in itertools.product(enumerate(every), repeat=2):
        assert found[i, j] == pytest.approx(adjusted_rand_score(one, other), abs=1e-12)
    means = [np.mean([found[i, j] for j in range(6) if j != i]) for i in range(6)]
    np.testing.assert_allclose(medoids(every), means)
    assert medoids([TRUTH]).tolist() == [0]


def test_ranks_count_modularity_twice_and_equal_settings_alike() -> None:
    table = pd.DataFrame(
        {"rate3": [1.0, 2.0, 3.0], "rate2": [0.5, 0.5, 0.1], "mod4": [0.3, 0.1, 0.2]}
    )
    expected = [1 + 2.5 + 2 * 3, 2 + 2.5 + 2 * 1, 3 + 1 + 2 * 2]
    assert by_ranks(table).tolist() == expected
    assert by_ranks(table.iloc[::-1]).tolist() == expected[::-1]


def test_settings_that_lost_a_cluster_are_out_unless_all_did() -> None:
    table = pd.DataFrame({"n_clusters": [3.0, 2.0, 3.0], "a": [1, 2, 3]})
    assert full_first(table)["a"].tolist() == [1, 3]
    assert full_first(table[table["a"] == 2])["a"].tolist() == [2]


def test_equal_clusterings_are_looked_at_once() -> None:
    asked = []

    def of_one(labels: np.ndarray) -> dict[str, float]:
        asked.append(labels)
        return {"first": float(labels[0]), "sum": float(labels.sum())}

    found = of_distinct(of_one, [[0, 1, 1], [5, 9, 9], [1, 0, 0]])
    assert len(asked) == 2
    assert found["sum"].tolist() == [2, 2, 1]
    assert found["first"].tolist() == [0, 0, 1]

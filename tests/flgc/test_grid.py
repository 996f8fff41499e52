from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from threadpoolctl import threadpool_info, threadpool_limits

import flgc.grid
from flgc.graph import as_adjacency, propagation_matrix
from flgc.grid import LostDigits, accuracies, score_grid
from tests import plain
from tests.flgc.drawn import random_graph, splits_of

HOPS, TELEPORTS, REGULARIZATIONS = [0, 2, 5], [0.0, 0.3, 1.0], [0.1, 1.0, 30.0]
GRID = {"hops": HOPS, "teleports": TELEPORTS, "regularizations": REGULARIZATIONS}


@given(plain.problems())
def test_every_model_of_the_grid_equals_its_own_fit(problem):
    A, X, labels, labelled, n_classes = problem
    P = propagation_matrix(as_adjacency(A))
    Y = np.eye(n_classes)[labels[labelled]]
    nodes = np.arange(len(X))
    scores = {
        side: score_grid(
            P,
            sp.csr_array(X) if side == "labels" else X,
            labels,
            labelled,
            n_classes=n_classes,
            **accuracies(labels, {"all": nodes}),
            side=side,
            **GRID,
        )
        for side in ("labels", "features")
    }
    for i, hops in enumerate(HOPS):
        for t, teleport in enumerate(TELEPORTS):
            H = plain.propagate(P.toarray(), X, hops, teleport)
            for r, regularization in enumerate(REGULARIZATIONS):
                W = plain.ridge_weights(H, Y, labelled, regularization)
                errors, hits, certain = [], [], []
                for k, node in enumerate(labelled):
                    rest = np.delete(labelled, k)
                    held_out = H[node] @ plain.ridge_weights(
                        H, np.delete(Y, k, axis=0), rest, regularization
                    )
                    errors.append(((Y[k] - held_out) ** 2).sum())
                    certain.append(_margin(held_out) > 1e-9 and held_out.argmax() == labels[node])
                    hits.append(certain[-1] or _margin(held_out) <= 1e-9)
                decided = np.apply_along_axis(_margin, 1, H @ W) > 1e-9
                correct = (H @ W).argmax(axis=1) == labels
                for result in scores.values():
                    np.testing.assert_allclose(
                        result.loo_squared_error[i, t, r], np.mean(errors), rtol=1e-8, atol=1e-8
                    )
                    assert result.loo_accuracy[i, t, r] <= np.mean(hits) + 1e-12
                    assert result.loo_accuracy[i, t, r] >= np.mean(certain) - 1e-12
                    found = result.judged["all"][i, t, r] * len(nodes)
                    assert correct[decided].sum() - 1e-6 <= found
                    assert found <= (correct | ~decided).sum() + 1e-6


def _margin(scores):
    """Distance of the two best scores; where it is rounding only, either class is right."""
    best = np.sort(scores)
    return best[-1] - best[-2]


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_change_the_result(monkeypatch, threads):
    P, X, labels = random_graph(60)
    run = {"n_classes": 3, **accuracies(labels, {"test": np.arange(30, 60)}), **GRID}
    expected = score_grid(P, X, labels, np.arange(30), **run)
    monkeypatch.setattr(flgc.grid, "n_threads", lambda: threads)
    found = score_grid(P, X, labels, np.arange(30), **run)
    np.testing.assert_array_equal(found.judged["test"], expected.judged["test"])
    np.testing.assert_allclose(found.loo_squared_error, expected.loo_squared_error, rtol=1e-10)


def test_an_error_in_a_thread_is_not_swallowed():
    def fail(rows):
        raise FloatingPointError(rows)

    with pytest.raises(FloatingPointError):
        list(flgc.grid.solved(fail, [(0, 0, 1), (0, 1, 2)], 2))


def test_grids_side_by_side_leave_blas_as_it_was(monkeypatch):
    monkeypatch.setattr(flgc.grid, "n_threads", lambda: 2)
    rng = np.random.default_rng(0)
    X, labels = rng.standard_normal((40, 8)), np.arange(40) % 2
    P = sp.eye_array(40).tocsr()

    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, "blas"), ThreadPoolExecutor(3) as pool:
        before = threads()
        run = partial(score_grid, P, X, labels, np.arange(20), n_classes=2, **GRID)
        for grid in [pool.submit(run) for _ in range(6)]:
            grid.result()
        assert threads() == before
    assert 2 in before


@pytest.mark.parametrize("n_features", [4, 40])
@pytest.mark.parametrize("side", ["labels", "features", "auto"])
@pytest.mark.parametrize("at_once", [1, 1000, 10**9])
def test_many_splits_equal_one_after_the_other(side, n_features, at_once, monkeypatch):
    monkeypatch.setattr(flgc.grid, "_MOST_LABELLED_NUMBERS", at_once)
    monkeypatch.setattr(flgc.grid, "_MOST_SCORED_NUMBERS", at_once)
    (P, X, labels), (labelled, test) = random_graph(50, n_features), splits_of(50)
    together = score_grid(
        P, X, labels, labelled, n_classes=3, **accuracies(labels, {"test": test}), side=side, **GRID
    )
    for k in range(4):
        judged = accuracies(labels, {"test": test[k]})
        alone = score_grid(P, X, labels, labelled[k], n_classes=3, **judged, side=side, **GRID)
        np.testing.assert_array_equal(together.judged["test"][k], alone.judged["test"])
        np.testing.assert_allclose(
            together.loo_squared_error[k], alone.loo_squared_error, rtol=1e-9
        )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_label_side_refuses_what_its_products_lose(dtype):
    """Two labelled nodes are equal: without enough r, nothing tells their rows of HH' apart."""
    rng = np.random.default_rng(0)
    X, labels = rng.standard_normal((40, 30)).astype(dtype), np.arange(40) % 2
    X[1], X[3] = X[0], X[2]
    labelled, nodes = np.arange(10), np.arange(40)
    P = sp.eye_array(40, dtype=dtype).tocsr()
    run = {"n_classes": 2, **accuracies(labels, {"all": nodes}), "hops": [0, 1], "teleports": [0.0]}
    W = {
        r: plain.precise_ridge_weights(X[labelled].astype(float), np.eye(2)[labels[labelled]], r)
        for r in (0.0, 1e-12, 1.0)
    }
    for small in (0.0, 1e-12):
        grid = {"regularizations": [small, 1.0], "leave_one_out": small > 0}
        with pytest.raises(LostDigits, match="side='features'"):
            score_grid(P, X, labels, labelled, side="labels", **grid, **run)
        scores = score_grid(P, X, labels, labelled, side="auto", **grid, **run)
        for i, r in enumerate((small, 1.0)):
            decided = np.apply_along_axis(_margin, 1, X @ W[r]) > 1e-4
            correct = (X @ W[r]).argmax(axis=1) == labels
            found = scores.judged["all"][:, 0, i] * len(nodes)
            assert (correct[decided].sum() - 1e-3 <= found).all()
            assert (found <= (correct | ~decided).sum() + 1e-3).all()
    side = flgc.grid._choose_side(P, X, 50, 10, 1, 8, 1)
    assert side == "labels"  # so `auto` did change its mind


def test_side_is_chosen_by_cost_and_memory():
    P = sp.eye_array(5000).tocsr()

    def side(n_features, last_hop, n_rows=1000, n_splits=1):
        X = np.zeros((0, n_features))
        return flgc.grid._choose_side(P, X, n_rows, 100, last_hop, 4000, n_splits)

    assert side(2000, 5) == "labels"
    assert side(50, 5) == "features"  # fewer features than labelled nodes
    assert side(2000, 5, n_rows=10**8) == "features"  # too many numbers to keep
    assert side(200, 40, n_rows=10) == "features"  # long propagation, few rows to score


def test_float32_is_left_where_it_would_lose_the_regularization():
    """Entries of 10^4 and a regularization of 10^-4: their squares leave it no digit in float32."""
    P, X, labels = random_graph(24, n_features=4)
    X = (1e4 * X).astype(np.float32)
    given = {"labels": labels, "labelled": np.arange(12), "n_classes": 3, "side": "features"}
    grid = {"hops": [1], "teleports": [0.1], "regularizations": [1e-4]}
    single = score_grid(P.astype(np.float32), X, **given, **grid)
    double = score_grid(P.astype(np.float32).astype(float), X.astype(float), **given, **grid)
    np.testing.assert_array_equal(single.loo_squared_error, double.loo_squared_error)

"""Rows of FLGC beyond the paper, and the linear LapRLS beside them, against the plain formulas."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel

from flgc.datasets.splits import Split, with_folds
from flgc.graph import knn_graph, propagation_matrix
from flgc.kernels import median_distance
from flgc.methods.base import axes_of, settings_of
from flgc.methods.judging import classification
from flgc.methods.picking import weighting
from flgc.methods.registry import contender
from flgc.methods.scoring import score_table
from flgc.scaling import min_max, standardised
from tests import plain

IRIS, TRUTH = load_iris(return_X_y=True)
IRIS, TRUTH = min_max(IRIS[::3]), TRUTH[::3]
A = knn_graph(IRIS, 4)
P = propagation_matrix(A)
GRIDS = {
    "FLGC*, kernel": {
        "constant": (True, False),
        "width": (0.5, 2.0),
        "hops": (0, 3),
        "teleport": (0.2,),
        "regularization": (0.01, 1.0),
    },
    "FLGC*, no self loops": {"hops": (0, 3), "teleport": (0.2,), "regularization": (0.01, 1.0)},
    "FLGC*, per hop": {"hops": (0, 3), "regularization": (0.01, 1.0)},
    "FLGC*, per hop, no self loops": {"hops": (0, 3), "regularization": (0.01, 1.0)},
    "FLGC*, kernel of hops": {
        "self_loops": (True, False),
        "width": (0.5, 2.0),
        "depth": (0, 3),
        "regularization": (0.01, 1.0),
    },
    "LapRLS, linear": {"ratio": (0.1, 10.0), "ambient": (0.01, 1.0)},
}


def splits(n_labelled: tuple[int, ...] = (12, 15)) -> list[Split]:
    """The second run fits more nodes than the first."""
    found = []
    for seed, n in enumerate(n_labelled):
        order = np.random.default_rng(seed).permutation(50)
        order = order[np.argsort([np.sum(TRUTH[order[:i]] == TRUTH[order[i]]) for i in range(50)])]
        split = Split(np.sort(order[:n]), np.array([], dtype=int), np.sort(order[n:]))
        found.append(with_folds(split, TRUTH, seed))
    return found


def posed(name: str):
    row = contender(name, "classification")
    whole = row.whole({"scaling": ("raw",)})
    grid = {axis: GRIDS[name].get(axis, of_axis) for axis, of_axis in whole.items()}
    return row.method, grid, *classification(IRIS, TRUTH, 3, P, splits(), (7, 8), row.method)


def loopless() -> np.ndarray:
    root = np.diag(1 / np.sqrt(A.sum(axis=1)))
    return root @ A.toarray() @ root


def kernel_of(name: str, setting: dict) -> np.ndarray:
    """What a method has in the place of H H'."""
    if name == "LapRLS, linear":
        K, L = IRIS @ IRIS.T + 1, np.eye(50) - P.toarray()
        return np.linalg.inv(np.eye(50) + setting["ratio"] * K @ L) @ K
    M = P.toarray() if setting.get("self_loops", True) else loopless()
    if "hop" in name:
        blocks, power = [], np.hstack([IRIS, np.ones((50, 1))])
        for _ in range(setting.get("depth", setting["hops"]) + 1):
            blocks.append(power / np.sqrt(np.mean(power**2)))
            power = M @ power
        H = np.hstack(blocks)
        if name == "FLGC*, kernel of hops":
            H = standardised(H)
            return rbf_kernel(H, gamma=0.5 / (setting["width"] * median_distance(H)) ** 2) + 1
        return H @ H.T
    K = IRIS @ IRIS.T
    if name == "FLGC*, kernel":
        radius = setting["width"] * median_distance(IRIS)
        K = rbf_kernel(IRIS, gamma=0.5 / radius**2) + setting["constant"]
    F = plain.propagate(M, np.eye(50), setting["hops"], setting["teleport"])
    return F @ K @ F.T


@pytest.mark.parametrize("name", GRIDS)
def test_scores_and_left_out_errors_are_those_of_the_formula(name):
    method, grid, problem, judge = posed(name)
    table = score_table(method, problem, judge, grid)
    assert len(table) == 2 * len(list(settings_of(grid)))
    table = table.set_index(["run", *(f"p_{axis}" for axis in grid)])
    last = "ambient" if name == "LapRLS, linear" else "regularization"
    for setting, outputs in method.outputs(problem, grid):
        K = kernel_of(name, setting)
        for run, asked in enumerate(problem.asked):
            labelled = problem.labelled(run)
            Y, rows = np.eye(3)[TRUTH[labelled]], np.arange(len(labelled))
            G = K[np.ix_(labelled, labelled)]
            system = G + setting[last] * np.eye(len(rows))
            scores = K[np.ix_(asked, labelled)] @ np.linalg.solve(system, Y)
            np.testing.assert_allclose(outputs.scores[run], scores, atol=1e-4)
            left_out = []
            for i in rows:
                rest = rows != i
                a = np.linalg.solve(system[np.ix_(rest, rest)], Y[rest])
                left_out.append(G[i, rest] @ a)
            error = np.mean(np.sum((Y - np.array(left_out)) ** 2, axis=1))
            row = table.loc[(run, *setting.values())]
            assert row["error"] == pytest.approx(error, rel=1e-3)
            right = scores.argmax(axis=1) == TRUTH[asked]
            assert row["test"] == pytest.approx(right.mean(), abs=1.01 / len(asked))


@pytest.mark.parametrize("name", [name for name in GRIDS if name.startswith("FLGC")])
@pytest.mark.parametrize("combine", ["best", "average"])
def test_what_is_picked_or_averaged_is_the_weighted_sum_of_settings(name, combine):
    method, grid, problem, judge = posed(name)
    weights = weighting(score_table(method, problem, judge, grid), "honest", combine=combine)
    weights = weights[["run", *axes_of(weights), "weight"]]
    found = method.combined(problem, weights)
    each = [(setting, outputs.scores) for setting, outputs in method.outputs(problem, grid)]
    for run in range(2):
        expected = 0.0
        of_run = weights[weights["run"] == run]
        for setting, scores in each:
            here = of_run
            for axis, value in setting.items():
                here = here[here[f"p_{axis}"] == value]
            expected = expected + here["weight"].sum() * scores[run]
        np.testing.assert_allclose(found.scores[run], expected, atol=1e-3)


def test_rows_of_one_method_share_a_grid_unless_they_say_otherwise():
    kernel, averaged = (
        contender(name, "classification") for name in ("FLGC*, kernel", "FLGC*, kernel, averaged")
    )
    assert kernel.method is averaged.method
    assert kernel.whole({}) == averaged.whole({})
    assert averaged.protocols == ("honest",)
    loopless = contender("FLGC*, per hop, no self loops", "classification")
    assert loopless.whole({})["self_loops"] == (False,)

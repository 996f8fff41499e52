"""What leaks the label is in nothing that is computed without it."""

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest

from flgc.datasets import load
from flgc.datasets.splits import runs
from flgc.methods.fitting import fit_cell
from flgc.methods.flgc import FLGC
from flgc.methods.picking import pick_settings
from flgc.methods.scoring import score_settings
from flgc.methods.timing import time_methods
from flgc.preparing import build_graph, corrupt, propagate_features

# The third feature of iris tells its classes apart nearly alone.
IRIS = dataclasses.replace(load("iris"), feature_names=tuple("abcd"), leaking=("c",))
BARE = IRIS.without(["c"])
P = build_graph(IRIS, "raw", 5)
SPLITS = runs(IRIS, "5-per-class", [7, 8])
SETTING = {"scaling": "raw", "constant": False, "hops": 0, "teleport": 0.0, "regularization": 1.0}
GRID = {axis: [value] for axis, value in SETTING.items()}


def scored(data: Any, **given: Any) -> pd.DataFrame:
    return score_settings(data, P, SPLITS, FLGC(), GRID, [7, 8], **given)


PICKS = pick_settings([scored(BARE)], ["raw"], "honest")


def refitted(data: Any, **given: Any) -> pd.DataFrame:
    return fit_cell(data, P, SPLITS, PICKS, FLGC(), [7, 8], {"first_run": 0}, refit=True, **given)


def timed(data: Any, **given: Any) -> pd.DataFrame:
    found = time_methods(data, P, SPLITS, {"a": PICKS}, {"a": FLGC()}, (0, 1), [7, 8], **given)
    return found.drop(columns="training_time")


def graph_of(data: Any, **given: Any) -> pd.DataFrame:
    return pd.DataFrame(build_graph(data, "raw", 5, **given).toarray())


def propagated(data: Any, **given: Any) -> pd.DataFrame:
    return pd.DataFrame(propagate_features(data, P, "raw", 2, 0.1, **given))


@pytest.mark.parametrize("made", [graph_of, propagated, scored, refitted, timed])
def test_what_is_left_out_is_not_seen(made: Any) -> None:
    pd.testing.assert_frame_equal(made(IRIS, without=["c"]), made(BARE))
    assert not made(IRIS).equals(made(BARE))


def test_noise_is_clipped_seeded_and_one_row_for_all_as_asked() -> None:
    data = dataclasses.replace(BARE, features=np.full((4, 3), 0.5))

    def noisy(clip: bool, seed: int, *pattern: str) -> np.ndarray:
        noise, n_changed = corrupt(data, "gaussian", 0.5, "raw", clip, seed, *pattern)
        assert n_changed == 12
        return noise.features

    assert (noisy(True, 1).min(), noisy(True, 1).max()) == (0, 1)
    assert noisy(False, 1).max() > 1
    assert not np.array_equal(noisy(False, 1), noisy(False, 2))
    assert len(np.unique(noisy(False, 1), axis=0)) == 4
    assert len(np.unique(noisy(False, 1, "shared"), axis=0)) == 1

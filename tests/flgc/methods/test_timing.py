"""What is timed: every method by one rule, each number of hops, the usual setting of its runs."""

from itertools import accumulate, chain
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from flgc.methods import timing
from flgc.methods.base import Method, Outputs
from tests.flgc.methods.test_scoring import KARATE, SPLITS, P


class Toy(Method):
    """Notes what it is asked to fit."""

    name = "toy"
    axes = MappingProxyType({"hops": (1, 2), "depth": (1, 2)})

    def __init__(self) -> None:
        self.fits: list[tuple] = []

    def outputs(self, problem, grid):
        self.fits.append((*grid["hops"], *grid["depth"]))
        setting = {axis: value for axis, (value,) in grid.items()}
        yield setting, Outputs([np.zeros(len(problem.asked[0]), dtype=int)])


def test_the_usual_setting_at_all_hops_by_the_median_after_a_first_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lasts = [0.01, 0.09, 0.02, 0.03, 0.15, 0.04]
    clock = accumulate(chain.from_iterable((0.0, last) for last in lasts))
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    toy, picks = Toy(), pd.DataFrame({"run": [0, 1, 2], "p_hops": 9, "p_depth": [1, 2, 2]})
    found = timing.time_methods(KARATE, P, SPLITS, {"a": picks}, {"a": toy}, (1, 2), (7, 8))
    assert toy.fits == [(1, 2), *[(1, 2)] * 3, *[(2, 2)] * 3], "the first fit is not timed"
    assert found["hops"].tolist() == found["p_hops"].tolist() == [1, 2]
    assert found["p_depth"].tolist() == [2, 2]
    assert found["training_time"].tolist() == pytest.approx([0.02, 0.04])
    share = np.mean(KARATE.labels[SPLITS[0].test] == 0)
    assert found["accuracy"].tolist() == pytest.approx([share] * 2)

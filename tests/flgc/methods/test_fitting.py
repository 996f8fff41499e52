"""What fills a cell is read off the pick, or fitted where nobody has fitted it yet."""

import numpy as np
import pandas as pd
import pytest

from flgc.methods.base import axes_of
from flgc.methods.flgc import FLGC
from flgc.methods.picking import pick_settings
from flgc.methods.scoring import fit_cell, score_table
from flgc.propagation import propagate
from tests.flgc.methods.test_scoring import GRID, KARATE, SPLITS, P, posed

CELL = {"experiment": "small", "method": "FLGC*", "first_run": 3}


def picked(protocol: str, combine: str = "best", **part: tuple) -> pd.DataFrame:
    scores = score_table(FLGC(), *posed(FLGC()), GRID)
    return pick_settings([scores], ["given"], protocol, part, combine)


def filled(picks: pd.DataFrame, **given: object) -> pd.DataFrame:
    return fit_cell(KARATE, P, SPLITS, picks, FLGC(), (7, 8), CELL, **given)  # type: ignore[arg-type]


def test_a_pick_is_read_off_and_each_run_says_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    picks = picked("honest")
    monkeypatch.setattr(FLGC, "combined", None)
    rows = filled(picks)
    assert rows["value"].tolist() == picks["test"].tolist()
    assert rows["run"].tolist() == [3, 4], "the first run of this cell is the fourth of its table"
    assert rows["seed"].tolist() == ["7", "8"]
    assert axes_of(rows) == axes_of(picks)
    assert "first_run" not in rows


def test_an_average_is_computed_and_has_no_setting() -> None:
    picks, (problem, judge) = picked("honest", "average"), posed(FLGC())
    rows = filled(picks)
    own = ["run", *(f"p_{name}" for name in FLGC.axes), "weight"]
    outputs = FLGC().combined(problem, picks[own])
    assert rows["value"].tolist() == judge([0, 1], outputs.classes)["test"].tolist()
    assert axes_of(rows) == []


def test_a_setting_is_fitted_from_the_kept_features_of_just_that_setting() -> None:
    picks, asked_for = picked("paper", teleport=(0.3,), hops=(2,)), []

    def kept(scaling: str, hops: int, teleport: float) -> np.ndarray:
        asked_for.append((scaling, hops, teleport))
        return propagate(P, KARATE.features, hops, teleport)

    rows = filled(picks, refit=True, kept=kept)
    assert asked_for == [("raw", 2, 0.3)]
    assert rows["value"].tolist() == picks["test"].tolist()

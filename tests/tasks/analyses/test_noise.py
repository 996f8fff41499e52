from itertools import product

import pandas as pd
import pytest

from tasks.report.rows import COLUMNS
from tasks.report.writers.markdown import written
from tests.tasks.report.made import EMPTY, ROBUSTNESS, evidence

KINDS, INTENSITIES = ("gaussian", "salt_pepper"), (0.01, 0.2)
SHARED, INDEPENDENT = "shared", "independent"


def rows(method: str, values: list[float], pattern: str, **more: object) -> pd.DataFrame:
    """gaussian .01 and .2, salt and pepper .01 and .2, or the first of them."""
    shared = {**EMPTY, "experiment": "robustness", "dataset": "ExtendedYaleB", "method": method}
    shared |= {"protocol": "paper", "metric": "ACC", "noise_pattern": pattern, **more}
    at = product(KINDS, INTENSITIES)
    cells = [
        shared | {"noise": noise, "intensity": intensity, "value": value}
        for (noise, intensity), value in zip(at, values, strict=False)
    ]
    return pd.DataFrame(cells).astype(COLUMNS)


def said(*cells: pd.DataFrame) -> list[str]:
    known = evidence(ROBUSTNESS, cells)
    blocks = known.declared.analyses["noise"].opening(known, known.rows("noise"))
    return written(blocks).splitlines() if blocks else []


def test_each_pattern_says_who_loses_how_much_and_what_robustness_rests_on():
    head, _, first, second, _, last = said(
        rows("FLGC*", [0.89, 0.60, 0.87, 0.86], SHARED),
        rows("EDSC", [0.85, 0.60, 0.86, 0.87], SHARED),
        rows("FLGC*", [0.5, 0.1, 0.6, 0.2], INDEPENDENT),
        rows("EDSC", [0.4, 0.05, 0.5, 0.1], INDEPENDENT),
    )
    assert head.startswith("Under noise, ACC in points, means over the seeds")
    assert first == (
        "- `paper`, shared: lost under gaussian: EDSC 25.0, FLGC* 29.0; lost under salt_pepper: "
        "EDSC -1.0, FLGC* 1.0"
    )
    assert second == (
        "- `paper`, independent: lost under gaussian: EDSC 35.0, FLGC* 40.0; lost under "
        "salt_pepper: EDSC 40.0, FLGC* 40.0"
    )
    assert last == (
        "In `paper` FLGC* has 73.0 at the greatest intensities of a pattern that all rows share "
        "and 15.0 at the same of independent noise: its robustness **rests on the shared pattern**."
    )


@pytest.mark.parametrize(("independent", "rests"), [(0.879, True), (0.881, False), (0.95, False)])
def test_robustness_in_both_patterns_does_not_rest_on_one(independent: float, rests: bool):
    *_, last = said(
        rows("FLGC*", [0.9] * 4, SHARED, protocol="honest"),
        rows("FLGC*", [0.1, independent] * 2, INDEPENDENT, protocol="honest"),
    )
    assert last.startswith("In `honest` ")
    assert ("**rests on the shared pattern**" in last) == rests


def test_values_are_means_over_the_seeds_and_of_the_first_metric():
    seeds = [rows("FLGC*", [0.8 + change, 0.7] * 2, SHARED) for change in (-0.1, 0.1)]
    found = said(*seeds, rows("FLGC*", [0.0] * 4, SHARED, metric="NMI"))
    assert found[2].endswith("under gaussian: FLGC* 10.0; lost under salt_pepper: FLGC* 10.0")


def test_one_intensity_loses_nothing_and_says_what_robustness_rests_on():
    [line] = said(rows("FLGC*", [0.9], SHARED), rows("FLGC*", [0.2], INDEPENDENT))
    assert "has 90.0 at the greatest" in line
    assert "20.0 at the same of independent noise" in line


@pytest.mark.parametrize(
    "cells",
    [
        [rows("FLGC", [0.8], SHARED)],
        [rows("FLGC*", [0.8] * 4, "").assign(noise="")],
        [rows("FLGC", [0.8], SHARED), rows("FLGC*", [0.8], INDEPENDENT)],
        [rows("EDSC", [0.8], SHARED), rows("EDSC", [0.8], INDEPENDENT)],
        [],
    ],
)
def test_nothing_is_said_without_two_intensities_or_patterns_of_ours(cells):
    assert said(*cells) == []

import dataclasses
from collections import Counter

import pytest

from flgc.noise import NOISES, PATTERNS
from tasks.declared.published import published_cells
from tasks.declared.suites import SUITES
from tasks.declared.types import Experiment, Noise

ROBUSTNESS = {e.name: e for suite in SUITES.values() for e in suite if e.noises}
TABLE = ROBUSTNESS["robustness"]


def seeds(experiment: Experiment) -> Counter[str]:
    """How many seeds each noise has."""
    return Counter(subject.noise.title for subject in experiment.subjects if subject.noise)


def test_each_noise_has_its_own_number_of_seeds() -> None:
    few, many = Noise("gaussian", 0.1, runs=1), Noise("gaussian", 0.1, "shared", runs=3)
    experiment = dataclasses.replace(TABLE, noises=(few, many), runs=7)
    assert seeds(experiment) == {few.title: 1, many.title: 3}
    assert [subject.run for subject in experiment.subjects] == [0, 0, 1, 2]
    of_runs = [subject.seeds(experiment) for subject in experiment.subjects]
    assert of_runs[0] == of_runs[1]
    assert all(len(of_run) == 1 for of_run in of_runs)
    assert len({of_run[0] for of_run in of_runs[1:]}) == 3


def test_fewer_runs_are_fewer_seeds_and_more_are_not_more() -> None:
    assert set(seeds(TABLE.with_runs(2)).values()) == {1, 2}
    assert seeds(TABLE.with_runs(9)) == seeds(TABLE)


def test_the_papers_table_has_both_patterns_of_its_eight_rows() -> None:
    printed = published_cells(TABLE)
    rows = set(zip(printed["noise"], printed["intensity"], strict=True))
    for pattern in PATTERNS:
        noises = [noise for noise in TABLE.noises if noise.pattern == pattern]
        assert {(noise.kind, noise.intensity) for noise in noises} == rows
        assert {noise.runs for noise in noises} == {3 if pattern == "shared" else 1}
    assert set(printed["noise_pattern"]) == {"shared"}


@pytest.mark.parametrize("name", ROBUSTNESS)
def test_noises_are_told_apart_by_their_titles_and_are_of_pixels(name: str) -> None:
    noises = ROBUSTNESS[name].noises
    assert len({noise.title for noise in noises}) == len(noises)
    assert {noise.kind for noise in noises} == set(NOISES)
    assert {noise.pattern for noise in noises} == set(PATTERNS)
    assert {(noise.scaling, noise.clip) for noise in noises} == {("raw", True)}

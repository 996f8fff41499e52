"""Experiments that are declared when somebody asks for them."""

from itertools import product

import pytest

from flgc.methods.registry import contender
from tasks.declared.robustness import HOPS, LIKE, METHODS, named, under_noise
from tasks.declared.types import Experiment

NOISES = (("gaussian", 0.1), ("salt_pepper", 0.2))


def asked(kind: str, task: str = "clustering", split: str = "", **more: object) -> Experiment:
    given = {"methods": (), "noises": NOISES, "patterns": ("shared", "independent"), "seeds": 2}
    return under_noise("Some", kind, task, split=split, **{**given, **more})


def test_each_noise_stands_in_each_pattern_with_its_seeds() -> None:
    experiment = asked("images")
    found = [(noise.pattern, noise.kind, noise.intensity) for noise in experiment.noises]
    assert found == [(pattern, *noise) for pattern in ("shared", "independent") for noise in NOISES]
    assert len(experiment.subjects) == 2 * 4


@pytest.mark.parametrize(("kind", "scaling"), [("images", "raw"), ("table", "min-max")])
def test_noise_is_of_features_in_0_1(kind: str, scaling: str) -> None:
    for task, split in (("clustering", ""), ("classification", "10%")):
        noises = asked(kind, task, split).noises
        assert {(noise.scaling, noise.clip) for noise in noises} == {(scaling, True)}


def test_images_are_clustered_as_in_the_papers_table_and_tables_as_small_sets() -> None:
    images, table = asked("images"), asked("table")
    papers = LIKE["clustering"].preparations
    assert {hops for each in papers for hops in each.axes["hops"]} == set(HOPS)
    assert images.preparations[0].axes == {**papers[0].axes, "hops": HOPS}
    assert table.preparations[0].axes["hops"] == HOPS
    assert images.preparations[0].graph == "unit-length"
    assert table.preparations[0].graph == "standardised"
    assert images.preparations[0].n_neighbors is table.preparations[0].n_neighbors is None
    assert images.grids == table.grids == LIKE["clustering"].grids
    assert images.metrics == ("ACC", "NMI")


def test_classification_is_that_of_the_regular_tables() -> None:
    experiment = asked("images", "classification", "5-per-class")
    assert (experiment.task, experiment.split) == ("classification", "5-per-class")
    assert experiment.preparations[0] == LIKE["classification"].preparations[0]
    assert experiment.metrics == ("accuracy",)
    assert experiment.methods == METHODS["classification"]
    assert asked("images", methods=("FLGC",)).methods == ("FLGC",)


def test_a_name_is_one_that_artifacts_may_have() -> None:
    assert named("My_set 2") == "my-set-2"
    assert asked("table").name == "robustness-some"


def test_the_papers_four_methods_share_twelve_settings() -> None:
    table = LIKE["clustering"]
    rows = {name: contender(name, "clustering") for name in ("EDSC", "EGCSC", "FLGC*")}
    settings = {
        name: {
            setting
            for prepared in table.preparations
            for setting in product(
                [prepared.title if row.method.sees_graph else ""],
                *table.grid_of(row, prepared).values(),
            )
        }
        for name, row in rows.items()
    }
    assert sum(map(len, settings.values())) == 12

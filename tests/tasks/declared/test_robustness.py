"""Experiments that are declared when somebody asks for them."""

from itertools import product

import pytest

from flgc.methods.registry import contender
from tasks.declared.paper import NOISY
from tasks.declared.robustness import LIKE, METHODS, named, under_noise
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
    assert images.preparations == LIKE["clustering"].preparations
    for prepared in (*images.preparations, *table.preparations):
        assert {name: prepared.axes[name] for name in NOISY} == NOISY
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


def test_what_was_tuned_with_labels_is_in_paper_alone_and_nowhere_else() -> None:
    papers = LIKE["clustering"]
    name = "ExtendedYaleB"
    assert {each.axes["threshold"] for each in papers.tuned[name]} == {(0.25,)}
    general = [papers.prepared(name, "honest"), asked("images").prepared("Some", "paper")]
    general.append(asked("table").prepared("Some", "paper"))
    for prepared in general:
        for each in prepared:
            assert not {"threshold", "subspace_dim", "power"} & set(each.axes)
            assert each.n_neighbors is None


def test_both_protocols_share_the_general_settings_and_their_number_is_small() -> None:
    table, counts = LIKE["clustering"], {}
    for protocol in ("paper", "honest"):
        counts[protocol] = {
            name: len(
                {
                    setting
                    for prepared in table.prepared("ExtendedYaleB", protocol)
                    for setting in product(
                        [prepared.title if row.method.sees_graph else ""],
                        *table.grid_of(row, prepared).values(),
                    )
                }
            )
            for name in ("EDSC", "EGCSC", "FLGC*")
            for row in [contender(name, "clustering")]
        }
    assert counts["honest"] == {"EDSC": 2, "EGCSC": 2, "FLGC*": 8}
    assert counts["paper"] == {"EDSC": 4, "EGCSC": 6, "FLGC*": 16}

"""A suite in a file: what it may say, and what is said of what it may not."""

from pathlib import Path

import pytest

from tasks.analyses.comparison import Compare
from tasks.analyses.labels import LabelCounts
from tasks.analyses.registry import analyses_of
from tasks.declared.from_toml import read_suite
from tasks.declared.paper import GRAPH, MIN_MAX, SMALL_SETS
from tasks.declared.suites import suite_named
from tasks.declared.types import Noise, Preparation

WHOLE = """
name = "mine"

[[experiment]]
name = "my-tables"
task = "classification"
title = "Mine"
datasets = ["iris", "wine"]
methods = ["FLGC*", "FLGC* averaged", "sklearn.svm:SVC"]
split = "5-per-class"
runs = 4
remarks = ["Small."]
analyses = ["Compare", { kind = "LabelCounts", counts = [1, 3], datasets = ["wine"], runs = 2 }]
[experiment.grids."FLGC*"]
hops = [0, 2]
teleport = [0, 0.1]

[[experiment]]
name = "noisy"
task = "clustering"
flow = "robustness"
datasets = ["digits"]
methods = ["FLGC"]
noises = [{ kind = "gaussian", intensity = 1 }]
preparations = [{ graph = "unit-length", n_neighbors = 12, axes = { scaling = ["raw"] } }]
tuned = { digits = [{ graph = "raw" }] }
"""


def written(folder: Path, text: str) -> str:
    path = folder / "suite.toml"
    path.write_text(text)
    return str(path)


def test_fields_are_those_of_an_experiment(tmp_path):
    name, (tables, noisy) = suite_named(written(tmp_path, WHOLE))
    assert name == "mine"
    assert (tables.name, tables.flow, tables.title, tables.runs) == ("my-tables", "uci", "Mine", 4)
    assert tables.analyses == (Compare(), LabelCounts((1, 3), ("wine",), runs=2))
    assert tables.grids == {"FLGC*": {"hops": (0, 2), "teleport": (0, 0.1)}}
    assert tables.preparations == (MIN_MAX,)
    assert tables.remarks == ("Small.",)
    assert (noisy.flow, noisy.title) == ("robustness", "noisy")
    assert noisy.noises == (Noise("gaussian", 1.0),)
    assert noisy.preparations == (Preparation("unit-length", 12, {"scaling": ("raw",)}),)
    assert noisy.tuned == {"digits": (Preparation("raw"),)}


def test_what_every_experiment_has_may_be_asked_for(tmp_path):
    text = WHOLE.replace('"Compare"', '"Cells", "Sizes"')
    noisy = text.replace('["FLGC"]', '["FLGC"]\nanalyses = ["UnderNoise"]')
    _, experiments = suite_named(written(tmp_path, noisy))
    assert [len(analyses_of(each)) for each in experiments] == [3, 2]


def test_it_does_not_matter_where_the_file_lies(tmp_path):
    (tmp_path / "far").mkdir()
    elsewhere = read_suite(Path(written(tmp_path / "far", WHOLE)))
    assert elsewhere == read_suite(Path(written(tmp_path, WHOLE)))


@pytest.mark.parametrize(
    ("datasets", "task", "prepared"),
    [
        ('["KarateClub"]', "classification", (GRAPH,)),
        ('["iris"]', "classification", (MIN_MAX,)),
        ('["iris"]', "clustering", SMALL_SETS),
    ],
)
def test_the_usual_preparation_is_that_of_the_kind_of_data(tmp_path, datasets, task, prepared):
    split = 'split = "10%"' if task == "classification" else ""
    text = f'name = "x"\n[[experiment]]\nname = "x"\ntask = "{task}"\ndatasets = {datasets}\n'
    _, [found] = suite_named(written(tmp_path, f'{text}methods = ["FLGC"]\n{split}\n'))
    assert found.preparations == prepared


ALONG = '{ kind = "Along", axis = "hops", values = [1, 2], datasets = ["wine"], runs = 1,'
# What is replaced in the good file, by what, and what is said.
FAULTS = [
    ('name = "mine"\n', "", "name = '': give a name"),
    ('name = "mine"', 'name = "Mine!"', "name = 'Mine!': give a name of lower-case"),
    ('name = "mine"', 'name = "paper"', "'paper' is a suite of ours"),
    ('name = "noisy"', 'name = "my-tables"', "two experiments are called 'my-tables'"),
    ('name = "noisy"\n', "", "experiment 2 has no name"),
    ("runs = 4", "run = 4", r"\(my-tables\): unknown key 'run'; choose from name, flow, task"),
    ("runs = 4", "runs = 0", "runs = 0; give 1 or more"),
    ("runs = 4", 'runs = "4"', "runs = '4': give a whole number"),
    ("runs = 4", "runs = true", "runs = True: give a whole number"),
    ('"5-per-class"', '"some"', "split = 'some'; choose public, random"),
    ('"5-per-class"', '"10%"\nmetric = "F1"', "metric: unknown 'F1'; choose from accuracy, AUC"),
    ('"classification"', '"regression"', "task: unknown 'regression'; choose from classification"),
    ('"robustness"', '"noise"', "flow: unknown 'noise'; choose from citation, uci"),
    ('"wine"]\nmethods', '"wien"]\nmethods', "datasets: unknown dataset 'wien'. Did you mean wine"),
    ('["iris",', '["Iris",', "'Iris' is written 'iris'"),
    ('["iris",', '["KarateClub",', "KarateClub have edges"),
    ('"sklearn.svm:SVC"', '"GNC"', "methods: unknown method 'GNC'; did you mean 'SGC' or 'GCN'"),
    ('["FLGC"]', '["GCN"]', "is for classification, not for clustering"),
    ('["FLGC"]', '"FLGC"', "methods = 'FLGC': give a list"),
    ('"FLGC*"]\nhops', '"SVM"]\nhops', "grids: unknown 'SVM'; choose from"),
    ("hops =", "hop =", "unknown 'hop'; choose from"),
    ("hops = [0, 2]", "hops = 2", "hops = 2: give a list of values"),
    (
        '"Compare"',
        '"Wilcoxon"',
        "analyses: unknown 'Wilcoxon'; choose from .*Cells, Columns, Compare, .*TimedHops",
    ),
    ("counts = [1, 3], ", "", "LabelCounts has no counts"),
    ('"Compare",', '"Compare", "Compare",', "two are called 'wilcoxon': give one another figure"),
    ('"Compare"', '"Curve"', "analyses: unknown 'Curve'; choose from Affinities"),
    ('"Compare",', '"Cells", "Bars",', "two are called 'cells'"),
    ('"Compare",', f'{ALONG} figure = "labels" }},', "two are called 'labels'"),
    ('"Compare",', f'{ALONG} figure = "cells" }},', "two are called 'cells'"),
    ('"Compare",', f'{ALONG} figure = "../up" }},', "Along.figure = '../up': give a name of lower"),
    ('datasets = ["wine"], runs', 'datasets = ["zoo"], runs', "unknown 'zoo'; choose from iris"),
    ('"gaussian"', '"uniform"', "noises: kind: unknown 'uniform'; choose from gaussian"),
    ("intensity = 1", 'intensity = "1"', "intensity = '1': give a number"),
    ('scaling = ["raw"]', 'scaling = ["log"]', "axes.scaling: unknown 'log'; choose from raw"),
    ('{ graph = "unit-length"', '{ graph = "line"', "graph: unknown 'line'; choose from given"),
    ("tuned = { digits", "tuned = { iris", "tuned: unknown 'iris'; choose from digits"),
    ('flow = "robustness"', 'split = "10%"', "split = '10%' is for classification"),
    (
        "[[experiment]]",
        "[[experiments]]",
        "unknown key 'experiments'; choose from name",
    ),
    ("runs = 4", "runs = ", "is no TOML"),
]


@pytest.mark.parametrize(("old", "new", "message"), FAULTS)
def test_what_is_wrong_is_named_with_its_place_and_the_choices(tmp_path, old, new, message):
    assert old in WHOLE
    with pytest.raises(ValueError, match=message):
        suite_named(written(tmp_path, WHOLE.replace(old, new)))


def test_a_suite_of_brackets_is_refused_in_words(tmp_path):
    for bracket in ("[", "{a="):
        with pytest.raises(ValueError, match="lists or tables within each other"):
            suite_named(written(tmp_path, f"name = {bracket * 5000}"))


def test_a_suite_that_is_not_there(tmp_path):
    with pytest.raises(
        ValueError,
        match=r"unknown suite 'huge'; choose from paper, tiny, development, heterophilous, or give",
    ):
        suite_named("huge")
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        suite_named(str(tmp_path / "nothing.toml"))
    with pytest.raises(ValueError, match="has no experiment"):
        suite_named(written(tmp_path, 'name = "x"\n'))

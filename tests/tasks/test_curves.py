"""The stages of curves and affinities: at which setting, on which graph, what their keys know."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("prefect")

from flgc.methods.flgc import FLGC
from tasks.analyses.affinity import Affinities
from tasks.analyses.along import Along
from tasks.analyses.base import Analysis
from tasks.analyses.labels import LabelCounts
from tasks.analyses.neighbours import Neighbours
from tasks.declared.paper import closed_form, prepared
from tasks.declared.types import Cell, Experiment, Preparation, Subject
from tasks.stages.products import resolve_setting
from tasks.store import Artifact, Store
from tasks.store.layouts import affinity_of, affinity_table, load
from tests.tasks.chain import dag_of_cell, iris, rows, run_cell, run_steps

ON_IRIS = {"datasets": ("iris",), "runs": 2}
OTHERS = {"setting": {"hops": 3, "regularization": 0.5}, "method": "FLGC*"}


def products(store: Path, cell: Cell, *analyses: Analysis) -> dict[str, Artifact]:
    """What is made of a cell, by figure."""
    dag = dag_of_cell(cell, *analyses)
    made = run_steps(store, dag.table.steps)
    asked = {each.name for each in analyses}
    return {each.analysis: made[each.step] for each in dag.products if each.analysis in asked}


def test_a_further_value_changes_its_own_figure_alone(tmp_path: Path) -> None:
    labels, depths = (
        LabelCounts((1, 3), **ON_IRIS),
        Along("hops", (1, 3), **ON_IRIS, figure="depths"),
    )
    ks = Neighbours((0, 4), **ON_IRIS, **OTHERS)
    first = products(tmp_path, iris(), labels, depths, ks)
    changed = {
        "labels": LabelCounts((1, 2, 3), **ON_IRIS),
        "depths": Along("hops", (1, 4), **ON_IRIS, figure="depths"),
        "neighbours": Neighbours((0, 5), **ON_IRIS, **OTHERS),
    }
    for figure, analysis in changed.items():
        known = {"labels": labels, "depths": depths, "neighbours": ks} | {figure: analysis}
        again = products(tmp_path, iris(), *known.values())
        assert {name for name in again if again[name].key != first[name].key} == {figure}
        assert {name for name in again if not again[name].cached} == {figure}


def test_the_setting_is_that_of_the_cell_without_what_varies(tmp_path: Path) -> None:
    found = products(
        tmp_path,
        iris(),
        LabelCounts((1, 3), **ON_IRIS),
        Along("hops", (1, 3), **ON_IRIS, figure="depths"),
    )
    known = {name: Store(tmp_path).record(made.key) for name, made in found.items()}
    assert set(known["labels"]["made_from"]) == {"data", "graphs/0000", "splits"}, "no picks"
    cell = rows(tmp_path, run_cell(tmp_path, iris())["fit"])
    picked = {axis: cell[f"p_{axis}"][0] for axis in FLGC.axes}
    assert known["labels"]["parameters"]["setting"] == picked
    del picked["hops"]
    assert known["depths"]["parameters"]["setting"] == picked
    assert rows(tmp_path, found["depths"]).groupby("p_hops").size().to_dict() == {1: 2, 3: 2}


def test_a_setting_that_is_given_leaves_the_rest_as_the_grid_begins() -> None:
    grid = {"hops": (1, 2, 3), "teleport": (0.0, 0.1)}
    found = resolve_setting("", ["P"], grid, along="graphs", setting={"hops": 9}, values=(0, 5))
    assert found == {
        "graphs": ["P"],
        "along": "graphs",
        "setting": {"hops": 9, "teleport": 0.0},
        "values": (0, 5),
    }


WINE = Experiment(
    name="prepared",
    flow="clustering",
    task="clustering",
    title="Wine alone",
    datasets=("wine",),
    methods=("FLGC", "FLGC*"),
    grids=closed_form((2, 5), (0.0, 0.1), (10.0,)),
    preparations=(prepared("standardised", "standardised", 10),),
)
FIGURES = (
    Along("hops", (1, 3), datasets=("wine",), runs=2),
    Along("teleport", (0.0, 0.5), datasets=("wine",), runs=1, methods=("FLGC*",)),
    Affinities(("wine",), "FLGC*"),
)
# Of these the second is the better one; the third has its graph, and other features.
SEVERAL = (
    prepared("raw", "raw", 3),
    WINE.preparations[0],
    prepared("standardised", "unit-length", 10, power=(2,)),
)


def clustering(*preparations: Preparation) -> Cell:
    """FLGC* on wine, which picks among the preparations."""
    made = replace(WINE, preparations=preparations)
    return Cell(made, Subject("wine"), "FLGC*", "paper")


def test_clusterings_are_on_the_graph_that_was_picked(tmp_path: Path) -> None:
    picks = run_cell(tmp_path, clustering(*SEVERAL))["pick"]
    [pick] = rows(tmp_path, picks).to_dict("records")
    assert pick["p_graph"] == WINE.preparations[0].title
    assert pick["p_scaling"] == "standardised"
    several = products(tmp_path, clustering(*SEVERAL), *FIGURES)
    alone = products(tmp_path, clustering(*WINE.preparations), *FIGURES)
    assert list(several) == ["hops", "teleport", "affinity"]
    keys = [[made.key for made in each.values()] for each in (several, alone)]
    assert keys[0] == keys[1], "as if there had been no other graph"
    found = rows(tmp_path, several["hops"])
    assert found.groupby("x")["run"].apply(list).to_dict() == {1: [0, 1], 3: [0, 1]}
    assert set(found["p_teleport"]) == {pick["p_teleport"]}
    assert rows(tmp_path, several["teleport"])["x"].tolist() == [0.0, 0.5]
    assert {"ACC", "NMI"} < set(found)


def test_an_affinity_is_kept_in_the_order_of_classes(tmp_path: Path) -> None:
    made = products(tmp_path, clustering(*WINE.preparations), *FIGURES[2:])["affinity"]
    kept = load(Store(tmp_path), made)
    assert kept.matrix.shape == (178, 178)
    assert kept.matrix.dtype == "float32"
    assert kept.blocks == [(0, 59), (59, 130), (130, 178)]
    assert kept.inside > 0.8 > kept.by_chance
    again = affinity_of(affinity_table(kept))
    np.testing.assert_array_equal(again.matrix, kept.matrix)
    np.testing.assert_array_equal(again.labels, kept.labels)
    known = Store(tmp_path).record(made.key)
    assert set(known["made_from"]) == {"data", "graphs/0000"}, "no picks"

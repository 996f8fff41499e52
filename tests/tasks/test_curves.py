"""The stages of curves and affinities: at which setting, on which graph, what their keys know."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("prefect")

from flows.curves import Curve, submit_curves

from flgc.methods.flgc import FLGC
from flows.dag import Chain
from tasks.analyses.affinity import Affinities
from tasks.analyses.along import Along
from tasks.analyses.labels import LabelCounts
from tasks.analyses.neighbours import Neighbours
from tasks.declared.paper import closed_form, prepared
from tasks.declared.types import Cell, Experiment, Preparation, Subject
from tasks.stages.vary import at_setting
from tasks.store import Artifact, Store
from tasks.store.layouts import affinity_of, affinity_table, load
from tests.tasks.chain import IRIS, Plainly, begun_cell, iris, rows, run_cell

ON_IRIS = {"datasets": ("iris",), "runs": 2}
OTHERS = {"setting": {"hops": 3, "regularization": 0.5}, "method": "FLGC*"}


class Called(Plainly):
    """Steps of curves are called, too."""

    def step(self, steps: dict[str, Any], stage: Any, about: str, what: Any, **given: Any) -> Any:
        steps[f"{stage.name} {about}"] = stage(self.plan.store, about, **given)
        return steps[f"{stage.name} {about}"]


def curves(store: Path, *analyses: Any) -> dict[str, Artifact]:
    """The curves of FLGC* on iris, by figure."""
    experiment = replace(IRIS, analyses=analyses)
    shared, chain = begun_cell(store, iris(experiment=experiment), Called)
    shared.splits(chain)
    shared.graphs(chain)
    shared.scores(chain)
    chain.picks = shared.picks(chain, "paper")
    found: Any = submit_curves(shared, experiment, [chain])
    return {curve.figure: curve.result for curve in found}


def test_a_further_value_changes_its_own_figure_alone(tmp_path: Path) -> None:
    labels, depths = (
        LabelCounts((1, 3), **ON_IRIS),
        Along("hops", (1, 3), **ON_IRIS, figure="depths"),
    )
    ks = Neighbours((0, 4), **ON_IRIS, **OTHERS)
    first = curves(tmp_path, labels, depths, ks)
    changed = {
        "labels": LabelCounts((1, 2, 3), **ON_IRIS),
        "depths": Along("hops", (1, 4), **ON_IRIS, figure="depths"),
        "neighbours": Neighbours((0, 5), **ON_IRIS, **OTHERS),
    }
    for figure, analysis in changed.items():
        known = {"labels": labels, "depths": depths, "neighbours": ks} | {figure: analysis}
        again = curves(tmp_path, *known.values())
        assert {name for name in again if again[name].key != first[name].key} == {figure}
        assert {name for name in again if not again[name].cached} == {figure}


def test_the_setting_is_that_of_the_cell_without_what_varies(tmp_path: Path) -> None:
    found = curves(
        tmp_path, LabelCounts((1, 3), **ON_IRIS), Along("hops", (1, 3), **ON_IRIS, figure="depths")
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
    found = at_setting("", ["P"], grid, along="graphs", setting={"hops": 9}, values=(0, 5))
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
    analyses=(
        Along("hops", (1, 3), datasets=("wine",), runs=2),
        Along("teleport", (0.0, 0.5), datasets=("wine",), runs=1, methods=("FLGC*",)),
        Affinities(("wine",)),
    ),
)
# Of these the second is the better one; the third has its graph, and other features.
SEVERAL = (
    prepared("raw", "raw", 3),
    WINE.preparations[0],
    prepared("standardised", "unit-length", 10, power=(2,)),
)


def clusterings(store: Path, preparations: tuple[Preparation, ...]) -> tuple[Chain, list[Curve]]:
    """What is made of FLGC* on wine, which picks among the preparations."""
    cell = Cell(WINE, Subject("wine"), "FLGC*", "paper")
    shared, chain = begun_cell(store, cell, Called)
    chain.preparations = preparations
    shared.graphs(chain)
    shared.scores(chain)
    chain.picks = shared.picks(chain, "paper")
    return chain, submit_curves(shared, WINE, [chain])


def test_clusterings_are_on_the_graph_that_was_picked(tmp_path: Path) -> None:
    chain, several = clusterings(tmp_path, SEVERAL)
    [pick] = rows(tmp_path, chain.picks).to_dict("records")
    assert pick["p_graph"] == WINE.preparations[0].title
    assert pick["p_scaling"] == "standardised"
    _, alone = clusterings(tmp_path, (WINE.preparations[0],))
    assert [curve.figure for curve in several] == ["hops", "teleport", "affinity"]
    keys = [[curve.result.key for curve in found] for found in (several, alone)]
    assert keys[0] == keys[1], "as if there had been no other graph"
    hops, teleport, _ = (curve.result for curve in several)
    found = rows(tmp_path, hops)
    assert found.groupby("x")["run"].apply(list).to_dict() == {1: [0, 1], 3: [0, 1]}
    assert set(found["p_teleport"]) == {pick["p_teleport"]}
    assert rows(tmp_path, teleport)["x"].tolist() == [0.0, 0.5]
    assert {"ACC", "NMI"} < set(found)


def test_an_affinity_is_kept_in_the_order_of_classes(tmp_path: Path) -> None:
    _, found = clusterings(tmp_path, (WINE.preparations[0],))
    kept = load(Store(tmp_path), found[-1].result)
    assert kept.matrix.shape == (178, 178)
    assert kept.matrix.dtype == "float32"
    assert kept.blocks == [(0, 59), (59, 130), (130, 178)]
    assert kept.inside > 0.8 > kept.by_chance
    again = affinity_of(affinity_table(kept))
    np.testing.assert_array_equal(again.matrix, kept.matrix)
    np.testing.assert_array_equal(again.labels, kept.labels)
    [known] = [Store(tmp_path).record(found[-1].result.key)]
    assert set(known["made_from"]) == {"data", "graphs/0000"}, "no picks"

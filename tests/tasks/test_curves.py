"""The stage of curves: at which setting, and what its key knows."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("prefect")

from flgc.methods.flgc import FLGC
from flows.curves import submit_curves
from tasks.declared.types import Depths, LabelCounts, Neighbours
from tasks.stages.vary import at_setting
from tasks.store import Artifact, Store
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
    labels, depths = LabelCounts((1, 3), **ON_IRIS), Depths((1, 3), **ON_IRIS)
    ks = Neighbours((0, 4), **ON_IRIS, **OTHERS)
    first = curves(tmp_path, labels, depths, ks)
    changed = {
        "labels": LabelCounts((1, 2, 3), **ON_IRIS),
        "depths": Depths((1, 4), **ON_IRIS),
        "neighbours": Neighbours((0, 5), **ON_IRIS, **OTHERS),
    }
    for figure, analysis in changed.items():
        known = {"labels": labels, "depths": depths, "neighbours": ks} | {figure: analysis}
        again = curves(tmp_path, *known.values())
        assert {name for name in again if again[name].key != first[name].key} == {figure}
        assert {name for name in again if not again[name].cached} == {figure}


def test_the_setting_is_that_of_the_cell_without_what_varies(tmp_path: Path) -> None:
    found = curves(tmp_path, LabelCounts((1, 3), **ON_IRIS), Depths((1, 3), **ON_IRIS))
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
    found = at_setting("", grid, along="graphs", setting={"hops": 9}, values=(0, 5))
    assert found == {
        "along": "graphs",
        "setting": {"hops": 9, "teleport": 0.0},
        "values": (0, 5),
    }

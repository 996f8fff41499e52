"""The settings of trained rivals on tables: the same number for all, the authors' among them."""

from dataclasses import replace
from pathlib import Path

import pytest

from flgc.methods.base import settings_of
from flgc.methods.registry import contender
from tasks.declared.paper import MIN_MAX
from tasks.declared.rivals import TABLE_GRIDS
from tests.tasks.chain import IRIS, computed, iris, rows, run_cell

RIVALS = ("GCN", "GCN-Linear", "DropEdge", "SGC", "GCNII", "APPNP")


def test_all_rivals_of_the_table_have_a_grid() -> None:
    assert sorted(TABLE_GRIDS) == sorted(RIVALS)


@pytest.mark.parametrize("name", RIVALS)
def test_two_variants_at_three_epochs(name: str) -> None:
    row = contender(name, "classification")
    grid = row.whole({**MIN_MAX.axes, **TABLE_GRIDS[name]})
    assert {*grid} == {*row.method.axes}, "no axis that the method does not have"
    assert {*grid} == {*TABLE_GRIDS[name], "scaling"}, "nothing is left to the method's own values"
    assert row.n_settings({**MIN_MAX.axes, **TABLE_GRIDS[name]}) == 6
    assert sorted(len(values) for values in grid.values())[-2:] == [2, 3]


@pytest.mark.parametrize("name", RIVALS)
def test_the_authors_setting_is_of_the_first_variant(name: str) -> None:
    part = contender(f"{name}, authors' setting", "classification").part
    first = {axis: values[:1] for axis, values in TABLE_GRIDS[name].items()}
    assert {**part, "epochs": ()} == {**first, "epochs": ()}
    [setting] = settings_of(part)
    assert setting in list(settings_of(TABLE_GRIDS[name]))


def test_the_authors_row_costs_no_training(tmp_path: Path) -> None:
    experiment = replace(IRIS, methods=("SGC", "SGC, authors' setting"), grids=TABLE_GRIDS)
    whole = run_cell(tmp_path, iris("SGC", "paper", experiment))
    found = run_cell(tmp_path, iris("SGC, authors' setting", "honest", experiment))
    assert computed(found) == {"pick", "fit"}
    scores, fitted = rows(tmp_path, whole["score"]), rows(tmp_path, found["fit"])
    own = scores[(scores["p_learning_rate"] == 0.2) & (scores["p_epochs"] == 100)]
    assert fitted["value"].tolist() == own["test"].tolist()
    assert set(fitted["tried"]) == {1}

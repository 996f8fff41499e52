"""The authors' own settings are rows that pick nothing."""

import pytest

from flgc.methods.registry import BUILT_IN, contender
from flgc.methods.trained import TrainedMethod

TASK = "classification"
RIVALS = ("GCN", "GCN-Linear", "DropEdge", "SGC", "GCNII", "APPNP")


def test_every_trained_rival_has_one():
    built_in = [contender(name, task) for name, task in BUILT_IN]
    trained = [row for row in built_in if isinstance(row.method, TrainedMethod)]
    assert {row.name for row in trained} == {*RIVALS, *(f"{n}, authors' setting" for n in RIVALS)}


@pytest.mark.parametrize("name", RIVALS)
def test_it_is_a_single_setting_of_its_method(name):
    row, whole = contender(f"{name}, authors' setting", TASK), contender(name, TASK)
    assert type(row.method) is type(whole.method)
    assert row.whole({}) == whole.whole({}), "it shares the scores of the whole grid"
    assert row.published == name
    assert row.n_settings({"scaling": ("min-max",)}) == 1
    # All axes are named: what a grid has besides would be picked from.
    assert {*row.part} == {*row.method.axes} - {"scaling"}
    assert row.picks_nothing
    assert row.protocols == ("honest",), "where nothing is picked, tests are of no use"
    assert not whole.picks_nothing

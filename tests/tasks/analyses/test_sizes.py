import dataclasses

import numpy as np
import pandas as pd

from flgc.datasets import load
from tasks.analyses.columns import column_table
from tasks.declared.described import Described
from tasks.report.gaps import NOT_AVAILABLE, Gap
from tests.tasks.report.made import TINY, UCI, blocks_of, evidence


def sizes(**changed: dict) -> pd.DataFrame:
    """What is published of the datasets, as if it were ours, but for what is changed."""
    printed = {row["dataset"]: row for row in reversed(UCI.printed["sizes"])}
    lacking = {"smallest class": 5, "marks": ""}
    ours = [row | lacking | changed.get(name, {}) for name, row in printed.items() if name != "air"]
    car = {**lacking, "dataset": "CAR", "classes": 4, "instances": 1728, "features": 6}
    return pd.DataFrame([*ours, car | {"train": 174, "test": 1554}])


def shown(of: Described, rows: pd.DataFrame, *gaps: Gap) -> pd.DataFrame:
    [block] = blocks_of(evidence(of, products={"sizes": {"sizes": rows}}, gaps=gaps), "sizes")
    return block.frame.set_index("dataset")


def test_the_slips_of_a_published_table_are_named():
    rows = sizes(haberman={"classes": 2}, x8d5k={"marks": "re-drawn"})
    found = shown(UCI, rows, Gap(NOT_AVAILABLE, "air", "nowhere"))
    assert list(found.index[:2]) == ["air (not available)", "ecoli"]
    slips = found["the printed table"]
    assert slips[["WBC", "CAR", "haberman"]].tolist() == ["in it 2 times", "not in it", "3 classes"]
    assert slips["air (not available)"] == "its sizes, no data to compare"
    assert slips["x8d5k (re-drawn)"] == slips["iris"] == "the same"
    assert found.loc["air (not available)", "instances"] == 359
    assert found.loc["CAR", "instances"] == 1728
    assert len(found) == len(UCI.datasets)


def test_where_nothing_is_published_there_are_no_slips():
    bare = {"dataset": "iris", "classes": 3, "instances": 150, "smallest class": 50, "marks": ""}
    found = shown(dataclasses.replace(TINY, printed={}), pd.DataFrame([bare]))
    assert "the printed table" not in found
    assert found["instances"].tolist() == [150, "", ""]


def test_columns_of_a_table_are_told_as_methods_get_them():
    found = column_table(load("iris")).set_index("column")
    assert len(found) == 4
    X = np.asarray(load("iris").features)
    np.testing.assert_allclose(found["median"], np.median(X, axis=0))
    assert column_table(load("KarateClub")).empty

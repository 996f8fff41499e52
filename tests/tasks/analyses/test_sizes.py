import pandas as pd
from tasks.document.datasets import dataset_table

from tests.tasks.report.made import UCI


def found(**changed: dict) -> pd.DataFrame:
    """What the paper prints of its datasets, as if it were ours, but for what is changed."""
    names = list(dict.fromkeys(row["dataset"] for row in UCI.sizes))
    rows = {name: next(row for row in UCI.sizes if row["dataset"] == name) for name in names}
    lacking = {"smallest class": 5, "marks": ""}
    ours = [row | lacking | changed.get(name, {}) for name, row in rows.items()]
    car = {**lacking, "dataset": "CAR", "classes": 4, "instances": 1728, "features": 6}
    return pd.DataFrame([*ours, car | {"train": 174, "test": 1554}])


def test_the_papers_slips_are_named():
    sizes = found(haberman={"classes": 2}, x8d5k={"marks": "re-drawn"})
    sizes = sizes[~sizes["dataset"].isin(["air"])]
    shown = dataset_table(UCI, sizes, {"air": "not available"}).set_index("dataset")
    assert list(shown.index[:2]) == ["air (not available)", "ecoli"]
    said = shown["the paper's table"]
    assert said["WBC"] == "in it 2 times"
    assert said["CAR"] == "not in it"
    assert said["haberman"] == "3 classes"
    assert said["air (not available)"] == "its sizes, no data to compare"
    assert said["x8d5k (re-drawn)"] == "the same"
    assert said["iris"] == "the same"
    assert shown.loc["air (not available)", "instances"] == 359
    assert shown.loc["CAR", "instances"] == 1728
    assert len(shown) == len(UCI.datasets)

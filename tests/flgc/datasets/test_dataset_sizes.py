import numpy as np

from flgc.datasets import Dataset
from flgc.datasets.sizes import SIZES, sizes
from flgc.datasets.splits import runs


def test_sizes_of_data_and_of_what_a_run_labels():
    labels = np.array([0] * 12 + [1] * 31 + [-1] * 2)
    data = Dataset(
        name="two",
        kind="table",
        features=np.zeros((45, 3)),
        labels=labels,
        class_names=("a", "b"),
        provenance={"marks": ["re-drawn"]},
    )
    found = sizes({"two": data}, {"two": runs(data, "10%", [1, 2])}).iloc[0]
    assert [found[size] for size in SIZES] == [2, 45, 3, 2 + 4, 43 - 6]
    assert (found["smallest class"], found["marks"]) == (12, "re-drawn")
    assert "train" not in sizes({"two": data})

"""Tables as people have them: what is filled, coded and left out, and that it is said."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from flgc.datasets import DatasetError, from_table, load
from flgc.datasets.own import add_from, check_classes, from_files
from flgc.datasets.readers.tidying import tidied

ROWS = 12


def one(values, name="x"):
    """A table of this column and one that is always kept."""
    return pd.DataFrame({name: values, "kept": np.arange(ROWS) ** 2.0})


def column(values, name="x"):
    found, notes = tidied(one(values, name), "onehot", "t.csv")
    return found.get(name), " ".join(notes)


def test_missing_numbers_are_the_median_of_the_others():
    found, said = column([np.nan, 1, 2, 30, *[5] * 8])
    assert found.tolist()[0] == 5
    assert found.tolist()[1:4] == [1, 2, 30]
    assert "'x' (1 of 12, 5)" in said


def test_a_missing_text_is_a_value_of_its_own():
    found, said = column(["red", None, *["blue"] * 10])
    assert found.tolist()[:3] == ["red", "(missing)", "blue"]
    assert "'x' (3 values, one is (missing))" in said


@pytest.mark.parametrize(
    ("values", "name", "why"),
    [
        ([7] * ROWS, "x", "always 7"),
        (["a"] * ROWS, "x", "always a"),
        ([np.nan] * ROWS, "x", "no value"),
        ([np.nan, *[3.0] * (ROWS - 1)], "x", "always 3"),
        (range(ROWS), "x", "numbers the rows"),
        (range(100, 100 + ROWS), "x", "numbers the rows"),
        (range(ROWS, 0, -1), "patient_id", "names the rows"),
        ([f"free text {i}" for i in range(ROWS)], "x", "12 different texts in 12 rows"),
    ],
)
def test_columns_that_say_nothing_are_left_out_with_the_reason(values, name, why):
    found, said = column(list(values), name)
    assert found is None
    assert f"left out: {name!r} ({why})" in said


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (range(ROWS, 0, -1), "height"),  # distinct, but no name of an id
        ([1, 2] * 6, "kind_id"),  # named so, but it names no row
        (["a", None] * 6, "x"),  # whether it is missing says something
        (np.linspace(0, 1, ROWS), "id"),
    ],
)
def test_columns_that_may_say_something_stay(values, name):
    assert column(list(values), name)[0] is not None


def test_numbers_that_are_written_as_text():
    found, said = column([f"{i * i},5" for i in range(ROWS)])
    assert found.tolist()[:3] == [0.5, 1.5, 4.5]
    assert "'x' (decimal commas)" in said
    found, said = column(["oops", *(f"{i}.25" for i in range(1, ROWS))])
    assert found.tolist()[1] == 1.25
    assert "1 of 12 are not numbers, as 'oops', and count as missing" in said
    thousands, _ = column(["1,000", "2,000"] * 6)
    assert thousands.tolist()[0] == "1,000", "it may be either, so it stays text"


@pytest.mark.parametrize(
    ("layout", "order"),
    [
        ("%Y-%m-%d", ""),
        ("%Y/%m/%d", ""),
        ("%Y-%m-%dT%H:%M:%SZ", ""),
        ("%d.%m.%Y", ", day first"),
        ("%m/%d/%Y", ", month first"),
        (None, ""),
    ],
)
def test_dates_become_days(layout, order):
    days = [0, 1, 40, 3, 17, 25, 80, 366, 5, 6, 7, 8]
    dates = pd.Series(pd.Timestamp("2023-12-28") + pd.to_timedelta(days, "D"))
    given = dates if layout is None else dates.dt.strftime(layout)
    found, said = column(given.where(given.index != 3).tolist())
    assert found.tolist() == [*days[:3], 8, *days[4:]], "the missing one is the median"
    assert f"'x' (days since 2023-12-28{order})" in said
    assert "column for each value" not in said


def test_what_only_looks_like_dates_stays_text():
    found, _ = column(["1.2.2024", "31.31.2024"] * 6)
    assert found.tolist()[0] == "1.2.2024"


def test_texts_of_single_rows_are_left_out():
    rows = [f"t{i}" for i in range(30)] + ["t0", "t1", "t2"] * 10
    frame = pd.DataFrame({"x": rows, "kept": np.arange(60) ** 2.0})
    found, notes = tidied(frame, "onehot", "t.csv")
    assert list(found) == ["kept"]
    assert "'x' (30 different texts in 60 rows)" in " ".join(notes)


def test_nothing_left_is_an_error_that_says_why():
    with pytest.raises(DatasetError, match=r"with information.*'a' \(always 1\)"):
        tidied(pd.DataFrame({"a": [1, 1]}), "onehot", "t.csv")


def test_a_whole_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n, size, colour, y\n0, ?, red, a\n1, 2, ?, b\n2, 4, red, ?\n3, 6, blue, a\n")
    dataset = from_table(path, label="y", tidy=True)
    assert dataset.labels.tolist() == [0, 1, -1, 0]
    assert dataset.feature_names[0] == "size"
    assert dataset.features[:, 0].tolist() == [4, 2, 4, 6]
    assert dataset.provenance["notes"][1] == "Label: column 'y'."
    assert any("'n' (numbers the rows)" in note for note in dataset.provenance["notes"])


def test_whole_numbers_beside_a_missing_label_keep_their_names():
    assert from_table(pd.DataFrame({"a": [1, 2, 3], "y": [7, None, 3]})).class_names == ("3", "7")


def test_a_file_becomes_what_it_is(tmp_path):
    (tmp_path / "nodes.csv").write_text("id,x,y\np,1,a\nq,2,b\n")
    (tmp_path / "edges.csv").write_text("s,t\np,q\n")
    files = {"file": tmp_path / "nodes.csv", "label": "y"}
    assert from_files(**files, drop=["id"]).kind == "table"
    graph = from_files(**files, edges=tmp_path / "edges.csv", node="id")
    assert (graph.kind, graph.edges.shape) == ("graph", (2, 2))
    with pytest.raises(DatasetError, match=r"p is not a node of nodes\.csv.*--node"):
        from_files(**files, edges=tmp_path / "edges.csv")
    with pytest.raises(DatasetError, match="give an edge list too"):
        from_files(**files, node="id")
    with pytest.raises(DatasetError, match="leave out label"):
        from_files(tmp_path / "graph.pt", label="y")


def test_a_file_is_kept_by_its_name_and_takes_none_of_others(tmp_path, cache):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": [0, 1, 0, 1]})
    dataset, file = from_table(frame), tmp_path / "one" / "my data.csv"
    assert add_from(dataset, file, cache=cache) == "my-data"
    assert add_from(from_table(frame.assign(x=7)), file, cache=cache) == "my-data"
    assert load("my-data", cache=cache).features[0].tolist() == [7], "the file as it is now"
    with pytest.raises(DatasetError, match="--name"):
        add_from(dataset, tmp_path / "two" / "my data.csv", cache=cache)
    assert add_from(dataset, tmp_path / "two" / "my data.csv", "other", cache=cache) == "other"
    assert add_from(dataset, tmp_path / "iris.csv", cache=cache) == "my-iris"


def test_labels_that_are_no_classes_are_refused():
    dataset = from_table(pd.DataFrame({"x": [1, 2, 3, 4], "y": ["a", "b", "a", None]}))
    check_classes(dataset, n_rows=4)
    with pytest.raises(DatasetError, match="2 classes in 3 rows"):
        check_classes(dataset, n_rows=3)
    alone = dataclasses.replace(dataset, labels=np.array([0, 0, -1, -1]))
    with pytest.raises(DatasetError, match="one class only \\('a'\\)"):
        check_classes(alone, n_rows=4)

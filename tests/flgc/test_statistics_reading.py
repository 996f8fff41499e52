import io
import sys

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from flgc.statistics.reading import read_results
from tests.flgc.compared import paper_accuracies


def table_of(tmp_path, text, suffix=".csv"):
    path = tmp_path / f"results{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_results(str(path))


def refused(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        table_of(tmp_path, text)


EXPECTED = pd.DataFrame({"A": [85.3, np.nan], "B": [84.0, 0.5]}, index=["iris", "wine"])


@pytest.mark.parametrize(
    "text",
    [
        "dataset,A,B\niris,85.3,84\nwine,,.5\n",
        "dataset;A;B\niris;85,3;84\nwine;NA;0,5\n",
        "dataset\tA\tB\niris\t85.3\t84\nwine\tn/a\t5e-1\n",
        "\ufeffdataset,A,B\r\niris,85.3 ± 1.2,84.0±0\r\n\r\nwine,-,0.5 +/- .1\r\n",
        'dataset, A ,B\n"iris",85.3 +- 1.2, 84 \nwine,NaN,+0.5\n',
        "dataset,A,B\niris,85.3%,84 % ± 1 %\nwine,—,0.5\n",
        "dataset,A,B\niris,85.3 ± 1.2 %,84%\nwine,null,0.5\n,,\n",
    ],
)
def test_cells_as_people_write_them(tmp_path, text):
    table, notes = table_of(tmp_path, text)
    assert_frame_equal(table, EXPECTED)
    assert len(notes) == 1
    assert notes[0].startswith("1 of 4 cells are missing")


def test_a_comma_in_a_name_does_not_separate_where_semicolons_do(tmp_path):
    table, _ = table_of(tmp_path, 'data;A, B and C;"D;E"\nx;1;2\ny;2;1\n')
    assert list(table.columns) == ["A, B and C", "D;E"]


def test_tidy_equals_wide(tmp_path):
    wide = paper_accuracies()
    tidy = wide.rename_axis("dataset").reset_index().melt("dataset", var_name="method")
    table, notes = table_of(tmp_path, tidy.sample(frac=1, random_state=0).to_csv(index=False))
    assert_frame_equal(table.loc[wide.index, wide.columns], wide, check_names=False)
    assert notes == []


def test_runs_are_averaged_and_that_is_said(tmp_path):
    text = "run,Method,dataset,value\n1,A,x,80\n2,A,x,90\n1,B,x,70\n2,B,x,\n3,B,x,71\n1,A,y,3\n"
    table, notes = table_of(tmp_path, text)
    assert_frame_equal(
        table, pd.DataFrame({"A": [85.0, 3.0], "B": [70.5, np.nan]}, index=["x", "y"])
    )
    assert notes[0] == "Each cell is the mean of 1 to 3 rows (over run)."
    assert notes[1] == "1 rows without a value are left out of the means."
    assert notes[2].startswith("1 of 4 cells are missing")
    words = text.replace("\n1,", "\nfirst,").replace("\n2,", "\nsecond,")
    assert_frame_equal(table_of(tmp_path, words)[0], table)


def test_rows_of_several_kinds_are_not_averaged(tmp_path):
    text = "dataset,method,metric,value\nx,A,ACC,80\nx,A,NMI,90\n"
    refused(tmp_path, text, "A on x has rows of several metric: ACC, NMI; keep one of them")


def test_parquet_equals_csv(tmp_path):
    wide = paper_accuracies()
    wide.to_csv(tmp_path / "a.csv")
    wide.to_parquet(tmp_path / "a.parquet")
    wide.reset_index().to_parquet(tmp_path / "b.parquet")
    wide.reset_index().sample(frac=1, random_state=0).sort_values("dataset").to_parquet(
        tmp_path / "c.parquet"
    )
    expected, _ = read_results(str(tmp_path / "a.csv"))
    assert_frame_equal(expected, wide, check_names=False)
    for name in "abc":
        table, _ = read_results(str(tmp_path / f"{name}.parquet"))
        assert_frame_equal(table.loc[expected.index] if name == "c" else table, expected)


def test_parquet_may_hold_texts_and_gaps(tmp_path):
    path = tmp_path / "a.parquet"
    numbers = pd.array([84, None], dtype="Int64")
    pd.DataFrame({"data": ["x", "y"], "A": ["1.5 ± 2", None], "B": numbers}).to_parquet(path)
    expected = pd.DataFrame({"A": [1.5, np.nan], "B": [84, np.nan]}, index=["x", "y"])
    assert_frame_equal(read_results(str(path))[0], expected)


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"d,A,B\nx,1,2\ny,3,4\n")))
    table, _ = read_results("-")
    assert table.to_numpy().tolist() == [[1, 2], [3, 4]]


def test_a_row_of_averages_is_told(tmp_path):
    _, notes = table_of(tmp_path, "d,A,B\nx,1,2\nAverage,3,4\n")
    assert notes[0].startswith("Average is taken for a dataset like the others")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("dataset A B\nx 1 2\n", "one column only; separators are"),
        ("d,A,B\nx,1\n", "row 2 has 2 columns, the header 3"),
        ("d,A,\nx,1,2\n", "no name above column 3"),
        ("d,A,B\nx,1,2\n,1,2\n", "no name for dataset in row 2 below the header"),
        ("d,A,B\nx,1,ca. 80\n", "no number for B on x: 'ca. 80'"),
        ("d,A,B\nx,1,1_000\n", "no number for B on x: '1_000'"),
        ('d,A,B\nx,1,"85,3"\n', "no number for B on x: '85,3'"),
        ("d,A,B\nx,1,85 (3)\n", r"no number for B on x: '85 \(3\)'"),
        ("d,A,B\nx,0.85,85%\n", "x has values with % and without"),
        ('d,A,B\nx,1,"2\n', "unexpected end of data"),
        (b"d,A,B\nx,1,\xff\n", "not UTF-8 text"),
        ("dataset,method,value,Value\nx,A,1,2\n", "column twice in the table: value"),
        ("dataset,method,mean\nx,A,1\n", "dataset and method, but no column value"),
        ("dataset,method,value\nx,,1\n", "no name for a row of x"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, text, message):
    refused(tmp_path, text, message)

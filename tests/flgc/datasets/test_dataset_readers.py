"""Readers: text tables say which line is wrong, pickles run nothing."""

import os
import pickle
from collections import defaultdict

import pytest

from flgc.datasets.readers.planetoid import unpickle
from flgc.datasets.readers.text import TextTable, ordinal, read_svmlight


def test_columns_codes_and_missing_values():
    read = TextTable(drop=(0,), label=1, codes={3: ordinal("low", "high")}, missing=0.5)
    parsed = read({"f": b"@header\nx,b,1,low\ny,a,?,high\n\n"}, ("a", "b"))
    assert parsed.features.tolist() == [[1, 0], [0.5, 1]]
    assert parsed.labels.tolist() == [1, 0]


def test_rows_with_missing_values_are_dropped_by_default():
    assert len(TextTable()({"f": b"1,?,a\n1,2,a\n"}, ("a",)).features) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1,2,a\n1,x,a\n", "f, line 2: could not convert"),
        (b"1,2,a\n1,2,c\n", "f, line 2: unknown class 'c'; expected one of a, b"),
        (b"1,2,a\n1,2,3,a\n", "rows of different lengths"),
    ],
)
def test_wrong_lines_are_named(content, message):
    with pytest.raises(ValueError, match=message):
        TextTable()({"f": content}, ("a", "b"))


def test_unknown_codes_are_named():
    with pytest.raises(ValueError, match="unknown value 'middle' in column 0"):
        TextTable(codes={0: ordinal("low")})({"f": b"middle,a\n"}, ("a",))


def test_svmlight():
    parsed = read_svmlight(3)({"f": b"2 1:1 3:1\n1 2:0.5\n"}, ("1", "2"))
    assert parsed.features.tolist() == [[1, 0, 1], [0, 0.5, 0]]
    assert parsed.labels.tolist() == [1, 0]


class _Evil:
    def __reduce__(self):
        return os.system, ("echo never",)


def test_pickles_of_anything_but_arrays_are_refused():
    with pytest.raises(pickle.UnpicklingError, match="not allowed in a dataset"):
        unpickle(pickle.dumps(_Evil()))
    neighbours = defaultdict(list, {0: [1, 2]})
    assert unpickle(pickle.dumps(neighbours, protocol=2)) == neighbours

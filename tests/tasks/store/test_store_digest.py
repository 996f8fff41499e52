"""Digests say the same for the same values, however they lie in memory."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from tasks.store.digests import content_digest
from tasks.store.layouts import matrix_to_table, table_to_matrix
from tasks.store.parquet import FIELDS, as_table, read_record, read_table, to_bytes

columns = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))).map(
        lambda v: pa.array(v, pa.int64())
    ),
    st.lists(st.one_of(st.none(), st.floats())).map(lambda v: pa.array(v, pa.float64())),
    st.lists(st.one_of(st.none(), st.floats(width=32))).map(lambda v: pa.array(v, pa.float32())),
    st.lists(st.one_of(st.none(), st.booleans())).map(lambda v: pa.array(v, pa.bool_())),
    st.lists(st.one_of(st.none(), st.text(st.characters(codec="utf-8")))).map(
        lambda v: pa.array(v, pa.string())
    ),
    st.lists(st.one_of(st.none(), st.binary())).map(lambda v: pa.array(v, pa.binary())),
    st.lists(st.one_of(st.none(), st.lists(st.integers(0, 99)))).map(
        lambda v: pa.array(v, pa.list_(pa.int32()))
    ),
    st.lists(st.none()).map(lambda v: pa.array(v, pa.null())),
    st.lists(st.one_of(st.none(), st.datetimes())).map(lambda v: pa.array(v, pa.timestamp("us"))),
)


@settings(deadline=None)
@given(columns)
def test_round_trip(column: pa.Array) -> None:
    table = pa.table({"a": column})
    digest = content_digest(table)
    record = {name: {} if kind is dict else "" for name, kind in FIELDS.items()}
    numbers = {"format": 1, "rows": len(column), "seconds": 0.5}
    record |= numbers | {"digest": digest, "created": "2026-11-16T00:00:00+00:00"}
    data = to_bytes(table, record)
    assert read_record(data) == record
    back = read_table(data, digest)
    assert back.schema.equals(table.schema)
    assert content_digest(back) == digest


@settings(deadline=None)
@given(columns, st.data())
def test_chunks_and_slices_do_not_count(column: pa.Array, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(column)))
    padded = pa.concat_arrays([column, column])
    pieces = pa.chunked_array([padded.slice(0, cut), padded.slice(cut, len(column) - cut)])
    assert content_digest(pa.table({"a": pieces})) == content_digest(pa.table({"a": column}))


def test_values_names_types_and_nulls_count() -> None:
    tables = [
        pa.table({"a": [1, 2]}),
        pa.table({"a": [1, 3]}),
        pa.table({"b": [1, 2]}),
        pa.table({"a": [1.0, 2.0]}),
        pa.table({"a": pa.array([1, 2], pa.int32())}),
        pa.table({"a": [1, None]}),
        pa.table({"a": [1, 0]}),
        pa.table({"a": [0.0]}),
        pa.table({"a": [-0.0]}),
        pa.table({"a": ["x", "yz"]}),
        pa.table({"a": ["xy", "z"]}),
        pa.table({"a": [b"xy", b"z"]}),
        pa.table({"a": ["", None]}),
        pa.table({"a": [None, ""]}),
        pa.table({"a": [[1], [2, 3]]}),
        pa.table({"a": [[1, 2], [3]]}),
        pa.table({"a": [[1], []]}),
        pa.table({"a": [[1], None]}),
        pa.table({"a": [1, 2]}).replace_schema_metadata({"k": "v"}),
        pa.table({"a": [1, 2], "b": [1, 2]}),
        pa.table({}),
    ]
    assert len({content_digest(table) for table in tables}) == len(tables)


def test_the_ways_of_pandas_do_not_count() -> None:
    """A category, a large string and a string are one text."""
    frame = pd.DataFrame({"a": ["x", "y", "x"]})
    plain = content_digest(pa.table({"a": ["x", "y", "x"]}))
    assert content_digest(as_table(frame)) == plain
    assert content_digest(as_table(frame.astype("category"))) == plain
    assert content_digest(pa.table({"a": pa.array(["x", "y", "x"], pa.large_string())})) == plain


def test_a_digest_may_not_change_with_the_process_or_the_version() -> None:
    table = pa.table({"n": [1, None], "x": [0.5, -0.0], "s": ["é", ""], "l": [[1, 2], []]})
    assert (
        content_digest(table) == "421f67ec83668d563f574286b99a6aeab5b1ea4dcd6de6cbb7bc127c7284c3e6"
    )


def test_types_without_a_digest_are_named() -> None:
    with pytest.raises(TypeError, match="column 'point' is of type struct"):
        content_digest(pa.table({"point": [{"x": 1}]}))


numbers = st.sampled_from(["float64", "float32", "int64", "int32", "uint8", "bool"])
shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=6)


def through_parquet(matrix: object) -> object:
    table = as_table(matrix_to_table(matrix))
    digest = content_digest(table)
    return table_to_matrix(read_table(to_bytes(table, {"digest": digest}), digest))


@settings(deadline=None)
@given(numbers.flatmap(lambda dtype: hnp.arrays(dtype, shapes)))
def test_dense_matrices_come_back_bit_for_bit(matrix: np.ndarray) -> None:
    back = through_parquet(matrix)
    assert isinstance(back, np.ndarray)
    assert (back.dtype, back.shape, back.tobytes()) == (
        matrix.dtype,
        matrix.shape,
        matrix.tobytes(),
    )
    assert back.flags.writeable


@settings(deadline=None)
@given(
    numbers.flatmap(
        lambda dtype: hnp.arrays(
            dtype, shapes, elements={"allow_nan": False} if "float" in dtype else None
        )
    )
)
def test_sparse_matrices_come_back(matrix: np.ndarray) -> None:
    given_matrix = sparse.csr_array(matrix)
    back = through_parquet(given_matrix)
    assert isinstance(back, sparse.csr_array)
    assert (back.dtype, back.shape, back.nnz) == (matrix.dtype, matrix.shape, given_matrix.nnz)
    assert (back.toarray() == matrix).all()


def test_fortran_order_is_no_other_matrix() -> None:
    matrix = np.arange(12.0).reshape(3, 4)
    turned = np.asfortranarray(matrix)
    assert content_digest(matrix_to_table(turned)) == content_digest(matrix_to_table(matrix))


def test_what_is_no_matrix_is_refused() -> None:
    with pytest.raises(TypeError, match="call tocsr"):
        matrix_to_table(sparse.coo_array(np.eye(2)))
    with pytest.raises(ValueError, match="two axes"):
        matrix_to_table(np.zeros(3))
    with pytest.raises(TypeError, match="object"):
        matrix_to_table(np.array([[None]]))
    with pytest.raises(ValueError, match="not a matrix"):
        table_to_matrix(pa.table({"a": [1]}))

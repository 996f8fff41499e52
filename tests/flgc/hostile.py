"""What users may do to the estimators and the transform, as a table.

Built from lists of values per argument, good and bad, and the estimators that take it. A bad one
must be refused in words that help. A good one must give an answer that is finite, of the right
shape and, where the input has a clean form, that of the clean form.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import networkx as nx
import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from torch_geometric.data import Data, HeteroData

from flgc import FLGCClassifier, FLGCClassifierCV, FLGCClustering
from flgc.checks import MOST_HOPS
from flgc.transforms import Propagate
from tests.flgc.watched import Row

warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")

# --- the clean problem: two clouds, a graph within each, every third node labelled --------------

N, D = 24, 3
RNG = np.random.default_rng(0)
CLASS = np.arange(N) % 2
X = RNG.standard_normal((N, D)) + 4.0 * CLASS[:, None]
X_NEW = RNG.standard_normal((5, D)) + 4.0 * (np.arange(5) % 2)[:, None]
Y = np.where(np.arange(N) % 3 == 0, CLASS, -1)
A = np.triu((RNG.random((N, N)) < 0.4) & (CLASS[:, None] == CLASS), 1)
A = (A | A.T).astype(float)
EDGES = np.array(np.triu(A).nonzero())
A_NEW = (RNG.random((5, N)) < 0.3).astype(float)
GRID = {"hops": (0, 2), "teleports": (0.0, 0.3), "regularizations": (0.1, 1.0)}
MODELS: dict[str, tuple[type, dict[str, Any]]] = {
    "FLGCClassifier": (FLGCClassifier, {"hops": 2}),
    "FLGCClassifierCV": (FLGCClassifierCV, GRID),
    "FLGCClassifierCV average": (FLGCClassifierCV, GRID | {"combine": "average"}),
    "FLGCClustering": (FLGCClustering, {"n_clusters": 2, "hops": 2, "random_state": 0}),
}
CLASSIFIERS = ("FLGCClassifier", "FLGCClassifierCV", "FLGCClassifierCV average")
# An input by its name, and words of the message.
Refusals = dict[str, tuple[Any, str]]
IDLE: Any = object()  # an argument that is left out


def fitted(name: str, change: Any = MappingProxyType({}), /, **arguments: Any) -> np.ndarray:
    """Scores (or clusters) of all nodes, looked at."""
    model = fit(name, change, **arguments)
    n_nodes = model.adjacency_.shape[0]
    if name == "FLGCClustering":
        assert model.labels_.shape == (n_nodes,), model.labels_.shape
        assert set(model.labels_) <= set(range(int(model.n_clusters))), model.labels_
        return model.labels_
    assert model.label_scores_.shape == (n_nodes, len(model.classes_)), model.label_scores_.shape
    assert set(model.transduction_) <= set(model.classes_), model.transduction_
    assert all(label not in (-1, "-1", "", None) for label in model.classes_), model.classes_
    return model.label_scores_


def fit(name: str, change: Any = MappingProxyType({}), /, **arguments: Any) -> Any:
    """A model, fitted on the clean problem but for the arguments that are named."""
    kind, settings = MODELS[name]
    given = {"X": X, "y": Y} | arguments
    model = kind(**{**settings, **change})
    return model.fit(**{key: value for key, value in given.items() if value is not IDLE})


@cache
def clean(name: str, with_graph: bool = False) -> np.ndarray:
    return fitted(name, adjacency=A if with_graph else IDLE)


@cache
def clean_model(name: str, sparse: bool = False) -> Any:
    return fit(name, X=sp.csr_array(X) if sparse else X)


def predicted(model: Any, X_new: Any, **arguments: Any) -> np.ndarray:
    scores = model.decision_function(X_new, **arguments)
    classes = model.predict(X_new, **arguments)
    assert scores.shape == classes.shape == (len(X_NEW),), (scores.shape, classes.shape)
    assert set(classes) <= {0, 1}, classes
    return scores


def data(**change: Any) -> Data:
    """The clean problem as a PyG Data."""
    parts = {
        "x": torch.as_tensor(X),
        "y": torch.as_tensor(CLASS),
        "edge_index": torch.as_tensor(EDGES),
        "train_mask": torch.as_tensor(Y >= 0),
    } | change
    return Data(**{key: value for key, value in parts.items() if value is not IDLE})


def propagated(graph: Any, **settings: Any) -> np.ndarray:
    x = Propagate(**({"hops": 2} | settings))(graph).x
    assert x.shape == (N, D), x.shape
    return x.detach().to(torch.float64).numpy()


# --- parameters ----------------------------------------------------------------------------------


def named(*values: Any) -> dict[str, Any]:
    return {f"{type(value).__name__} {value!r:.30}": value for value in values}


HUGE = 10**400
NO_NUMBERS = named(
    "3", "", b"1", [1], (1, 1), {}, np.array([1, 1]), np.array([1]), np.array(1), torch.tensor(1),
    pd.Series([1]), True, False, np.True_, float("nan"), np.float32("nan"), pd.NA, float("inf"),
    1j, Decimal("0.5"), Fraction(1, 2), len, -1, HUGE,
)  # fmt: skip
NO_WHOLE_NUMBERS = NO_NUMBERS | named(1.5, 1.0, np.float64(1))
BAD: dict[str, dict[str, Any]] = {
    "hops": NO_WHOLE_NUMBERS | named(None, 10**9, MOST_HOPS + 1),
    "teleport": NO_NUMBERS | named(None, 1.1, np.float32(1.5)),
    "regularization": NO_NUMBERS | named(None, -1e-12),
    "n_neighbors": NO_WHOLE_NUMBERS | named(N),
    "n_clusters": NO_WHOLE_NUMBERS | named(None, 0, N + 1, 2.0),
    "subspace_dim": {k: v for k, v in NO_WHOLE_NUMBERS.items() if v is not HUGE} | named(None),
    "threshold": NO_NUMBERS | named(0.0, 1.1),
    "power": NO_NUMBERS | named(0),
    "solver": named("magic", None, 1, np.array(["auto"]), []),
    "scoring": named("f1", None, len, np.array(["accuracy"])),
    "combine": named(
        "mean", None, True, ["average"], np.mean, np.array(["average"]), "Average", ""
    ),
    "device": named("tpu", None, 0, ["cpu"], "cuda:x", "cudax", "torch:nowhere", ""),
    "dtype": named(
        "int8", 32, "float16", np.int32, "two or so", np.zeros(3), ["float32"], {}, complex
    ),
    "kernel": named("cubic", None, 1, np.array(["rbf"]), []),
    "gamma": NO_NUMBERS | named(0.0, "scale"),
    "filter": named("low-pass", None, filter, ["per-hop"]),
    "self_loops": named(None, 1, 0.0, "yes", np.array([True])),
    "norm": named("l2", None, ["l1"], np.array(["fro"])),
    "random_state": named("seed", -1, 1.5, True, 2**40, [1], np.random.default_rng(0)),
}
GOOD = {
    "hops": named(0, np.int8(120), np.uint64(2), MOST_HOPS),
    "teleport": named(0, 1, np.float16(0.1), np.longdouble(0.1)),
    "regularization": named(0, 3, np.float32(2), 1e300, 5e-324),
    "n_neighbors": named(None, 0, N - 1, np.int8(5)),
    "n_clusters": named(1, np.int8(2), np.uint8(3)),
    "subspace_dim": named(1, 1000, 10**30, np.int8(100)),
    "threshold": named(None, 1, np.float32(0.5), 1e-300),
    "power": named(None, 2, 0.5, 1e6),
}
NUMBERS = ("hops", "teleport", "regularization", "n_neighbors")
BEYOND = ("kernel", "gamma", "filter", "self_loops")
PARAMETERS = {
    "FLGCClassifier": (*NUMBERS, "solver", *BEYOND, "device", "dtype"),
    "FLGCClassifierCV": ("n_neighbors", "scoring", "combine", *BEYOND, "device", "dtype"),
    "FLGCClustering": (*GOOD, "solver", "norm", "device", "random_state"),
}


FIT = ("flgc.classifier.propagation_matrix", "flgc.clustering.graph_for")


def trying(name: str, argument: str) -> Callable[[Any], np.ndarray]:
    return lambda value: fitted(name, **{argument: value})


def refused(
    subject: str,
    cases: Refusals,
    attempt: Callable,
    before: tuple[str, ...] = ("flgc.classifier.propagation_matrix",),
) -> Iterator[Row]:
    """What must be refused, and `before` which functions of flgc are called."""

    def early(value: Any) -> Any:
        with ExitStack() as stack:
            for name in before:
                stack.enter_context(patch(name, side_effect=AssertionError("work was done")))
            return attempt(value)

    for kind, (value, message) in cases.items():
        yield Row(f"{subject}: {kind}", partial(early, value), message)


def accepted(
    subject: str, cases: dict[str, Any], attempt: Callable, same_as: Callable | None = None
) -> Iterator[Row]:
    for kind, value in cases.items():
        yield Row(f"{subject}: good, {kind}", partial(attempt, value), same_as=same_as)


def all_saying(message: str, values: dict[str, Any]) -> Refusals:
    return {kind: (value, message) for kind, value in values.items()}


def damaged_saying(message: str, matrix: np.ndarray) -> Refusals:
    return all_saying(message, {f"damaged {k}": each for k, each in sparse_damage(matrix).items()})


def parameter_rows() -> Iterator[Row]:
    subjects = [(name, each) for name, parameters in PARAMETERS.items() for each in parameters]
    for name, parameter in [*subjects, ("Propagate", "hops"), ("Propagate", "teleport")]:

        def attempt(value: Any, name: str = name, parameter: str = parameter) -> np.ndarray:
            if name == "Propagate":
                return propagated(data(), **{parameter: value})
            return fitted(name, {parameter: value})

        subject = f"{name} {parameter}"
        cases = all_saying(f"{parameter}=", BAD[parameter])
        yield from refused(subject, cases, attempt, before=FIT)
        yield from accepted(subject, GOOD.get(parameter, {}), attempt)
    yield from accepted(
        "FLGCClassifier dtype",
        named(np.float32, "f4", np.dtype("float32")),
        lambda dtype: fitted("FLGCClassifier", {"dtype": dtype}),
        lambda: fitted("FLGCClassifier", {"dtype": "float32"}),
    )

    yield from refused(
        "FLGCClassifierCV regularizations",
        {"0": ((0.0, 1.0), "regularizations > 0")},
        lambda values: fitted("FLGCClassifierCV", {"regularizations": values}),
    )


AXES = {"hops": "hops", "teleports": "teleport", "regularizations": "regularization"}
NO_AXES = named(
    None, 1, "12", b"\x01", {1: 1}, {1}, (value for value in (1, 1)), np.array(1),
    np.ones((1, 1), dtype=int),
)  # fmt: skip


def grid_rows() -> Iterator[Row]:
    for axis, parameter in AXES.items():

        def attempt(values: Any, axis: str = axis) -> np.ndarray:
            return fitted("FLGCClassifierCV", {axis: values})

        subject = f"FLGCClassifierCV {axis}"
        mixed = {f"one is {kind}": [1, value] for kind, value in BAD[parameter].items()}
        forms = {form.__name__: form(GRID[axis]) for form in (list, np.array, pd.Series)}
        yield from refused(subject, all_saying(f"{axis}=", NO_AXES), attempt)
        yield from refused(subject, all_saying(f"no {axis}", named((), np.array([]))), attempt)
        yield from refused(subject, all_saying(f"{parameter}=", mixed), attempt)
        yield from accepted(subject, forms, attempt, partial(clean, "FLGCClassifierCV"))
    yield Row(
        "FLGCClassifierCV hops: good, many and int8",
        lambda: fitted("FLGCClassifierCV", {"hops": [np.int8(100), 1000]}),
    )


VALIDATION = {
    "floats": (np.array([0.0, 3.0]), "type float64"),
    "a share": (0.2, "type float64"),
    "one number": (3, "shape ()"),
    "True": (True, "shape ()"),
    "short mask": (np.ones(5, bool), "mask of 5 entries, but there are 24"),
    "long mask": (np.ones(N + 1, bool), "mask of 25 entries"),
    "beyond": ([0, N], "names node 24"),
    "below": ([0, -3], "names node -3"),
    "huge": ([2**60], "names node"),
    "text": ("val", "validation="),
    "texts": (["a", "b"], "validation="),
    "empty": ([], "names no node"),
    "mask of nothing": (np.zeros(N, bool), "names no node"),
    "dict": ({0: 1}, "validation="),
    "set": ({0, 3}, "validation="),
    "2-d mask": (np.ones((N, 2), bool), "validation[:, 0]"),
    "None inside": ([0, None], "type object"),
    "mask with gaps": (pd.Series([True, None] * 12, dtype="boolean"), "type object"),
    "unlabelled nodes": ([0, 1], "1 of 2 validation nodes have no label"),
    "all of a class": (np.flatnonzero(Y == 1), "1 classes are labelled in validation nodes only"),
    "sparse": (sp.csr_array(np.ones((1, N))), "validation="),
    "masked array": (np.ma.array([0, 3], mask=[0, 1]), "masked"),
}
IN_VALIDATION = np.isin(np.arange(N), [0, 3])
GOOD_VALIDATION = {
    "list": [0, 3],
    "repeated": [0, 3, 3],
    "tuple": (0, 3),
    "uint8": np.array([0, 3], np.uint8),
    "tensor": torch.tensor([0, 3]),
    "mask": IN_VALIDATION,
    "list of truths": IN_VALIDATION.tolist(),
    "tensor mask": torch.as_tensor(IN_VALIDATION),
    "mask of 0 and 1": IN_VALIDATION.astype(int),
    "series": pd.Series(IN_VALIDATION),
}


def validation_rows() -> Iterator[Row]:
    attempt = trying("FLGCClassifierCV", "validation")
    yield from refused("FLGCClassifierCV validation", VALIDATION, attempt)
    yield from accepted(
        "FLGCClassifierCV validation",
        GOOD_VALIDATION,
        attempt,
        partial(attempt, np.array([0, 3])),
    )


# --- features ------------------------------------------------------------------------------------


def damaged(matrix: Any, **parts: Any) -> Any:
    """A sparse matrix whose arrays were changed behind its back."""
    for part, (position, value) in parts.items():
        getattr(matrix, part)[position] = value
    return matrix


def damaged_coo(matrix: np.ndarray) -> Any:
    coo = sp.coo_array(matrix)
    coo.coords[1][0] = 10**6
    return coo


def damaged_lil(matrix: np.ndarray) -> Any:
    lil = sp.lil_array(matrix)
    lil.rows[0] = [10**6] * len(lil.data[0])
    return lil


def broken_csr_tensor(matrix: np.ndarray) -> Any:
    tensor = torch.as_tensor(matrix).to_sparse_csr()
    tensor.col_indices()[0] = 10**6
    return tensor


def sparse_damage(matrix: np.ndarray) -> dict[str, Any]:
    return {
        "csr, index too large": damaged(sp.csr_array(matrix), indices=(0, 10**6)),
        "csr, index below 0": damaged(sp.csr_array(matrix), indices=(0, -(10**6))),
        "csr matrix, index too large": damaged(sp.csr_matrix(matrix), indices=(0, 10**6)),
        "csr, pointers back": damaged(sp.csr_array(matrix), indptr=(1, 10**6)),
        "csr, last pointer 0": damaged(sp.csr_array(matrix), indptr=(-1, 0)),
        "csr, last pointer beyond": damaged(sp.csr_array(matrix), indptr=(-1, 10**6)),
        "csc, index too large": damaged(sp.csc_array(matrix), indices=(0, 10**6)),
        "bsr, index too large": damaged(sp.bsr_array(matrix), indices=(0, 10**6)),
        "coo, index too large": damaged_coo(matrix),
        "lil, index too large": damaged_lil(matrix),
        "csr tensor, index too large": broken_csr_tensor(matrix),
    }


def with_entry(value: Any, dtype: Any = float, matrix: np.ndarray = X) -> np.ndarray:
    changed = matrix.astype(dtype)
    changed[3, 1] = value
    return changed


def forms(matrix: np.ndarray) -> dict[str, Any]:
    """The same numbers as every kind of matrix."""
    tensor, kinds = torch.as_tensor(matrix), ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")
    return {
        "list": matrix.tolist(),
        "Fortran order": np.asfortranarray(matrix),
        "longdouble": matrix.astype(np.longdouble),
        "frame": pd.DataFrame(matrix),
        "tensor": tensor,
        "sparse tensor": tensor.to_sparse(),
        "CSR tensor": tensor.to_sparse_csr(),
        **{kind: getattr(sp, f"{kind}_array")(matrix) for kind in kinds},
        **{f"{kind} matrix": getattr(sp, f"{kind}_matrix")(matrix) for kind in kinds[:3]},
    }


def no_features(matrix: np.ndarray) -> Refusals:
    return {
        "None": (None, "X (NoneType)"),
        "text": ("features", "X (str)"),
        "1-d": (matrix[:, 0], "Reshape your data"),
        "no rows": (matrix[:0], "X (ndarray of shape (0, 3))"),
        "NaN": (matrix * np.nan, "contains NaN"),
        "complex": (matrix + 1j, "Complex data not supported"),
        "1e200": (matrix * 1e200, "scale of X is out of range"),
        "masked array": (np.ma.masked_greater(matrix, 4.0), "masked"),
    }


NO_FEATURES: Refusals = {
    **no_features(X),
    "a number": (3.0, "X (float)"),
    "dict": ({"x": 1}, "X (dict)"),
    "empty list": ([], "X (list)"),
    "no columns": (np.empty((N, 0)), "X (ndarray of shape (24, 0))"),
    "3-d": (X[:, :, None], "X (ndarray of shape (24, 3, 1))"),
    "1-d sparse": (sp.coo_array(X[:, 0]), "X"),
    "one NaN": (with_entry(np.nan), "contains NaN"),
    "infinity": (with_entry(np.inf), "contains infinity"),
    "sparse NaN": (sp.csr_array(with_entry(np.nan)), "contains NaN"),
    "None inside": (with_entry(None, object), "contains NaN"),
    "texts": ([*X.tolist()[:-1], ["a", "b", "c"]], "X (list)"),
    "dict inside": (with_entry({}, object), "X (ndarray of shape (24, 3))"),
    "huge integer": (with_entry(10**400, object), "X (ndarray of shape (24, 3))"),
    "ragged": ([[1.0, 2.0], [1.0]] * 12, "X (list)"),
    "complex tensor": (torch.as_tensor(X + 1j), "Complex data not supported"),
    "dates": (np.full((N, D), np.datetime64("2020-01-01")), "X (ndarray of shape (24, 3))"),
    "frame of texts": (pd.DataFrame([["a", "b"]] * N), "X (DataFrame"),
    "frame with NA": (pd.DataFrame(with_entry(np.nan)).astype("Float64"), "contains NaN"),
    "structured": (np.zeros(N, dtype=[("a", float), ("b", float)]), "X (ndarray"),
    "meta tensor": (torch.empty((N, D), device="meta"), "X is a Tensor of shape (24, 3)"),
    "HeteroData": (HeteroData(), "X (HeteroData)"),
    "1e-200": (X * 1e-200, "scale of X is out of range"),
    "1e308": (X / np.abs(X).max() * 1e308, "scale of X is out of range"),
    "one entry 1e200": (with_entry(1e200), "largest value is 1e+200"),
    "sparse 1e200": (sp.csr_array(X * 1e200), "scale of X is out of range"),
    "float32 1e25": ((X * 1e25).astype(np.float32), "in float32"),
    "float32 1e-25": ((X * 1e-25).astype(np.float32), "in float32"),
}  # fmt: skip
SAME_FEATURES = {
    **forms(X),
    "object array": X.astype(object),
    "texts of numbers": X.astype(str),
    "reversed view": X[::-1][::-1],
    "read only": np.frombuffer(X.tobytes()).reshape(X.shape),
    "big endian": X.astype(">f8"),
    "frame of Float64": pd.DataFrame(X).astype("Float64"),
    "frame called edge_index": pd.DataFrame(X, columns=["edge_index", "x", "y"]),
    "masked array without masked entries": np.ma.array(X),
    "tensor with gradient": torch.tensor(X, requires_grad=True),
    "64-bit indices": sp.csr_array(
        (X.ravel(), np.tile(np.arange(D), N).astype(np.int64), np.arange(0, N * D + 1, D))
    ),
}
# Exact in half precision and int8, with hardly a tie among the distances.
ROUNDED = np.round(16 * X)
WHOLE = torch.as_tensor(ROUNDED)
KINDS = (torch.bfloat16, torch.float16, torch.int, torch.int8, torch.float32)
ROUNDED_TENSORS = {f"tensor of {kind}": WHOLE.to(kind) for kind in KINDS}
ROUNDED_TENSORS |= {f"sparse {kind}": WHOLE.to(kind).to_sparse() for kind in KINDS[:3]}
OTHER_FEATURES = {
    **ROUNDED_TENSORS,
    **{kind: ROUNDED.astype(kind) for kind in ("int8", "int64", "float16", "float32")},
    "sparse ints": sp.csr_array(ROUNDED.astype(int)),
}
STRANGE_FEATURES: dict[str, Any] = {
    "bools": X > 2,
    "zeros": np.zeros((N, D)),
    "all rows equal": np.ones((N, D)),
    "one column": X[:, :1],
    "many columns": np.tile(X, 40),
    "empty sparse": sp.csr_array((N, D)),
    "1e100": X * 1e100,
    "1e-100": X * 1e-100,
    "a denormal": with_entry(5e-324),
    "-0.0": with_entry(-0.0),
    "entries far apart": with_entry(1e100),
}


def feature_rows() -> Iterator[Row]:
    for name in MODELS:
        subject, attempt = f"{name} X", trying(name, "X")
        yield from refused(subject, NO_FEATURES | damaged_saying("X is a damaged", X), attempt)
        yield from accepted(subject, SAME_FEATURES, attempt, partial(clean, name))
        yield from accepted(subject, OTHER_FEATURES, attempt, partial(attempt, ROUNDED))
        yield from accepted(subject, STRANGE_FEATURES, attempt)


# --- labels --------------------------------------------------------------------------------------

TEXT = np.where(Y < 0, "", np.where(Y == 1, "spam", "ham"))
KNOWN = Y >= 0


def labels_with(missing: Any, values: Any = Y) -> list[Any]:
    return [value if known else missing for value, known in zip(values, KNOWN, strict=True)]


def first(value: Any, values: Any = Y) -> np.ndarray:
    changed = np.array(values, dtype=object)
    changed[0] = value
    return changed


NO_LABELS: dict[str, tuple[Any, str]] = {
    "None": (None, "requires y"),
    "left out": (IDLE, "requires y"),
    "a number": (1, "y should be a 1d array"),
    "text": ("ham", "y should be a 1d array"),
    "dict": ({0: 1}, "y should be a 1d array"),
    "set": ({0, 1}, "y should be a 1d array"),
    "empty": ([], "y has 0 labels"),
    "too short": (Y[:-1], "y has 23 labels, but X has 24 rows"),
    "too long": (np.append(Y, 1), "y has 25 labels"),
    "one-hot": (np.eye(2)[CLASS], "shape (24, 2)"),
    "a row": (Y[None], "shape (1, 24)"),
    "sparse": (sp.csr_array(Y[:, None]), "y should be a 1d array"),
    "ragged": ([[0], [0, 1]] * 12, "y (list)"),
    "all unlabelled": (np.full(N, -1), "all 24 nodes as unlabelled"),
    "all NaN": (np.full(N, np.nan), "all 24 nodes as unlabelled"),
    "all None": ([None] * N, "all 24 nodes as unlabelled"),
    "all pandas.NA": (pd.Series([pd.NA] * N, dtype="Int64"), "all 24 nodes as unlabelled"),
    "one class": (np.where(Y == 1, 1, -1), "single class"),
    "infinity": (np.where(KNOWN, Y, np.inf), "y contains infinity"),
    "shares": (np.where(KNOWN, 0.3 + Y / 10, -1), "y cannot be used as classes"),
    "complex": (Y + 1j, "y has labels of type complex128"),
    "dates": (np.full(N, np.datetime64("2020-01-01")), "y has labels of type datetime64"),
    "bytes": (TEXT.astype(bytes), "y cannot be used as classes"),
    "numbers and text": (first("ham"), "labels of type"),
    "truths and numbers": (first(True), "labels of type"),
    "lists inside": ([[0, 1]] * N, "shape (24, 2)"),
    "tuples inside": (first((1, 2)), "labels of type"),
    "arrays inside": (first(np.arange(2)), "labels of type"),
    "functions inside": (first(len), "labels of type"),
    "Decimals": (first(Decimal(1)), "labels of type"),
    "shares as objects": (first(0.5), "y cannot be used as classes"),
    "masked array": (np.ma.masked_equal(Y, -1), "y is a masked array"),
    "meta tensor": (torch.empty(N, device="meta"), "y is a Tensor"),
    "frame of two columns": (pd.DataFrame({"a": Y, "b": Y}), "shape (24, 2)"),
}
SAME_LABELS: dict[str, Any] = {
    "list": Y.tolist(),
    "column": Y[:, None],
    "frame": pd.DataFrame({"y": Y}),
    "series with another index": pd.Series(Y, index=range(100, 100 + N)),
    "int8": Y.astype(np.int8),
    "floats": Y.astype(float),
    "objects": Y.astype(object),
    "float objects": Y.astype(float).astype(object),
    "tensor": torch.as_tensor(Y),
    "bfloat16 tensor": torch.as_tensor(Y).to(torch.bfloat16),
    "None": labels_with(None),
    "NaN": np.where(KNOWN, Y, np.nan),
    "NaN in a series": pd.Series(labels_with(np.nan)),
    "pandas.NA": labels_with(pd.NA),
    "Int64 with NA": pd.Series(labels_with(pd.NA), dtype="Int64"),
    "Int64 with -1": pd.Series(Y, dtype="Int64"),
    "boolean with NA": pd.Series(labels_with(pd.NA, Y == 1), dtype="boolean"),
    "truths with None": labels_with(None, Y == 1),
    "categories": pd.Categorical(Y),
    "categories with gaps": pd.Series(pd.Categorical(labels_with(None))),
    "categories in disorder": pd.Categorical(labels_with(None), categories=[1, 0]),
    "texts": TEXT,
    "texts with -1": np.where(KNOWN, TEXT, "-1"),
    "text objects": TEXT.astype(object),
    "texts and None": labels_with(None, TEXT),
    "texts and NaN": pd.Series(labels_with(np.nan, TEXT)),
    "texts and the number -1": np.array(labels_with(-1, TEXT.tolist()), dtype=object),
    "string series": pd.Series(labels_with(pd.NA, TEXT), dtype="string"),
    "text categories with gaps": pd.Series(labels_with(None, TEXT.tolist()), dtype="category"),
    "large numbers": np.where(KNOWN, Y + 10**15, -1),
    "negative numbers": np.where(KNOWN, Y - 10, -1),
}


def label_rows() -> Iterator[Row]:
    for name in CLASSIFIERS:
        attempt = trying(name, "y")
        yield from refused(f"{name} y", NO_LABELS, attempt)
        yield from accepted(f"{name} y", SAME_LABELS, attempt, partial(clean, name))
    yield from accepted(
        "FLGCClustering y is ignored",
        {kind: value for kind, (value, _) in NO_LABELS.items()},
        trying("FLGCClustering", "y"),
        partial(clean, "FLGCClustering"),
    )


# --- graphs --------------------------------------------------------------------------------------


def no_weights(matrix: np.ndarray) -> Refusals:
    nan = with_entry(np.nan, matrix=matrix)
    return {
        "text": ("knn", "is 'knn'"),
        "dict": ({0: [1]}, "(dict)"),
        "objects": (with_entry(None, object, matrix), f"of shape {matrix.shape}"),
        "1-d": (np.ones(N), "of shape (24,)"),
        "NaN": (nan, "NaN or infinite weights"),
        "infinity": (with_entry(np.inf, matrix=matrix), "NaN or infinite weights"),
        "sparse NaN": (sp.csr_array(nan), "NaN or infinite weights"),
        "negative": (with_entry(-2.0, matrix=matrix), "negative weight (-2)"),
        "complex": (matrix + 1j, "complex weights"),
        "sparse complex": (sp.csr_array(matrix + 1j), "complex weights"),
        "1e308": (matrix * 1e308, "too large to be summed"),
        "masked array": (np.ma.masked_equal(matrix, 0), "masked"),
    }


NO_GRAPHS: Refusals = {
    **no_weights(A),
    "a number": (5, "is 5"),
    "True": (True, "is True"),
    "set": ({(0, 1)}, "(set)"),
    "function": (len, "(builtin_function_or_method)"),
    "texts": (A.astype(str), "of shape (24, 24)"),
    "ragged": ([[0, 1], [1]], "is a list that is not a matrix"),
    "3-d": (A[:, :, None], "of shape (24, 24, 1)"),
    "oblong": (A[:, :-1], "shape (24, 23)"),
    "too small": (A[:-1, :-1], "23 nodes but X has 24 rows"),
    "too large, sparse": (sp.csr_array((25, 25)), "25 nodes but X has 24 rows"),
    "edges as rows": (EDGES.T, "an integer edge_index of shape (2, E)"),
    "float edge_index": (EDGES.astype(float), "edge_index has shape (2, "),
    "float tensor edge_index": (torch.as_tensor(EDGES).float(), "edge_index has"),
    "three rows": (np.vstack([EDGES, EDGES[:1]]), "shape (3, "),
    "edge beyond": (np.array([[0, 1, 2], [1, 2, N]]), "names node 24"),
    "edge below": (np.array([[0, 1, 2], [1, 2, -1]]), "names node -1"),
    "Data without edges": (Data(x=torch.as_tensor(X)), "no edge_index"),
    "frame of names": (pd.DataFrame({"source": ["a"], "target": ["b"]}), "whole numbers"),
    "frame of floats": (pd.DataFrame({"source": [0.0], "target": [1.5]}), "type float64"),
    "frame with gaps": (pd.DataFrame({"source": [0, None], "target": [1, 2]}), "whole num"),
    "frame of three columns": (pd.DataFrame(np.ones((4, 3), int)), "shape (4, 3)"),
    "frame, node beyond": (pd.DataFrame({"source": [0], "target": [N]}), "names node 24"),
    "frame, weight of text": (
        pd.DataFrame({"source": [0], "target": [1], "weight": ["x"]}), "edge_weight",
    ),
    "frame, negative weight": (
        pd.DataFrame({"source": [0], "target": [1], "weight": [-1.0]}), "negative weight",
    ),
    "meta tensor": (torch.empty((N, N), device="meta"), "is a Tensor of shape (24, 24)"),
}  # fmt: skip
SAME_GRAPHS = {
    **forms(A),
    "matrix": A,
    "bools": A > 0,
    "int8": A.astype(np.int8),
    "float16": A.astype(np.float16),
    "upper half": np.triu(A),
    "with loops": A + 7 * np.eye(N),
    "csr of bools": sp.csr_array(A > 0),
    "explicit zeros": damaged(sp.csr_array(A + np.eye(N)), data=(0, 0.0)),
    "edge_index": EDGES,
    "edge_index list": EDGES.tolist(),
    "edge_index uint8": EDGES.astype(np.uint8),
    "edge_index twice": np.hstack([EDGES, EDGES]),
    "edge_index tensor": torch.as_tensor(EDGES),
    "bfloat16 tensor": torch.as_tensor(A).to(torch.bfloat16),
    "Data": data(),
    "frame of two columns": pd.DataFrame(EDGES.T, columns=["from", "to"]),
    "frame of edges": pd.DataFrame({"target": EDGES[1], "source": EDGES[0]}),
    "frame of weights": pd.DataFrame({"weight": 1.0, "target": EDGES[1], "source": EDGES[0]}),
}
EMPTY_GRAPHS: dict[str, Any] = {
    "zeros": np.zeros((N, N)),
    "empty csr": sp.csr_array((N, N)),
    "empty edge_index": np.empty((2, 0)),
    "empty edge_index tensor": torch.empty((2, 0)),
    "only loops": np.eye(N),
    "tiny weights": A * 1e-300,
}
NETWORKX_GRAPHS: dict[str, Any] = {
    "graph": nx.from_numpy_array(A),
    "built in disorder": nx.Graph(EDGES.T[::-1].tolist()),
    "directed": nx.DiGraph(EDGES.T.tolist()),
    "multigraph": nx.MultiGraph([*EDGES.T.tolist(), *EDGES.T[:, ::-1].tolist()]),
    "some weights": nx.Graph([(u, v, {"weight": 1.0} if u else {}) for u, v in EDGES.T]),
}
NO_NETWORKX_GRAPHS: Refusals = {
    "names": (nx.Graph([("a", "b")]), "a node called 'a'"),
    "node beyond": (nx.Graph([(0, N)]), "names node 24"),
    "lonely node beyond": (nx.empty_graph(N + 1), "names node 24"),
    "node below": (nx.Graph([(0, -1)]), "names node -1"),
    "NaN": (nx.Graph([(0, 1, {"weight": np.nan})]), "NaN or infinite weights"),
    "weight of text": (nx.Graph([(0, 1, {"weight": "x"})]), "edge_weight"),
    "negative": (nx.Graph([(0, 1, {"weight": -1})]), "negative weight"),
}


def graph_rows() -> Iterator[Row]:
    for name in MODELS:
        subject, attempt = f"{name} adjacency", trying(name, "adjacency")
        same = partial(clean, name, with_graph=True)
        damage = damaged_saying("the adjacency is a damaged", A)
        yield from refused(subject, NO_GRAPHS | damage, attempt)
        yield from accepted(subject, SAME_GRAPHS, attempt, same)
        yield from accepted(
            subject, EMPTY_GRAPHS, attempt, partial(fitted, name, {"n_neighbors": 0})
        )
        subject = f"{name} networkx"
        yield from refused(subject, NO_NETWORKX_GRAPHS, attempt)
        yield from accepted(subject, NETWORKX_GRAPHS, attempt, same)


# --- prediction ----------------------------------------------------------------------------------


NO_NEW_GRAPHS: Refusals = {
    **no_weights(A_NEW),
    "transposed": (A_NEW.T, "shape (24, 5), it must be (5, 24)"),
    "one row short": (A_NEW[1:], "it must be (5, 24)"),
}
NO_NEW_FEATURES: Refusals = {
    **no_features(X_NEW),
    "a column short": (X_NEW[:, :-1], "X has 2 features"),
    "Data": (data(), "X (Data)"),
}


def changed_after_fit(name: str, make: Callable[[np.ndarray], Any]) -> np.ndarray:
    """Predictions of a model whose X and graph were overwritten by their owner after the fit."""
    features, graph = X.copy(), sp.csr_array(A)
    model = fit(name, X=make(features), adjacency=graph)
    features[:] = 1e9
    graph.data[:] = 1e9
    return predicted(model, X_NEW, adjacency=A_NEW)


def prediction_rows() -> Iterator[Row]:
    for name in CLASSIFIERS:

        def by_graph(graph: Any, name: str = name) -> np.ndarray:
            return predicted(clean_model(name), X_NEW, adjacency=graph)

        subject = f"{name} predict adjacency"
        damage = damaged_saying("the adjacency of new rows is a damaged", A_NEW)
        yield from refused(subject, NO_NEW_GRAPHS | damage, by_graph, before=())
        yield from accepted(subject, forms(A_NEW), by_graph, partial(by_graph, A_NEW))
        for sparse in (False, True):

            def attempt(features: Any, name: str = name, sparse: bool = sparse) -> np.ndarray:
                return predicted(clean_model(name, sparse), features)

            subject = f"{name} predict X after a {'sparse' if sparse else 'dense'} fit"
            damage = damaged_saying("X is a damaged", X_NEW)
            yield from refused(subject, NO_NEW_FEATURES | damage, attempt, before=())
            # In both cases the answer of dense rows after a dense fit.
            same = partial(attempt, X_NEW, sparse=False)
            yield from accepted(subject, forms(X_NEW), attempt, same)
        yield from accepted(
            f"{name} overwritten after the fit",
            {
                "array": lambda features: features,
                "tensor": torch.from_numpy,
                "frame": lambda features: pd.DataFrame(features, copy=False),
                "csr": sp.csr_array,
            },
            partial(changed_after_fit, name),
            lambda name=name: predicted(fit(name, adjacency=A), X_NEW, adjacency=A_NEW),
        )


# --- PyG -----------------------------------------------------------------------------------------


def star(value: float, dtype: Any) -> Data:
    """The centre of a star hears sqrt(N)-fold: what is near the end of its range overflows."""
    edges = torch.tensor([[0] * (N - 1), list(range(1, N))])
    return Data(x=torch.full((N, D), value, dtype=dtype), edge_index=edges)


NO_DATA: Refusals = {
    "no x": (data(x=None, num_nodes=N), "no features `x`"),
    "NaN in x": (data(x=WHOLE * float("nan")), "NaN"),
    "no edges": (data(edge_index=IDLE), "no edge_index"),
    "float edge_index": (data(edge_index=torch.as_tensor(EDGES).float()), "type float32"),
    "edge_index of rows": (data(edge_index=torch.as_tensor(EDGES.T)), "shape (2, E)"),
    "edge_index of three rows": (
        data(edge_index=torch.zeros((3, 4), dtype=torch.long)), "shape (3, 4)",
    ),
    "edge_index of text": (data(edge_index="edges"), "the edge_index has shape ()"),
    "edge beyond": (data(edge_index=torch.tensor([[0, 1, 2], [1, 2, N]])), "node 24"),
    "edge below": (data(edge_index=torch.tensor([[0, 1, 2], [1, 2, -1]])), "node -1"),
    "weights too few": (data(edge_weight=torch.ones(3)), "edge_weight has shape (3,)"),
    "weights in a column": (
        data(edge_weight=torch.ones((EDGES.shape[1], 1))), "edge_weight has shape",
    ),
    "negative weights": (data(edge_weight=-torch.ones(EDGES.shape[1])), "negative weight"),
    "NaN weights": (data(edge_weight=torch.full((EDGES.shape[1],), torch.nan)), "NaN"),
    "complex weights": (
        data(edge_weight=torch.ones(EDGES.shape[1]) + 1j), "edge_weight has shape",
    ),
}  # fmt: skip
NO_ARRAY_DATA: Refusals = {
    "complex x": (data(x=WHOLE + 1j), "Complex data not supported"),
    "1-d x": (data(x=WHOLE[:, 0]), "Reshape your data"),
    "x of text": (data(x="x"), "X (str)"),
}
NO_TENSOR_DATA: Refusals = {
    "complex x": (data(x=WHOLE + 1j), "data.x is"),
    "1-d x": (data(x=WHOLE[:, 0]), "data.x is"),
    "x of text": (data(x="x"), "data.x is"),
    "x of numpy": (data(x=X), "data.x is"),
    "x near the end of float16": (star(6e4, torch.float16), "not finite"),
    "x near the end of float32": (star(3e38, torch.float32), "not finite"),
    "None": (None, "Propagate works on a Data object, found None"),
    "text": ("graph", "Propagate works on a Data object, found 'graph'"),
    "tensor": (WHOLE, "Propagate works on a Data object"),
    "list": ([data()], "Propagate works on a Data object"),
    "HeteroData": (HeteroData(), "Propagate works on a Data object"),
}
NO_LABELLED_DATA: Refusals = {
    "no y": (data(y=None), "requires y"),
    "y too short": (data(y=torch.as_tensor(CLASS[:-1]), train_mask=None), "23 labels"),
    "one-hot y": (data(y=torch.eye(2)[CLASS]), "shape (24, 2)"),
    "mask too short": (data(train_mask=torch.ones(5, dtype=torch.bool)), "mask of 5"),
    "mask too long": (data(train_mask=torch.ones(25, dtype=torch.bool)), "mask of 25"),
    "ten masks": (data(train_mask=torch.ones((N, 10)).bool()), "train_mask[:, 0]"),
    "float mask": (data(train_mask=torch.ones(N)), "type float32"),
    "mask of nothing": (data(train_mask=torch.zeros(N).bool()), "train_mask names no node"),
    "mask of text": (data(train_mask="train"), "train_mask="),
    "indices beyond": (data(train_mask=torch.tensor([0, N])), "train_mask names node 24"),
}
SAME_DATA: dict[str, Data] = {
    "clean": data(),
    "y in a column": data(y=torch.as_tensor(CLASS)[:, None]),
    "uint8 y": data(y=torch.as_tensor(CLASS).to(torch.uint8)),
    "float y in a column, NaN": data(
        y=torch.as_tensor(np.where(Y >= 0, CLASS, np.nan))[:, None], train_mask=None
    ),
    "y as an array": data(y=CLASS),
    "y as a list": data(y=CLASS.tolist()),
    "bool y": data(y=torch.as_tensor(CLASS).bool()),
    "mask as an array": data(train_mask=Y >= 0),
    "mask as a list": data(train_mask=(Y >= 0).tolist()),
    "uint8 mask": data(train_mask=torch.as_tensor(Y >= 0).to(torch.uint8)),
    "node numbers": data(train_mask=torch.as_tensor(np.flatnonzero(Y >= 0))),
    "x with gradient": data(x=torch.tensor(X, requires_grad=True)),
    "sparse x": data(x=torch.as_tensor(X).to_sparse()),
    "CSR x": data(x=torch.as_tensor(X).to_sparse_csr()),
    "int32 edges": data(edge_index=torch.as_tensor(EDGES).int()),
    "both directions": data(edge_index=torch.as_tensor(np.hstack([EDGES, EDGES[::-1]]))),
    "weights": data(edge_weight=torch.ones(EDGES.shape[1])),
    "bfloat16 weights": data(edge_weight=torch.ones(EDGES.shape[1]).to(torch.bfloat16)),
    "weights with gradient": data(edge_weight=torch.ones(EDGES.shape[1], requires_grad=True)),
    "a wrong num_nodes": data(num_nodes=N + 3),
}
ROUNDED_DATA = {kind: data(x=x) for kind, x in ROUNDED_TENSORS.items()}


def pyg_rows() -> Iterator[Row]:
    for name in MODELS:

        def attempt(graph: Any, name: str = name) -> np.ndarray:
            return fitted(name, X=graph, y=IDLE)

        subject, same = f"{name} Data", partial(clean, name, with_graph=True)
        yield from refused(subject, NO_DATA | NO_ARRAY_DATA, attempt)
        if name in CLASSIFIERS:
            yield from refused(subject, NO_LABELLED_DATA, attempt)
        else:
            ignored = {kind: graph for kind, (graph, _) in NO_LABELLED_DATA.items()}
            yield from accepted(f"{subject}, ignored", ignored, attempt, same)
        yield from accepted(subject, SAME_DATA, attempt, same)
        yield from accepted(
            subject, ROUNDED_DATA, attempt, partial(fitted, name, X=ROUNDED, adjacency=A)
        )
    yield from refused("Propagate Data", NO_DATA | NO_TENSOR_DATA, propagated)
    yield from accepted("Propagate Data", SAME_DATA, propagated, partial(propagated, data()))
    yield from accepted(
        "Propagate Data", ROUNDED_DATA, propagated, partial(propagated, data(x=WHOLE))
    )


NO_EMBEDDINGS = {
    "None": (None, "H (NoneType)"),
    "text": ("H", "H (str)"),
    "NaN": (X * np.nan, "Input H contains NaN"),
    "other shape": (X[1:], "H has shape (23, 3) and X (24, 3)"),
    "1-d": (X[:, 0], "H (ndarray of shape (24,))"),
}


def embedding_rows() -> Iterator[Row]:
    def attempt(H: Any) -> np.ndarray:
        return FLGCClustering(2, random_state=0).fit_embedding(H, X).labels_

    forms = {"list": X.tolist(), "tensor": torch.as_tensor(X), "csr": sp.csr_array(X)}
    yield from refused("FLGCClustering H", NO_EMBEDDINGS, attempt)
    yield from accepted("FLGCClustering H", forms, attempt, partial(attempt, X))


ROWS = [
    row
    for rows in (
        parameter_rows,
        grid_rows,
        validation_rows,
        feature_rows,
        label_rows,
        graph_rows,
        prediction_rows,
        pyg_rows,
        embedding_rows,
    )
    for row in rows()
]

"""Your own data: tables, graphs and PyG files become datasets, or an error says what is wrong."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch_geometric.data import Data
from typer.testing import CliRunner

from flgc.datasets import DatasetError, add, from_graph, from_pyg, from_table, load, state
from flgc.datasets.cli import app
from flgc.preparing import build_graph
from tests.flgc.datasets.crafted import ROWS
from tests.flgc.watched import Worker
from tests.speeds import slow

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0, 4.0],
        "colour": ["red", "blue", "red", "green"],
        "kind": ["b", "a", "b", None],
    }
)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_becomes_a_dataset_by_name(tmp_path, cache, suffix):
    path = tmp_path / f"things{suffix}"
    FRAME.to_csv(path, index=False) if suffix == ".csv" else FRAME.to_parquet(path)
    dataset = from_table(path, label="kind")
    assert dataset.feature_names == ("size", "colour=blue", "colour=green", "colour=red")
    assert dataset.features[1].tolist() == [2, 1, 0, 0]
    assert dataset.labels.tolist() == [1, 0, 1, -1]
    assert dataset.class_names == ("a", "b")
    add(dataset, "things", cache=cache)
    again = load("Things", cache=cache)
    np.testing.assert_array_equal(again.features, dataset.features)
    assert again.provenance["notes"] == ["added by the user", "Label: column 'kind'."]
    assert state("things", cache=cache).status == "yours"


def test_ordinal_coding_and_dropped_columns():
    dataset = from_table(FRAME, label="kind", categorical="ordinal", drop=["size"])
    assert dataset.features.ravel().tolist() == [2, 0, 2, 1]


def test_files_without_a_header(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("1,2,a\n3,4,b\n")
    with pytest.raises(DatasetError, match="--no-header"):
        from_table(path)
    assert from_table(path, header=False).features.tolist() == [[1, 2], [3, 4]]


def test_a_node_table_and_an_edge_list(tmp_path, cache):
    nodes = pd.DataFrame({"id": ["p", "q", "r"], "x": [1, 2, 3], "y": ["a", "b", "a"]})
    edges = pd.DataFrame({"from": ["p", "q", "q", "p"], "to": ["q", "p", "r", "p"]})
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    edges.to_csv(tmp_path / "edges.csv", index=False)
    graph = from_graph(tmp_path / "nodes.csv", tmp_path / "edges.csv", label="y", node="id")
    assert graph.kind == "graph"
    assert graph.edges.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    assert graph.feature_names == ("x",)
    add(graph, "mine", cache=cache)
    np.testing.assert_array_equal(load("mine", cache=cache).edges, graph.edges)


def test_edges_by_row_number():
    nodes = pd.DataFrame({"x": [1, 2, 3], "y": [0, 1, 0]})
    edges = pd.DataFrame({"s": [0, 1], "t": [1, 2]})
    assert from_graph(nodes, edges).edges.shape == (2, 4)


def test_edges_weigh_what_their_column_says(cache):
    nodes = pd.DataFrame({"x": [1, 2, 3], "y": [0, 1, 0]})
    edges = pd.DataFrame(
        {"s": [0, 1, 1, 1, 2, 0], "t": [1, 0, 2, 2, 2, 2], "weight": [1, 5, 2, 0.5, 7, 0]}
    )
    graph = from_graph(nodes, edges.assign(since=1990))
    assert graph.edges.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    assert graph.edge_weight.tolist() == [5, 5, 2.5, 2.5]
    notes = graph.provenance["notes"]
    assert "Weights of edges: column 'weight'." in notes
    assert any("left out" in note and "'since'" in note for note in notes)
    plain = from_graph(nodes, edges.drop(columns="weight"))
    assert plain.edge_weight is None
    assert plain.digest != graph.digest
    add(graph, "weighted", cache=cache)
    again = load("weighted", cache=cache)
    np.testing.assert_array_equal(again.edge_weight, graph.edge_weight)
    assert build_graph(again, "given")[0, 1] == pytest.approx(5 / np.sqrt(6 * 8.5))
    for wrong in (-1, None, "much", np.inf):
        strange = edges.astype(object)
        strange.loc[2, "weight"] = wrong
        with pytest.raises(DatasetError, match=r"weight .* in row 2 is not valid; use numbers"):
            from_graph(nodes, strange)


class _Evil:
    def __reduce__(self):
        return os.mkdir, ("evil-was-here",)


def test_pyg_files(tmp_path, cache, monkeypatch):
    data = graph()
    torch.save(data, tmp_path / "graph.pt")
    found = from_pyg(tmp_path / "graph.pt")
    assert found.name == "graph"
    assert found.edges.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    np.testing.assert_array_equal(found.features, data.x.numpy())
    add(found, "pyg-graph", cache=cache)
    assert load("pyg-graph", cache=cache).n_classes == 2
    monkeypatch.chdir(tmp_path)
    torch.save(_Evil(), tmp_path / "evil.pt")
    with pytest.raises(DatasetError, match="not a plain file"):
        from_pyg(tmp_path / "evil.pt")
    assert not (tmp_path / "evil-was-here").exists()


def test_names_that_cannot_be_added(cache):
    dataset = from_table(FRAME.dropna(), label="kind")
    for name in ("../up", "", "a/b"):
        with pytest.raises(DatasetError, match="cannot be a name"):
            add(dataset, name, cache=cache)
    with pytest.raises(DatasetError, match="iris is a dataset of the registry"):
        add(dataset, "Iris", cache=cache)
    with pytest.raises(DatasetError, match="air has 3 classes, 359 rows and 64 features"):
        add(dataset, "air", cache=cache)


def test_a_user_supplies_air(cache):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(359, 64))).assign(kind=np.arange(359) % 3)
    add(from_table(frame, label="kind"), "Air", cache=cache)
    assert load("air", cache=cache).class_counts == (120, 120, 119)
    assert state("air", cache=cache).status == "yours"


NAN, INF = float("nan"), float("inf")
PARQUET = "parquet"  # stands for the bytes of a good Parquet file

# The bytes of a file (or None for a folder) by its name, and what is said of it.
TABLES = {
    "empty": ("t.csv", b"", "cannot be read"),
    "only a header": ("t.csv", b"a,b,y\n", "t.csv has no rows"),
    "a folder": ("t.csv", None, "is a folder"),
    "a Parquet folder": ("t.parquet", None, "is a folder"),
    "latin-1": ("t.csv", "a,b,y\n1,2,größe\n".encode("latin-1"), "not UTF-8"),
    "bytes": ("t.csv", bytes(range(256)) * 4, "cannot be read"),
    "columns twice": ("t.csv", b"a,b,a,b,c,y\n1,2,3,4,5,x\n", "more than one column 'a', 'b'"),
    "label twice": ("t.csv", b"a,y,y\n1,2,3\n", "more than one column 'y'"),
    "coded column twice": ("t.csv", b"a,a=u,y\nu,1,0\nv,2,1\n", "more than one column 'a=u'"),
    "one column": ("t.csv", b"y\nx\nz\n", "no feature column"),
    "numbers twice": ("t.csv", b"1,1,x\n1,2,y\n", "looks like data.*--no-header"),
    "ragged": ("t.csv", b"a,b,y\n1,2,3\n1,2,3,4,5\n", "cannot be read"),
    "missing feature": ("t.csv", b"a,b,y\n1,,x\n", "'b' has no value in row 0"),
    "infinite feature": ("t.csv", b"a,b,y\n1,inf,x\n", "infinite"),
    "no label at all": ("t.csv", b"a,b,y\n1,2,\n3,4,\n", "'y' has no label at all"),
    "fractional label": ("t.csv", b"a,b,y\n1,2,1.5\n3,4,2\n", "label 1.5 in column 'y'"),
    "infinite label": ("t.csv", b"a,b,y\n1,2,inf\n3,4,2\n", "label inf in column 'y'"),
    "cut Parquet": ("t.parquet", PARQUET, "cannot be read as a table"),
    "text as Parquet": ("t.parquet", b"a,b,y\n1,2,3\n", "cannot be read as a table"),
    "text as PyG": ("t.pt", b"a,b,y\n1,2,3\n", "not a plain file of a PyG Data object"),
    "a PyG folder": ("t.pt", None, "is a folder"),
}


def written(folder: Path, name: str, content: bytes | str | None) -> Path:
    path = folder / name
    if content is None:
        path.mkdir()
    elif content == PARQUET:
        pd.DataFrame({"a": range(1000), "y": range(1000)}).to_parquet(path)
        path.write_bytes(path.read_bytes()[:-100])
    else:
        path.write_bytes(content)
    return path


def refused(cache: Path, message: str, *arguments: object) -> None:
    """`flgc datasets add` says it in a line, without a traceback, and writes nothing."""
    command = ["add", "mine", *map(str, arguments), "--cache", str(cache)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert re.search(message, result.output)
    assert not cache.exists()


@pytest.mark.parametrize("fault", TABLES)
def test_a_bad_table_is_refused(tmp_path, cache, fault):
    name, content, message = TABLES[fault]
    refused(cache, message, written(tmp_path, name, content))


NODES = b"id,x,y\np,1,a\nq,2,b\nr,3,a\n"
GRAPHS = {
    "one column of letters": (NODES, b"source\np\nq\n", "has 1 columns, none at place 1"),
    "one column": (NODES, b"s\np\nq\n", "has 1 columns, none at place 1"),
    "empty edges": (NODES, b"", "cannot be read"),
    "unknown node": (NODES, b"s,t\np,z\n", "z is not a node"),
    "no node": (NODES, b"s,t\np,\n", "nan is not a node"),
    "edges twice": (NODES, b"s,s\np,q\n", "more than one column 's'"),
    "edges latin-1": (NODES, "s,t\np,ä\n".encode("latin-1"), "not UTF-8"),
    "node twice": (b"id,x,y\np,1,a\np,2,b\n", b"s,t\np,p\n", "node p is listed twice"),
    "node without a name": (b"id,x,y\np,1,a\n,2,b\n", b"s,t\np,p\n", "row 1 has no name"),
    "no nodes": (b"id,x,y\n", b"s,t\np,p\n", "no rows"),
}


@pytest.mark.parametrize("fault", GRAPHS)
def test_a_bad_graph_is_refused(tmp_path, cache, fault):
    nodes, edges, message = GRAPHS[fault]
    paths = written(tmp_path, "nodes.csv", nodes), written(tmp_path, "edges.csv", edges)
    refused(cache, message, paths[0], "--edges", paths[1], "--node", "id")


TWICE = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "y"])
FRAMES = [
    (FRAME, {"label": "sort"}, "no column 'sort'; it has size, colour, kind"),
    (FRAME, {"drop": ["x"]}, "no column 'x'"),
    (FRAME, {"label": 5}, "none at place 5"),
    (FRAME, {"label": "size"}, "column 'kind' has no value in row 3.*--tidy"),
    (TWICE, {}, "more than one column 'a'"),
    (TWICE.set_axis([1, "1", "y"], axis=1), {}, "more than one column '1'"),
    (TWICE.iloc[:0, 1:], {}, "no rows"),
    (pd.DataFrame(), {}, "has no rows"),
    (pd.DataFrame({"a": [[1], [2]], "y": [0, 1]}), {}, "cannot be sorted"),
    (pd.DataFrame({"a": [1j, 2], "y": [0, 1]}), {}, "complex"),
    (Path("nothing.csv"), {}, "does not exist"),
]


@pytest.mark.parametrize(("table", "options", "message"), FRAMES)
def test_a_frame_with_a_fault_is_refused(table, options, message):
    with pytest.raises(DatasetError, match=message):
        from_table(table, **options)


@pytest.mark.parametrize("node", [7, 1.5])
def test_an_edge_of_a_row_that_is_none_is_refused(node):
    with pytest.raises(DatasetError, match=f"{node} is not a node"):
        from_graph(pd.DataFrame({"x": [1, 2], "y": [0, 1]}), pd.DataFrame({"s": [node], "t": [0]}))


@pytest.mark.parametrize(
    "labels", [[1.0, NAN, 0.0], ["b", None, "a"], pd.array([1, None, 0], dtype="Int64")]
)
def test_a_missing_label_of_a_table_is_an_unlabelled_row(labels):
    assert from_table(pd.DataFrame({"x": [1, 2, 3], "y": labels})).labels.tolist() == [1, -1, 0]


def test_any_whole_numbers_are_classes_of_a_table():
    dataset = from_table(pd.DataFrame({"x": [1, 2, 3], "y": [-1, 1, -1]}))
    assert dataset.labels.tolist() == [0, 1, 0]
    assert dataset.class_names == ("-1", "1")


def graph(**changes: object) -> Data:
    parts = {
        "x": torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]),
        "edge_index": torch.tensor([[0, 1, 1], [1, 0, 2]]),
        "y": torch.tensor([0, 1, 1]),
    }
    return Data(**{key: value for key, value in (parts | changes).items() if value is not None})


def masks(**changes: object) -> dict[str, object]:
    parts = {f"{role}_mask": torch.eye(3, dtype=torch.bool)[i] for i, role in enumerate(ROLES)}
    return parts | changes


ROLES = ("train", "val", "test")
PYG = {
    "x with NaN": (graph(x=torch.tensor([[1.0], [NAN], [2.0]])), "x has nan at node 1, feature 0"),
    "x with inf": (graph(x=torch.tensor([[1.0], [INF], [2.0]])), "x has inf at node 1"),
    "x with one axis": (graph(x=torch.ones(3)), r"x has shape \(3,\)"),
    "x with three axes": (graph(x=torch.ones(3, 2, 2)), r"x has shape \(3, 2, 2\)"),
    "no nodes": (graph(x=torch.ones(0, 2), y=torch.ones(0)), r"x has shape \(0, 2\)"),
    "no features": (graph(x=torch.ones(3, 0)), r"x has shape \(3, 0\)"),
    "complex x": (graph(x=torch.ones(3, 2, dtype=torch.complex64)), "complex"),
    "text x": (graph(x=["a", "b", "c"]), "x is not a tensor"),
    "fractional label": (graph(y=torch.tensor([0, 1.5, 1])), "label 1.5 is not a class"),
    "infinite label": (graph(y=torch.tensor([0, INF, 1])), "label inf is not a class"),
    "negative label": (graph(y=torch.tensor([0, -2, 1])), "label -2 is not a class.* -1 for"),
    "a huge label": (graph(y=torch.tensor([0, 10**12, 1])), "label 1000000000000 is not"),
    "no labels": (graph(y=None), "no 'y'"),
    "too few labels": (graph(y=torch.tensor([0, 1])), "2 labels for 3 nodes"),
    "one-hot labels": (graph(y=torch.eye(3)), "9 labels for 3 nodes"),
    "no label at all": (graph(y=torch.tensor([NAN, -1, NAN])), "no node has a label"),
    "edge to nowhere": (graph(edge_index=torch.tensor([[0], [3]])), "names node 3; nodes are 0 to"),
    "negative edge": (graph(edge_index=torch.tensor([[0], [-1]])), "names node -1"),
    "fractional edge": (graph(edge_index=torch.tensor([[0.5], [1]])), "float64; it needs two rows"),
    "edges turned": (graph(edge_index=torch.ones(5, 2).long()), r"shape \(5, 2\)"),
    "train mask only": (graph(train_mask=torch.ones(3).bool()), "no val_mask and no test_mask"),
    "no val mask": (graph(**masks(val_mask=None)), "train_mask but no val_mask"),
    "short mask": (graph(**masks(val_mask=torch.ones(2).bool())), r"val_mask has shape \(2,\)"),
    "many splits": (graph(**masks(val_mask=torch.ones(3, 9).bool())), r"has shape \(3, 9\)"),
    "mask of numbers": (graph(**masks(val_mask=torch.tensor([0, 1, 2]))), "val_mask.* of int64"),
}


@pytest.mark.parametrize("fault", PYG)
def test_a_bad_pyg_graph_is_refused(tmp_path, cache, fault):
    data, message = PYG[fault]
    with pytest.raises(DatasetError, match=message):
        from_pyg(data)
    torch.save(data, tmp_path / "graph.pt")
    refused(cache, message, tmp_path / "graph.pt")


def test_a_pyg_label_that_is_missing_is_an_unlabelled_node():
    dataset = from_pyg(graph(y=torch.tensor([1.0, NAN, 0.0])))
    assert dataset.labels.tolist() == [1, -1, 0]
    assert dataset.class_names == ("0", "1")
    assert from_pyg(graph(y=torch.tensor([[1], [-1], [0]]))).labels.tolist() == [1, -1, 0]
    assert from_pyg(graph(y=torch.tensor([True, False, True]))).labels.tolist() == [1, 0, 1]


def test_good_pyg_graphs_of_other_kinds():
    weights = torch.ones(3, 2, requires_grad=True)
    assert from_pyg(graph(x=weights)).features.tolist() == [[1, 1]] * 3
    half = torch.eye(3, dtype=torch.bfloat16)
    np.testing.assert_array_equal(from_pyg(graph(x=half)).features, np.eye(3))
    np.testing.assert_array_equal(from_pyg(graph(x=torch.eye(3).to_sparse())).features, np.eye(3))
    split = from_pyg(graph(**masks()))
    assert [split.masks[role].tolist().index(True) for role in ROLES] == [0, 1, 2]
    assert from_pyg(graph(edge_index=torch.empty(2, 0).long())).edges.shape == (2, 0)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", ":"])
@pytest.mark.parametrize("header", [True, False])
def test_what_separates_columns_is_found(tmp_path, separator, header):
    lines = ["size,weight,kind", "1.5,2,a", "3,4,b"][0 if header else 1 :]
    text = "\ufeff" + "\r\n".join(lines).replace(",", separator)
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    dataset = from_table(tmp_path / "t.csv", header=header)
    assert dataset.features.tolist() == [[1.5, 2], [3, 4]]
    assert dataset.class_names == ("a", "b")


@pytest.mark.parametrize("step", [7, slow(1)])
def test_no_crafted_file_ends_the_process(step):
    assert len(ROWS) >= 36
    with Worker("tests.flgc.datasets.crafted") as worker:
        outcomes = {ROWS[i].name: worker.outcome(i) for i in range(0, len(ROWS), step)}
    bad = {name: seen for name, seen in outcomes.items() if seen[0] not in ("works", "clear")}
    assert not bad

"""Your own data: tables, graphs and PyG files become datasets, or say what is wrong."""

import os

import numpy as np
import pandas as pd
import pytest

from flgc.datasets import DatasetError, add, from_graph, from_pyg, from_table, load, state
from flgc.preparing import build_graph

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
    assert "Edges weigh what column 'weight' says." in notes
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
        with pytest.raises(DatasetError, match=r"weight .* in row 2 is none; use numbers"):
            from_graph(nodes, strange)


class _Evil:
    def __reduce__(self):
        return os.mkdir, ("evil-was-here",)


def test_pyg_files(tmp_path, cache, monkeypatch):
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data").Data(
        x=torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]),
        edge_index=torch.tensor([[0, 1, 1], [1, 0, 2]]),
        y=torch.tensor([0, 1, 1]),
    )
    torch.save(data, tmp_path / "graph.pt")
    graph = from_pyg(tmp_path / "graph.pt")
    assert graph.name == "graph"
    assert graph.edges.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    np.testing.assert_array_equal(graph.features, data.x.numpy())
    add(graph, "pyg-graph", cache=cache)
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

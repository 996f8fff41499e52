"""Your own data: a table, or a node table with an edge list, becomes a dataset."""

import dataclasses
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flgc.datasets.catalogue.registry import REGISTRY, SPELLINGS
from flgc.datasets.dataset import Dataset
from flgc.datasets.errors import DatasetError
from flgc.datasets.fetching import parsed
from flgc.datasets.fetching.settings import Settings
from flgc.datasets.readers.canonical import canonical_edges, weighted_edges
from flgc.datasets.readers.frames import (
    Coding,
    PathLike,
    coded_features,
    coded_labels,
    column_named,
    read_frame,
)
from flgc.datasets.readers.tidying import UNKNOWN, tidied

if TYPE_CHECKING:
    import pandas as pd

WEIGHT = "weight"  # the column of an edge list


def from_table(
    table: "PathLike | pd.DataFrame",
    *,
    label: str | int = -1,
    categorical: Coding = "onehot",
    drop: Sequence[str] = (),
    header: bool = True,
    name: str | None = None,
    tidy: bool = False,
) -> Dataset:
    """A CSV or Parquet file, or a data frame, with one column of labels (the last by default).

    Text columns become one column per value (`onehot`) or numbers in sorted order (`ordinal`). A
    missing feature is an error; a missing label means an unlabelled row (-1). Labels are whole
    numbers or text, in any range: their sorted values are the classes 0..C-1. Without a `header`
    the columns are called 0, 1, 2, ... `tidy` fills missing features, leaves out columns without
    information, and notes in the provenance what was done.
    """
    frame, source = read_frame(table, header, UNKNOWN if tidy else ())
    if frame.empty:
        raise DatasetError(f"{source} has no rows")
    label = column_named(frame, label, source)
    labels, class_names = coded_labels(frame[label], source)
    left_out = [label, *(column_named(frame, column, source) for column in drop)]
    columns, notes = frame.drop(columns=left_out), [f"Label: column {label!r}."]
    if tidy and columns.shape[1]:
        columns, done = tidied(columns, categorical, source)
        notes += done
    features, feature_names = coded_features(columns, categorical, source)
    dataset = Dataset(
        name=name or name_of(table),
        kind="table",
        features=features,
        labels=labels,
        class_names=class_names,
        feature_names=feature_names,
    )
    return with_provenance(dataset, source, notes)


def from_graph(
    nodes: "PathLike | pd.DataFrame",
    edges: "PathLike | pd.DataFrame",
    *,
    label: str | int = -1,
    node: str | None = None,
    source: str | int = 0,
    target: str | int = 1,
    categorical: Coding = "onehot",
    drop: Sequence[str] = (),
    header: bool = True,
    name: str | None = None,
    tidy: bool = False,
) -> Dataset:
    """A node table as in `from_table`, and an edge list with a source and a target column.

    Edges name nodes by the column `node`, or by row number (from 0) without it. They become
    undirected; duplicates and self loops are removed. A further column `weight` has the weights of
    edges, 1 by default: weights of duplicates add, of two directions the larger one counts.
    """
    frame, where = read_frame(nodes, header, UNKNOWN if tidy else ())
    dataset = from_table(
        frame,
        label=label,
        categorical=categorical,
        drop=[*drop, node] if node else drop,
        name=name or name_of(nodes),
        tidy=tidy,
    )
    import pandas as pd

    links, edges_from = read_frame(edges, header)
    ends = [links[column_named(links, end, edges_from)] for end in (source, target)]
    ids = frame[column_named(frame, node, where)] if node else pd.RangeIndex(len(frame))
    index = pd.Index(ids)
    if index.hasnans:
        row = int(np.argmax(index.isna()))
        raise DatasetError(f"{where}: the node in row {row} has no name in column {node!r}")
    if not index.is_unique:
        raise DatasetError(f"{where}: node {index[index.duplicated()][0]} is listed twice")
    places = [index.get_indexer(pd.Index(end)) for end in ends]
    for end, place in zip(ends, places, strict=True):
        if (place < 0).any():
            unknown = end.iloc[int(np.argmax(place < 0))]
            hint = "" if node else "; which column names the nodes? Give node=, or --node"
            raise DatasetError(f"{edges_from}: {unknown} is not a node of {where}{hint}")
    notes, others = dataset.provenance["notes"][1:], links.columns.drop([end.name for end in ends])
    if WEIGHT in others:
        weights = _weights(links[WEIGHT], edges_from)
        edge_index, edge_weight = weighted_edges(places[0], places[1], weights, dataset.n_nodes)
        notes = [*notes, f"Weights of edges: column {WEIGHT!r}."]
    else:
        edge_index = canonical_edges(places[0], places[1], dataset.n_nodes)
        edge_weight = None
    unused = [repr(name) for name in others if name != WEIGHT]
    if unused:
        notes = [*notes, f"Columns of edges left out: {', '.join(unused)}."]
    dataset = dataclasses.replace(dataset, kind="graph", edges=edge_index, edge_weight=edge_weight)
    return with_provenance(dataset, f"{where}, {edges_from}", notes)


def _weights(column: "pd.Series", source: str) -> np.ndarray:
    """The weights of edges; the first invalid one is an error."""
    import pandas as pd

    weights = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DatasetError(
            f"{source}: weight {column.iloc[row]} in row {row} is not valid; use numbers >= 0"
        )
    return weights


def from_files(
    file: PathLike,
    *,
    edges: PathLike | None = None,
    label: str | None = None,
    node: str | None = None,
    header: bool = True,
    categorical: Coding = "onehot",
    drop: Sequence[str] = (),
    tidy: bool = False,
) -> Dataset:
    """A PyG `.pt` file, a node table if there are `edges`, or a table."""
    if Path(file).suffix.lower() in (".pt", ".pth"):
        from flgc.datasets.readers.pyg import from_pyg

        if edges is not None or label is not None or node is not None or drop:
            raise DatasetError(
                f"{file} is a PyG file: its features are x, its labels y and its edges edge_index; "
                "leave out label, edges, node and drop"
            )
        return from_pyg(file)
    options: dict[str, Any] = {
        "label": -1 if label is None else label,
        "categorical": categorical,
        "drop": drop,
        "header": header,
        "tidy": tidy,
    }
    if edges is not None:
        return from_graph(file, edges, node=node, **options)
    if node is not None:
        raise DatasetError(f"node {node!r} is for a graph: give an edge list too, or drop it")
    return from_table(file, **options)


def add_from(
    dataset: Dataset, file: PathLike, name: str | None = None, *, cache: PathLike | None = None
) -> str:
    """Keep the dataset of a file under the file's name, and return that name.

    `my-iris` for `iris.csv`, as iris is a dataset of the registry. The same file again replaces its
    dataset; a name that other data have is an error.
    """
    if name is None:
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(file).stem).strip("-._") or "table"
        name = f"my-{name}" if name.lower() in SPELLINGS else name
    source = str(Path(file).resolve())
    path = Settings.of(None, cache).own(name)
    if path.exists():
        kept = parsed.read(path).provenance["sources"]["data"]
        if kept != source:
            raise DatasetError(
                f"dataset {name!r} exists already, added from {kept}; give this one another "
                "name: name=, or --name"
            )
    provenance = {**dataset.provenance, "sources": {"data": source}}
    add(dataclasses.replace(dataset, provenance=provenance), name, cache=cache)
    return name


def add(dataset: Dataset, name: str, *, cache: PathLike | None = None) -> Path:
    """Keep a dataset in the cache, where `load(name)` finds it."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise DatasetError(f"{name!r} cannot be a name: use letters, digits, '.', '_' and '-'")
    if name.lower() in SPELLINGS:
        entry = REGISTRY[SPELLINGS[name.lower()]]
        if entry.routes:
            raise DatasetError(f"{entry.name} is a dataset of the registry; choose another name")
        name = entry.name
        sizes = (dataset.n_classes, dataset.n_nodes, dataset.n_features)
        expected = (entry.classes, entry.instances, entry.features)
        if sizes != expected:
            raise DatasetError(
                f"{name} has {expected[0]} classes, {expected[1]} rows and {expected[2]} features "
                f"in the paper; this file has {sizes[0]}, {sizes[1]} and {sizes[2]}. "
                "Add it under another name if it is another dataset."
            )
    path = Settings.of(None, cache).own(name)
    try:
        parsed.write(dataclasses.replace(dataset, name=name), path)
    except OSError as error:
        raise DatasetError(f"{name} cannot be kept in {path}: {error}") from error
    return path


def check_classes(dataset: Dataset, n_rows: int) -> None:
    """Refuse labels that are not classes: a single one, or more than half as many as rows."""
    counts = dataset.class_counts
    n_classes = sum(count > 0 for count in counts)
    if n_classes < 2:
        raise DatasetError(
            f"{dataset.name} has one class only ({dataset.class_names[int(np.argmax(counts))]!r}): "
            "nothing can be predicted; name the column of the classes with --label, or label rows "
            "of another class"
        )
    if 2 * n_classes > n_rows:
        raise DatasetError(
            f"{dataset.name} has {n_classes} classes in {n_rows} rows: if the label is a number to "
            "predict or a name, give the column of the classes with --label, else group its "
            "values or label more rows"
        )


def with_provenance(dataset: Dataset, source: str, notes: Sequence[str] = ()) -> Dataset:
    provenance = {
        "sources": {"data": source},
        "raw_sha256": {},
        "licence": "yours",
        "marks": [],
        "notes": ["added by the user", *notes],
        "digest": dataset.digest,
    }
    return dataclasses.replace(dataset, provenance=provenance)


def name_of(table: Any) -> str:
    return Path(table).stem if isinstance(table, (str, os.PathLike)) else "table"

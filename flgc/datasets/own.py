"""Your own data: a table, a node table with an edge list, or a PyG file becomes a dataset."""

import dataclasses
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from flgc.datasets import parsed
from flgc.datasets.canonical import canonical_edges, digest
from flgc.datasets.dataset import Dataset
from flgc.datasets.errors import DatasetError
from flgc.datasets.registry import REGISTRY, resolve
from flgc.datasets.settings import Settings

if TYPE_CHECKING:
    import pandas as pd
    import scipy.sparse as sp

PathLike = str | os.PathLike[str]
Coding = Literal["onehot", "ordinal"]


def from_table(
    table: "PathLike | pd.DataFrame",
    *,
    label: str | int = -1,
    categorical: Coding = "onehot",
    drop: Sequence[str] = (),
    header: bool = True,
    name: str | None = None,
) -> Dataset:
    """A CSV or Parquet file, or a data frame, with one column of labels (the last by default).

    Columns that are not numbers become one column per value (`onehot`) or numbers in sorted order
    (`ordinal`). A missing feature is an error; a missing label means an unlabelled row (-1).
    Without a `header` the columns are called 0, 1, 2, ...
    """
    frame, source = _frame(table, header)
    label = _column(frame, label, source)
    labels, class_names = _labels(frame[label])
    unknown = [column for column in drop if column not in frame.columns]
    if unknown:
        raise DatasetError(f"{source} has no column {unknown[0]!r}; it has {_listed(frame)}")
    features, feature_names = _features(frame.drop(columns=[label, *drop]), categorical, source)
    dataset = Dataset(
        name=name or _name_of(table),
        kind="table",
        features=features,
        labels=labels,
        class_names=class_names,
        feature_names=feature_names,
    )
    return _with_provenance(dataset, source)


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
    name: str | None = None,
) -> Dataset:
    """A node table as in `from_table`, and an edge list with a source and a target column.

    Edges name nodes by the column `node`, or by row number (from 0) when it is not given. They are
    taken as undirected; doubles and self loops are removed.
    """
    frame, where = _frame(nodes)
    dataset = from_table(
        frame,
        label=label,
        categorical=categorical,
        drop=[*drop, node] if node else drop,
        name=name or _name_of(nodes),
    )
    import pandas as pd

    links, edges_from = _frame(edges)
    ends = [links[_column(links, end, edges_from)] for end in (source, target)]
    ids = frame[_column(frame, node, where)] if node else pd.RangeIndex(len(frame))
    index = pd.Index(ids)
    if not index.is_unique:
        raise DatasetError(f"{where}: node {index[index.duplicated()][0]!r} stands there twice")
    places = [index.get_indexer(pd.Index(end)) for end in ends]
    for end, place in zip(ends, places, strict=True):
        if (place < 0).any():
            unknown = end.iloc[int(np.argmax(place < 0))]
            raise DatasetError(f"{edges_from}: {unknown!r} is no node of {where}")
    both = canonical_edges(places[0], places[1], dataset.n_nodes)
    dataset = dataclasses.replace(dataset, kind="graph", edges=both)
    return _with_provenance(dataset, f"{where}, {edges_from}")


def from_pyg(data: Any, *, name: str | None = None) -> Dataset:
    """A PyG `Data` object or a `.pt` file of one, opened without running what is pickled in it."""
    where = "a PyG Data object"
    if isinstance(data, (str, os.PathLike)):
        name, where = name or _name_of(data), Path(data).name
        data = _load_pt(Path(data))
    for attribute in ("x", "edge_index", "y"):
        if getattr(data, attribute, None) is None:
            raise DatasetError(f"{where} has no {attribute!r}; a dataset needs x, edge_index and y")
    features = data.x.to_dense() if data.x.layout != _strided() else data.x
    labels = data.y.cpu().numpy().astype(np.int64).ravel()
    if len(labels) != features.shape[0]:
        raise DatasetError(f"{where}: {len(labels)} labels for {features.shape[0]} nodes")
    masks = {
        role: getattr(data, f"{role}_mask").cpu().numpy()
        for role in ("train", "val", "test")
        if getattr(data, f"{role}_mask", None) is not None
    }
    start, end = data.edge_index.cpu().numpy()
    dataset = Dataset(
        name=name or "pyg",
        kind="graph",
        features=_sparse_if_worth_it(features.cpu().numpy().astype(np.float64)),
        labels=labels,
        class_names=tuple(str(i) for i in range(int(labels.max()) + 1)),
        edges=canonical_edges(start, end, len(labels)),
        masks=masks if len(masks) == 3 else None,
    )
    return _with_provenance(dataset, where)


def add(dataset: Dataset, name: str, *, cache: PathLike | None = None) -> Path:
    """Keep a dataset in the cache, so that `load(name)` finds it from now on."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise DatasetError(f"{name!r} cannot be a name: use letters, digits, '.', '_' and '-'")
    known = {entry.lower() for entry in REGISTRY} | {
        alias.lower() for entry in REGISTRY.values() for alias in entry.aliases
    }
    if name.lower() in known:
        entry = REGISTRY[resolve(name)]
        if entry.routes:
            raise DatasetError(f"{entry.name} is a dataset of the registry; choose another name")
        name = entry.name
        found = (dataset.n_classes, dataset.n_nodes, dataset.n_features)
        expected = (entry.classes, entry.instances, entry.features)
        if found != expected:
            raise DatasetError(
                f"{name} has {expected[0]} classes, {expected[1]} rows and {expected[2]} features "
                f"in the paper; this file has {found[0]}, {found[1]} and {found[2]}. "
                "Add it under another name if it is another dataset."
            )
    path = Settings.of(None, cache).own(name)
    parsed.write(dataclasses.replace(dataset, name=name), path)
    return path


def _frame(table: "PathLike | pd.DataFrame", header: bool = True) -> "tuple[pd.DataFrame, str]":
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return table.rename(columns=str), "the data frame"
    path = Path(table)
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return pd.read_parquet(path), path.name
        first = 0 if header else None
        frame = pd.read_csv(path, sep=None, engine="python", header=first).rename(columns=str)
    except FileNotFoundError:
        raise DatasetError(f"{path} does not exist") from None
    except Exception as error:
        raise DatasetError(f"{path} cannot be read as a table: {error}") from error
    if header and any(re.fullmatch(r"[-+]?[0-9]*\.?[0-9]+(\.[0-9]+)?", c) for c in frame.columns):
        raise DatasetError(
            f"{path}: the first line looks like data ({_listed(frame)}); if the file has no line "
            "of column names, say so: header=False, or --no-header"
        )
    return frame, path.name


def _column(frame: "pd.DataFrame", column: str | int, source: str) -> str:
    if isinstance(column, int):
        return frame.columns[column]
    if column not in frame.columns:
        raise DatasetError(f"{source} has no column {column!r}; it has {_listed(frame)}")
    return column


def _listed(frame: "pd.DataFrame") -> str:
    return ", ".join(str(column) for column in frame.columns[:20])


def _labels(column: "pd.Series") -> tuple[np.ndarray, tuple[str, ...]]:
    import pandas as pd

    codes, values = pd.factorize(column, sort=True)
    return codes.astype(np.int64), tuple(str(value) for value in values)


def _features(
    frame: "pd.DataFrame", categorical: Coding, source: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    import pandas as pd

    columns: dict[str, np.ndarray] = {}
    for name, column in frame.items():
        if column.isna().any():
            row = int(np.argmax(column.isna().to_numpy()))
            raise DatasetError(
                f"{source}: column {name!r} has no value in row {row}; fill or drop such rows"
            )
        if pd.api.types.is_numeric_dtype(column):
            columns[str(name)] = column.to_numpy(dtype=np.float64)
            continue
        codes, values = pd.factorize(column, sort=True)
        if categorical == "ordinal":
            columns[str(name)] = codes.astype(np.float64)
        else:
            columns |= {f"{name}={v}": (codes == i) * 1.0 for i, v in enumerate(values)}
    if not columns:
        raise DatasetError(f"{source} has no feature column")
    features = np.column_stack(list(columns.values()))
    if not np.isfinite(features).all():
        raise DatasetError(f"{source} has infinite values")
    return features, tuple(columns)


def _load_pt(path: Path) -> Any:
    try:
        import torch
        import torch_geometric.data.data as classes
        from torch_geometric.data import Data
        from torch_geometric.data.storage import GlobalStorage
    except ImportError as error:
        raise DatasetError(f"{path} needs torch-geometric: pip install 'flgc[gnn]'") from error

    known = [Data, GlobalStorage, classes.DataEdgeAttr, classes.DataTensorAttr]
    try:
        with torch.serialization.safe_globals(known):
            return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise DatasetError(f"{path} does not exist") from None
    except Exception as error:
        raise DatasetError(f"{path} is not a plain file of a PyG Data object: {error}") from error


def _strided() -> Any:
    import torch

    return torch.strided


def _sparse_if_worth_it(features: np.ndarray) -> "np.ndarray | sp.csr_array":
    """Bags of words stay sparse: below a tenth of non-zeros CSR is smaller and faster."""
    import scipy.sparse as sp

    sparse = np.count_nonzero(features) < 0.1 * features.size
    return sp.csr_array(features) if sparse else features


def _with_provenance(dataset: Dataset, source: str) -> Dataset:
    provenance = {
        "sources": {"data": source},
        "raw_sha256": {},
        "licence": "yours",
        "marks": [],
        "notes": ["added by the user"],
        "digest": digest(dataset),
    }
    return dataclasses.replace(dataset, provenance=provenance)


def _name_of(table: Any) -> str:
    return Path(table).stem if isinstance(table, (str, os.PathLike)) else "table"

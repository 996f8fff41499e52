"""Datasets by name: fetched from the first source that has them, checked, and parsed once.

>>> from flgc.datasets import load
>>> load("iris")
<Dataset iris: table, 3 classes, 150 x 4>
"""

from flgc.datasets.catalogue.registry import REGISTRY, resolve
from flgc.datasets.dataset import Dataset
from flgc.datasets.errors import (
    DatasetError,
    NotAvailable,
    NotReachable,
    UnknownDataset,
    WrongDigest,
)
from flgc.datasets.library import State, fetch, load, state, verify
from flgc.datasets.own import add, from_graph, from_table
from flgc.datasets.readers.pyg import from_pyg

__all__ = [
    "REGISTRY",
    "Dataset",
    "DatasetError",
    "NotAvailable",
    "NotReachable",
    "State",
    "UnknownDataset",
    "WrongDigest",
    "add",
    "fetch",
    "from_graph",
    "from_pyg",
    "from_table",
    "load",
    "resolve",
    "state",
    "verify",
]

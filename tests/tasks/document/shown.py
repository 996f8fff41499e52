"""The paper's tables as the document sees them, and rows of results that were made up."""

import dataclasses

import pandas as pd
from tasks.document.results import COLUMNS

from flgc.methods.picking import PROTOCOLS
from tasks.declared.described import Described, Row, described
from tasks.declared.paper import AVERAGED, CITATION_METHODS, FLGC_ROWS
from tasks.declared.suites import SUITES

# What all rows have to say, and no test asks for.
EMPTY = {name: "" if kind == "str" else 0 for name, kind in COLUMNS.items()}
RIVALS = CITATION_METHODS[:4]


# What the tiny suite does not declare, since its grids are cut.
PUBLISHED = {"published": "uci_accuracy"}


def table(
    name: str, methods: tuple[str, ...] = (), suite: str = "paper", **changes: str
) -> Described:
    """A declared table; methods that are trained are rivals of whom nothing is loaded."""
    declared = next(experiment for experiment in SUITES[suite] if experiment.name == name)
    methods = methods or declared.methods
    ours = tuple(method for method in methods if method not in RIVALS)
    seen = described(dataclasses.replace(declared, methods=ours, **changes))
    rivals = [rival(method) for method in methods if method in RIVALS]
    return dataclasses.replace(seen, rows=(*rivals, *seen.rows))


def rival(name: str, **changes: object) -> Row:
    row = Row(name, published=name, own=False, protocols=PROTOCOLS, origin="flgc")
    return dataclasses.replace(row, **changes)


def results(
    *cells: tuple[str, str, str, float], of: Described, metric: str = "accuracy"
) -> pd.DataFrame:
    """Rows with (dataset, method, protocol, value), one for each."""
    names = ("dataset", "method", "protocol", "value")
    shared = {**EMPTY, "experiment": of.name, "metric": metric}
    rows = [shared | dict(zip(names, cell, strict=True)) for cell in cells]
    return pd.DataFrame(rows).astype(COLUMNS)


PUBLIC, CLUSTERING, ROBUSTNESS = (
    table(name) for name in ("citation-public", "clustering", "robustness")
)
# Rivals join as rows that nothing is loaded of, where a test has some.
UCI = table("uci", FLGC_ROWS)
FLGC = tuple(name for name in FLGC_ROWS if name != AVERAGED)

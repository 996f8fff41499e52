"""The paper's tables as the report sees them, and rows of results that were made up."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from flgc.methods.picking import PROTOCOLS
from tasks.analyses.registry import analyses_of
from tasks.declared.described import Described, Row, described
from tasks.declared.paper import AVERAGED, CITATION_METHODS, FLGC_ROWS
from tasks.declared.suites import SUITES
from tasks.report.blocks import Block
from tasks.report.evidence import Declaration, Evidence
from tasks.report.rows import COLUMNS
from tasks.report.writers.markdown import written

DECLARED = {each.name: each for suite in SUITES.values() for each in suite}
# What all rows have to say, and no test asks for.
EMPTY = {name: "" if kind == "str" else 0 for name, kind in COLUMNS.items()}
RIVALS = CITATION_METHODS[:4]
FLGC = tuple(name for name in FLGC_ROWS if name != AVERAGED)
# What the tiny suite does not declare, since its grids are cut.
PUBLISHED = {"published": "uci_accuracy"}
COMMAND = "flgc reproduce --dataset {dataset} --method {method} --protocol {protocol}"


def table(name: str, methods: tuple[str, ...] = (), **changes: str) -> Described:
    """A declared table; methods that are trained are rivals of whom nothing is loaded."""
    declared = DECLARED[name]
    methods = methods or declared.methods
    ours = tuple(method for method in methods if method not in RIVALS)
    seen = described(dataclasses.replace(declared, methods=ours, **changes))
    return with_rivals(seen, *(method for method in methods if method in RIVALS))


def rival(name: str, **changes: object) -> Row:
    row = Row(name, published=name, own=False, protocols=PROTOCOLS, origin="flgc")
    return dataclasses.replace(row, **changes)


def with_rivals(of: Described, *names: str) -> Described:
    """The table with these before its own rows."""
    return dataclasses.replace(of, rows=(*map(rival, names), *of.rows))


def results(
    *cells: tuple[str, str, str, float], of: Described, metric: str = "accuracy"
) -> pd.DataFrame:
    """Rows with (dataset, method, protocol, value), one for each."""
    names = ("dataset", "method", "protocol", "value")
    shared = {**EMPTY, "experiment": of.name, "metric": metric}
    rows = [shared | dict(zip(names, cell, strict=True)) for cell in cells]
    return pd.DataFrame(rows, columns=list(shared)).astype(COLUMNS)


def evidence(
    of: Described,
    cells: Sequence[pd.DataFrame] = (),
    products: Mapping[str, Any] | None = None,
    protocols: Sequence[str] = PROTOCOLS,
    costs: Mapping[str, Mapping[str, float]] | None = None,
    **declared: Any,
) -> Evidence:
    """A table with cells, each a frame, and what its analyses were made from."""
    digests = tuple(f"{of.name} {i}" for i in range(len(cells)))
    given = {"analyses": analyses_of(DECLARED[of.name]), "digests": digests, "command": COMMAND}
    told = Declaration(table=of, protocols=tuple(protocols), **{**given, **declared})
    return Evidence(told, cells, products or {}, costs or {})


def says(known: Evidence, name: str) -> str:
    """The words of an analysis, as Markdown."""
    return written(blocks_of(known, name))


def blocks_of(known: Evidence, name: str) -> list[Block]:
    return known.declared.analyses[name].says(known, known.rows(name))


PUBLIC, CLUSTERING, ROBUSTNESS = map(table, ("citation-public", "clustering", "robustness"))
# Rivals join as rows that nothing is loaded of, where a test has some.
UCI = table("uci", FLGC_ROWS)
TINY = table("uci-tiny", FLGC, **PUBLISHED)

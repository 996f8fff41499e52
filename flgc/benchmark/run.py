"""The sections of the benchmark, their tables and their Parquet file."""

from __future__ import annotations

import errno
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from flgc.benchmark import calibration, clusterings, scale, settings
from flgc.benchmark.rivals import Case, reference_recipe, timed, timed_in_turns
from flgc.classifier_cv import PAPER_HOPS, PAPER_REGULARIZATIONS, PAPER_TELEPORTS
from flgc.datasets import Dataset, load
from flgc.datasets.errors import NotAvailable
from flgc.datasets.fetching.atomic import writing
from flgc.device import n_threads
from flgc.graph import as_adjacency, propagation_matrix
from flgc.grid import accuracies, score_grid
from flgc.scaling import row_normalised

GRAPHS = ("Cora", "CiteSeer", "PubMed")
VERSIONS = ("flgc", "numpy", "scipy", "scikit-learn", "torch", "torch-geometric")
# The grid's mean number of hops: the reference recipe's cost is linear in it.
REFERENCE_HOPS = 10


def run(
    datasets: list[str] | None,
    sections: list[str] | None,
    repeats: int,
    largest: int,
    out: str,
    mirror: str | None,
    as_json: bool,
) -> None:
    """Measure, print and store; each section is printed and stored when it is done."""
    datasets = _choose("dataset", datasets, GRAPHS)
    titles_and_rows: dict[str, tuple[str, Callable[[], Iterable[dict]]]] = {
        "settings": (
            "The paper's numbers, picked on the test nodes as in the paper",
            lambda: settings.rows(datasets, mirror),
        ),
        "fit": (
            "One fit, propagation included",
            lambda: fit_rows(datasets, mirror, repeats),
        ),
        "grid": (
            "A grid of 3,927 models against as many reference recipes",
            lambda: grid_rows(datasets, mirror, repeats),
        ),
        "scaling": (
            "FLGCClassifier.fit, 2 hops, 20 edges and 100 features per node, 10 % labelled",
            lambda: scaling_rows(largest),
        ),
        "clustering": (
            "FLGCClustering(solver='lowrank'), 128 features",
            lambda: [scale.measure("cluster", max(largest // 10, 1000))],
        ),
        "graph-clustering": (
            "FLGCClustering(solver='lowrank') on graphs with features",
            lambda: clusterings.attributed_rows(datasets, mirror),
        ),
        "image-clustering": (
            "Extended Yale B (rebuilt) against plain versions of the same steps",
            lambda: clusterings.rows(mirror, repeats),
        ),
        "calibration": (
            "FLGCClassifierCV: probabilities against what happens, in percent",
            lambda: calibration.rows(datasets, mirror),
        ),
    }
    wanted = _choose("section", sections, tuple(titles_and_rows))
    _check_writable(Path(out))
    console = Console(quiet=as_json)
    collected: dict[str, list[dict]] = {}
    started = time.monotonic()
    for number, section in enumerate(wanted):
        title, rows = titles_and_rows[section]
        try:
            with _at_work(title, number, len(wanted), started):
                collected[section] = list(rows())
        except NotAvailable as error:
            if sections:  # asked for by name
                raise
            console.print(f"{title}: left out. {error}")
            continue
        console.print(_table(title, collected[section]))
        if section == "fit" and not find_spec("torch_geometric"):
            console.print("PyG's SGC is left out: pip install 'flgc[gnn]' brings it.")
        _store(collected, Path(out))
    if as_json:
        print(json.dumps({"sections": collected, "machine": _machine()}, indent=2))
    else:
        console.print(f"Ratios compare runs on this machine. Stored in {out}")


def _check_writable(out: Path) -> None:
    """Check this before minutes of work, not after."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(out))
    if not os.access(out.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(out.parent))


def _at_work(title: str, done: int, total: int, started: float) -> AbstractContextManager[Any]:
    """Show the current section and the time left, if the rest takes as long as those before."""
    if not sys.stderr.isatty():
        return nullcontext()
    text = f"{title} ({done + 1} of {total})"
    if done:
        left = (time.monotonic() - started) / done * (total - done)
        text += f", about {left / 60:.0f} min left" if left >= 120 else f", about {left:.0f} s left"
    return Console(stderr=True).status(f"{text} ...")


def fit_rows(datasets: list[str], mirror: str | None, repeats: int) -> Iterator[dict]:
    """Seconds and accuracy of one fit; the methods take turns, the median counts.

    All use FLGC*'s setting, except SGC, which uses that of its authors.
    """
    for name in datasets:
        problem, test = _case(name, mirror)
        timings = timed_in_turns(problem, repeats)
        own, _ = timings["flgc"]
        for rival, (seconds, scores) in timings.items():
            hits = scores.argmax(axis=1)[test] == problem.labels[test]
            yield {
                "dataset": name,
                "method": rival,
                "seconds": seconds,
                "ratio": seconds / own,
                "accuracy": 100 * float(np.mean(hits)),
            }


def grid_rows(datasets: list[str], mirror: str | None, repeats: int) -> Iterator[dict]:
    """Seconds of the paper's grid, scored on validation and test nodes; best of the repeats.

    The reference recipe is timed for one model, in the same run, and multiplied.
    """
    n_models = len(PAPER_HOPS) * len(PAPER_TELEPORTS) * len(PAPER_REGULARIZATIONS)
    for name in datasets:
        problem, _ = _case(name, mirror, hops=REFERENCE_HOPS)
        data = load(name, mirror=mirror)
        reference = min(timed(reference_recipe, problem)[1] for _ in range(repeats))
        for dtype in ("float64", "float32"):
            taken = []
            for _ in range(repeats):
                scores, elapsed = timed(_score_paper_grid, data, dtype)
                taken.append(elapsed)
            yield {
                "dataset": name,
                "precision": dtype,
                "models": n_models,
                "seconds": min(taken),
                "reference_seconds_per_model": reference,
                "ratio": n_models * reference / min(taken),
                "best_test_accuracy": 100 * float(scores.judged["test"].max()),
            }


def scaling_rows(largest: int) -> Iterator[dict]:
    """Sizes up to the largest by factors of about 3, and the exponents of growth."""
    sizes = np.unique(np.geomspace(min(10_000, largest // 10), largest, 5).astype(int)).tolist()
    rows = [scale.measure("fit", size) for size in sizes]
    yield from rows
    yield {"nodes": "exponent"} | {
        column: scale.exponent(sizes, [row[column] for row in rows])
        for column in ("seconds", "own_gigabytes")
    }


def _score_paper_grid(data: Dataset, dtype: str) -> Any:
    assert data.masks is not None
    masks = data.masks
    return score_grid(
        propagation_matrix(as_adjacency(data.edges, len(data.labels)), dtype),
        data.features.astype(dtype),
        data.labels,
        np.flatnonzero(masks["train"]),
        n_classes=len(data.class_names),
        hops=PAPER_HOPS,
        teleports=PAPER_TELEPORTS,
        regularizations=PAPER_REGULARIZATIONS,
        **accuracies(data.labels, {part: np.flatnonzero(masks[part]) for part in ("val", "test")}),
    )


def _case(name: str, mirror: str | None, hops: int | None = None) -> tuple[Case, np.ndarray]:
    data = load(name, mirror=mirror)
    assert data.masks is not None
    assert data.edges is not None
    setting = next(s for s in settings.GRAPH_SETTINGS if (s.dataset, s.method) == (name, "FLGC*"))
    X = row_normalised(data.features) if setting.row_normalised else data.features
    case = Case(
        X,
        data.labels,
        data.edges,
        data.masks["train"],
        setting.hops if hops is None else hops,
        setting.teleport,
        setting.regularization,
    )
    return case, data.masks["test"]


def _choose(what: str, wanted: list[str] | None, choices: tuple[str, ...]) -> list[str]:
    unknown = set(wanted or ()) - set(choices)
    if unknown:
        raise ValueError(f"no {what} named {', '.join(sorted(unknown))}: choose from {choices}.")
    return list(wanted or choices)


def _table(title: str, rows: list[dict]) -> Table:
    table = Table(title=title, title_justify="left")
    columns = list(dict.fromkeys(key for row in rows for key in row))
    for column in columns:
        words = all(isinstance(row.get(column, ""), str) for row in rows)
        table.add_column(column.replace("_", " "), justify="left" if words else "right")
    for row in rows:
        table.add_row(*(_cell(column, row.get(column)) for column in columns))
    return table


def _cell(column: str, value: Any) -> str:
    if not isinstance(value, float):
        return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
    if column == "ratio":
        return f"{value:,.0f} x" if value >= 10 else f"{value:.2f} x"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def _machine() -> dict:
    versions = {}
    for package in VERSIONS:
        try:
            versions[package] = version(package)
        except ImportError:
            versions[package] = "not installed"
    return {"python": platform.python_version(), "cores": n_threads(), "versions": versions}


def _store(collected: dict[str, list[dict]], out: Path) -> None:
    """One tidy table: section, row, column, number or text."""
    cells = [
        {
            "section": section,
            "row": i,
            "column": column,
            "value": None if isinstance(value, str) else float(value),
            "text": value if isinstance(value, str) else None,
        }
        for section, rows in collected.items()
        for i, row in enumerate(rows)
        for column, value in row.items()
    ]
    schema = pa.schema(
        [
            ("section", pa.string()),
            ("row", pa.int64()),
            ("column", pa.string()),
            ("value", pa.float64()),
            ("text", pa.string()),
        ],
        metadata={"machine": json.dumps(_machine())},
    )
    with writing(out) as temporary:
        pq.write_table(pa.Table.from_pylist(cells, schema=schema), temporary)

import dataclasses

import pandas as pd
import pytest

from tasks.claims import fastest, over_smoothing, reached
from tasks.experiments import PAPER
from tasks.published import LITERATURE, published_cells
from tasks.results import COLUMNS
from tasks.tables import comparison

PUBLIC = next(experiment for experiment in PAPER if experiment.name == "citation-public")


def results(*cells: tuple[str, str, str, float]) -> pd.DataFrame:
    """Rows with (dataset, method, protocol, accuracy) and nothing else of interest."""
    empty = {name: "" if kind == "str" else 0 for name, kind in COLUMNS.items()}
    made = [
        {**empty, "experiment": PUBLIC.name, "metric": "accuracy"}
        | dict(zip(("dataset", "method", "protocol", "value"), cell, strict=True))
        for cell in cells
    ]
    return pd.DataFrame(made).astype(COLUMNS)


def timings(**columns: list) -> pd.DataFrame:
    return pd.DataFrame({"dataset": "Cora", **columns})


def test_what_falls_short_is_named() -> None:
    found = reached(
        PUBLIC,
        results(
            ("Cora", "FLGC*", "paper", 0.830),
            ("CiteSeer", "FLGC*", "paper", 0.715),
            ("Cora", "FLGC*, teleport .1", "paper", 0.84),
        ),
    )
    assert "- FLGC*, `paper`: 1 of 2; short at CiteSeer (-1.7)" in found
    assert "- FLGC*, teleport .1, `paper`: 1 of 1" in found


def test_spread_and_what_lies_far_above_are_named() -> None:
    found = reached(
        PUBLIC,
        results(
            ("PubMed", "SGC", "honest", 0.788),
            ("Cora", "SGC", "honest", 0.790),
            ("Cora", "SGC", "honest", 0.810),
        ),
    )
    assert (
        "- SGC, `honest`: 1 of 2; short at Cora (-1.7; runs 79.0..81.0); more than 1.5 above at "
        "PubMed (+2.2)"
    ) in found


def test_what_was_tried_is_told() -> None:
    remarked = dataclasses.replace(PUBLIC, remarks=("Tried: more hops.",))
    cells = results(("Cora", "FLGC*", "paper", 0.8))
    assert "Tried: more hops." in "\n".join(reached(remarked, cells)).splitlines()
    assert reached(remarked, cells.assign(dataset="nowhere")) == []


def test_over_smoothing_is_checked() -> None:
    steady = timings(method="FLGC*", hops=[1, 2, 15], accuracy=[0.80, 0.84, 0.832], seconds=1.0)
    assert "Cora: holds; 83.2 at 15 hops, best 84.0 at 2" in over_smoothing(steady)[1]
    falling = steady.assign(accuracy=[0.80, 0.84, 0.82])
    assert "**does not hold**" in over_smoothing(falling)[1]
    assert over_smoothing(steady.assign(method="GCN")) == []


def test_a_slower_fit_is_named() -> None:
    table = timings(
        method=["FLGC", "FLGC", "GCN", "GCN"], hops=[1, 2, 1, 2], seconds=[1.0, 1.0, 3.0, 0.5]
    )
    assert fastest(table)[1].endswith("**not everywhere**; slower on Cora at 2 hops (GCN)")
    assert "faster at all 2 pairs" in fastest(table.assign(seconds=[1.0, 1.0, 3.0, 2.0]))[1]
    assert fastest(table[table["method"] == "GCN"]) == []


def test_many_methods_are_rows_and_the_literature_is_marked() -> None:
    cells = results(("Cora", "GCN", "paper", 0.8))
    absent = {"PubMed": "not available"}
    table = comparison(PUBLIC, ("paper", "honest"), cells, absent).set_index("method")
    assert list(table.columns) == [
        f"{dataset} {kind}"
        for dataset in ("Cora", "CiteSeer", "PubMed")
        for kind in ("published", "paper", "honest")
    ]
    assert table.loc["GCN"].tolist() == [
        *("81.1 ± 0.2", "80.0", "failed"),
        *("69.8 ± 0.2", "failed", "failed"),
        *("79.4 ± 0.1", "not available", "not available"),
    ]
    assert table.loc["FLGC*, teleport .1", "Cora published"] == "84.0 ± 0.0"
    assert table.loc["GAT (literature)", "Cora published"] == "83.3 ± 0.7"
    assert sum(f"({LITERATURE})" in method for method in table.index) == 11


def test_the_paper_has_a_method_twice() -> None:
    gcn = published_cells(PUBLIC)
    assert gcn[(gcn["method"] == "GCN") & (gcn["dataset"] == "Cora")][
        "value"
    ].item() == pytest.approx(0.811)

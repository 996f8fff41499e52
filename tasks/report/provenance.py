"""Where it all came from: data, versions, seeds and the sizes of the grids."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tasks.report.blocks import Block, Heading, Table, Text
from tasks.report.rows import joined

SEEDS_EXPLAINED = (
    "Seeds are derived from the table, the dataset and the run, never from the method: all methods "
    "see the same splits. Those of a cell are told with the cell."
)


def provenance_blocks(
    results: Mapping[str, pd.DataFrame], provenance: Mapping[str, Any]
) -> list[Block]:
    """`provenance` has `data`, a record for each dataset, and `versions`, texts by package."""
    blocks: list[Block] = [Heading(2, "Provenance")]
    records = list(provenance.get("data", ()))
    if records:
        told = [name for name in records[0] if any(record[name] for record in records)]
        data = pd.DataFrame(records, columns=told)
        blocks += [Heading(3, "Data"), Table("data", data, "Datasets: digests and sources")]
    versions = pd.DataFrame(
        list(provenance.get("versions", {}).items()), columns=["package", "version"]
    )
    if len(versions):
        blocks += [Heading(3, "Versions"), Table("versions", versions, "What computed the cells")]
    rows = joined(results.values())
    if rows.empty:
        return blocks if len(blocks) > 1 else []
    blocks += [Heading(3, "Seeds and runs"), Text(SEEDS_EXPLAINED)]
    blocks += [Table("seeds", _seeds(rows), "Runs and seeds by table")]
    blocks += [Heading(3, "Sizes of the grids")]
    blocks += [Table("grid-sizes", _sizes(rows), "Settings tried by each method in each table")]
    return blocks


def _seeds(rows: pd.DataFrame) -> pd.DataFrame:
    groups: Any = rows.groupby("experiment", sort=False)
    frame = pd.DataFrame(
        {
            "datasets": groups["dataset"].nunique(),
            "runs of a cell, at most": groups["run"].nunique(),
            "different seeds": groups["seed"].nunique(),
            "the first": groups["seed"].first(),
        }
    )
    return frame.rename_axis("table").reset_index()


def _sizes(rows: pd.DataFrame) -> pd.DataFrame:
    """The most settings that a method tried in a cell, whichever the protocol."""
    frame = rows.pivot_table(
        index="method", columns="experiment", values="tried", aggfunc="max", sort=False
    )
    texts = frame.map(lambda number: "" if pd.isna(number) else f"{number:.0f}")
    return texts.rename_axis(columns=None).reset_index()

"""The settings of a cell and their weights, run by run.

Cells are made from it and not from the scores, whose last digits may differ where cores add in
another order: equal picks with equal values are equal cells.
"""

from collections.abc import Mapping
from typing import Any

from flgc.methods.picking import pick_settings
from tasks.running.stage import Stage
from tasks.store import Artifact, Store
from tasks.store.layouts import read_rows

pick = Stage("pick", pick_settings)


def scalings(store: str, picks: Artifact | Mapping[str, Artifact], **given: Any) -> set[str]:
    """Those that are picked: who fits a pick runs their code."""
    every = [picks] if isinstance(picks, Artifact) else picks.values()
    tables = [read_rows(Store(store).read(each.key)) for each in every]
    return {name for table in tables if "p_scaling" in table for name in table["p_scaling"]}

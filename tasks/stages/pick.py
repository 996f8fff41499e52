"""The picked settings of a method and their values: one artifact per scores, method and protocol.

Cells are made from it and not from the scores, whose last digits may differ where cores add in
another order: equal picks with equal values are equal cells.
"""

from dataclasses import asdict

import pandas as pd

from tasks.declared.experiments import METHODS, Cell
from tasks.picking import Setting, admitted, picks, settings_of, with_values
from tasks.running.stage import as_task
from tasks.store.store import Artifact, Store

MODULES = ("tasks.picking",)


def pick_settings(store: str, cell: Cell, scores: Artifact) -> Artifact:
    """Run by run: the axes of the grid, the criterion of the protocol, and what the grid has."""
    opened, method = Store(store), METHODS[cell.method]

    def compute() -> pd.DataFrame:
        part = admitted(opened.read(scores.key).to_pandas(), method)
        return with_values(picks(part, cell.protocol), part)

    return opened.get_or_compute(
        "pick",
        MODULES,
        compute,
        parameters={"method": asdict(method), "protocol": cell.protocol},
        inputs={"scores": scores},
    )


pick = as_task(pick_settings, "pick {cell.title}")


def picked(store: Store, picks: Artifact) -> list[Setting]:
    """The setting of each run."""
    return settings_of(store.read(picks.key).to_pandas())


def shared_setting(store: Store, picks: Artifact) -> Setting:
    """The setting that all runs have, as `paper` picks them."""
    setting, *others = set(picked(store, picks))
    if others:
        raise ValueError(f"the runs of {picks.key} have {1 + len(others)} settings, not one")
    return setting

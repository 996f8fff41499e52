"""The code of scalings that stages are given by name: their results depend on it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flgc.methods.registry import contender
from flgc.scaling import SCALINGS
from tasks.store import Artifact, Store
from tasks.store.layouts import load


def of_grid(store: str, grid: Mapping[str, Sequence[Any]], **given: Any) -> list[Callable]:
    """Those of a method's grid, if it has that axis."""
    return [SCALINGS[name] for name in grid.get("scaling", ())]


def of_fits(store: str, method: str, refit: bool, **given: Any) -> list[Callable] | None:
    """Those that a cell is fitted with; None where its value is read off the picks instead."""
    task, _, name = method.partition(":")
    fitted = refit or contender(name, task).combine == "average"
    return of_picks(store, **given) if fitted else None


def of_picks(store: str, picks: Artifact | Mapping[str, Artifact], **given: Any) -> list[Callable]:
    """Those that were picked: fitting a pick runs their code."""
    every = [picks] if isinstance(picks, Artifact) else picks.values()
    tables = [load(Store(store), each) for each in every]
    named = {name for table in tables if "p_scaling" in table for name in table["p_scaling"]}
    return [SCALINGS[name] for name in sorted(named)]


def of_setting(store: str, setting: Mapping[str, Any], **given: Any) -> list[Callable]:
    """The one of a setting, if the method has one."""
    return [SCALINGS[setting["scaling"]]] if "scaling" in setting else []

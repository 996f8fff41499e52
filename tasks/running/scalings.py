"""The code of scalings that stages are given by name: their results depend on it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from flgc.methods.registry import contender
from flgc.scaling import SCALINGS
from tasks.running.nested import leaves
from tasks.store import Artifact, Store
from tasks.store.layouts import load


def of_parameters(store: str, **given: Any) -> list[Callable]:
    """The scalings among the arguments of a stage: its own, that of a setting, those of grids."""
    places = [given, given.get("setting", {}), given.get("grid", {}), *given.get("grids", ())]
    return _code(name for each in places for name in leaves(each.get("scaling", ())))


def of_fits(store: str, method: str, refit: bool, **given: Any) -> list[Callable] | None:
    """The scalings that a cell is fitted with; None where its value is read off the picks."""
    task, _, name = method.partition(":")
    fitted = refit or contender(name, task).combine == "average"
    return of_picks(store, **given) if fitted else None


def of_picks(store: str, picks: Artifact | Mapping[str, Artifact], **given: Any) -> list[Callable]:
    """The scalings that were picked: fitting a pick runs their code."""
    tables = [load(Store(store), each) for each in leaves(picks)]
    return _code(name for table in tables if "p_scaling" in table for name in table["p_scaling"])


def of_scores(store: str, scores: Mapping[str, Artifact], **given: Any) -> list[Callable]:
    """The scalings in which settings were scored."""
    return of_picks(store, scores)


def _code(names: Iterable[str]) -> list[Callable]:
    return [SCALINGS[name] for name in sorted(set(names))]

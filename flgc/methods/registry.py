"""Who can stand in a table: the methods of this library, of installed packages, and yours.

A further method is one file and one line of `BUILT_IN`. A package adds its own by the entry point
group `flgc.methods`; anything else is named `module:object`. An object may be a `Method` or a
class of one, a scikit-learn estimator's class, or a `Contender`.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from flgc.methods.base import Grid, Method
from flgc.methods.estimators import Estimator
from flgc.methods.flgc import FLGC, Clustering
from flgc.methods.picking import PROTOCOLS

GROUP = "flgc.methods"
NOTHING: Mapping[str, Any] = MappingProxyType({})


class UnknownMethod(ValueError):
    """There is no such method, or it cannot be had here."""


@dataclass(frozen=True)
class Contender:
    """A row of a table: a method, the part of its settings from which it picks, and by which rule.

    Contenders of one method and one grid share its scores. `grid` has values for axes that the
    experiment does not set. `published` is its name in the paper's tables, if that is another;
    `origin` says where it comes from, if not from here.
    """

    name: str
    method: Method
    part: Grid = field(default_factory=dict)
    grid: Grid = field(default_factory=dict)
    combine: str = "best"
    published: str = ""
    origin: str = "flgc"

    @property
    def protocols(self) -> tuple[str, ...]:
        """An average weighs each run by what it may see: there is none that looks at tests."""
        return ("honest",) if self.combine == "average" else PROTOCOLS

    def whole(self, given: Grid) -> dict[str, tuple]:
        """The grid whose scores it needs, with an experiment's values where it gives some."""
        known = {name: values for name, values in given.items() if name in self.method.axes}
        grid = {**self.method.axes, **known, **self.grid}
        return {name: tuple(values) for name, values in grid.items()}

    def n_settings(self, given: Grid = NOTHING) -> int:
        """How many settings it is picked from, or averaged over."""
        return math.prod(len(values) for values in {**self.whole(given), **self.part}.values())


_FLGC, _CLUSTERING = FLGC(), Clustering()
_ROWS = (
    Contender("FLGC", _FLGC, part={"teleport": (0.0,)}),
    Contender("FLGC*, teleport .1", _FLGC, part={"teleport": (0.1,)}, published="FLGC*"),
    Contender("FLGC*", _FLGC),
    Contender("FLGC* averaged", _FLGC, grid={"constant": (True,)}, combine="average"),
    Contender("FLGC", _CLUSTERING, part={"teleport": (0.0,)}),
    Contender("FLGC*", _CLUSTERING),
)
# By name and task. What needs torch is named and not imported.
BUILT_IN: dict[tuple[str, str], Any] = {
    ("GCN", "classification"): "flgc.methods.trained.gcn:GCNMethod",
    ("GCN-Linear", "classification"): "flgc.methods.trained.gcn:GCNLinearMethod",
    ("SGC", "classification"): "flgc.methods.trained.sgc:SGCMethod",
    ("APPNP", "classification"): "flgc.methods.trained.appnp:APPNPMethod",
    **{(row.name, row.method.task): row for row in _ROWS},
}


def contender(name: str, task: str) -> Contender:
    """The row of that name, or the one that `module:object` names, for a task."""
    found = BUILT_IN.get((name, task)) or _installed().get(name)
    if found is None and ":" in name:
        found = name
    if found is None:
        known = ", ".join(names(task))
        raise UnknownMethod(f"unknown method {name!r}; choose from {known}, or give module:object")
    row = _as_contender(name, _loaded(name, found), found)
    if row.method.task != task:
        raise UnknownMethod(f"method {name!r} is for {row.method.task}, not for {task}")
    return row


def task_of(name: str) -> tuple[str, ...]:
    """The tasks for which there is a method of that name."""
    tasks = tuple(task for known, task in BUILT_IN if known == name)
    if tasks:
        return tasks
    found = _installed().get(name, name)
    if isinstance(found, str) and ":" not in found:
        known = ", ".join(dict.fromkeys([*(n for n, _ in BUILT_IN), *_installed()]))
        raise UnknownMethod(f"unknown method {name!r}; choose from {known}, or give module:object")
    return (_as_contender(name, _loaded(name, found), found).method.task,)


def is_built_in(name: str) -> bool:
    """Whether it comes with this library."""
    return any(name == known for known, _ in BUILT_IN)


def installed(task: str) -> list[str]:
    """The names of methods that other packages bring for a task: they join every table of it."""
    return [name for name in _installed() if task in task_of(name)]


def names(task: str | None = None) -> list[str]:
    """Those of this library, then those of installed packages, whatever their task."""
    own = [name for name, of in BUILT_IN if task in (None, of)]
    return list(dict.fromkeys([*own, *_installed()]))


def listed() -> Iterator[dict[str, Any]]:
    """One row for each that there is, or why it cannot be had: what `flgc methods` shows."""
    for name, task in [*BUILT_IN, *((name, None) for name in _installed())]:
        try:
            row = contender(name, task or task_of(name)[0])
        except UnknownMethod as error:
            yield {"name": name, "task": task or "", "error": str(error)}
            continue
        yield {
            "name": name,
            "task": row.method.task,
            "axes": {axis: list(values) for axis, values in {**row.whole({}), **row.part}.items()},
            "settings": row.n_settings(),
            "combine": row.combine,
            "reference": row.method.reference,
            "origin": row.origin,
        }


def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(name: str, found: Any) -> Any:
    """What an entry point or `module:object` names."""
    if isinstance(found, Contender):
        return found
    try:
        if isinstance(found, EntryPoint):
            return found.load()
        module, _, attribute = found.partition(":")
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        extra = ": pip install 'flgc[gnn]'" if getattr(error, "name", "") == "torch" else ""
        raise UnknownMethod(f"method {name!r} cannot be loaded ({error}){extra}") from error


def _as_contender(name: str, made: Any, found: Any) -> Contender:
    origin = "flgc"
    if isinstance(found, EntryPoint):
        origin = f"{found.dist.name} {found.dist.version}" if found.dist else found.value
    elif found == name:
        origin = name
    if inspect.isclass(made):
        made = made() if issubclass(made, Method) else Estimator(made.__name__, made)
    if isinstance(made, Method):
        made = Contender(name if origin != name else made.name, made)
    if not isinstance(made, Contender):
        raise UnknownMethod(
            f"method {name!r} is a {type(made).__name__}; give a flgc.methods.base.Method, its "
            "class, or a scikit-learn estimator's class"
        )
    return dataclasses.replace(made, origin=origin)

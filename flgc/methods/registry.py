"""The methods for tables: those of this library, of installed packages, and yours.

A new method is one file and one line of `BUILT_IN`. A package adds its own by the entry point group
`flgc.methods`; anything else is named `module:object`. The object may be a `Method`, its class, the
class of a scikit-learn estimator, or a `Contender`.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, get_args

from flgc.methods.base import Grid, Method, Task, plain
from flgc.methods.estimators import Estimator
from flgc.methods.flgc import FLGC
from flgc.methods.flgc_beyond import HopKernelFLGC, KernelFLGC, LooplessFLGC, PerHopFLGC
from flgc.methods.flgc_clustering import EDSC, EGCSC, Clustering, LowRank
from flgc.methods.picking import PROTOCOLS, Combine

GROUP = "flgc.methods"
NOTHING: Mapping[str, Any] = MappingProxyType({})


class UnknownMethod(ValueError):
    """There is no such method, or it cannot be used here."""


class LeftOut(UserWarning):
    """A method of a package cannot be used: the others run without it."""


@dataclass(frozen=True)
class Contender:
    """A row of a table: a method, the part of its settings from which it picks, and the rule.

    Contenders of one method and one grid share its scores. `grid` has values for axes that the
    experiment does not set. `published` is its name in the paper's tables, if different; `origin`
    is the package or object that it comes from.
    """

    name: str
    method: Method
    part: Grid = field(default_factory=dict)
    grid: Grid = field(default_factory=dict)
    combine: str = "best"
    published: str = ""
    origin: str = "flgc"

    @property
    def is_variant(self) -> bool:
        """Whether the paper's tables have it as another row, as `FLGC*, teleport .1`."""
        return self.published not in ("", self.name)

    @property
    def picks_nothing(self) -> bool:
        """Whether its part is one setting, besides the scaling, which comes with the data."""
        fixed = [
            len(self.part.get(axis, ())) == 1 for axis in self.method.axes if axis != "scaling"
        ]
        return bool(self.part) and all(fixed)

    @property
    def protocols(self) -> tuple[str, ...]:
        """An average, or a row that picks nothing, does not use test nodes: only `honest`."""
        return ("honest",) if self.combine == "average" or self.picks_nothing else PROTOCOLS

    def whole(self, given: Grid) -> dict[str, tuple]:
        """The grid whose scores it needs, with the experiment's values for its axes."""
        own = {name: values for name, values in given.items() if name in self.method.axes}
        grid = {**self.method.axes, **own, **self.grid}
        return {name: tuple(plain(each) for each in values) for name, values in grid.items()}

    def n_settings(self, given: Grid = NOTHING) -> int:
        """The number of settings it is picked from, or averaged over."""
        return math.prod(len(values) for values in {**self.whole(given), **self.part}.values())


_FLGC, _CLUSTERING, _LOW_RANK = FLGC(), Clustering(), LowRank()
_KERNEL, _PER_HOP = KernelFLGC(), PerHopFLGC()
# Fewer settings, as these norms are iterated.
_OTHER_NORMS: dict[str, tuple] = {
    "hops": (2, 10),
    "teleport": (0.01, 0.2),
    "regularization": (0.01, 0.1, 1.0, 10.0),
}
_ROWS = (
    Contender("FLGC", _FLGC, part={"teleport": (0.0,)}),
    Contender("FLGC*, teleport .1", _FLGC, part={"teleport": (0.1,)}, published="FLGC*"),
    Contender("FLGC*", _FLGC),
    Contender("FLGC* averaged", _FLGC, grid={"constant": (True,)}, combine="average"),
    Contender("FLGC*, kernel", _KERNEL),
    Contender("FLGC*, kernel, averaged", _KERNEL, combine="average"),
    Contender("FLGC*, no self loops", LooplessFLGC()),
    Contender("FLGC*, per hop", _PER_HOP),
    Contender("FLGC*, kernel of hops", HopKernelFLGC()),
    Contender("FLGC*, per hop, no self loops", _PER_HOP, grid={"self_loops": (False,)}),
    Contender("FLGC", _CLUSTERING, part={"teleport": (0.0,)}),
    Contender("FLGC*", _CLUSTERING),
    Contender("FLGC* averaged", _CLUSTERING, combine="average"),
    Contender("FLGC*, l1", _CLUSTERING, grid=_OTHER_NORMS | {"norm": ("l1",)}, published="FLGC*"),
    Contender(
        "FLGC*, nuclear", _CLUSTERING, grid=_OTHER_NORMS | {"norm": ("nuclear",)}, published="FLGC*"
    ),
    Contender("FLGC, low-rank", _LOW_RANK, part={"teleport": (0.0,)}),
    Contender("FLGC*, low-rank", _LOW_RANK),
    Contender("EDSC", EDSC(), grid={"hops": (0,), "teleport": (0.0,)}),
    Contender("EGCSC", EGCSC(), grid={"hops": (1,), "teleport": (0.0,)}),
)
# By name and task. Slow imports are given as text.
BUILT_IN: dict[tuple[str, str], Any] = {
    **{(row.name, row.method.task): row for row in _ROWS},
    ("GCN", "classification"): "flgc.methods.trained.gcn:GCNMethod",
    ("GCN-Linear", "classification"): "flgc.methods.trained.gcn:GCNLinearMethod",
    ("DropEdge", "classification"): "flgc.methods.trained.dropedge:DropEdgeMethod",
    ("SGC", "classification"): "flgc.methods.trained.sgc:SGCMethod",
    ("GCNII", "classification"): "flgc.methods.trained.gcnii:GCNIIMethod",
    ("APPNP", "classification"): "flgc.methods.trained.appnp:APPNPMethod",
    ("SS-ELM", "classification"): "flgc.methods.tables.ss_elm:SSELM",
    ("TSVM", "classification"): "flgc.methods.tables.tsvm:TSVM",
    ("LapRLS", "classification"): "flgc.methods.tables.laprls:LapRLS",
    ("LapRLS, linear", "classification"): "flgc.methods.tables.laprls:LinearLapRLS",
    ("LabelSpreading", "classification"): "flgc.methods.tables.of_sklearn:label_spreading",
    ("SVM", "classification"): "flgc.methods.tables.of_sklearn:svm",
    ("GCN, authors' setting", "classification"): "flgc.methods.trained.authors:GCN",
    ("GCN-Linear, authors' setting", "classification"): "flgc.methods.trained.authors:GCN_LINEAR",
    ("DropEdge, authors' setting", "classification"): "flgc.methods.trained.authors:DROPEDGE",
    ("SGC, authors' setting", "classification"): "flgc.methods.trained.authors:SGC",
    ("GCNII, authors' setting", "classification"): "flgc.methods.trained.authors:GCNII",
    ("APPNP, authors' setting", "classification"): "flgc.methods.trained.authors:APPNP",
    ("K-Means", "clustering"): "flgc.methods.learned_graphs.of_sklearn:K_MEANS",
    ("NMF", "clustering"): "flgc.methods.learned_graphs.of_sklearn:NMF_ROW",
    ("NCut", "clustering"): "flgc.methods.learned_graphs.ncut:NCUT",
    ("CAN", "clustering"): "flgc.methods.learned_graphs.can:CAN",
    ("CLR", "clustering"): "flgc.methods.learned_graphs.clr:CLR",
    ("SSR", "clustering"): "flgc.methods.learned_graphs.ssr:SSR",
    ("KMM", "clustering"): "flgc.methods.learned_graphs.kmm:KMM",
    ("RRCSL", "clustering"): "flgc.methods.learned_graphs.rrcsl:RRCSL",
    ("LRR", "clustering"): "flgc.methods.subspace.lrr:lrr",
    ("LRSC", "clustering"): "flgc.methods.subspace.lrsc:lrsc",
    ("SSC", "clustering"): "flgc.methods.subspace.ssc:ssc",
    ("KSSC", "clustering"): "flgc.methods.subspace.kssc:kssc",
    ("SSC-OMP", "clustering"): "flgc.methods.subspace.ssc_omp:ssc_omp",
}


def contender(name: str, task: str) -> Contender:
    """The row of a name, or of `module:object`, for a task."""
    declared = BUILT_IN.get((name, task))
    row = _contender(name, _outside(name, task) if declared is None else declared)
    if row.method.task != task:
        raise UnknownMethod(f"method {name!r} is for {row.method.task}, not for {task}")
    return row


def task_of(name: str) -> tuple[str, ...]:
    """The tasks of the methods of that name."""
    tasks = tuple(task for each, task in BUILT_IN if each == name)
    return tasks or (_contender(name, _outside(name)).method.task,)


def resolve_method(name: str) -> str:
    """The spelling of a known name, in any case; an unknown one is an error with suggestions.

    `module:object` is returned unchanged.
    """
    spellings = {each.lower(): each for each in names()}
    if name.lower() in spellings:
        return spellings[name.lower()]
    if ":" in name:
        return name
    raise _unknown(name)


def is_built_in(name: str) -> bool:
    """Whether the method comes with this library."""
    return any(name == each for each, _ in BUILT_IN)


def installed(task: str) -> list[str]:
    """The names of methods of other packages for a task: they join every table of it.

    One that cannot be used is left out with a warning; by name it is an error.
    """
    of_task = []
    for name in _installed():
        try:
            of_task += [name] if task == _task_of_installed(name) else []
        except UnknownMethod as error:
            brought = _packages(_installed()[name])
            warnings.warn(f"left out of {brought}: {error}", LeftOut, stacklevel=2)
    return of_task


def names(task: str | None = None) -> list[str]:
    """The methods of this library for a task, then all of installed packages."""
    own = [name for name, of in BUILT_IN if task in (None, of)]
    return list(dict.fromkeys([*own, *_installed()]))


def listed() -> Iterator[dict[str, Any]]:
    """One row for each method, or why it cannot be used: the rows of `flgc methods`."""
    for name, task in [*BUILT_IN, *((name, None) for name in _installed())]:
        try:
            row = contender(name, task or _task_of_installed(name))
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


def _outside(name: str, task: str | None = None) -> EntryPoint | str:
    """The entry point of a name, or its `module:object`."""
    entries = _installed().get(name, [])
    if len(entries) > 1:
        brought = _packages(entries)
        raise UnknownMethod(f"method {name!r} is in several packages: {brought}; remove one")
    if entries:
        return entries[0]
    if ":" in name:
        return name
    if is_built_in(name):
        raise UnknownMethod(f"method {name!r} is for {' and '.join(task_of(name))}, not for {task}")
    raise _unknown(name, task)


def _unknown(name: str, task: str | None = None) -> UnknownMethod:
    """The error for an unknown name, with similar names, or else all names."""
    choices = names(task)
    spellings = {each.lower(): each for each in choices}
    close = difflib.get_close_matches(name.lower(), spellings)
    meant = " or ".join(repr(spellings[each]) for each in close)
    if meant:
        hint = f"did you mean {meant}? `flgc methods` lists all"
    else:
        hint = f"choose from {', '.join(choices)}, or give module:object"
    return UnknownMethod(f"unknown method {name!r}; {hint}")


def _task_of_installed(name: str) -> str:
    """The task of a package's method, unless its name is taken."""
    if is_built_in(name):
        raise UnknownMethod(f"method {name!r}: this library has one of that name")
    return _contender(name, _outside(name)).method.task


def _installed() -> dict[str, list[EntryPoint]]:
    entries: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        entries.setdefault(entry.name, []).append(entry)
    return entries


def _packages(entries: Sequence[EntryPoint]) -> str:
    """`mypackage 1.0`; without a package the value of the entry point."""
    origins = [(entry.dist, entry.value) for entry in entries]
    return ", ".join(sorted(f"{dist.name} {dist.version}" if dist else of for dist, of in origins))


def _contender(name: str, source: Any) -> Contender:
    """The checked row of an entry point, of `module:object` or of a line of `BUILT_IN`."""
    origin, where = "flgc", f"method {name!r}"
    if isinstance(source, EntryPoint):
        origin = _packages([source])
        where += f" ({source.value} of {origin})"
    elif source == name:
        origin = name
    try:
        row = _as_row(name, source if isinstance(source, Contender) else _loaded(source))
        _check(row)
    except (Exception, SystemExit) as error:  # code of others may raise anything
        missing = getattr(error, "name", "") if isinstance(error, ImportError) else ""
        extra = ": pip install 'flgc[gnn]'" if missing == "torch" else ""
        raise UnknownMethod(f"{where} cannot be used: {_in_a_line(error)}{extra}") from error
    return dataclasses.replace(row, origin=origin)


def _loaded(source: EntryPoint | str) -> Any:
    if isinstance(source, EntryPoint):
        return source.load()
    module, _, attributes = source.partition(":")
    if not module or not attributes:
        raise ValueError("give module:object, as in sklearn.svm:SVC")
    made = import_module(module)
    for attribute in attributes.split("."):
        made = getattr(made, attribute)
    return made


def _as_row(name: str, made: Any) -> Contender:
    """The loaded object as a row of a table."""
    if inspect.isclass(made):
        made = made() if issubclass(made, Method) else Estimator(made.__name__, made)
    if isinstance(made, Method):
        return Contender(name, made)
    if isinstance(made, Contender):
        return made
    raise TypeError(
        f"it is a {type(made).__name__}; give a flgc.methods.base.Method, its class, or the class "
        "of a scikit-learn classifier or clusterer"
    )


def _check(row: Contender) -> None:
    """Refuse a row that a table cannot use, before anything runs."""
    method, kind = row.method, type(row.method)
    if not isinstance(getattr(method, "name", None), str):
        raise TypeError(f"{kind.__name__} has no name")
    if method.task not in get_args(Task):
        raise ValueError(f"task={method.task!r} is not one of {', '.join(get_args(Task))}")
    if kind.outputs is Method.outputs and kind.scores is Method.scores:
        raise TypeError(f"{kind.__name__} has no outputs")
    if not isinstance(method.parameters(), dict):
        raise TypeError(f"{kind.__name__}.parameters() is not a dict")
    if row.combine not in get_args(Combine):
        raise ValueError(f"combine={row.combine!r} is not one of {', '.join(get_args(Combine))}")
    for axis in {*row.part, *row.grid} - {*method.axes}:
        raise ValueError(f"{method.name} has no axis {axis!r}")
    for axis, values in {**method.axes, **row.grid, **row.part}.items():
        is_list = isinstance(values, Sequence) or hasattr(values, "tolist")
        if isinstance(values, str) or not is_list or len(values) == 0:
            raise TypeError(f"axis {axis}={values!r}: give a tuple of values")
        for value in map(plain, values):
            if not isinstance(value, str | int | float | None):
                raise TypeError(f"axis {axis}: {value!r} is not a number, text, bool or None")


def _in_a_line(error: BaseException) -> str:
    """The message of an error in one line, with its type if the message may not explain itself."""
    text = " ".join(str(error).split())
    plain = isinstance(error, ImportError | AttributeError | TypeError | ValueError)
    return text if plain and text else f"{type(error).__name__} {text}".strip()

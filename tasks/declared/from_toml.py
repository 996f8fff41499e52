"""Experiments of a TOML file: the fields of `Experiment`, by their names.

    name = "mine"

    [[experiment]]
    name = "my-tables"
    task = "classification"
    datasets = ["wine", "zoo"]
    methods = ["FLGC*", "SVM", "mine:Centroids"]
    split = "5-per-class"
    runs = 10
    analyses = ["Compare", { kind = "LabelCounts", counts = [1, 3], datasets = ["wine"], runs = 5 }]

What can be wrong is found before anything runs, and said with its place, the value and the choices.
"""

import dataclasses
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from flgc.datasets import DatasetError
from flgc.datasets.fetching.settings import Settings
from flgc.datasets.library import describe
from flgc.methods.judging import ACCURACY, AUC
from flgc.methods.registry import UnknownMethod, contender
from flgc.noise import NOISES, PATTERNS
from flgc.preparing import GIVEN
from flgc.scaling import SCALINGS
from tasks.analyses.registry import ANALYSES
from tasks.declared.paper import GRAPH, MIN_MAX, SMALL_SETS
from tasks.declared.published import TABLES
from tasks.declared.types import DRAWN_SPLIT, FIXED_SPLITS, Experiment, Preparation

FLOWS = ("citation", "uci", "clustering", "robustness")
# The flow that runs an experiment, unless it names another.
USUAL_FLOW = {"classification": "uci", "clustering": "clustering"}
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SPLITS = (*FIXED_SPLITS, "random", "random-full", "given")
TYPES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def read_suite(path: Path) -> tuple[str, tuple[Experiment, ...]]:
    """The name of a suite and its experiments, or a ValueError that names key, value, choices."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"suite {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # TOML's, and what is not UTF-8
        raise ValueError(f"suite {path} is no TOML: {error}") from error
    except RecursionError as error:
        raise ValueError(
            f"suite {path} has lists or tables within each other, hundreds deep: give plain ones"
        ) from error
    _known(str(path), given, ("name", "experiment"))
    name = _as(str, given.get("name", ""), f"{path}: name")
    _named(f"{path}: name", name)
    tables = given.get("experiment", [])
    if not isinstance(tables, list) or not tables:
        raise ValueError(f"{path} has no experiment: add a table [[experiment]]")
    experiments = tuple(
        _experiment(each, f"{path}: experiment {i + 1}") for i, each in enumerate(tables)
    )
    names = [experiment.name for experiment in experiments]
    for i, each in enumerate(names):
        if each in names[:i]:
            raise ValueError(f"{path}: two experiments are called {each!r}; rename one")
    return name, experiments


def _experiment(given: Any, where: str) -> Experiment:
    """One table, checked as far as it can be without its data."""
    if isinstance(given, Mapping) and isinstance(given.get("name"), str):
        where = f"{where} ({given['name']})"
    for key in ("name", "task", "datasets", "methods"):
        if not isinstance(given, Mapping) or not given.get(key):
            raise ValueError(f"{where} has no {key}: add one")
    task = given["task"]
    _choice(f"{where}: task", task, USUAL_FLOW)
    kinds = _kinds(given["datasets"], f"{where}: datasets")
    defaults: dict[str, Any] = {"title": given["name"], "flow": USUAL_FLOW[task]}
    made = _dataclass(Experiment, {**defaults, **given}, where)
    if "preparations" not in given:
        prepared = _usual_preparations(kinds, task, where)
        made = dataclasses.replace(made, preparations=prepared)
    _named(f"{where}: name", made.name)
    _choice(f"{where}: flow", made.flow, FLOWS)
    _choice(f"{where}: metric", made.metric, (ACCURACY, AUC))
    _check_methods(made, where)
    _check_split(made, where)
    _check_data(made, where)
    return made


def _usual_preparations(kinds: Mapping[str, str], task: str, where: str) -> tuple[Preparation, ...]:
    """The graphs that come with the data, or the neighbours of the paper's tables."""
    graphs = {name for name, kind in kinds.items() if kind == "graph"}
    if graphs and len(graphs) < len(kinds):
        raise ValueError(
            f"{where}: {', '.join(sorted(graphs))} have edges and other datasets have none: name "
            "preparations, or make two experiments of it"
        )
    if graphs:
        return (GRAPH,)
    return SMALL_SETS if task == "clustering" else (MIN_MAX,)


def _kinds(datasets: Any, where: str) -> dict[str, str]:
    """What each dataset is: a graph, a table, images."""
    found = {}
    for name in _as(tuple[str, ...], datasets, where):
        try:
            about = describe(name, Settings.of())
        except DatasetError as error:
            raise ValueError(f"{where}: {error}") from error
        if about["name"] != name:
            raise ValueError(f"{where}: {name!r} is written {about['name']!r}")
        found[name] = about["kind"]
    return found


def _check_methods(made: Experiment, where: str) -> None:
    rows = {}
    for method in made.methods:
        try:
            rows[method] = contender(method, made.task)
        except UnknownMethod as error:
            raise ValueError(f"{where}: methods: {error}") from error
    axes = {row.method.name: row.method.axes for row in rows.values()}
    for name, grid in made.grids.items():
        _choice(f"{where}: grids", name, axes)
        for axis, values in grid.items():
            _choice(f"{where}: grids.{name!r}", axis, axes[name])
            if axis == "scaling":
                for value in values:
                    _choice(f"{where}: grids.{name!r}.scaling", value, SCALINGS)


def _check_split(made: Experiment, where: str) -> None:
    if made.task == "clustering" and made.split:
        raise ValueError(f"{where}: split = {made.split!r} is for classification: leave it out")
    drawn = made.split in SPLITS or DRAWN_SPLIT.fullmatch(made.split)
    if made.task == "classification" and not drawn:
        raise ValueError(
            f"{where}: split = {made.split!r}; choose public, random, full, random-full, given, a "
            "share such as 10%, or a number such as 5-per-class"
        )
    if made.runs < 1:
        raise ValueError(f"{where}: runs = {made.runs}; give 1 or more")


def _check_data(made: Experiment, where: str) -> None:
    """Preparations, noises, what the paper prints, and the datasets of analyses."""
    tuned = [each for of_dataset in made.tuned.values() for each in of_dataset]
    for preparation in (*made.preparations, *tuned):
        _choice(f"{where}: preparations: graph", preparation.graph, (GIVEN, *SCALINGS))
        for scaling in preparation.axes.get("scaling", ()):
            _choice(f"{where}: preparations: axes.scaling", scaling, SCALINGS)
    for noise in made.noises:
        _choice(f"{where}: noises: kind", noise.kind, NOISES)
        _choice(f"{where}: noises: pattern", noise.pattern, PATTERNS)
        _choice(f"{where}: noises: scaling", noise.scaling, SCALINGS)
    if made.published:
        _choice(f"{where}: published", made.published, TABLES)
    for name in made.tuned:
        _choice(f"{where}: tuned", name, made.datasets)
    implied = {kind.kind: kind for kind in ANALYSES.values() if kind.is_implied(made)}
    asked = [each for each in made.analyses if type(each) is not implied.get(each.name)]
    names = [*implied, *(analysis.name for analysis in asked)]
    for name in (name for name in names if names.count(name) > 1):
        raise ValueError(f"{where}: analyses: two are called {name!r}: give one another figure")
    for analysis in made.analyses:
        if getattr(analysis, "figure", ""):
            _named(f"{where}: analyses: {type(analysis).__name__}.figure", analysis.name)
        published = getattr(analysis, "published", "")
        if published:
            kind = type(analysis).__name__
            _choice(f"{where}: analyses: {kind}.published", published, TABLES)
        for name in getattr(analysis, "datasets", ()):
            _choice(f"{where}: analyses: {type(analysis).__name__}.datasets", name, made.datasets)


def _dataclass(kind: type, given: Any, where: str) -> Any:
    """A declaration from a table of TOML."""
    if not isinstance(given, Mapping):
        _wrong(where, given, "a table")
    hints = get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    _known(where, given, fields)
    for name, field in fields.items():
        needed = field.default is field.default_factory is dataclasses.MISSING
        if needed and name not in given:
            raise ValueError(f"{where} has no {name}: add one")
    made = {}
    for name, value in given.items():
        at = f"{where}: {name}"
        if kind is Experiment and name == "analyses":
            made[name] = tuple(_analysis(each, at) for each in _as(tuple[Any, ...], value, at))
        else:
            made[name] = _as(hints[name], value, at)
    return kind(**made)


def _analysis(given: Any, where: str) -> Any:
    """By its name, or a table with its name as `kind`."""
    table = {"kind": given} if isinstance(given, str) else given
    if not isinstance(table, Mapping) or "kind" not in table:
        _wrong(where, given, f"one of {', '.join(ANALYSES)}, or a table with such a kind")
    _choice(where, table["kind"], ANALYSES)
    rest = {name: value for name, value in table.items() if name != "kind"}
    return _dataclass(ANALYSES[table["kind"]], rest, f"{where}: {table['kind']}")


def _as(kind: Any, value: Any, where: str) -> Any:
    """A value of TOML as the type of a field."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, value, where)
    if origin is Literal:
        _choice(where, value, inner)
        return value
    if origin is UnionType:  # a number, or none: what is not there
        return _as(next(each for each in inner if each is not NoneType), value, where)
    if origin is tuple:
        if not isinstance(value, list):
            _wrong(where, value, "a list")
        return tuple(_as(inner[0], each, where) for each in value)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            _wrong(where, value, "a table")
        return {name: _as(inner[1], each, f"{where}.{name}") for name, each in value.items()}
    if isinstance(origin, type):  # values of an axis
        if not isinstance(value, list) or not value:
            _wrong(where, value, "a list of values")
        return tuple(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        _wrong(where, value, TYPES[kind])
    return value


def _known(where: str, given: Mapping[str, Any], known: Iterable[str]) -> None:
    names = list(known)
    for key in given:
        if key not in names:
            raise ValueError(f"{where}: unknown key {key!r}; choose from {', '.join(names)}")


def _choice(where: str, value: Any, known: Iterable[str]) -> None:
    names = list(known)
    if value not in names:
        raise ValueError(f"{where}: unknown {value!r}; choose from {', '.join(names)}")


def _named(where: str, name: str) -> None:
    if not NAME.fullmatch(name):
        raise ValueError(
            f"{where} = {name!r}: give a name of lower-case letters, digits and -, which files and "
            "artifacts will have"
        )


def _wrong(where: str, value: Any, wanted: str) -> NoReturn:
    raise ValueError(f"{where} = {value!r}: give {wanted}")

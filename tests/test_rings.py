"""Imports point inwards only: flows -> tasks -> flgc, and inside these from room to room."""

import ast
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from pathlib import Path, PurePosixPath

import pytest

import flows
import tasks.stages
from tasks.running.stage import STAGES

ROOT = Path(__file__).parents[1]
PREFECT = ("prefect", "prefect_dask")
ALGEBRA = (
    "flgc.averaging",
    "flgc.checks",
    "flgc.device",
    "flgc.graph",
    "flgc.grid",
    "flgc.metrics",
    "flgc.noise",
    "flgc.propagation",
    "flgc.ridge",
    "flgc.scaling",
    "flgc.self_expression",
    "flgc.spectral",
)
INSIDE_FLOWS = tuple(
    f"flows.{name}" for _, name, _ in pkgutil.iter_modules(flows.__path__) if name != "cli"
)


@dataclass(frozen=True)
class Rule:
    """No module of `rooms` imports anything of `barred` but what is in `allowed`."""

    rooms: tuple[str, ...]
    barred: tuple[str, ...]
    allowed: tuple[str, ...] = ()


RULES = (
    Rule(("flgc",), ("tasks", "flows", "deployments", *PREFECT)),
    Rule(("tasks",), ("flows", "deployments")),
    # A command that runs a flow in its own process starts a server for it.
    Rule(("flows",), ("deployments",), ("deployments.embedded",)),
    Rule(INSIDE_FLOWS, ("deployments", "flows.cli")),
    # How it is run knows what pools are called, not what is run.
    Rule(("deployments",), ("flows", "tasks"), ("tasks.running.pools",)),
    Rule(
        ("tasks.stages",),
        ("tasks",),
        ("tasks.stages", "tasks.document", "tasks.declared", "tasks.store", "tasks.running"),
    ),
    Rule(("tasks.document",), ("tasks",), ("tasks.document", "tasks.declared")),
    Rule(("tasks.running",), ("tasks",), ("tasks.running", "tasks.store")),
    Rule(("tasks.store",), ("tasks",), ("tasks.store",)),
    Rule(("tasks.declared",), ("tasks",), ("tasks.declared",)),
    Rule(("flgc.datasets.catalogue",), ("flgc.datasets.fetching",)),
    Rule(("flgc.datasets.readers",), ("flgc.datasets.catalogue", "flgc.datasets.fetching")),
    Rule(("flgc.methods",), ("flgc.datasets",)),
    Rule(ALGEBRA, ("flgc.methods", "flgc.datasets", "flgc.benchmark")),
)


for _, name, _ in pkgutil.iter_modules(tasks.stages.__path__):
    import_module(f"tasks.stages.{name}")
# Where the plain functions of the stages are. Their code is the code of the keys: what runs a
# stage or stores it, and lists of names, would make every key depend on everything. Datasets are
# found by name, in a list of their own, and their key has the digest of what was found.
WORK = {name: stage.work.__module__ for name, stage in STAGES.items()}
DATASETS = ("flgc.datasets.library", "flgc.datasets.catalogue.registry")
APART = ("tasks.running", "tasks.store", "flgc.methods.registry")
PLAIN = tuple(
    Rule((module,), APART if module == WORK["dataset"] else (*APART, *DATASETS))
    for module in dict.fromkeys(WORK.values())
)


def broken(path: str, source: str, rules: tuple[Rule, ...] = (*RULES, *PLAIN)) -> list[str]:
    """The imports of the file at `path`, seen from the checkout, that a rule forbids."""
    parts = PurePosixPath(path).with_suffix("").parts
    package = parts[:-1]
    module = ".".join(package if parts[-1] == "__init__" else parts)
    rules = tuple(rule for rule in rules if _within(module, rule.rooms))
    return [
        f"{path}:{line} imports {name}"
        for line, name in imported(source, package)
        if any(_within(name, rule.barred) and not _within(name, rule.allowed) for rule in rules)
    ]


def imported(source: str, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Line and full name of each import, wherever it stands: `from a import b` is a.b."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            start = (*above, node.module) if node.module else above
            yield from ((node.lineno, ".".join((*start, alias.name))) for alias in node.names)


def _within(name: str, rooms: tuple[str, ...]) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


@pytest.mark.parametrize("ring", ["flgc", "tasks", "flows", "deployments"])
def test_imports_point_inwards(ring):
    files = sorted((ROOT / ring).rglob("*.py"))
    assert files
    found = [
        line
        for file in files
        for line in broken(file.relative_to(ROOT).as_posix(), file.read_text())
    ]
    assert not found, "\n".join(found)


def test_the_rules_speak_of_rooms_that_exist():
    rules = (*RULES, *PLAIN)
    named = {room for rule in rules for room in (*rule.rooms, *rule.barred, *rule.allowed)}
    for room in named - set(PREFECT):
        path = ROOT / room.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), room


# What a file may not import, written down apart from the rules.
OUTWARD = {
    "flgc/new.py": "tasks.store flows.dag deployments.stack prefect.flows prefect_dask.client",
    "flgc/datasets/fetching/new.py": "tasks.store flows.dag deployments.stack prefect.flows",
    "flgc/datasets/catalogue/new.py": "flgc.datasets.fetching",
    "flgc/datasets/readers/new.py": "flgc.datasets.catalogue flgc.datasets.fetching",
    "flgc/methods/new.py": "flgc.datasets flgc.datasets.catalogue",
    "flgc/methods/trained/__init__.py": "flgc.datasets flgc.datasets.splits",
    "tasks/new.py": "flows.dag deployments.stack",
    "tasks/stages/new.py": "flows.dag deployments.stack tasks.picking",
    "tasks/document/new.py": "tasks.stages tasks.store tasks.running tasks.picking",
    "tasks/document/figures/new.py": "tasks.stages tasks.store tasks.running tasks.picking",
    "tasks/running/new.py": "tasks.stages tasks.document tasks.declared tasks.picking",
    "tasks/store/new.py": "tasks.stages tasks.document tasks.declared tasks.running tasks.picking",
    "tasks/declared/new.py": "tasks.stages tasks.document tasks.running tasks.store tasks.picking",
    "flows/new.py": "deployments.stack deployments.server",
    "flows/dag.py": "deployments.embedded deployments.stack flows.cli",
    "flows/cli/new.py": "deployments.stack deployments.server",
    "deployments/new.py": "flows.dag flows.cli tasks.stages tasks.store tasks.running.stage",
    **{
        f"{module.replace('.', '/')}.py": "flgc.methods flgc.datasets flgc.benchmark"
        for module in ALGEBRA
    },
    # Where plain functions of stages are.
    **{
        f"{module.replace('.', '/')}.py": "tasks.running tasks.store flgc.methods.registry"
        for module in (
            "flgc.benchmark.history",
            "flgc.datasets.library",
            "flgc.datasets.splits",
            "flgc.methods.picking",
            "flgc.methods.scoring",
            "flgc.methods.sorted_affinity",
            "flgc.methods.timing",
            "flgc.datasets.sizes",
            "flgc.methods.criteria",
            "flgc.methods.varying",
            "flgc.preparing",
            "tasks.document.comparisons",
            "tasks.document.figures.draw",
            "tasks.document.report",
        )
    },
}
FORMS = (
    "import {0}",
    "import os, {0}.new as other",
    "from {0} import new",
    "from {1} import {2}",
    "from {0} import *",
    "def f():\n    from {0} import new",
    "class A:\n    async def f(self):\n        import {0}",
    "if TYPE_CHECKING:\n    from {0} import new",
    "try:\n    import {0}\nexcept ImportError:\n    pass",
)


@pytest.mark.parametrize(
    ("path", "name"),
    [pair for path, names in OUTWARD.items() for pair in product([path], names.split())],
)
def test_an_outward_import_is_found(path, name):
    parent, _, leaf = name.rpartition(".")
    for form in FORMS:
        found = broken(path, form.format(name, parent, leaf))
        assert [line.partition(" imports ")[2].startswith(name) for line in found] == [True], form


@pytest.mark.parametrize(
    ("path", "source", "name"),
    [
        ("tasks/store/files.py", "from ..running import stage", "tasks.running.stage"),
        ("tasks/store/files.py", "from .. import running", "tasks.running"),
        ("tasks/store/__init__.py", "from ..running.stage import x", "tasks.running.stage.x"),
        ("tasks/document/figures/dots.py", "from ...store import x", "tasks.store.x"),
        ("tasks/document/figures/__init__.py", "from ... import picking", "tasks.picking"),
        ("flgc/graph.py", "from .datasets import load", "flgc.datasets.load"),
        ("flgc/graph.py", "from . import methods", "flgc.methods"),
        ("flgc/methods/base.py", "from ..datasets.splits import x", "flgc.datasets.splits.x"),
        ("flgc/datasets/readers/orl.py", "from ..fetching import x", "flgc.datasets.fetching.x"),
        ("flgc/datasets/catalogue/entry.py", "from .. import fetching", "flgc.datasets.fetching"),
        ("tasks/store/files.py", "import tasks", "tasks"),
        ("tasks/store/files.py", "from tasks import *", "tasks.*"),
    ],
)
def test_a_relative_or_sweeping_import_is_found(path, source, name):
    assert broken(path, source) == [f"{path}:1 imports {name}"]


def test_every_stage_has_a_plain_function_that_the_rules_know():
    """Each stage of its own file, and of each function the module and not one that hands it on."""
    files = {name for _, name, _ in pkgutil.iter_modules(tasks.stages.__path__)}
    assert files == set(WORK)
    for name, module in WORK.items():
        assert not module.startswith(("tasks.stages", "tasks.running", "tasks.store")), name
        assert f"{module.replace('.', '/')}.py" in OUTWARD, name


@pytest.mark.parametrize("name", DATASETS)
def test_only_datasets_are_found_by_name_where_they_are_computed(name):
    for module in set(WORK.values()):
        path = f"{module.replace('.', '/')}.py"
        found = broken(path, f"from {name} import load", PLAIN)
        assert bool(found) == (path != "flgc/datasets/library.py")


def test_each_import_is_named_with_its_line():
    source = "import numpy\nimport prefect, tasks.store\n\nfrom flows import dag, plan\n"
    assert broken("flgc/new.py", source) == [
        "flgc/new.py:2 imports prefect",
        "flgc/new.py:2 imports tasks.store",
        "flgc/new.py:4 imports flows.dag",
        "flgc/new.py:4 imports flows.plan",
    ]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (
            "deployments/new.py",
            "deployments.api deployments.server tasks.running.pools flgc.addresses",
        ),
        ("flows/new.py", "flows.dag tasks.stages.fit flgc.datasets prefect"),
        ("tasks/new.py", "tasks.stages tasks.running flgc.datasets prefect"),
        ("tasks/stages/new.py", "tasks.stages.fit tasks.document.claims tasks.declared prefect"),
        ("tasks/stages/new.py", "tasks.store tasks.running flgc.datasets flgc.methods"),
        ("tasks/document/figures/new.py", "tasks.document.figures tasks.declared flgc.statistics"),
        ("tasks/running/new.py", "tasks.running.pools tasks.store prefect"),
        ("tasks/store/new.py", "tasks.store.files flgc.addresses tasksmith"),
        ("tasks/declared/new.py", "tasks.declared.published flgc.datasets"),
        ("flgc/new.py", "flgc.datasets flgc.methods flgc.graph prefectionist"),
        ("flgc/datasets/catalogue/new.py", "flgc.datasets.readers flgc.datasets.dataset"),
        ("flgc/datasets/readers/new.py", "flgc.datasets.readers.text flgc.datasets.errors"),
        ("flgc/datasets/fetching/new.py", "flgc.datasets.catalogue flgc.datasets.readers"),
        ("flgc/methods/new.py", "flgc.methods.trained flgc.graph flgc.scaling"),
        ("flgc/graph.py", "flgc.checks flgc.inputs numpy"),
        ("flgc/graphs.py", "flgc.datasets flgc.methods"),
    ],
)
def test_an_inward_import_is_allowed(path, names):
    for name in names.split():
        assert broken(path, f"import {name}\nfrom {name} import new") == []

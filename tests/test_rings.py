"""The rings and their rooms: contracts of import-linter, which stand in pyproject.toml.

Here they are kept, and a forbidden import of each kind is found. Besides, what no contract can say:
that they name the plain function of every stage, and where the paper's names may stand.
"""

import ast
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import tasks.stages
from tasks.declared.paper import PAPER
from tasks.running.stage import STAGES

ROOT = Path(__file__).parents[1]
RINGS = ("flgc", "tasks", "flows", "deployments")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
LINT = "from importlinter.cli import lint_imports_command as lint; lint()"
# What a module may not import, written down apart from the contracts, and in which form.
FORBIDDEN = (
    ("flgc.graph", "import {0}", "tasks.store.store"),
    ("flgc.inputs", "def f():\n    from {0} import x", "flows.dag"),
    ("flgc.addresses", "if 1 > 2:\n    import {0}", "deployments.stack"),
    ("flgc.metrics", "import {0}.client as other", "prefect"),
    ("flgc.noise", "try:\n    import {0}\nexcept ImportError:\n    pass", "prefect_dask"),
    ("flgc.ridge", "from .methods import base", "flgc.methods.base"),
    ("flgc.grid", "from {0} import *", "flgc.datasets.splits"),
    ("flgc.spectral", "import {0}", "flgc.benchmark.run"),
    ("flgc.methods.base", "from ..datasets.splits import x", "flgc.datasets.splits"),
    ("flgc.datasets.catalogue.entry", "from ..fetching import own", "flgc.datasets.fetching"),
    ("flgc.datasets.readers.text", "import {0}", "flgc.datasets.fetching.build"),
    ("flgc.datasets.readers.orl", "import {0}", "flgc.datasets.catalogue.registry"),
    ("tasks.analyses.base", "import {0}", "flows.dag"),
    ("tasks.analyses.base", "import {0}", "tasks.paper.claims"),
    ("tasks.stages.cells", "async def f():\n    import {0}", "deployments.stack"),
    ("tasks.store.files", "from ..running import stage", "tasks.running.stage"),
    ("tasks.store.files", "import {0}", "tasks.report.blocks"),
    ("tasks.running.pools", "import {0}", "tasks.stages.cells"),
    ("tasks.running.steps", "import {0}", "tasks.declared.types"),
    ("tasks.declared.types", "import {0}", "tasks.store.store"),
    ("tasks.declared.types", "import {0}", "tasks.stages.cells"),
    ("tasks.paper.judging", "import {0}", "tasks.running.stage"),
    ("tasks.report.blocks", "import {0}", "tasks.store.store"),
    ("flows.dag", "import {0}", "deployments.embedded"),
    ("flows.dag", "import {0}", "flows.cli.reproduce"),
    ("flows.cli.reproduce", "import {0}", "deployments.stack"),
    ("deployments.stack", "import {0}", "flows.dag"),
    ("deployments.stack", "import {0}", "tasks.running.stage"),
    ("flgc.methods.scoring", "import {0}", "flgc.methods.registry"),
    ("flgc.preparing", "import {0}", "flgc.datasets.library"),
    ("tasks.report.report", "import {0}", "tasks.store.store"),
)  # fmt: skip


def lint(checkout: Path) -> tuple[int, str]:
    """What the contracts say of a checkout, each import on a line of its own."""
    command = [sys.executable, "-c", LINT, "--no-cache", "--no-logo"]
    environment = os.environ | {"COLUMNS": "400"}
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_imports_point_inwards():
    code, said = lint(ROOT)
    assert code == 0, said


def test_a_forbidden_import_of_each_kind_is_found(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for ring in RINGS:
        shutil.copytree(ROOT / ring, tmp_path / ring, ignore=shutil.ignore_patterns("__pycache__"))
    for importer, form, imported in FORBIDDEN:
        with (tmp_path / f"{importer.replace('.', '/')}.py").open("a") as file:
            file.write(f"\n{form.format(imported)}\n")
    code, said = lint(tmp_path)
    assert code == 1, said
    missed = [(a, b) for a, _, b in FORBIDDEN if f"{a} -> {b} " not in said]
    assert not missed, said


def test_the_contracts_name_the_plain_function_of_every_stage():
    for _, name, _ in pkgutil.iter_modules(tasks.stages.__path__):
        import_module(f"tasks.stages.{name}")
    [plain] = [each for each in CONTRACTS["contracts"] if "plain functions" in each["name"]]
    assert sorted({stage.work.__module__ for stage in STAGES.values()}) == plain["source_modules"]


# The paper's names: methods and datasets that are no words of their own, and its figures.
METHODS = {name for each in PAPER for name in each.methods}
NAMES = METHODS | {name for each in PAPER for name in each.datasets if name != name.lower()}
NAMED = re.compile(
    rf"(?<![\w*-])({'|'.join(map(re.escape, sorted(NAMES, key=len, reverse=True)))})(?![\w*-])"
    r"|(Table|Figure) [IVX\d]+"
)


def paper_names(source: str) -> Iterator[str]:
    """Texts of a module, other than docstrings and examples, with a name of the paper."""
    tree = ast.parse(source)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and id(node) not in docs
            and NAMED.search(str(node.value))
        ):
            yield str(node.value)


@pytest.mark.parametrize("ring", ["tasks", "flows"])
def test_nobody_but_declarations_and_claims_knows_a_name_of_the_paper(ring):
    for path in sorted((ROOT / ring).rglob("*.py")):
        if path.parent.name not in ("declared", "paper"):
            assert not list(paper_names(path.read_text())), path


def test_a_name_of_the_paper_is_found():
    source = 'def f():\n    """As in Table II."""\n    return {}\n'
    for text in ('"FLGC*"', '"below FLGC"', '["EDSC"]', '"see Figure 5"', 'f"on Cora {1}"'):
        assert list(paper_names(source.format(text))), text
    for text in ('"GCNs"', '"a table"', '"seeds"'):
        assert not list(paper_names(source.format(text))), text

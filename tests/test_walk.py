"""The walks of docs/pipeline.md, from raw bytes to a number, against the imports of the files.

A walk is a list of files, each imported by one before it, or by a list of names in which such a
file looks it up. A reader who opens all that these files import has opened the most that a walk
can need: this is what is counted, and no file is left out of it.
"""

import ast
import pydoc
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "pipeline.md").read_text()
RINGS = ("flgc", "tasks", "flows", "deployments")
WALKS = ("A citation cell", "A robustness cell", "A Wilcoxon number")
# Where datasets, methods and analyses are found by a text, and what can be reached through them
# besides what they import.
LISTS_OF_NAMES = {
    "flgc/datasets/catalogue/registry.py": "",
    "flgc/methods/registry.py": "",
    "tasks/analyses/registry.py": "tasks/analyses/*.py",
}


def walk_of(title: str) -> list[str]:
    """The files of the list below a heading, in order."""
    found = re.search(rf"^### {re.escape(title)}$(.*?)(?=^#{{1,3}} |\Z)", TEXT, re.M | re.S)
    assert found, f"no heading {title!r}"
    return re.findall(r"^\d+\. `([^`]+)`", found[1], re.MULTILINE)


@cache
def module_file(name: str) -> str | None:
    """The file of a module of this project."""
    if name.partition(".")[0] not in RINGS:
        return None
    path = ROOT / name.replace(".", "/")
    for each in (path.with_suffix(".py"), path / "__init__.py"):
        if each.is_file():
            return each.relative_to(ROOT).as_posix()
    return None


@cache
def imports(file: str) -> frozenset[str]:
    """The files whose names a file imports, wherever; a package's name counts as where it is."""
    found = {module for module, _ in _imported(file) if module}
    return frozenset(found - {file})


def _imported(file: str) -> Iterator[tuple[str | None, str]]:
    """File and bound name of each import."""
    for node in ast.walk(ast.parse((ROOT / file).read_text())):
        if isinstance(node, ast.Import):
            yield from ((module_file(alias.name), alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            for alias in node.names:
                yield _where(str(node.module), alias.name), alias.asname or alias.name


def _where(module: str, name: str) -> str | None:
    """The file of a module's name: itself a module, or handed on by a package."""
    inner, here = module_file(f"{module}.{name}"), module_file(module)
    if inner or here is None or not here.endswith("__init__.py"):
        return inner or here
    return next((file for file, bound in _imported(here) if bound == name), None) or here


def out_of_nowhere(walk: list[str]) -> Iterator[str]:
    """Steps that no file before them imports, nor a list of names that such a file looks into."""
    reached: set[str] = set()
    for file in walk:
        open_to = {other for each in reached for other in imports(each)}
        for names in open_to & set(LISTS_OF_NAMES):
            beside = ROOT.glob(LISTS_OF_NAMES[names] or names)
            open_to |= imports(names).union(each.relative_to(ROOT).as_posix() for each in beside)
        if reached and file not in reached | open_to:
            yield file
        reached.add(file)


def counted(walk: list[str]) -> tuple[int, int, int]:
    """Files on a walk, steps back to one of them, and all files with those that they import."""
    files = set(walk)
    return len(files), len(walk) - len(files), len(files.union(*map(imports, files)))


@pytest.mark.parametrize("title", WALKS)
def test_each_step_of_a_walk_is_led_to_by_the_steps_before_it(title: str) -> None:
    walk = walk_of(title)
    assert len(walk) > 10
    assert not [file for file in walk if not (ROOT / file).is_file()]
    assert not list(out_of_nowhere(walk))


@pytest.mark.parametrize("title", WALKS)
def test_the_files_that_a_reader_opens_are_counted_right(title: str) -> None:
    numbers = " | ".join(map(str, counted(walk_of(title))))
    assert re.search(rf"^\| {title} \| {re.escape(numbers)} \|", TEXT, re.M), numbers


def test_a_step_that_nobody_leads_to_is_found() -> None:
    first, *rest = walk_of(WALKS[0])
    rest.remove("flgc/grid.py")
    assert list(out_of_nowhere([first, "flgc/grid.py", *rest])) == ["flgc/grid.py"]


def test_a_file_that_is_left_out_of_a_walk_is_counted_all_the_same() -> None:
    walk = walk_of(WALKS[0])
    shorter = [file for file in walk if file != "flgc/ridge.py"]
    (files, back, every), (fewer, as_often, others) = counted(walk), counted(shorter)
    assert (fewer, as_often) == (files - 1, back)
    assert others == every - len(imports("flgc/ridge.py") - set().union(*map(imports, shorter)))


def test_names_that_a_package_hands_on_are_found_where_they_are() -> None:
    assert "flgc/datasets/library.py" in imports("flows/dag.py")
    assert "tasks/store/store.py" in imports("flows/execute.py")
    assert "flgc/datasets/__init__.py" not in imports("flows/dag.py")


def test_the_table_of_stages_is_as_the_stages_are() -> None:
    rows = re.findall(r"^\| (\w+) \| `(tasks/stages/\w+\.py)` \| `([\w.]+)` \|", TEXT, re.MULTILINE)
    from tasks.running.stage import Stage

    stages = {
        (
            name,
            path.relative_to(ROOT).as_posix(),
            f"{each.work.__module__}.{each.work.__qualname__}",
        )
        for path in (ROOT / "tasks/stages").glob("[a-z]*.py")
        for name, each in vars(import_module(f"tasks.stages.{path.stem}")).items()
        if isinstance(each, Stage)
    }
    assert set(rows) == stages


# Paths and names in prose.
PROSE = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
# Groups of entry points, which are no modules.
GROUPS = ("flgc.commands", "flgc.methods")
TOP = (*RINGS, "tests", "docs", ".ci")


def lost(text: str) -> list[str]:
    """The paths and dotted names of this project between backticks that lead nowhere."""
    found = []
    for token in dict.fromkeys(
        re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S))
    ):
        if re.fullmatch(r"[\w./*-]+", token) and token.partition("/")[0] in TOP and "/" in token:
            if not list(ROOT.glob(token.rstrip("/"))):
                found.append(token)
        elif re.fullmatch(r"\w+(/|\.py|\.toml|\.md)", token):
            if not list(ROOT.glob(f"[!.]*/**/{token.rstrip('/')}")) and not (ROOT / token).exists():
                found.append(token)
        elif re.fullmatch(rf"({'|'.join(RINGS)})(\.\w+)+", token):
            found += [] if token in GROUPS or pydoc.locate(token) else [token]
    return found


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.name)
def test_paths_and_names_in_prose_lead_somewhere(path: Path) -> None:
    assert not lost(path.read_text())


def test_lost_paths_and_names_are_found() -> None:
    good = "`flgc/grid.py` `tasks/stages/` `inputs.py` `docs/*.md` `flgc.grid.score_grid` `x.y`"
    assert not lost(f"{good} `flgc.methods.base.Method.outputs` `flgc.commands` `pip install flgc`")
    bad = ["flgc/girds.py", "tasks/picking/", "fetch/", "rivals_of.py", "flgc.grid.score_gird"]
    bad += ["tasks.experiments", "flgc.girds.score"]
    assert lost(" ".join(f"`{name}`" for name in bad)) == bad


def test_the_experiment_in_the_documentation_can_be_declared() -> None:
    [block] = re.findall(r"```python\n(Experiment\(.*?)```", TEXT, re.DOTALL)
    kinds = import_module("tasks.analyses.registry").ANALYSES
    experiment = eval(block, vars(import_module("tasks.declared.types")) | kinds)
    contender = import_module("flgc.methods.registry").contender
    names = {contender(name, experiment.task).method.name for name in experiment.methods}
    assert set(experiment.grids) <= names

"""The walks of docs/pipeline.md, from raw bytes to a number, against the imports of the files.

A walk is a list of files. Each is imported by one that was listed before, or by the door that its
line names: a file that only names another one. All that a listed file imports is listed too, or is
named as a turn that this walk does not take, or as a side room: nothing can be left out in silence.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "pipeline.md"
RINGS = ("flgc", "tasks", "flows", "deployments")
MOST_FILES, MOST_BACK = 25, 4
WALKS = ("A citation cell", "A robustness cell", "A Wilcoxon number")
# Doors with more in them than one line: they find what they name by a text.
LISTS_OF_NAMES = ("flgc/datasets/catalogue/registry.py", "flgc/methods/registry.py")


@dataclass(frozen=True)
class Step:
    """A file of a walk, and the doors on the way to it."""

    file: str
    doors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Walk:
    """Its steps in order, the files beside them that it does not enter, and all side rooms."""

    steps: tuple[Step, ...]
    not_taken: frozenset[str]
    side_rooms: frozenset[str] = field(default=frozenset())


def section(title: str, text: str) -> str:
    """What stands below a heading, up to the next one of its level or above."""
    found = re.search(rf"^(#+) {re.escape(title)}\b.*?$(.*?)(?=^#{{1,3}} |\Z)", text, re.M | re.S)
    assert found, f"no heading {title!r}"
    return found[2]


def walk_of(title: str, text: str) -> Walk:
    """The walk below a heading."""
    own = section(title, text)
    steps = []
    for line in re.findall(r"^\d+\. (.*)$", own, re.MULTILINE):
        file, *doors = re.findall(r"`([^`]+)`", line.partition(": ")[0])
        steps.append(Step(file, tuple(doors)))
    not_taken = re.search(r"^Turns not taken: (.*?)\n\n", own + "\n\n", re.M | re.S)
    assert not_taken, f"{title}: no turns not taken"
    rooms = re.findall(r"`([^`]+)`", section("Side rooms", text))
    return Walk(tuple(steps), frozenset(re.findall(r"`([^`]+)`", not_taken[1])), frozenset(rooms))


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


def is_door(file: str) -> bool:
    """Whether a file has nothing but imports and one line that names what they brought.

    A function that this line is given as `code` tells what belongs to a key, and touches no data.
    """
    body = ast.parse((ROOT / file).read_text()).body
    kept = [node for node in body if not _is_text(node)]
    kept = [node for node in kept if not isinstance(node, ast.Import | ast.ImportFrom)]
    lines = [node for node in kept if isinstance(node, ast.Assign)]
    functions = {node.name for node in kept if isinstance(node, ast.FunctionDef)}
    told = {
        keyword.value.id
        for line in lines
        if isinstance(line.value, ast.Call)
        for keyword in line.value.keywords
        if keyword.arg == "code" and isinstance(keyword.value, ast.Name)
    }
    plain = len(lines) == 1 and len(kept) == 1 + len(functions) and functions <= told
    return plain or file in LISTS_OF_NAMES


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def faults(walk: Walk) -> list[str]:
    """What is wrong with a walk, in words."""
    files = [step.file for step in walk.steps]
    doors = [door for step in walk.steps for door in step.doors]
    named = [*files, *doors, *walk.not_taken, *walk.side_rooms]
    missing = sorted({name for name in named if not (ROOT / name).exists()})
    if missing:
        return [f"there is no {name}" for name in missing]
    found = []
    if len(set(files)) > MOST_FILES:
        found.append(f"{len(set(files))} files")
    if len(files) - len(set(files)) > MOST_BACK:
        found.append(f"{len(files) - len(set(files))} steps back")
    found += [f"{door} is no door" for door in doors if not is_door(door)]
    found += _out_of_nowhere(walk)
    for file in sorted({*files, *doors}):
        for other in sorted(imports(file)):
            if other not in {*files, *doors, *walk.not_taken} and not _beside(walk, other):
                found.append(f"{file} imports {other}, which is nowhere")
    brought = {other for file in (*files, *doors) for other in imports(file)}
    for name in sorted(walk.not_taken - brought):
        found.append(f"{name} is no turn: nothing on the walk imports it")
    for name in sorted(walk.not_taken & {*files, *doors}):
        found.append(f"{name} is taken")
    return found


def _out_of_nowhere(walk: Walk) -> Iterator[str]:
    """Steps that neither a file before them nor their last door imports, and doors likewise."""
    reached: set[str] = set()
    for i, step in enumerate(walk.steps):
        way = [*step.doors, step.file]
        for j, name in enumerate(way):
            first = i == j == 0
            before = {way[j - 1]} if j else reached
            if not first and name not in reached and not any(name in imports(f) for f in before):
                yield f"{name} comes out of nowhere"
        reached |= set(way)


def _beside(walk: Walk, file: str) -> bool:
    """Whether it is a side room, or in one that is a folder."""
    folders = tuple(room for room in walk.side_rooms if room.endswith("/"))
    return file in walk.side_rooms or file.startswith(folders)


TEXT = DOCUMENT.read_text()


@pytest.mark.parametrize("title", WALKS)
def test_a_walk_is_as_the_imports_say(title: str) -> None:
    walk = walk_of(title, TEXT)
    assert len(walk.steps) > 10
    assert not faults(walk), "\n".join(faults(walk))


def test_the_lists_are_as_long_as_it_says() -> None:
    counted = []
    for title in WALKS:
        steps = walk_of(title, TEXT).steps
        n_files = len({step.file for step in steps})
        n_doors = len({door for step in steps for door in step.doors})
        about = title.replace("A ", "a ", 1)
        counted.append(f"{n_files}, {len(steps) - n_files} and {n_doors} for {about}")
    assert f"Files, steps back and doors: {'; '.join(counted)}." in TEXT


def test_the_table_of_stages_is_as_the_stages_are() -> None:
    rows = re.findall(r"^\| (\w+) \| `(tasks/stages/\w+\.py)` \| `([\w.]+)` \|", TEXT, re.MULTILINE)
    for name, _, _ in rows:
        import_module(f"tasks.stages.{name}")
    from tasks.running.stage import STAGES

    files = [
        path
        for path in (ROOT / "tasks/stages").glob("*.py")
        if path.stem not in ("__init__", "scalings")
    ]
    assert {name for name, _, _ in rows} == {path.stem for path in files}
    for name, file, function in rows:
        work = STAGES[name].work
        expected = (f"tasks/stages/{name}.py", f"{work.__module__}.{work.__qualname__}")
        assert (file, function) == expected


def test_side_rooms_are_beside_some_walk() -> None:
    walks = [walk_of(title, TEXT) for title in WALKS]
    on_the_way = {
        name for walk in walks for step in walk.steps for name in (step.file, *step.doors)
    }
    brought = {other for file in on_the_way for other in imports(file)}
    for room in walks[0].side_rooms:
        assert room not in on_the_way, f"{room} is on a walk"
        folder = room.endswith("/")
        within = [name for name in brought if name == room or (folder and name.startswith(room))]
        assert within, f"{room} is beside no walk"


GOOD = walk_of(WALKS[0], TEXT)


def without(file: str) -> tuple[Step, ...]:
    return tuple(step for step in GOOD.steps if step.file != file)


def test_a_file_that_is_not_there_is_found() -> None:
    steps = (*GOOD.steps, Step("flgc/nowhere.py"))
    assert faults(replace(GOOD, steps=steps)) == ["there is no flgc/nowhere.py"]
    rooms = GOOD.side_rooms | {"flgc/nothing/"}
    assert faults(replace(GOOD, side_rooms=rooms)) == ["there is no flgc/nothing/"]


def test_too_many_files_and_steps_back_are_found() -> None:
    more = tuple(Step(file) for file in ("flgc/metrics.py", "flgc/noise.py", "flgc/averaging.py"))
    turns = GOOD.not_taken - {step.file for step in more}
    n_files = len({step.file for step in GOOD.steps}) + len(more)
    assert n_files > MOST_FILES
    assert f"{n_files} files" in faults(Walk((*GOOD.steps, *more), turns, GOOD.side_rooms))
    back = (Step("flgc/grid.py"),) * (MOST_BACK - (len(GOOD.steps) - (n_files - len(more))))
    assert not faults(replace(GOOD, steps=(*GOOD.steps, *back)))
    assert faults(replace(GOOD, steps=(*GOOD.steps, *back, back[0]))) == [
        f"{MOST_BACK + 1} steps back"
    ]


def test_a_step_that_is_left_out_is_found() -> None:
    found = faults(replace(GOOD, steps=without("flgc/ridge.py")))
    assert "flgc/grid.py imports flgc/ridge.py, which is nowhere" in found
    found = faults(replace(GOOD, steps=without("flgc/methods/scoring.py")))
    assert "tasks/stages/score.py comes out of nowhere" not in found
    assert any("imports tasks/stages/score.py, which is nowhere" in line for line in found)


@pytest.mark.parametrize("name", ["flgc/averaging.py", "tasks/stages/draw.py"])
def test_a_turn_that_is_not_named_is_found(name: str) -> None:
    found = faults(replace(GOOD, not_taken=GOOD.not_taken - {name}))
    assert found
    assert all(line.endswith(f"imports {name}, which is nowhere") for line in found)


def test_a_turn_that_nobody_could_take_is_found() -> None:
    turns = GOOD.not_taken | {"flgc/transforms.py", "flgc/grid.py"}
    assert faults(replace(GOOD, not_taken=turns)) == [
        "flgc/transforms.py is no turn: nothing on the walk imports it",
        "flgc/grid.py is taken",
    ]


def test_a_side_room_that_is_not_named_is_found() -> None:
    found = faults(replace(GOOD, side_rooms=GOOD.side_rooms - {"tasks/store/"}))
    assert "flows/plan.py imports tasks/store/store.py, which is nowhere" in found


def test_a_step_that_nobody_leads_to_is_found() -> None:
    first, *rest = GOOD.steps
    grid = next(step for step in rest if step.file == "flgc/grid.py")
    rest.remove(grid)
    assert "flgc/grid.py comes out of nowhere" in faults(replace(GOOD, steps=(first, grid, *rest)))
    unopened = tuple(replace(step, doors=()) for step in GOOD.steps)
    assert "flgc/methods/scoring.py comes out of nowhere" in faults(replace(GOOD, steps=unopened))


def test_a_door_has_one_line() -> None:
    assert is_door("tasks/stages/splits.py")
    assert is_door("flows/citation.py")
    assert is_door("tasks/stages/graph.py")
    assert not is_door("tasks/stages/propagate.py")
    assert not is_door("tasks/stages/report.py")
    steps = (*GOOD.steps, Step("flgc/methods/picking.py", ("tasks/stages/propagate.py",)))
    assert "tasks/stages/propagate.py is no door" in faults(replace(GOOD, steps=steps))


def test_names_that_a_package_hands_on_are_found_where_they_are() -> None:
    assert "flgc/datasets/library.py" in imports("flows/dag.py")
    assert "tasks/store/store.py" in imports("flows/plan.py")
    assert "flgc/datasets/__init__.py" not in imports("flows/dag.py")


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
            found += [] if token in GROUPS or is_name(token) else [token]
    return found


def is_name(dotted: str) -> bool:
    """Whether a module of this project, or a name that one binds, is called so."""
    module, _, name = dotted.rpartition(".")
    if module_file(dotted):
        return True
    if not module or not (file := module_file(module)):
        return bool(module) and is_name(module)  # an attribute of a class
    tree = ast.parse((ROOT / file).read_text())
    bound = {node.name for node in tree.body if hasattr(node, "name")}
    bound |= {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return name in bound | {name for _, name in _imported(file)}


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
    experiment = eval(block, dict(vars(import_module("tasks.declared.types"))))
    contender = import_module("flgc.methods.registry").contender
    names = {contender(name, experiment.task).method.name for name in experiment.methods}
    assert set(experiment.grids) <= names

"""The digest of code changes with what an object runs, and with nothing else."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from sklearn.svm import SVC

from flgc import scaling
from flgc.classifier import FLGCClassifier
from tasks.store import code as code_module
from tasks.store import sources
from tasks.store.code import changed_files, code_digest
from tasks.store.store import CodeChanged, Store, file_name
from tests.tasks.edits import edited, forget

REPOSITORY = Path(__file__).parents[3]

# Each object below, in a package `toy` and a single file `helper.py` beside it.
PACKAGE = {
    "toy/__init__.py": """
        from toy.ridge import solve
        from .inner import *
        """,
    "toy/ridge.py": """
        import numpy as np
        from math import sin as wave, cos as other_wave
        from typing import TYPE_CHECKING
        import toy.graph as graph
        import helper
        from toy import graph as whole_graph
        from toy.registry import METHODS
        if TYPE_CHECKING:
            from toy.model import Model

        SCALE = 2
        UNUSED = 3

        def solve(x):
            return SCALE * graph.build(x)

        def unrelated(SCALE):
            return SCALE

        def by_name(name):
            return METHODS[name]

        def whole():
            return getattr(whole_graph, "build")

        def waves():
            return wave(1) + other_wave(2)

        def beside():
            return helper.assist()

        def typed(model: "Model"):
            return model.predict()
        """,
    "toy/graph.py": """
        def build(x):
            return weight(x)

        def weight(x):
            return 1

        def alone():
            return 1
        """,
    "toy/model.py": """
        from toy.base import Base

        class Model(Base):
            kind = "a"
            def predict(self):
                return 1
        """,
    "toy/base.py": """
        class Base:
            def fit(self):
                return 1
        """,
    "toy/registry.py": """
        from flgc.registry import Registry

        def one():
            return 1

        def two():
            return 2

        METHODS: Registry[object] = Registry("method", {"one": one, "two": two})
        """,
    "toy/late.py": """
        def corrupt():
            from toy.inner.deep import draw
            return draw()
        """,
    "toy/reexported.py": """
        import toy

        def through():
            from toy import solve
            return solve(1)

        def starred():
            return toy.shine()
        """,
    "toy/inner/__init__.py": "from .star import shine",
    "toy/inner/deep.py": """
        from . import twin
        from ..base import Base

        def draw():
            return twin.x

        def made():
            return Base()
        """,
    "toy/inner/twin.py": """
        x = 1
        y = 1
        """,
    "toy/inner/star.py": """
        def shine():
            return 1
        """,
    "toy/loose.py": """
        from toy.base import Base
        __all__ = ["calm"]
        TABLE = {}

        def calm():
            return 1

        TABLE["a"] = Base
        if __name__ == "__main__":
            print(calm())
        """,
    "helper.py": """
        def assist():
            return 1
        """,
}
OBJECTS = [
    "ridge.solve",
    "ridge.unrelated",
    "ridge.by_name",
    "ridge.whole",
    "ridge.waves",
    "ridge.beside",
    "ridge.typed",
    "model.Model",
    "registry.one",
    "registry.two",
    "late.corrupt",
    "reexported.through",
    "reexported.starred",
    "inner.deep.draw",
    "inner.deep.made",
    "loose.calm",
]
SOLVERS = {"ridge.solve", "reexported.through"}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


@contextmanager
def importable(root: Path, files: dict[str, str]) -> Iterator[Path]:
    """The files on the path of this process, which forgets their modules afterwards."""
    write(root, files)
    modules = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(root)
        yield root
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    sources.source_file.cache_clear()
    forget()


def run(root: Path, *command: str) -> list[str]:
    """What a new Python prints in that folder."""
    environment = {"PYTHONPATH": f"{root}:{REPOSITORY}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def digests() -> dict[str, str]:
    named = [(name, *f"toy.{name}".rsplit(".", 1)) for name in OBJECTS]
    return {name: code_digest(getattr(import_module(m), inner)) for name, m, inner in named}


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with importable(tmp_path_factory.mktemp("toys"), PACKAGE) as root:
        yield root


@pytest.fixture(scope="module")
def before(toys: Path) -> dict[str, str]:
    return digests()


@pytest.mark.parametrize(
    ("name", "old", "new", "dependents"),
    [
        # Prose and layout.
        ("toy/graph.py", "return weight(x)", '"""Why."""\n    return  (weight(x))  # so', set()),
        ("toy/base.py", "class Base:", '"""Prose."""\n\nclass Base:\n    "More."', set()),
        ("toy/ridge.py", 'model: "Model"', 'model :  ("Model")', set()),
        ("toy/ridge.py", 'model: "Model"', "model: int", {"ridge.typed"}),
        # Helpers of helpers, and their neighbours.
        (
            "toy/graph.py",
            "def weight(x):\n    return 1",
            "def weight(x):\n    return 2",
            SOLVERS | {"ridge.whole"},
        ),
        ("toy/graph.py", "def alone():\n    return 1", "def alone(): return 2", {"ridge.whole"}),
        ("toy/graph.py", "def alone", "EXTRA = 1\n\ndef alone", {"ridge.whole"}),
        ("toy/graph.py", "def alone", "__all__ = []\n\ndef alone", set()),
        ("toy/ridge.py", "return SCALE\n", "return -SCALE\n", {"ridge.unrelated"}),
        ("helper.py", "return 1", "return 2", {"ridge.beside"}),
        # Constants; a parameter of that name is none.
        ("toy/ridge.py", "SCALE = 2", "SCALE = 5", SOLVERS),
        ("toy/ridge.py", "UNUSED = 3", "UNUSED = 5", set()),
        ("toy/inner/twin.py", "x = 1", "x = 2", {"inner.deep.draw", "late.corrupt"}),
        ("toy/inner/twin.py", "y = 1", "y = 2", set()),
        # What a name stands for.
        ("toy/ridge.py", "sin as wave, cos as", "cos as wave, sin as", {"ridge.waves"}),
        ("toy/ridge.py", "import toy.graph as graph", "import helper as graph", SOLVERS),
        ("toy/__init__.py", "import solve", "import unrelated as solve", {"reexported.through"}),
        ("toy/inner/star.py", "return 1", "return 2", {"reexported.starred"}),
        # Registries count for nothing, their entries for themselves.
        ("toy/registry.py", "return 1", "return 5", {"registry.one"}),
        ("toy/registry.py", '"two": two', '"three": two', set()),
        ("toy/ridge.py", "return METHODS[name]", "return METHODS[name]()", {"ridge.by_name"}),
        # Classes, with their bases; relative imports; types of what is given.
        (
            "toy/base.py",
            "return 1",
            "return 2",
            {"model.Model", "ridge.typed", "inner.deep.made", "loose.calm"},
        ),
        ("toy/model.py", '"a"', '"b"', {"model.Model", "ridge.typed"}),
        ("toy/late.py", "return draw()", "return 1", {"late.corrupt"}),
        # Loose statements count for all of their module.
        ("toy/loose.py", 'TABLE["a"]', 'TABLE["b"]', {"loose.calm"}),
        ("toy/loose.py", '["calm"]', "[]", set()),
        ("toy/loose.py", "print(calm())", "print(1)", set()),
    ],
)
def test_an_edit_reaches_its_dependents_alone(
    toys: Path, before: dict[str, str], name: str, old: str, new: str, dependents: set[str]
) -> None:
    with edited(toys / name, old, new):
        after = digests()
    assert {key for key in OBJECTS if before[key] != after[key]} == dependents


MINE = """
from tasks.store.code import code_digest
from toy.ridge import solve
def f():
    return 1
if __name__ in ("__main__", "mine"):
    print(code_digest(solve), code_digest(f))
"""


def test_neither_the_place_of_the_source_counts_nor_that_it_is_a_script(
    tmp_path: Path, before: dict[str, str]
) -> None:
    write(tmp_path, PACKAGE | {"mine.py": MINE})
    imported, as_script = run(tmp_path, "-c", "import mine"), run(tmp_path, "mine.py")
    assert imported == as_script
    assert imported[0] == before["ridge.solve"]
    assert len(set(before.values())) == len(before)


def test_the_name_of_the_module_counts(tmp_path: Path) -> None:
    with importable(tmp_path, {"one.py": "def f(): return 1", "two.py": "def f(): return 1"}):
        assert code_digest(import_module("one").f) != code_digest(import_module("two").f)


def test_an_installed_package_that_is_given_counts_by_source(tmp_path: Path) -> None:
    """One that is only used does not, nor does what the project depends on."""
    files = {"user/__init__.py": "", "user/aid.py": "def h(): return 1"}
    files["user/method.py"] = (
        "import other\nfrom user.aid import h\ndef f(): return h() + other.g()"
    )
    files["other.py"] = "def g(): return 1"
    with importable(tmp_path / "site-packages", files) as place:
        method = import_module("user.method").f
        digest = code_digest(method)
        with edited(place / "user/aid.py", "return 1", "return 2"):
            assert code_digest(method) != digest
        with edited(place / "other.py", "return 1", "return 2"):
            assert code_digest(method) == digest


@pytest.fixture
def _other_versions(monkeypatch: pytest.MonkeyPatch) -> Any:
    code_module._requirement.cache_clear()
    monkeypatch.setattr(code_module, "version", lambda name: f"0 of {name}")
    yield
    code_module._requirement.cache_clear()


def test_a_third_party_counts_by_its_version(request: pytest.FixtureRequest) -> None:
    theirs, ours = code_digest(SVC), code_digest(FLGCClassifier)
    assert changed_files(SVC) == []
    request.getfixturevalue("_other_versions")
    assert list(code_module._roots([SVC])) == [
        "scikit-learn==0 of scikit-learn sklearn.svm._classes:SVC"
    ]
    assert code_digest(SVC) != theirs
    assert code_digest(FLGCClassifier) == ours


class Adapter:
    def __init__(self, *parts: Any) -> None:
        self.__code_parts__ = parts


def made(factor: int) -> Any:
    return lambda x: factor * x


double = made(2)


def test_what_an_object_counts_as() -> None:
    assert code_digest(FLGCClassifier()) == code_digest(FLGCClassifier)
    assert code_digest(FLGCClassifier().fit) != code_digest(FLGCClassifier().predict)
    parts = [Adapter(), Adapter(SVC), Adapter(scaling.raw), Adapter(Adapter(scaling.raw))]
    assert len({code_digest(part) for part in parts}) == 4
    assert code_digest(double) != code_digest(made)
    assert code_digest(scaling.raw, scaling.dense) != code_digest(scaling.raw)
    assert len(code_digest()) == 64


@pytest.mark.parametrize(
    "nameless",
    [lambda: 1, made(3), partial(pow, 2), "flgc.graph", 3, None, sys, type("Local", (), {})],
)
def test_what_has_no_definition_is_refused(nameless: Any) -> None:
    with pytest.raises(TypeError, match="name a module-level function or class"):
        code_digest(nameless)


def test_a_file_that_is_edited_while_it_runs_is_never_filed(tmp_path: Path) -> None:
    """A process keeps the keys of the code that it has imported: what is there can be read."""
    store, never = Store(tmp_path / "store"), lambda: pytest.fail("computed")
    files = {"fleeting.py": "import unused\ndef f(): return 1", "unused.py": "def g(): return 1"}

    def edit(name: str) -> pa.Table:
        (tmp_path / name).write_text(files[name].replace("1", "2"))
        return pa.table({"x": [1]})

    with importable(tmp_path, files):
        code = [import_module("fleeting").f]
        artifact = store.get_or_compute("fit", code, lambda: edit("unused.py"))
        with pytest.raises(CodeChanged, match=r"fleeting\.py changed"):
            store.get_or_compute("fit", code, lambda: edit("fleeting.py"), parameters={"k": 1})
        assert [entry.name for entry in store.files.entries()] == [file_name(artifact.key)]
        for gone in (False, True):
            if gone:
                (tmp_path / "fleeting.py").unlink()
            assert store.get_or_compute("fit", code, never).key == artifact.key
            with pytest.raises(CodeChanged):
                store.get_or_compute("fit", code, never, parameters={"k": 2})

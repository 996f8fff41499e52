"""Who can stand in a table, by which name, and what is said of those who cannot."""

import json
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from typer.testing import CliRunner

from flgc.cli import app
from flgc.datasets import load
from flgc.datasets.splits import runs
from flgc.methods import registry
from flgc.methods.base import Method, Outputs
from flgc.methods.estimators import Estimator
from flgc.methods.registry import (
    Contender,
    LeftOut,
    UnknownMethod,
    contender,
    installed,
    listed,
    resolve_method,
)
from flgc.methods.scoring import score_settings
from flgc.preparing import build_graph
from tests.flgc.methods.packages import install

METHODS = """
from sklearn.neighbors import KNeighborsClassifier
from flgc.methods.base import Method, Outputs
from flgc.methods.estimators import Estimator
from flgc.methods.registry import Contender

near = Estimator("kNN", KNeighborsClassifier, n_neighbors=(1, 3))

class Mine(Method):
    name = "mine"
    axes = {"depth": (1, 2), "kind": ("a", "b", "c")}
    reference = "a paper"

    def outputs(self, problem, grid):
        yield {}, Outputs([])

shallow = Contender("shallow", Mine(), part={"depth": (1,)})
"""
ENTRIES = {"my kNN": "theirs:near", "mine": "theirs:Mine", "shallow": "theirs:shallow"}


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Installs packages for one test; modules of these names are forgotten after it."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def put(name: str, source: str, entries: dict[str, str] | None = None) -> Path:
        monkeypatch.delitem(sys.modules, name, raising=False)
        return install(folder, name, source, entries)

    return put


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], str]:
    """An object as module:object."""

    def given(made: object) -> str:
        monkeypatch.setitem(sys.modules, "given", SimpleNamespace(made=made))
        return "given:made"

    return given


def test_every_method_says_what_it_is() -> None:
    rows = {(row["name"], row["task"]): row for row in listed()}
    assert set(rows) == set(registry.BUILT_IN)
    for row in rows.values():
        names = ("name", "task", "axes", "settings", "combine", "reference", "origin")
        assert set(row) == {*names}, row
        assert row["origin"] == "flgc"
        assert row["reference"]
        assert row["settings"] == np.prod([len(values) for values in row["axes"].values()])


def test_installed_methods_are_listed_with_their_package(put: Callable) -> None:
    put("theirs", METHODS, ENTRIES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = {row["name"]: row for row in listed()}
    assert rows["my kNN"] == {
        "name": "my kNN",
        "task": "classification",
        "axes": {"scaling": ["raw"], "n_neighbors": [1, 3]},
        "settings": 2,
        "combine": "best",
        "reference": "sklearn.neighbors._classification.KNeighborsClassifier",
        "origin": "theirs 1.0",
    }
    assert rows["mine"]["axes"] == {"depth": [1, 2], "kind": ["a", "b", "c"]}
    assert (rows["mine"]["settings"], rows["mine"]["reference"]) == (6, "a paper")
    assert (rows["shallow"]["settings"], rows["shallow"]["axes"]["depth"]) == (3, [1])
    assert installed("classification") == ["my kNN", "mine", "shallow"]
    assert installed("clustering") == []


def test_methods_are_shown_as_a_table_and_as_json(put: Callable) -> None:
    put("theirs", METHODS, {**ENTRIES, "lost": "nowhere_at_all:Thing"})
    shown = CliRunner().invoke(app, ["methods", "--json"])
    assert shown.exit_code == 0
    assert json.loads(shown.output) == list(listed())
    text = CliRunner().invoke(app, ["methods"]).output
    for part in ("FLGC* averaged", "my kNN", "2 n_neighbors", "theirs 1.0"):
        assert part in text
    assert "nowhere_at_all:Thing" in text
    one = CliRunner().invoke(app, ["methods", "mine", "my kNN"]).output
    for part in ("n_neighbors  1, 3", "reference  a paper"):
        assert part in one
    unknown = CliRunner().invoke(app, ["methods", "nobody"])
    assert (unknown.exit_code, unknown.stdout) == (2, "")


def test_a_row_may_have_a_part_of_its_methods_settings() -> None:
    flgc, whole = contender("FLGC", "classification"), contender("FLGC*", "classification")
    given = {"hops": (1, 2), "teleport": (0.0, 0.1), "unknown": (1, 2, 3)}
    assert flgc.method is whole.method
    assert flgc.whole(given) == whole.whole(given)
    assert flgc.whole(given)["hops"] == (1, 2)
    assert "unknown" not in flgc.whole(given)
    n = len(whole.method.axes["regularization"])
    assert (flgc.n_settings(given), whole.n_settings(given)) == (2 * n, 4 * n)
    assert whole.n_settings() == 21 * 11 * 17
    averaged = contender("FLGC* averaged", "classification")
    assert averaged.whole(given)["constant"] == (True,)
    assert averaged.protocols == ("honest",)
    assert flgc.protocols == ("paper", "honest")


def test_numbers_of_numpy_become_those_of_python(given: Callable) -> None:
    """Settings stand in keys and in tables, which know no others."""
    wide = with_axes(size=np.array([1, 2]), share=np.logspace(-1, 1, 3))
    row = contender(given(wide), "classification")
    assert row.whole({}) == {"size": (1, 2), "share": (0.1, 1.0, 10.0)}
    assert {type(value) for values in row.whole({}).values() for value in values} == {int, float}


def test_an_object_is_a_method_a_class_or_an_estimator(given: Callable) -> None:
    for made, task, axes in [
        (KNeighborsClassifier, "classification", {"scaling"}),
        (KMeans, "clustering", {"scaling"}),
        (Estimator("x", KMeans, n_init=(1,)), "clustering", {"scaling", "n_init"}),
        (Contender("x", Estimator("x", KMeans)), "clustering", {"scaling"}),
    ]:
        name = given(made)
        row = contender(name, task)
        assert (row.origin, set(row.method.axes)) == (name, axes)
        assert registry.task_of(name) == (task,)
    assert contender("sklearn.neighbors:KNeighborsClassifier", "classification")


class Nameless(Method):
    def outputs(self, problem, grid):
        yield {}, Outputs([])


class Silent(Method):
    name = "silent"


class Odd(Nameless):
    name = "odd"


class Leaving(Odd):
    def parameters(self):
        sys.exit(0)


class Regressor(Odd):
    task = "regression"  # type: ignore[assignment]


def with_axes(**axes: object) -> Method:
    method = Odd()
    method.axes = axes  # type: ignore[assignment]
    return method


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (json.dumps, "it is a function; give a flgc.methods.base.Method"),
        (3, "it is a int; give"),
        (json.JSONDecoder, "json.decoder.JSONDecoder is not a classifier or clusterer"),
        (Ridge, "Ridge is not a classifier or clusterer"),
        (Nameless, "Nameless has no name"),
        (Silent, "Silent has no outputs"),
        (Leaving, "SystemExit 0"),
        (Regressor, "task='regression' is not one of classification, clustering"),
        (with_axes(depth=3), r"axis depth=3: give a tuple of values"),
        (with_axes(kind="raw"), r"axis kind='raw': give a tuple"),
        (with_axes(depth=()), r"axis depth=\(\): give a tuple"),
        (with_axes(kernel=(object,)), "axis kernel: <class 'object'> is not a number, text"),
        (Contender("x", Odd(), part={"depth": (1,)}), "odd has no axis 'depth'"),
        (Contender("x", Odd(), combine="sum"), "combine='sum' is not one of best, average"),
    ],
)
def test_what_is_no_method_is_refused_in_one_line(made: object, message: str, given: Callable):
    name = given(made)
    refusal = f"^method 'given:made' cannot be used: .*{message}"
    with pytest.raises(UnknownMethod, match=refusal) as error:
        contender(name, "classification")
    assert "\n" not in str(error.value)
    with pytest.raises(UnknownMethod, match=message):
        registry.task_of(name)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Estimator("a", KMeans, n_init=3), "a: n_init=3; give a tuple"),
        (lambda: Estimator("a", KMeans, scaling="raw"), "a: scaling='raw'; give a tuple"),
        (lambda: Estimator("a", KMeans, depth=(1,)), "a has no parameter 'depth'; .* n_clusters"),
        (lambda: Estimator("a", Ridge), "Ridge is not a classifier or clusterer"),
    ],
)
def test_an_estimator_is_checked_when_it_is_declared(make: Callable, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x", r"unknown method 'x'; choose from FLGC, .*, GCN, .*, or give module:object"),
        ("y", r"choose from FLGC, FLGC\*, .*SSC-OMP, or give"),
        ("GCN", "'GCN' is for classification, not for clustering"),
        ("gcnlinear", "unknown method 'gcnlinear'; did you mean 'GCN-Linear"),
        ("sklearn.svm:SCV", "'sklearn.svm:SCV' cannot be used: module .* has no attribute 'SCV'"),
        ("no_such_module:SVC", "cannot be used: No module named 'no_such_module'"),
        (":SVC", "':SVC' cannot be used: give module:object, as in sklearn.svm:SVC"),
        ("sklearn.svm:", "cannot be used: give module:object"),
        ("sklearn.cluster:KMeans", "'sklearn.cluster:KMeans' is for clustering, not for classif"),
        ("sklearn.ensemble:VotingClassifier", "missing 1 required positional argument"),
    ],
)
def test_a_name_that_cannot_be_had_says_why(name: str, message: str) -> None:
    with pytest.raises(UnknownMethod, match=message):
        contender(name, "clustering" if name in ("y", "GCN") else "classification")


def test_a_name_is_known_in_any_case() -> None:
    assert resolve_method("flgc* AVERAGED") == "FLGC* averaged"
    assert resolve_method("sklearn.svm:SVC") == "sklearn.svm:SVC"
    with pytest.raises(
        UnknownMethod, match=r"unknown method 'GNC'; did you mean 'SGC' or 'GCN'.*\?"
    ):
        resolve_method("GNC")


def test_without_torch_the_others_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("flgc.methods.trained")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        UnknownMethod, match=r"'GCN' cannot be used: .*torch.*: pip install 'flgc\[gnn\]'"
    ):
        contender("GCN", "classification")
    rows = {row["name"]: row for row in listed()}
    assert "error" in rows["APPNP"]
    assert "error" not in rows["FLGC*"]
    assert "flgc[gnn]" in "".join(CliRunner().invoke(app, ["methods"]).output.split())


BROKEN = {
    "import": ("import nowhere_at_all", "No module named 'nowhere_at_all'"),
    "syntax": ("def f(:", "SyntaxError"),
    "raises": ("raise RuntimeError('on\\ntwo lines')", "RuntimeError on two lines"),
    "exits": ("raise SystemExit(3)", "SystemExit 3"),
    "lacks": ("", "has no attribute 'Thing'"),
    "needs": ("class Thing:\n    def __init__(self, a): pass", "missing 1 required"),
    "other": ("Thing = 3", "it is a int"),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_package_stops_nobody_else(source: str, message: str, put: Callable) -> None:
    put("theirs", METHODS, ENTRIES)
    put("broken", source, {"thing": "broken:Thing"})
    with pytest.warns(LeftOut) as noted:
        assert installed("classification") == ["my kNN", "mine", "shallow"]
    [text] = [str(each.message) for each in noted]
    assert text.startswith("left out of broken 1.0: method 'thing' (broken:Thing of broken 1.0)")
    assert message in text
    assert "\n" not in text
    with pytest.raises(UnknownMethod, match=r"broken:Thing of broken 1\.0.*cannot be used"):
        contender("thing", "classification")
    assert [row["name"] for row in listed() if "error" in row] == ["thing"]


def test_a_name_is_taken_once(put: Callable) -> None:
    """Neither this library's names nor another package's can be taken over."""
    put("theirs", METHODS, {"GCN": "theirs:near", "mine": "theirs:Mine"})
    put("others", METHODS, {"mine": "others:Mine"})
    with pytest.warns(LeftOut) as noted:
        assert installed("classification") == []
    assert sorted(str(each.message) for each in noted) == [
        "left out of others 1.0, theirs 1.0: method 'mine' is in several packages: others 1.0, "
        "theirs 1.0; remove one",
        "left out of theirs 1.0: method 'GCN': this library has one of that name",
    ]
    assert contender("GCN", "classification").origin == "flgc"
    assert {row["name"]: row["error"] for row in listed() if "error" in row} == {
        "GCN": "method 'GCN': this library has one of that name",
        "mine": "method 'mine' is in several packages: others 1.0, theirs 1.0; remove one",
    }


def test_the_examples_in_the_documentation_are_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as they stand, each on a table, and scored better than by chance."""
    text = (Path(__file__).parents[3] / "docs" / "pipeline.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text.partition("## Your own method")[2], re.DOTALL)
    module = ModuleType("mine")
    monkeypatch.setitem(sys.modules, "mine", module)
    for block in blocks:
        exec(compile(block, "docs/pipeline.md", "exec"), vars(module))
    named = re.findall(r'^"[\w ]+" = "(mine:\w+)"$', text, re.MULTILINE)
    assert named == ["mine:near", "mine:Centroids"]
    data, graph = load("iris"), build_graph(load("iris"), "min-max")
    splits = runs(data, "10%", (1, 2))
    for name in named:
        row = contender(name, "classification")
        found = score_settings(data, graph, splits, row.method, row.whole({}), (1, 2))
        assert len(found) == 2 * row.n_settings()
        assert found["test"].min() > 0.7
        assert found["hits"].notna().all()

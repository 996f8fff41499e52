"""The documentation: its site, its numbers, its examples."""

import ast
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from tasks.declared.published import published

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EXAMPLES = sorted((DOCS / "examples").glob("*.py"))
MOST_BYTES = 60_000


def module_of(script):
    """A script beside the docs, which are no package."""
    spec = importlib.util.spec_from_file_location(script.stem, script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The site.


class Loaded(HTMLParser):
    """What a page makes a browser load."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        loads = {"script": "src", "img": "src", "iframe": "src", "link": "href"}
        if tag in loads and given.get("rel") not in ("canonical", "next", "prev"):
            self.addresses.append(given.get(loads[tag]) or "")


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_outside(tmp_path):
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    built = subprocess.run(
        [*command, "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 15
    for page in pages:
        loaded = Loaded()
        loaded.feed(page.read_text())
        outside = [each for each in loaded.addresses if re.match(r"(\w+:)?//", each)]
        assert not outside, f"{page.name} loads {outside}"
    reference = (tmp_path / "site" / "reference" / "estimators.html").read_text()
    assert "Steps of propagation" in reference
    assert "spring_layout" in (tmp_path / "site" / "gallery.html").read_text()
    tutorial = (tmp_path / "site" / "tutorial.html").read_text()
    assert "Output" in tutorial
    assert re.search(r"\['red' 'red' 'red' 'blue'", re.sub(r"<[^>]+>|&#39;", "'", tutorial))


def test_what_a_block_of_the_tutorial_prints_stands_below_it():
    outputs = module_of(DOCS / "outputs.py")
    here = Path.cwd()
    page = "a\n```python\nx = 2\n```\nb\n```python\nprint(x + 1)\nopen('f', 'w')\n```\nc\n"
    added = '\n```text title="Output"\n3\n```\n'
    assert outputs.with_outputs(page, "p.md") == page.replace("\nc\n", f"\n{added}c\n")
    assert Path.cwd() == here
    assert not Path("f").exists()
    with pytest.raises(ZeroDivisionError):
        outputs.with_outputs("```python\n1 / 0\n```\n", "p.md")
    assert 'text title="Output"' not in (DOCS / "tutorial.md").read_text()


def test_each_page_is_in_the_navigation():
    nav = (ROOT / "mkdocs.yml").read_text()
    for page in set(DOCS.rglob("*.md")) - set((DOCS / "fragments").iterdir()):
        assert f": {page.relative_to(DOCS).as_posix()}\n" in nav, page.name


def test_every_equation_of_the_paper_has_its_place():
    text = (DOCS / "mathematics.md").read_text()
    assert re.findall(r"^### Eq\. (\d+): ", text, re.M) == [str(n) for n in range(1, 22)]


# Calls in prose.

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


@cache
def definitions() -> list[tuple[str, str]]:
    """Module and name in it of each class, function and method."""
    found = []
    for ring in ("flgc", "tasks", "flows"):
        for path in sorted((ROOT / ring).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            for node in ast.parse(path.read_text()).body:
                names = [node.name] if isinstance(node, ast.ClassDef | ast.FunctionDef) else []
                inside = node.body if isinstance(node, ast.ClassDef) else []
                names += [f"{node.name}.{e.name}" for e in inside if isinstance(e, ast.FunctionDef)]
                found += [(module, name) for name in names]
    return found


def is_possible(call: ast.Call, module: str, name: str) -> bool:
    """Whether its arguments fit; `...` are further ones."""
    positional = [each for each in call.args if getattr(each, "value", None) is not ...]
    signature = inspect.signature(attrgetter(name)(import_module(module)))
    bind = signature.bind if len(positional) == len(call.args) else signature.bind_partial
    own = [None] if "self" in signature.parameters else []
    try:
        bind(*own, *positional, **{str(each.arg): each.value for each in call.keywords})
    except TypeError:
        return False
    return True


def impossible_calls(text: str) -> Iterator[str]:
    """Inline code that calls something of ours as it cannot be called, or that is not there.

    A name may be shortened from the left; what stands before a method may be a variable.
    """
    places = definitions()
    modules = {part for module, _ in places for part in module.split(".")}
    for code in re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        try:
            tree = ast.parse(" ".join(code.split()), mode="eval")
        except SyntaxError:
            continue
        if re.search(r"\w \(", code):  # `ExtendedYaleB (rebuilt)`
            continue
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call):
                continue
            called = ast.unparse(call.func)
            is_ours = called.partition(".")[0] in modules or re.match("[A-Z][a-z]", called)
            known = [to for to in places if ".".join(("", *to)).endswith(f".{called}")]
            method = called.rpartition(".")[2]
            known = known or [to for to in places if to[1].endswith(f".{method}")]
            if (known or is_ours) and not any(is_possible(call, *to) for to in known):
                yield ast.unparse(call)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_calls_in_prose_are_possible(page):
    assert list(impossible_calls(page.read_text())) == []


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("splits.runs(dataset, kind, experiment, n)", True),
        ("flgc.datasets.splits.runs(data, split, seeds)", False),
        ("flgc.datasets.splits.draw(data)", True),
        ("Contender('FLGC', FLGC(hop=2))", True),
        ("Along('hops', ...)", False),
        ("Alongs('hops', ...)", True),
        ("model.fit(X, y, test=mask)", True),
        ("model.fit(X, y, validation=mask)", False),
        ("np.eye(3)", False),
    ],
)
def test_a_call_in_prose_that_is_impossible_is_found(code, is_found):
    assert bool(list(impossible_calls(f"Say `{code}` and\n```python\nruns()\n```\n"))) == is_found


# The examples.


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_draws_its_picture(script, tmp_path):
    if script.stem == "graph":
        pytest.importorskip("torch_geometric")
    environment = os.environ | {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)}
    run = [sys.executable, str(script)]
    done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [picture] = tmp_path.iterdir()
    assert picture.stem == script.stem
    assert picture.stat().st_size > 1000
    shown = DOCS / "images" / picture.name
    assert 1000 < shown.stat().st_size < MOST_BYTES
    gallery = (DOCS / "gallery.md").read_text()
    assert f"(images/{picture.name})" in gallery
    assert f"--8<--\ndocs/examples/{script.name}\n--8<--" in gallery


# The numbers.


def test_readme_has_the_summary_that_the_docs_show():
    page = (ROOT / "README.md").read_text()
    with_summary = module_of(DOCS / "take_fragments.py").with_summary
    assert with_summary(page) == page
    assert with_summary(page.replace("6 of 6", "5 of 6", 1)) == page


def test_every_fragment_is_shown_once_on_the_page_of_findings():
    shown = re.findall(r'^--8<-- "docs/fragments/(\S+)"$', (DOCS / "findings.md").read_text(), re.M)
    assert sorted(shown) == sorted(path.name for path in (DOCS / "fragments").iterdir())


def test_fragments_and_picture_of_a_report_are_copied(tmp_path):
    checkout, report = tmp_path / "checkout", tmp_path / "report"
    (checkout / "docs" / "images").mkdir(parents=True)
    (report / "fragments").mkdir(parents=True)
    script = shutil.copy(DOCS / "take_fragments.py", checkout / "docs")
    (checkout / "README.md").write_text("a\n<!--summary-->\n\nold\n\n<!--/summary-->\nb\n")
    (report / "fragments" / "summary.md").write_text("| new |\n")
    (report / "result.svg").write_text("<svg/>")
    subprocess.run([sys.executable, script, str(report)], check=True)
    page = (checkout / "README.md").read_text()
    assert page == "a\n<!--summary-->\n\n| new |\n\n<!--/summary-->\nb\n"
    assert (checkout / "docs" / "images" / "result.svg").read_text() == "<svg/>"
    assert (DOCS / "images" / "result.svg").stat().st_size < 2 * MOST_BYTES


# Decimals that are no results: versions, settings and intensities of noise.
NO_RESULT = {"3.11", "0.05", "0.1", "0.2"}
DECIMAL = re.compile(r"(?<![\w.])\d*\.\d+(?![\w.])|\d+ ?%")


def typed_results(text: str) -> list[str]:
    """Decimals and percents in prose, which no report has written."""
    for aside in (r"^```.*?^```", r"<!--summary-->.*?<!--/summary-->", r"`[^`]*`"):
        text = re.sub(aside, "", text, flags=re.M | re.S)
    return [found for found in DECIMAL.findall(text) if found not in NO_RESULT]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/findings.md"])
def test_no_result_is_typed_by_hand(page):
    assert not typed_results((ROOT / page).read_text())


def test_a_result_that_is_typed_by_hand_is_found():
    text = "Cora 82.3, iris .953, 85 % with Python 3.11, `0.7`, <!--summary-->9.9<!--/summary-->"
    assert typed_results(text) == ["82.3", ".953", "85 %"]


def test_what_the_paper_claims_of_its_table_is_counted_right():
    rows = published("uci_accuracy")
    wide = rows[rows["dataset"] != "Average"].pivot(
        index="dataset", columns="method", values="mean"
    )
    best = int((wide["FLGC*"] == wide.max(axis=1)).sum())
    assert (
        f'16 out of {len(wide)} datasets": its table has {best}.'
        in (DOCS / "findings.md").read_text()
    )
    ranks = published("wilcoxon_ranks").set_index(["row_method", "column_method"])
    assert ranks.loc[("GCN", "FLGC"), "rank_sum"] < 91

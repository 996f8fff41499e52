"""The documentation: its site, its numbers, its examples."""

import ast
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from tasks.declared.paper import PAPER
from tasks.declared.published import published
from tasks.store.store import Store

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SCRIPT = DOCS / "fill_numbers.py"
EXAMPLES = sorted((DOCS / "examples").glob("*.py"))
MOST_BYTES = 60_000


def module_of(script):
    """A script beside the docs, which are no package."""
    spec = importlib.util.spec_from_file_location(script.stem, script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def numbers():
    """The script as a module."""
    return module_of(SCRIPT)


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
    for page in DOCS.rglob("*.md"):
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


def test_pages_and_picture_say_what_is_stored(numbers):
    assert numbers.stale(json.loads(numbers.STORED.read_text())) == []
    assert numbers.PICTURE.stat().st_size < 2 * MOST_BYTES


# Decimals that are no results: versions, settings and intensities of noise.
NO_RESULT = {"3.11", "0.05", "0.1", "0.2"}
UNMARKED = re.compile(r"(?<![\w.])\d*\.\d+(?![\w.])|\d+ ?%")


def unmarked(text):
    """Decimals and percents in prose that stand in no mark, table, or code."""
    for aside in (r"^```.*?^```", r"<!--table:.*?<!--/table-->", r"<!--n:.*?<!--/n-->", r"`[^`]*`"):
        text = re.sub(aside, "", text, flags=re.M | re.S)
    return [found for found in UNMARKED.findall(text) if found not in NO_RESULT]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/findings.md"])
def test_no_result_is_typed_by_hand(page):
    assert not unmarked((ROOT / page).read_text())


def test_a_result_that_is_typed_by_hand_is_found():
    text = "Cora 82.3, iris .953, 85 % of <!--n:a/b-->81.1<!--/n--> with Python 3.11 and `0.7`"
    assert unmarked(text) == ["82.3", ".953", "85 %"]


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


TABLE = next(experiment for experiment in PAPER if experiment.name == "citation-public")
NOISY = next(experiment for experiment in PAPER if experiment.noises)
CELL = {"noise": "", "intensity": 0.0, "noise_pattern": "", "protocol": "honest", "first_run": 0}


def store_cell(store, values, edition="", metric="accuracy", marks="", **cell):
    """A fit artifact as the pipeline leaves it."""
    rows = pd.DataFrame({"metric": metric, "value": values, "marks": marks})
    parameters = {"cell": {**CELL, **cell}, "edition": edition}
    return store.get_or_compute("fit", [], lambda: rows, parameters=parameters)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_a_number_is_the_mean_of_a_stored_cell(numbers, store):
    about = {"experiment": TABLE.name, "dataset": "Cora", "method": "FLGC*"}
    whole = store_cell(store, [0.8, 0.81, 0.83], **about)
    store_cell(store, [0.5, 0.5], edition="newer, with fewer runs", **about)
    store_cell(store, [0.1], experiment="citation-tiny", dataset="Cora", method="FLGC*")
    found = numbers.taken(store)
    assert list(found) == ["citation-public/Cora/FLGC*/honest"]
    [cell] = found.values()
    assert (cell["value"], cell["spread"], cell["runs"]) == (81.3, 1.2, 3)
    assert whole.digest.startswith(cell["digest"])


def test_of_cells_with_as_many_runs_the_newest_counts(numbers, store, monkeypatch):
    about = {"experiment": TABLE.name, "dataset": "Cora", "method": "FLGC*"}
    for year, value in ((2024, 0.81), (2026, 0.83), (2025, 0.82)):
        clock = Mock(**{"now.return_value": datetime(year, 1, 1, tzinfo=UTC)})
        monkeypatch.setattr("tasks.store.store.datetime", clock)
        store_cell(store, [value], edition=f"of {year}", **about)
    [cell] = numbers.taken(store).values()
    assert cell["value"] == 83.0


def test_seeds_of_a_noise_are_one_number(numbers, store):
    about = {
        **{"experiment": NOISY.name, "dataset": "ExtendedYaleB", "method": "FLGC"},
        **{"noise": "gaussian", "intensity": 0.1, "noise_pattern": "shared", "metric": "ACC"},
    }
    for run, value in enumerate((0.7, 0.8)):
        store_cell(store, [value], first_run=run, **about)
    found = numbers.taken(store)
    name = "robustness/ExtendedYaleB gaussian 0.1 shared/FLGC/honest"
    assert (found[name]["value"], found[name]["runs"]) == (75.0, 2)
    assert f"{NOISY.name}/ExtendedYaleB gaussian 0.1 shared/EDSC/published" in (
        numbers.with_published(found)
    )


def test_redrawn_data_have_no_published_value(numbers, store):
    about = {"experiment": "uci", "dataset": "x8d5k", "method": "FLGC"}
    assert "uci/x8d5k/FLGC/published" in numbers.with_published({})
    store_cell(store, [0.9], marks="re-drawn", **about)
    assert "uci/x8d5k/FLGC/published" not in numbers.with_published(numbers.taken(store))


def cells(**values):
    """Cells of Cora in `honest` by the name of a method."""
    return {
        f"citation-public/Cora/{method}/honest": {"value": value, "spread": 0.0}
        for method, value in values.items()
    }


def test_a_page_is_filled_and_a_changed_number_is_found(numbers):
    known = numbers.with_published(cells(**{"FLGC*": 83.0, "GCN": 81.5}))
    page = "Cora <!--n:citation-public/Cora/FLGC*/honest-->?<!--/n-->\n\n"
    page += "<!--table:methods citation-public-->\n<!--/table-->\n"
    filled = numbers.filled(page, known)
    assert "-->83.0<!--" in filled
    theirs = known["citation-public/Cora/FLGC*/published"]["value"]
    assert f"| FLGC\\* | {theirs:.1f} | 83.0 |" in filled
    assert numbers.filled(filled, known) == filled
    assert numbers.filled(filled.replace("83.0", "84.0"), known) == filled
    with pytest.raises(ValueError, match="FLGC/honest is neither stored nor published"):
        numbers.filled("<!--n:citation-public/Cora/FLGC/honest-->1<!--/n-->", known)
    with pytest.raises(ValueError, match="kinds are summary, methods"):
        numbers.filled("<!--table:sums uci-->\n<!--/table-->", known)


def test_a_page_with_another_number_is_named(numbers):
    stored = json.loads(numbers.STORED.read_text())
    other = {name: {**cell, "value": cell["value"] + 1} for name, cell in stored.items()}
    found = numbers.stale(other)
    assert "README.md has other numbers than docs/numbers.json" in found
    assert "docs/findings.md has other numbers than docs/numbers.json" in found
    assert "docs/images/result.svg was drawn from other numbers" in found


@pytest.mark.parametrize(("gap", "told"), [(-1.0, "1 of 1"), (-1.1, "0 of 1"), (0.5, "1 of 1")])
def test_reached_is_to_a_point(numbers, gap, told):
    theirs = numbers.with_published({})["citation-public/Cora/FLGC*/published"]["value"]
    known = numbers.with_published(cells(**{"FLGC*": round(theirs + gap, 1)}))
    assert numbers.Table(known, "citation-public").reached("honest") == told


def test_the_leader_is_bold_and_needs_all_datasets(numbers):
    known = cells(**{"FLGC*": 83.0, "GCN": 84.0, "SGC": 80.0})
    assert numbers.Table(known, "citation-public").leaders("honest") == r"FLGC\* 83.0, **GCN 84.0**"
    known["citation-public/Cora/FLGC*/honest"]["value"] = 85.0
    known["citation-public/PubMed/GCN/honest"] = {"value": 99.0, "spread": 0.0}
    assert numbers.Table(known, "citation-public").leaders("honest") == r"**FLGC\* 85.0**, GCN 84.0"


def test_the_picture_knows_its_numbers(numbers, tmp_path):
    known = numbers.with_published(cells(**{"FLGC*": 83.0, "GCN": 81.5}))
    table = numbers.headline(known)
    numbers.draw(table, tmp_path / "result.svg")
    text = (tmp_path / "result.svg").read_text()
    assert numbers.picture_digest(table) in text
    other = numbers.headline(numbers.with_published(cells(**{"FLGC*": 83.1, "GCN": 81.5})))
    assert numbers.picture_digest(other) not in text

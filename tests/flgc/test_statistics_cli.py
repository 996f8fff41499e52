import json

import pytest
from typer.testing import CliRunner

from flgc.cli import app
from flgc.statistics import comparison
from flgc.statistics.rendering import as_json
from tests.flgc.compared import drawn, paper_accuracies
from tests.flgc.processes import python

CALL = "from flgc.cli import app; app()"
ABSENT = """
import sys
class Absent:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in ("torch", "prefect", "matplotlib"):
            raise ModuleNotFoundError(f"no {name}", name=name)
sys.meta_path.insert(0, Absent())
"""


def flgc(*arguments, given=None):
    return CliRunner().invoke(app, ["compare", *map(str, arguments)], input=given)


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "uci.csv"
    paper_accuracies().to_csv(path)
    return path


def test_a_table_gives_what_the_library_gives(results):
    done = python(CALL, "compare", results, "--control", "FLGC*", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    expected = as_json(comparison(paper_accuracies(), "FLGC*"))
    assert json.loads(done.stdout) == json.loads(json.dumps(expected))


def test_every_form_at_once(results, tmp_path):
    names = ("a.md", "a.tex", "a.png", "a.svg")
    markdown, latex, png, svg = files = [tmp_path / name for name in names]
    written = ["--markdown", markdown, "--latex", latex, "--figure", png, "--figure", svg]
    done = flgc(results, *written, "--level", "0.01")
    assert (done.exit_code, done.stderr) == (0, "")
    sentence = "FLGC* is significantly better than 9 of 10 rivals at 0.01 (Wilcoxon)"
    assert sentence in done.stdout
    assert all(f"Written: {path}" in done.stdout for path in files)
    assert max(map(len, done.stdout.partition("Written")[0].splitlines())) <= 100
    assert sentence in markdown.read_text()
    assert sentence in latex.read_text()
    assert png.read_bytes().startswith(b"\x89PNG")
    assert "level 0.01" in svg.read_text()


def test_standard_input_and_errors_for_accuracies():
    table = drawn(8, ["a", "b", "c"])
    plain = json.loads(flgc("-", "--json", given=table.to_csv(sep="\t")).stdout)
    turned = json.loads(
        flgc("-", "--json", "--lower-is-better", given=(-table).to_csv(sep=";")).stdout
    )
    assert turned["notes"] == ["Lower values are better."]
    assert turned["rank_sums"] == plain["rank_sums"]
    assert turned["control"] == plain["control"] == "c"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "nowhere.csv: No such file or directory"),
        (["uci", "--control", "GAT"], "no method 'GAT'; the table has SS-ELM, "),
        (["uci", "--level", "5"], "the level must be between 0 and 0.5, found 5.0"),
        (["uci", "--figure", "a.pdf"], "a.pdf must end with .png or .svg"),
        (["uci", "--latex", "no/such/folder.tex"], "no/such/folder.tex: No such file or directory"),
    ],
)
def test_wrong_input_is_one_line_and_two(results, arguments, message):
    done = flgc(*(results if each == "uci" else each for each in arguments), "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"flgc compare: {message}")
    assert done.stderr.count("\n") == 1


def test_the_library_alone_is_enough(results, tmp_path):
    """Without torch, Prefect and matplotlib; figures say what they need, and nothing is written."""
    done = python(ABSENT + CALL, "compare", results, "--markdown", tmp_path / "a.md")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a.md").exists()
    figure = ["--markdown", tmp_path / "b.md", "--figure", tmp_path / "a.png"]
    done = python(ABSENT + CALL, "compare", results, *figure)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "flgc compare: figures need matplotlib: pip install 'flgc[plots]'\n"
    assert not (tmp_path / "b.md").exists()

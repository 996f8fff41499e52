import itertools
import json
import re
import shlex
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

import flgc
from flgc.benchmark.rivals import SGC
from flgc.benchmark.scale import cluster, exponent, fit
from flgc.cli import EXIT_CODES, app
from flgc.completion import method_names
from flgc.datasets.errors import NotReachable, UnknownDataset
from flgc.methods.registry import BUILT_IN
from tests.flgc.processes import naming, python

runner = CliRunner()
HEAVY = ("altair", "matplotlib", "pandas", "prefect", "scipy", "sklearn", "torch")


def test_help_names_every_command_and_exit_code():
    shown = runner.invoke(app, ["--help"]).output
    assert EXIT_CODES in " ".join(shown.split())
    for command in ("benchmark", "compare", "datasets", "store"):
        assert command in shown


@pytest.mark.parametrize(
    "words", ["", "-h", "datasets ls", "compare -h", "store -h", "reproduce -h"]
)
def test_help_and_lists_do_not_wait_for_the_heavy_packages(words, tmp_path, monkeypatch):
    monkeypatch.setenv("FLGC_CACHE", str(tmp_path))  # data of one's own are tables to read
    call = words and f"from flgc.cli import app; app({words.split()!r})"
    done = python(f"import flgc\n{naming(*HEAVY)}{call}")
    assert (done.returncode, done.stderr.strip()) == (0, "")


def test_the_package_lists_what_it_has_and_nothing_else():
    code = "import flgc; print(*dir(flgc)); from flgc import *; print(FLGCClustering.__module__)"
    done = python(code)
    estimators = "FLGCClassifier FLGCClassifierCV FLGCClustering FLGCClusteringCV"
    assert done.stdout.splitlines() == [f"{estimators} __version__", "flgc.clustering"]
    with pytest.raises(AttributeError, match="FLGCRegressor"):
        _ = flgc.FLGCRegressor


def commands(command, path=("flgc",)):
    """Every command that a person can call, with its help."""
    yield " ".join(path), command.help or ""
    for name, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            yield from commands(each, (*path, name))
    if len(path) == 1:
        for name in sorted(set(command.list_commands(None)) - set(command.commands)):
            yield from commands(command.get_command(None, name), (*path, name))


@pytest.mark.parametrize(("name", "shown"), list(commands(get_command(app))))
def test_every_command_has_an_example_that_can_be_parsed(name, shown):
    """Help of a group may show its commands: any example of flgc will do that is understood."""
    examples = re.findall(r"^Example: flgc (.*)$", shown, re.MULTILINE)
    assert examples, f"`{name} --help` shows no example"
    assert any(f"flgc {example} ".startswith(f"{name} ") for example in examples)
    for example in examples:
        group, words = get_command(app), shlex.split(example)
        while hasattr(group, "list_commands"):
            word = words.pop(0)
            group = group.get_command(typer.Context(group), word)
            assert group is not None, f"flgc {example}: no command {word}"
        known = {option for parameter in group.params for option in parameter.opts}
        known |= {option for parameter in group.params for option in parameter.secondary_opts}
        used = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
        assert used <= known, f"flgc {example}"


@pytest.mark.parametrize("name", [name for name, _ in commands(get_command(app))])
def test_help_fills_the_lines_of_a_terminal_of_80_columns(name):
    shown = runner.invoke(app, [*name.split()[1:], "--help"], env={"TERMINAL_WIDTH": "80"}).output
    text = shown.partition("\u256d")[0].splitlines()  # what stands above the boxes
    assert len(text) > 3
    for line, following in itertools.pairwise(each.strip() for each in text):
        room = 78 - len(line)
        assert not (line and following) or len(following.split()[0]) >= room, f"{line!r} is short"
    assert "\u2026" not in shown, "words are cut off"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("reproduce --method FLGC", ["FLGC", "FLGC*", "FLGC* averaged", "FLGC, low-rank"]),
        ("evaluate wine -m SS", ["SSC", "SSC-OMP", "SSR", "SS-ELM"]),
        ("reproduce -d i", ["iris"]),
        ("robustness Ya", ["Yale"]),
        ("datasets fetch Co", ["Cora"]),
        ("sto", ["store"]),
        ("store sh", ["show"]),
    ],
)
def test_a_shell_completes_names_without_the_heavy_packages(typed, offered):
    asked = {"_FLGC_COMPLETE": "complete_bash", "COMP_WORDS": f"flgc {typed}"}
    call = "from flgc.cli import app; app(prog_name='flgc')"
    done = python(naming(*HEAVY) + call, **asked, COMP_CWORD=str(len(typed.split())))
    assert done.stderr.strip() == ""
    assert set(offered) <= set(done.stdout.splitlines())
    assert typed.startswith(("eval", "rob", "repr", "data")) or done.stdout.split() == offered


def test_the_methods_that_a_shell_completes_are_those_that_there_are():
    assert sorted(method_names()) == sorted({name for name, _ in BUILT_IN})


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (NotReachable("Yale: no source\ncould be reached"), 1, "Yale: no source could be reached"),
        (UnknownDataset("unknown dataset 'x'"), 2, "unknown dataset 'x'"),
        (PermissionError(13, "Permission denied", "/out"), 1, "/out: Permission denied"),
    ],
)
def test_what_is_no_fault_of_the_program_is_told_in_one_line(error, code, line, monkeypatch):
    def fail(*_):
        raise error

    monkeypatch.setattr("flgc.benchmark.run.run", fail)
    result = runner.invoke(app, ["benchmark"])
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr == f"flgc benchmark: {line}\n"


def test_a_reader_that_goes_away_hears_nothing_of_it():
    command = "from flgc.cli import app; app()"
    listing = [sys.executable, "-c", command, "methods", "FLGC", "--json"]
    with subprocess.Popen(listing, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()  # type: ignore[union-attr]
        assert process.stderr.read() == b""  # type: ignore[union-attr]
    assert process.returncode == 1


@pytest.mark.slow
@pytest.mark.data
def test_benchmark_compares_in_one_run(tmp_path, real_data, shared_cache, monkeypatch):
    real_data("Cora")
    monkeypatch.setenv("FLGC_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "benchmark.parquet"
    options = "--dataset Cora --section fit --section scaling --section calibration --repeats 1"
    files = ["--mirror", str(shared_cache / "raw"), "--out", str(out)]
    result = runner.invoke(app, f"benchmark {options} --largest 2000 --json".split() + files)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    fits = {row["method"]: row for row in report["sections"]["fit"]}
    assert len(fits) == 4
    assert fits["flgc"]["ratio"] == 1
    assert fits["flgc"]["accuracy"] == pytest.approx(84.0)
    assert fits["reference recipe"]["accuracy"] == pytest.approx(84.0)
    published = 81.0  # by SGC's authors
    assert fits[SGC]["accuracy"] == pytest.approx(published, abs=1.0)
    assert report["sections"]["scaling"][-1]["nodes"] == "exponent"
    calibration = {
        (row["dataset"], row["combine"]): row for row in report["sections"]["calibration"]
    }
    assert len(calibration) == 8
    # One pick on 500 validation nodes falls to 79.6 with the paper's grid.
    assert calibration["Cora", "average"]["accuracy"] > 81.5
    for row in calibration.values():
        assert row["accuracy"] > 75
        assert 0 < row["calibration_error"] < 20
    stored = pq.read_table(out)
    assert b"machine" in stored.schema.metadata
    assert set(stored["section"].to_pylist()) == {"fit", "scaling", "calibration"}


@pytest.mark.parametrize("measured", [fit, cluster])
def test_benchmark_measures_generated_data(measured):
    found = measured(300)
    assert found["nodes"] == 300
    assert min(found.values()) > 0


@pytest.mark.parametrize("option", ["--dataset", "--section"])
def test_unknown_choices_are_refused_with_the_known_ones(option):
    result = runner.invoke(app, ["benchmark", option, "nonsense"])
    assert result.exit_code == 2
    assert "nonsense" in result.output
    assert "choose from" in result.output


def test_a_command_whose_module_is_missing_says_what_to_do(monkeypatch):
    from importlib.metadata import EntryPoint

    missing = EntryPoint("later", "not_in_this_install.cli:app", "flgc.commands")
    monkeypatch.setattr("flgc.cli.entry_points", lambda group: [missing])
    result = runner.invoke(app, ["later", "--anything", "x"])
    assert result.exit_code == 1
    assert "checkout of the repository" in result.output


def test_exponent_of_linear_growth_is_one():
    assert exponent([10, 100, 1000], [2.0, 20.0, 200.0]) == pytest.approx(1.0)

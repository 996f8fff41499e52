"""The runner of the promises, on a project of two functions; `make promises` runs it on ours."""

import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).parent / "run_mutants.py"
CODE = """\
def double(x):
    return 2 * x


def half(x):
    return x / 2
"""
TESTS = """\
from code_of import double, half


def test_double():
    assert double(3) == 6


def test_half():
    half(3)


def test_broken():
    assert half(3) == 2
"""


def entry(old: str, new: str, test: str) -> str:
    named = f"tests/test_code.py::{test}"
    return (
        f"[[mutant]]\nfile = 'code_of.py'\nold = '{old}'\nnew = '{new}'\n"
        f"why = '{old} to {new}'\ntests = ['{named}']\n"
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "code_of.py").write_text(CODE)
    (tmp_path / "tests" / "test_code.py").write_text(TESTS)
    return tmp_path


def run(project: Path, entries: list[str]) -> tuple[int, list[str]]:
    (project / "tests" / "mutants.toml").write_text("\n".join(entries))
    done = subprocess.run(
        [sys.executable, str(RUNNER), "--root", str(project)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, (done.stdout + done.stderr).splitlines()


KILLED = entry("2 * x", "3 * x", "test_double")


def test_every_fate_is_told_and_all_but_killed_are_failures(project: Path) -> None:
    found = {
        "killed": KILLED,
        "survived": entry("x / 2", "x / 3", "test_half"),
        "no longer applies": entry("x ** 2", "x", "test_double"),
        "fails unmutated": entry("half(x):", "half(x, y=0):", "test_broken"),
        "tests cannot run": entry("def double", "def (", "test_double"),
    }
    code, lines = run(project, list(found.values()))
    assert code == 1
    told = [line for line in lines if "code_of.py: " in line]
    assert len(told) == len(found)
    for line, fate in zip(told, found, strict=True):
        assert line.startswith(f"{fate} ")
    assert any(line.startswith("1 of 5 killed") for line in lines)
    assert (project / "code_of.py").read_text() == CODE, "the checkout itself is never changed"


def test_a_text_that_stands_there_twice_no_longer_applies(project: Path) -> None:
    code, lines = run(project, [entry("return", "pass", "test_double")])
    assert code == 1
    assert lines[0].startswith("no longer applies")


def test_a_test_that_is_not_there_is_named(project: Path) -> None:
    code, lines = run(project, [entry("2 * x", "3 * x", "test_of_yesterday")])
    assert code == 1
    assert any("test_of_yesterday" in line for line in lines)

"""What would be released: the version from tags, whole archives, metadata and types."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PARTS = ("flgc", "tasks", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff")
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
USED = """
from flgc import FLGCClassifier, FLGCClusterin
FLGCClassifier(hop=2)
FLGCClassifier(hops=2).fit([[0.0]], [0])
"""
SHOWN = "import flgc; print(flgc.__version__)"


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        command, cwd=cwd, env=kept | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def hatchling(*arguments: str | Path, cwd: Path) -> str:
    return run(sys.executable, "-m", "hatchling", *arguments, cwd=cwd)


def commit(tree: Path, tag: str | None = None) -> None:
    run(*GIT, "commit", "--quiet", "--allow-empty", "--message", "more", cwd=tree)
    if tag:
        run("git", "tag", tag, cwd=tree)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A clone with one commit and no tag."""
    folder = tmp_path / "clone"
    folder.mkdir()
    ignored = shutil.ignore_patterns("__pycache__")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=ignored)
        else:
            shutil.copy(ROOT / part, folder / part)
    run("git", "init", "--quiet", cwd=folder)
    run("git", "add", "--all", cwd=folder)
    commit(folder)
    return folder


def test_the_version_is_that_of_the_tag_and_of_what_came_after(tree: Path) -> None:
    def shown() -> str:
        code = "from flgc.cli import app; app()"
        told = run(sys.executable, "-B", "-c", code, "--version", cwd=tree, PYTHONPATH=str(tree))
        assert told == run(sys.executable, "-B", "-c", SHOWN, cwd=tree, PYTHONPATH=str(tree))
        return told

    assert re.fullmatch(r"0\.1\.dev1\+g[0-9a-f]+", hatchling("version", cwd=tree))
    run("git", "tag", "v1.2.3", cwd=tree)
    assert hatchling("version", cwd=tree) == shown() == "1.2.3"
    commit(tree)
    assert re.fullmatch(r"1\.2\.4\.dev1\+g[0-9a-f]+", shown())
    shutil.rmtree(tree / ".git")
    assert hatchling("version", cwd=tree) == PROJECT["tool"]["hatch"]["version"]["fallback-version"]


def test_the_citation_is_of_the_newest_release_in_the_changelog() -> None:
    release = re.search(r"^## \[(\d.*)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert release
    version = f"\nversion: {release[1]}\ndate-released: {release[2]}\n"
    assert version in (ROOT / "CITATION.cff").read_text()


def test_archives_are_whole_and_the_sdist_makes_the_same_wheel_without_git(
    tree: Path, tmp_path: Path
) -> None:
    commit(tree, "v1.2.3")
    hatchling("build", "-d", tmp_path, cwd=tree)
    wheel = zipfile.ZipFile(tmp_path / "flgc-1.2.3-py3-none-any.whl")
    library = {
        path.relative_to(tree).as_posix()
        for path in (tree / "flgc").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"flgc/py.typed", "flgc/datasets/catalogue/digests.json"} <= library
    information = "flgc-1.2.3.dist-info/"
    found = {name for name in wheel.namelist() if not name.startswith(information)}
    assert found == library  # and nothing of the other rings

    with tarfile.open(tmp_path / "flgc-1.2.3.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / "flgc-1.2.3"
    assert {path.name for path in source.iterdir()} == {*PARTS, "PKG-INFO"} - {"tasks"}
    hatchling("build", "-t", "wheel", "-d", tmp_path / "again", cwd=source)
    again = zipfile.ZipFile(tmp_path / "again" / "flgc-1.2.3-py3-none-any.whl")
    assert {name: again.read(name) for name in again.namelist()} == {
        name: wheel.read(name) for name in wheel.namelist()
    }

    told = message_from_string(wheel.read(f"{information}METADATA").decode())
    assert (told["Name"], told["Version"], told["Requires-Python"]) == ("flgc", "1.2.3", ">=3.11")
    assert (told["License-Expression"], told["License-File"]) == ("MIT", "LICENSE")
    assert told.get_payload() == (ROOT / "README.md").read_text()
    needed = {
        re.split("[<>=;]", line)[0].strip()
        for line in told.get_all("Requires-Dist", [])
        if "extra ==" not in line
    }
    assert needed >= {"numpy", "scikit-learn", "typer"}
    assert not needed & {"torch", "prefect", "matplotlib", "altair"}
    scripts = wheel.read(f"{information}entry_points.txt").decode()
    assert "[console_scripts]\nflgc = flgc.cli:app\n" in scripts


def test_who_uses_it_sees_its_types(tree: Path, tmp_path: Path) -> None:
    hatchling("build", "-t", "wheel", "-d", tmp_path, cwd=tree)
    venv.create(tmp_path / "env", with_pip=False)
    (installed,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(installed)
    (tmp_path / "used.py").write_text(USED)
    python = tmp_path / "env" / "bin" / "python"
    command = [sys.executable, "-m", "mypy", "--python-executable", python, "used.py"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in checked.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 2, checked.stdout + checked.stderr
    assert 'has no attribute "FLGCClusterin"' in errors[0]
    assert 'Unexpected keyword argument "hop"' in errors[1]

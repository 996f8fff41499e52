"""The README's ways to install work in an empty environment, without what the pipeline needs."""

import os
import re
import subprocess
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHELL = re.search(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
COMMANDS = SHELL[1].splitlines() if SHELL else []
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WITHOUT_GIT = PROJECT["tool"]["hatch"]["version"]["fallback-version"]
USED = """
import importlib.util, sys
import numpy as np
from flgc import FLGCClassifier
from flgc.datasets import load
iris = load("iris")
y = np.where(np.arange(150) % 5 == 0, iris.labels, -1)
model = FLGCClassifier(regularization=0.1).fit(iris.features, y)
assert np.mean(model.transduction_ == iris.labels) > 0.8
assert not {"torch", "prefect"} & set(sys.modules)
print(*(importlib.util.find_spec(name) is not None for name in ("flgc", "tasks", "prefect")))
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """What git would give somebody else."""
    copy = tmp_path_factory.mktemp("install") / "checkout"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    return copy


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An empty one for all commands: the second finds what the first has brought."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=True)
    return folder / "bin"


def test_the_readme_says_how_to_install():
    assert [command.split()[:2] for command in COMMANDS] == [["pip", "install"], ["pip", "wheel"]]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_person_can_install_and_use_it(command, checkout, environment, tmp_path):
    variables = {"PATH": f"{environment}:/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(
        f"python -m pip uninstall --quiet --yes flgc; {command}",
        shell=True,
        cwd=checkout,
        env=_pip_settings() | variables,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    alone = {"cwd": tmp_path, "env": variables, "capture_output": True, "text": True}
    checked = subprocess.run([environment / "python", "-m", "pip", "check"], **alone)
    assert checked.returncode == 0, checked.stdout
    told = subprocess.run([environment / "flgc", "--version"], **alone)
    assert told.stdout.strip() == WITHOUT_GIT, told.stderr
    helped = subprocess.run([environment / "flgc", "--help"], **alone)
    assert "Not available here" in helped.stdout, helped.stderr
    used = subprocess.run([environment / "python", "-c", USED], **alone)
    assert used.stdout.split() == ["True", "False", "False"], used.stderr
    shown = subprocess.run([environment / "flgc", "datasets", "--json"], **alone)
    assert shown.returncode == 0, shown.stderr
    compare = [environment / "flgc", "compare", "-"]
    results = "dataset,A,B\nx,1,2\ny,2,3\nz,0,4\n"
    compared = subprocess.run(compare, input=results, **alone)
    assert "With 3 datasets no pair can reach 0.05" in compared.stdout, compared.stderr
    drawn = subprocess.run([*compare, "--figure", "a.svg"], input=results, **alone)
    assert (drawn.returncode, drawn.stdout) == (2, "")
    assert "pip install 'flgc[plots]'" in drawn.stderr


def _pip_settings() -> dict[str, str]:
    """Where this machine's pip finds packages, and nothing else of the caller's environment."""
    wanted = ("PIP_", "SSL_", "HTTP", "http", "https", "no_proxy", "NO_PROXY")
    return {name: value for name, value in os.environ.items() if name.startswith(wanted)}

"""The suites by name, and those of a file."""

from pathlib import Path

from tasks.declared.development import DEVELOPMENT
from tasks.declared.from_toml import read_suite
from tasks.declared.heterophilous import HETEROPHILOUS
from tasks.declared.paper import PAPER
from tasks.declared.tiny import TINY
from tasks.declared.types import Experiment

SUITES = {
    "paper": PAPER,
    "tiny": TINY,
    "development": DEVELOPMENT,
    "heterophilous": HETEROPHILOUS,
}
FILE = ".toml"


def suite_named(suite: str) -> tuple[str, tuple[Experiment, ...]]:
    """Its name and experiments; a file gives its own name, wherever it lies."""
    if suite in SUITES:
        return suite, SUITES[suite]
    if not suite.endswith(FILE):
        known = ", ".join(SUITES)
        raise ValueError(f"unknown suite {suite!r}; choose from {known}, or give a {FILE} file")
    name, experiments = read_suite(Path(suite))
    if name in SUITES:
        raise ValueError(f"{suite}: name = {name!r} is a suite of ours; choose another")
    return name, experiments

"""All analyses, found by their files: a new one needs no entry anywhere."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import tasks.analyses
from tasks.analyses.base import Analysis

if TYPE_CHECKING:
    from tasks.declared.types import Experiment

for module in iter_modules(tasks.analyses.__path__, "tasks.analyses."):
    if module.name != __name__:
        import_module(module.name)


def _kinds(kind: type[Analysis]) -> list[type[Analysis]]:
    return [each for sub in kind.__subclasses__() for each in (sub, *_kinds(sub))]


# By name, as a suite in a file asks for them; in this order whatever is imported first. Without a
# `kind` it is what several have in common.
ANALYSES = {
    kind.__name__: kind
    for kind in sorted(_kinds(Analysis), key=lambda kind: kind.__name__)
    if hasattr(kind, "kind")
}


def analyses_of(experiment: Experiment) -> dict[str, Analysis]:
    """By name those that an experiment has without asking, then those that it asks for."""
    implied = [kind() for kind in ANALYSES.values() if kind.is_implied(experiment)]
    return {each.name: each for each in (*implied, *experiment.analyses)}

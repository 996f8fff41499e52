"""What will run, as data: steps, each made from the results of others.

Nothing here runs anything: a list of steps can be counted, looked up in a store, or executed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tasks.running.nested import leaves, map_leaves
from tasks.running.stage import Stage


@dataclass(frozen=True, eq=False)
class Step:
    """A stage and its arguments, in which another step stands for the result of that step.

    It also waits for the steps in `after`, of which it reads nothing.
    """

    stage: Stage
    about: str
    given: Mapping[str, Any]
    after: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        """`score iris FLGC*`."""
        return f"{self.stage.name} {self.about}"

    @cached_property
    def needs(self) -> list[Step]:
        """The steps that it waits for, each once."""
        return list(dict.fromkeys([*steps_in(self.given), *self.after]))


class Steps:
    """Each step once, however often it is added, in the order in which they run."""

    def __init__(self) -> None:
        self.by_text: dict[str, Step] = {}

    def __iter__(self) -> Iterator[Step]:
        return iter(self.by_text.values())

    def add(self, stage: Stage, about: str, *, after: tuple[Step, ...] = (), **given: Any) -> Step:
        """The step of this stage and these arguments; its `about` is the first that was added."""
        text = json.dumps([stage.name, given], default=_as_text, sort_keys=True)
        return self.by_text.setdefault(text, Step(stage, about, given, after))

    def sort(self, turn: Callable[[Step], tuple[int, ...]]) -> None:
        """Have them run by their turn; those with the same one as they were added."""
        self.by_text = dict(sorted(self.by_text.items(), key=lambda item: turn(item[1])))


def _as_text(value: Any) -> str:
    return f"step {id(value)}" if isinstance(value, Step) else repr(value)


def steps_in(value: Any) -> Iterator[Step]:
    """The steps in a value: itself, or those of a collection."""
    return (leaf for leaf in leaves(value) if isinstance(leaf, Step))


def with_results(value: Any, results: Mapping[Step, Any]) -> Any:
    """The same with results, or futures of them, in place of steps."""
    return map_leaves(lambda leaf: results[leaf] if isinstance(leaf, Step) else leaf, value)


def chain_of(step: Step) -> list[Step]:
    """All steps that it needs, in the order in which they run, and the step itself."""
    chain: dict[Step, None] = {}
    for need in step.needs:
        chain |= dict.fromkeys(chain_of(need))
    return [*chain, step]

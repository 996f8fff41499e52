"""What will run, as data: steps, each made from the results of others.

Nothing here runs anything: a list of steps can be counted, looked up in a store, or executed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tasks.running.nested import leaves, map_leaves
from tasks.running.stage import Stage


@dataclass(frozen=True, eq=False)
class Step:
    """A stage, and what it is given; a step among that stands for its result.

    It also waits for the steps in `after`, and reads nothing of them.
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
        """The steps that it is made from or comes after, each once."""
        return list(dict.fromkeys([*steps_in(self.given), *self.after]))


@dataclass(frozen=True)
class Steps:
    """Each step once, however often it is added, in the order in which they run."""

    made: dict[str, Step] = field(default_factory=dict)
    keys: dict[Step, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.keys)

    def add(self, stage: Stage, about: str, *, after: tuple[Step, ...] = (), **given: Any) -> Step:
        """The step that gives a stage just this; its `about` is the first one that was added."""
        key = json.dumps([stage.name, given], default=self._as_text, sort_keys=True)
        if key not in self.made:
            self.made[key] = Step(stage, about, given, after)
            self.keys[self.made[key]] = str(len(self.keys))
        return self.made[key]

    def sort(self, turn: Callable[[Step], tuple[int, ...]]) -> None:
        """Have them run by their turn; those with the same one as they were added."""
        ordered = sorted(self.keys.items(), key=lambda each: turn(each[0]))
        self.keys.clear()
        self.keys.update(ordered)

    def _as_text(self, value: Any) -> str:
        return f"step {self.keys[value]}" if isinstance(value, Step) else repr(value)


def steps_in(value: Any) -> Iterator[Step]:
    """The steps in a value: itself, or those of a collection."""
    return (leaf for leaf in leaves(value) if isinstance(leaf, Step))


def with_results(value: Any, results: Mapping[Step, Any]) -> Any:
    """The same with what steps made, or will, in their place."""
    return map_leaves(lambda leaf: results[leaf] if isinstance(leaf, Step) else leaf, value)


def chain_of(step: Step) -> list[Step]:
    """The step and all that it needs, what is needed first."""
    found: dict[Step, None] = {}
    for need in step.needs:
        found |= dict.fromkeys(chain_of(need))
    return [*found, step]

"""Nested lists, tuples and mappings: the arguments of a stage, its inputs, its parameters."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def leaves(value: Any) -> Iterator[Any]:
    """Everything in it that is no collection itself."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    else:
        yield value


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """The same collections with `function(leaf)` for each leaf."""
    if isinstance(value, Mapping):
        return {name: map_leaves(function, each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        mapped = [map_leaves(function, each) for each in value]
        return mapped if isinstance(value, list) else tuple(mapped)
    return function(value)

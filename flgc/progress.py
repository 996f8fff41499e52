"""Progress of long loops, for a listener; by default there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
# Takes the number of items done and their total.
Listener = Callable[[int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("listener of progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Report the progress of loops in here to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tracked(items: Iterable[Item], total: int) -> Iterator[Item]:
    """The same items; reports how many of `total` are done while the loop runs."""
    report = _listener.get() or (lambda done, total: None)
    for done, item in enumerate(items):
        report(done, total)
        yield item
    report(total, total)

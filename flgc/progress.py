"""How far a long loop is, for whoever wants to show it; nobody listens by default."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
# Takes how many are done and how many there are.
Listener = Callable[[int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("listener of progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Loops in here tell the listener how far they are."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tracked(items: Iterable[Item], total: int) -> Iterator[Item]:
    """The same items; how many of `total` are done is told while the loop runs."""
    tell = _listener.get() or (lambda done, total: None)
    for done, item in enumerate(items):
        tell(done, total)
        yield item
    tell(total, total)

"""Which part of an exhaustive test is quick; the rest is `slow`, and `make test` leaves it out."""

from collections.abc import Collection, Iterable
from itertools import product
from typing import Any

import pytest


def slow_but(quick: Collection, values: Iterable) -> list[Any]:
    """All values as parameters, of which only those of `quick` are."""
    return [value if value in quick else slow(value) for value in values]


def each_once(first: Iterable, second: Iterable) -> list[Any]:
    """All pairs as parameters; in the quick ones each value of either side comes at least once."""
    first, second = list(first), list(second)
    n = max(len(first), len(second))
    quick = {(i % len(first), i % len(second)) for i in range(n)}
    pairs = product(enumerate(first), enumerate(second))
    return [(a, b) if (i, j) in quick else slow(a, b) for (i, a), (j, b) in pairs]


def slow(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)

"""How methods and datasets look in every chart: colour, marker and, among many lines, a dash."""

from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import Any

# Told apart without colours too: by marker.
METHODS = {
    "GCN": ("#999999", "s"),
    "GCN-Linear": ("#56b4e9", "D"),
    "SGC": ("#009e73", "v"),
    "APPNP": ("#cc79a7", "^"),
    "FLGC": ("#0072b2", "o"),
    "FLGC*, teleport .1": ("#e69f00", "P"),
    "FLGC*": ("#d55e00", "*"),
}
# For methods that are not named above, in the order of the table; seen on white and on black.
OTHERS = (
    ("#6f63c6", "X"),
    ("#b8335f", "p"),
    ("#117733", "h"),
    ("#44aa99", "<"),
    ("#aa4499", ">"),
    ("#a5603a", "d"),
    ("#999933", "8"),
    ("#6b7a8f", "x"),
)
DASHES = ([5, 1.5], [1.5, 1], [6, 1.5, 1.5, 1.5])

Looks = dict[str, dict[str, Any]]


def looks_of(methods: Iterable[str]) -> Looks:
    """Colour and marker of each method; the same table gives the same ones."""
    others = cycle(OTHERS)
    found = {method: METHODS.get(method) or next(others) for method in methods}
    return {name: {"color": colour, "marker": marker} for name, (colour, marker) in found.items()}


def as_lines(methods: Sequence[str], own: Sequence[str]) -> Looks:
    """The same for lines: our own thick, the others thin and dashed.

    Each of our own is thinner than the one below it: where they meet, both can be seen.
    """
    found = looks_of(methods)
    for i, name in enumerate(reversed([name for name in methods if name in own])):
        found[name] |= {"width": 1.8 + 1.6 * i}
    for i, name in enumerate(name for name in methods if name not in own):
        found[name] |= {"width": 1.0, "dash": DASHES[i % len(DASHES)]}
    return found

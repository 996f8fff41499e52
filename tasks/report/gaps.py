"""Missing cells and why: one line for each cause, the same everywhere."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from flgc.addresses import without_secrets
from flgc.datasets.errors import DatasetError, NotReachable

NOT_AVAILABLE = "not available"  # found nowhere any more
NOT_REACHABLE = "not reachable"  # it exists, but cannot be fetched from here
FAILED = "failed"

UNREACHED = "no source could be reached"
# The words for each kind, in the order in which they are listed.
_WORDS = {NOT_AVAILABLE: NOT_AVAILABLE, NOT_REACHABLE: UNREACHED, FAILED: FAILED}
_MOST_NAMES = 6


@dataclass(frozen=True)
class Gap:
    """Cells that are not there for one cause: `what` is a dataset, or the first step that broke."""

    kind: str
    what: str
    reason: str
    cells: int = 0  # none if what broke fills no cell


def dataset_gap(dataset: str, error: BaseException, cells: int) -> Gap:
    """The gap that a dataset leaves which could not be had."""
    if isinstance(error, NotReachable):
        reasons = [f"{place}: {reason}" for place, reason in error.reasons.items()]
        return Gap(NOT_REACHABLE, dataset, "; ".join(reasons) or reason_of(error), cells)
    return Gap(FAILED, dataset, reason_of(error), cells)


def reason_of(error: BaseException) -> str:
    """An error in one line; what a dataset's errors say needs no name of a class before it."""
    text = str(error) if isinstance(error, DatasetError) else f"{type(error).__name__}: {error}"
    return " ".join(without_secrets(text).split())


def listed(gaps: Iterable[Gap]) -> list[str]:
    """`Yale: no source could be reached (4 cells): ...`: one line for each cause.

    A cause shared by several experiments is one line, and so is a reason shared by steps. Steps
    of one name that broke for several reasons are several: methods may share a name.
    """
    by_what: dict[tuple[str, str, str], Gap] = {}
    for gap in gaps:
        key = gap.kind, gap.what, gap.reason if gap.kind == FAILED else ""
        first = by_what.setdefault(key, replace(gap, cells=0))
        by_what[key] = replace(first, cells=first.cells + gap.cells)
    by_reason: dict[tuple[str, str], list[Gap]] = {}
    for gap in by_what.values():
        by_reason.setdefault((gap.kind, gap.reason), []).append(gap)
    ordered = sorted(by_reason.values(), key=lambda alike: list(_WORDS).index(alike[0].kind))
    return [_line(alike) for alike in ordered]


def absent(gaps: Iterable[Gap], datasets: Collection[str]) -> dict[str, str]:
    """The datasets that could not be had, and what a table says instead of their cells."""
    return {gap.what: gap.kind for gap in gaps if gap.what in datasets}


def verdict(there: int, gaps: Iterable[Gap]) -> str:
    """`210 cells complete, 8 not available, 32 not reachable`."""
    lacking = dict.fromkeys(_WORDS, 0)
    for gap in gaps:
        lacking[gap.kind] += gap.cells
    parts = [f"{n} {kind}" for kind, n in lacking.items() if n]
    return ", ".join([f"{_cells(there)} complete", *parts])


def _line(alike: list[Gap]) -> str:
    names = [gap.what for gap in alike]
    if len(names) > _MOST_NAMES:
        names = [*names[:_MOST_NAMES], f"and {len(names) - _MOST_NAMES} more"]
    cells = sum(gap.cells for gap in alike)
    number = f" ({_cells(cells)})" if cells else ""
    return f"{', '.join(names)}: {_WORDS[alike[0].kind]}{number}: {alike[0].reason}"


def _cells(number: int) -> str:
    return f"{number} cell{'' if number == 1 else 's'}"

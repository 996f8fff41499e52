"""Whether a claim of the paper holds in stored results: parts are counted and summed up in a word.

A part is one comparison of two numbers, as they are printed. What is missing decides nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import pandas as pd

from tasks.declared.described import Described
from tasks.report.evidence import Evidence
from tasks.report.gaps import NOT_AVAILABLE
from tasks.report.tables import subjects
from tasks.report.values import Case, Values, case_title

HOLDS, FAILS, PARTLY, UNKNOWN = "holds", "does not hold", "partly", "not tested"
WITHOUT, WITH = "FLGC", "FLGC*"  # a teleport
OURS = (WITHOUT, WITH)
# Names in one cell of the table of claims.
MOST_NAMES = 4

# By name: whether it is as claimed, None where something is missing, and the numbers of it.
Parts = dict[str, tuple[bool | None, str]]
NOT_KNOWN = (None, "")


@dataclass(frozen=True, eq=False)
class PaperTable:
    """One of the paper's tables as we have it: what a claim can be asked of."""

    evidence: Evidence

    @property
    def table(self) -> Described:
        """What it shows."""
        return self.evidence.table

    @property
    def values(self) -> Values:
        """Its cells, beside what the paper prints of them."""
        return self.evidence.values

    def rows(self, analysis: str) -> pd.DataFrame:
        """The rows of an analysis, none where it was not made."""
        return self.evidence.rows(analysis)

    @cached_property
    def datasets(self) -> list[str]:
        """Without those that nobody has any more."""
        lost = [gap.what for gap in self.evidence.declared.gaps if gap.kind == NOT_AVAILABLE]
        return [name for name in self.table.datasets if name not in lost]

    @cached_property
    def cases(self) -> list[Case]:
        """Where each method should have a value."""
        asked = [subject for subject in subjects(self.table) if subject[0] in self.datasets]
        return [(*subject, metric) for subject, metric in product(asked, self.table.metrics)]

    @property
    def rivals(self) -> list[str]:
        """The others of the paper's own table; where it prints none, all that are run here."""
        rows = [row for row in self.table.rows if not row.own and not row.is_variant]
        printed = self.values.printed
        return [row.name for row in rows if row.name in printed or not printed]

    def title(self, case: Case) -> str:
        """How it is called among the parts of a claim."""
        return case_title(case, self.table)

    def points(self, protocol: str) -> Any:
        """Cases x methods in points, nan where a cell is missing."""
        methods = [*self.rivals, *OURS]
        columns = [self.values.ours.get((name, protocol), {}) for name in methods]
        rows = [[column.get(case) for column in columns] for case in self.cases]
        titles = [self.title(case) for case in self.cases]
        return pd.DataFrame(rows, index=titles, columns=methods, dtype=float)


@dataclass(frozen=True)
class Finding:
    """What one protocol says of a claim: a word, and the numbers that decide."""

    word: str
    numbers: str


# By protocol; what is measured at the settings of one alone says nothing of the other.
Findings = dict[str, Finding]
Judge = Callable[[PaperTable], Findings]


def count_parts(parts: Parts, unit: str, first: str = "") -> Finding:
    """A finding from its parts; those against the claim are named, with their numbers."""
    decided = [good for good, _ in parts.values() if good is not None]
    against = [
        f"{name} ({numbers})" if numbers else name
        for name, (good, numbers) in parts.items()
        if good is not None and not good
    ]
    lacking = len(parts) - len(decided)
    texts = [first] if first else []
    if decided:
        texts.append(f"{len(decided) - len(against)} of {len(decided)} {unit}")
    if against:
        more = f" and {len(against) - MOST_NAMES} more" if len(against) > MOST_NAMES else ""
        texts.append(f"not {', '.join(against[:MOST_NAMES])}{more}")
    if lacking or not parts:
        texts.append(f"{lacking} missing" if decided else "missing")
    return Finding(_word(len(decided) - len(against), len(against), lacking), "; ".join(texts))


def _word(good: int, bad: int, lacking: int) -> str:
    """One part against a claim breaks it; while none is, each that is missing could."""
    if not bad:
        return HOLDS if good and not lacking else UNKNOWN
    return PARTLY if good >= bad else FAILS


def alone(protocol: str) -> str:
    """The word for a claim that holds in one protocol and not in the other."""
    return f"in `{protocol}` alone"


def each_protocol(judge: Callable[[PaperTable, str], Finding]) -> Judge:
    """A judge of one protocol asked of all."""
    return lambda ours: {name: judge(ours, name) for name in ours.evidence.protocols}


def is_above(own: float, rival: float, *, level: bool = False) -> bool | None:
    """Whether ours is above, or level where that is enough; None where one is missing."""
    if pd.isna(own) or pd.isna(rival):
        return None
    return own > rival or (level and own == rival)

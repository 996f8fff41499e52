"""Whether a claim of the paper holds in stored results: parts are counted, then there is a word.

A part is one comparison of two numbers, as they are printed. What is not there decides nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import pandas as pd

from flgc.methods.sorted_affinity import SortedAffinity
from tasks.declared.described import Described
from tasks.document.claims import means_of, named
from tasks.document.influence_claims import WITH, WITHOUT
from tasks.document.printed import Case
from tasks.document.tables import subjects

HOLDS, FAILS, PARTLY, UNKNOWN = "holds", "does not hold", "partly", "not tested"
OURS = (WITHOUT, WITH)
# Names in one cell of the table of claims.
MOST_NAMES = 4

Parts = dict[str, bool | None]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is stored of one experiment; `lost` are datasets that nobody has any more."""

    table: Described
    results: pd.DataFrame
    protocols: tuple[str, ...]
    pairs: pd.DataFrame = field(default_factory=pd.DataFrame)
    timings: pd.DataFrame = field(default_factory=pd.DataFrame)
    curves: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    affinities: Mapping[str, Mapping[str, SortedAffinity]] = field(default_factory=dict)
    lost: tuple[str, ...] = ()

    @property
    def datasets(self) -> list[str]:
        """Those that a claim can be asked of."""
        return [name for name in self.table.datasets if name not in self.lost]

    @property
    def cases(self) -> list[Case]:
        """Where each method should have a value."""
        asked = [subject for subject in subjects(self.table) if subject[0] in self.datasets]
        return [(*subject, metric) for subject, metric in product(asked, self.table.metrics)]

    @property
    def rivals(self) -> list[str]:
        """The others of the paper's own table; where it prints none, all that are run here."""
        rows = [row for row in self.table.rows if not row.own and not row.is_variant]
        printed = {cell["method"] for cell in self.table.published}
        return [row.name for row in rows if row.name in printed or not printed]

    @cached_property
    def means(self) -> dict[tuple[str, str], dict[Case, float]]:
        """By method and protocol, then by case: means over the runs in points."""
        return means_of(self.table, self.results)

    def values(self, protocol: str) -> Any:
        """Cases x methods in points, nan where a cell is not there."""
        columns = {name: self.means.get((name, protocol), {}) for name in (*self.rivals, *OURS)}
        found = [{name: cells.get(case) for name, cells in columns.items()} for case in self.cases]
        names = [named(case, self.table) for case in self.cases]
        return pd.DataFrame(found, index=names, columns=list(columns), dtype=float)


@dataclass(frozen=True)
class Finding:
    """What one protocol says of a claim: a word, and the numbers that decide."""

    word: str
    said: str


# By protocol; what is measured at the settings of one alone says nothing of the other.
Findings = dict[str, Finding]
Judge = Callable[[Evidence], Findings]


def found(
    parts: Parts, unit: str, numbers: Mapping[str, str] | None = None, said: str = ""
) -> Finding:
    """A finding from its parts; those against the claim are named, with their numbers."""
    known = {name: good for name, good in parts.items() if good is not None}
    against = [name for name, good in known.items() if not good]
    lacking = len(parts) - len(known)
    texts = [said] if said else []
    if known:
        texts.append(f"{len(known) - len(against)} of {len(known)} {unit}")
    if against:
        shown = [f"{name} ({numbers[name]})" if numbers else name for name in against[:MOST_NAMES]]
        more = f" and {len(against) - MOST_NAMES} more" if len(against) > MOST_NAMES else ""
        texts.append(f"not {', '.join(shown)}{more}")
    if lacking or not parts:
        texts.append(f"{lacking} not there" if known else "not there")
    return Finding(_word(len(known) - len(against), len(against), lacking), "; ".join(texts))


def _word(good: int, bad: int, lacking: int) -> str:
    """One part against a claim breaks it; while none is, each that is missing could."""
    if not bad:
        return HOLDS if good and not lacking else UNKNOWN
    return PARTLY if good >= bad else FAILS


def alone(protocol: str) -> str:
    """The word for a claim that holds in one protocol and not in the other."""
    return f"in `{protocol}` alone"


def each_protocol(judge: Callable[[Evidence, str], Finding]) -> Judge:
    """A judge of one protocol asked of all."""
    return lambda evidence: {name: judge(evidence, name) for name in evidence.protocols}


def compared(own: float, rival: float, *, level: bool = False) -> bool | None:
    """Whether ours is above, or level where that is enough; None where one is not there."""
    if pd.isna(own) or pd.isna(rival):
        return None
    return own > rival or (level and own == rival)

"""Is it as the paper says? Each claim of its text with a word, and the numbers that decide.

The word is found from stored results; nothing is computed anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from flgc.methods.sorted_affinity import SortedAffinity
from tasks.declared.described import Described
from tasks.declared.paper import PAPER
from tasks.declared.published import published_cells
from tasks.document.gaps import NOT_AVAILABLE, Gap
from tasks.document.judging import (
    HOLDS,
    MOST_NAMES,
    PARTLY,
    UNKNOWN,
    Evidence,
    Findings,
    alone,
)
from tasks.document.paper_claims import CLAIMS, Claim
from tasks.document.results import joined, timed, varied
from tasks.document.tables import NONE


@dataclass(frozen=True)
class Verdict:
    """A claim with its word; `paper` and `honest` are what each protocol found."""

    claim: str
    where: str
    verdict: str
    paper: str
    honest: str
    section: str


def verdicts(
    tables: Sequence[Described],
    protocols: Sequence[str],
    results: Mapping[str, Sequence[pd.DataFrame]],
    pairs: Mapping[str, pd.DataFrame],
    timings: Mapping[str, Mapping[str, pd.DataFrame]],
    curves: Mapping[str, Mapping[str, Mapping[str, Mapping[str, pd.DataFrame]]]],
    affinities: Mapping[str, Mapping[str, Mapping[str, SortedAffinity]]],
    gaps: Mapping[str, Sequence[Gap]],
) -> list[Verdict]:
    """The claims about those of the paper's tables that are here; all else as for the report."""
    return [
        verdict
        for table in tables
        for verdict in _of_table(
            Evidence(
                table=table,
                results=joined(results.get(table.name, ())),
                protocols=tuple(protocols),
                pairs=pairs.get(table.name, pd.DataFrame()),
                timings=timed(timings[table.name]) if timings.get(table.name) else pd.DataFrame(),
                curves={
                    figure: varied(of_figure)
                    for figure, of_figure in curves.get(table.name, {}).items()
                },
                affinities=affinities.get(table.name, {}),
                lost=tuple(
                    gap.what for gap in gaps.get(table.name, ()) if gap.kind == NOT_AVAILABLE
                ),
            )
        )
    ]


def _of_table(evidence: Evidence) -> Iterator[Verdict]:
    for claim in CLAIMS.get(evidence.table.name, ()):
        absent = _absent(claim, evidence)
        if absent:
            more = len(absent) - MOST_NAMES
            said = f"without {', '.join(absent[:MOST_NAMES])}{f' and {more} more' * (more > 0)}"
            yield Verdict(claim.text, claim.where, UNKNOWN, said, said, evidence.table.name)
            continue
        found = claim.judge(evidence)
        paper, honest = (found[p].said if p in found else NONE for p in ("paper", "honest"))
        yield Verdict(claim.text, claim.where, _word(found), paper, honest, evidence.table.name)


def _absent(claim: Claim, evidence: Evidence) -> list[str]:
    """What a claim speaks of and was not asked for; a judge is asked only where there is nothing.

    What was asked for and failed, or nobody has any more, is the judge's to tell.
    """
    table = evidence.table
    whole = next(experiment for experiment in PAPER if experiment.name == table.name)
    printed = set(published_cells(whole)["method"])
    methods = claim.methods or [name for name in whole.methods if name in printed]
    datasets = claim.datasets or whole.datasets
    return [
        *(name for name in methods if name not in table.methods),
        *(name for name in datasets if name not in table.datasets),
    ]


def _word(found: Findings) -> str:
    """One for both protocols; where they differ a claim holds in one of them alone, or in part."""
    words = {finding.word for finding in found.values()}
    if not words or UNKNOWN in words:
        return UNKNOWN
    if len(words) == 1:
        return words.pop()
    return next((alone(p) for p, finding in found.items() if finding.word == HOLDS), PARTLY)

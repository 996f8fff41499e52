"""Is it as the paper says? Each claim of its text with a word, and the numbers that decide.

The word is found from stored results; nothing is computed anew.
"""

import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import pandas as pd

from tasks.declared.paper import PAPER
from tasks.declared.published import published_cells
from tasks.paper.claims import CLAIMS, Claim
from tasks.paper.judging import (
    FAILS,
    HOLDS,
    MOST_NAMES,
    PARTLY,
    UNKNOWN,
    Findings,
    PaperTable,
    alone,
)
from tasks.report.blocks import BAD, GOOD, MIXED, OPEN, Block, Heading, Table
from tasks.report.evidence import Evidence
from tasks.report.tables import NONE

# What a sentence says of one claim with a verdict, and of several.
COUNTED = {
    HOLDS: ("holds", "hold"),
    alone("paper"): ("holds in `paper` alone", "hold in `paper` alone"),
    alone("honest"): ("holds in `honest` alone", "hold in `honest` alone"),
    PARTLY: ("holds partly", "hold partly"),
    FAILS: ("does not hold", "do not hold"),
    UNKNOWN: ("is not tested", "are not tested"),
}
# Written down once, and checked against the published tables by a test.
CONTRADICTIONS = "contradictions.csv"
TONES = {HOLDS: GOOD, FAILS: BAD, UNKNOWN: OPEN}  # all others are mixed


@dataclass(frozen=True)
class Verdict:
    """A claim with its word; `paper` and `honest` are what each protocol found."""

    claim: str
    where: str
    verdict: str
    paper: str
    honest: str
    section: str


def verdicts(tables: Iterable[Evidence]) -> list[Verdict]:
    """The claims about those of the paper's tables that are here."""
    return [
        _judge(claim, PaperTable(evidence))
        for evidence in tables
        for claim in CLAIMS.get(evidence.table.name, ())
    ]


def _judge(claim: Claim, ours: PaperTable) -> Verdict:
    name, missing = ours.table.name, _missing(claim, ours)
    if missing:
        more = len(missing) - MOST_NAMES
        text = f"without {', '.join(missing[:MOST_NAMES])}{f' and {more} more' * (more > 0)}"
        return Verdict(claim.text, claim.where, UNKNOWN, text, text, name)
    found = claim.judge(ours)
    paper, honest = (found[p].numbers if p in found else NONE for p in ("paper", "honest"))
    return Verdict(claim.text, claim.where, _word(found), paper, honest, name)


def _missing(claim: Claim, ours: PaperTable) -> list[str]:
    """What a claim speaks of and was not run; a judge is asked only where there is nothing.

    What was asked for and failed, or nobody has any more, is the judge's to tell.
    """
    table = ours.table
    whole = next(experiment for experiment in PAPER if experiment.name == table.name)
    printed = set(published_cells(whole)["method"])
    methods = claim.methods or [name for name in whole.methods if name in printed]
    datasets = claim.datasets or whole.datasets
    lacks_figure = claim.analysis and ours.rows(claim.analysis).empty
    return [
        *(name for name in methods if name not in table.methods),
        *(name for name in datasets if name not in table.datasets),
        *([f"the figure {claim.analysis!r}"] if lacks_figure else []),
    ]


def _word(found: Findings) -> str:
    """One for both protocols; where they differ a claim holds in one of them alone, or in part."""
    words = {finding.word for finding in found.values()}
    if not words or UNKNOWN in words:
        return UNKNOWN
    if len(words) == 1:
        return words.pop()
    return next((alone(p) for p, finding in found.items() if finding.word == HOLDS), PARTLY)


def answer(judged: Sequence[Verdict]) -> str:
    """Do the paper's claims hold? In a sentence without a word of the trade."""
    counted = Counter(each.verdict for each in judged)
    tested, held = len(judged) - counted[UNKNOWN], counted[HOLDS]
    word = "Nobody can tell yet"
    if tested:
        word = "Yes" if held == tested else "Mostly" if 2 * held > tested else "In part"
        word = word if held or counted[PARTLY] or tested > counted[FAILS] else "No"
        word += ", where tested" if counted[UNKNOWN] else ""
    numbers = {each: counted[each] for each in COUNTED if counted[each]}
    words = ", ".join(f"{n} {COUNTED[each][n > 1]}" for each, n in numbers.items())
    claims = "claim" if len(judged) == 1 else "claims"
    return f"**Is it as the paper says? {word}.** Of its {len(judged)} {claims} {words}."


def claim_table(judged: Sequence[Verdict]) -> list[Block]:
    """Claim by claim, each with its verdict in colour."""
    if not judged:
        return []
    rows = pd.DataFrame([asdict(each) for each in judged]).drop(columns="section")
    rows = rows[["claim", "verdict", "paper", "honest", "where"]]
    rows = rows.rename(columns={"paper": "`paper`", "honest": "`honest`"})
    tones = {(i, "verdict"): TONES.get(word, MIXED) for i, word in enumerate(rows["verdict"])}
    return [Table("claims", rows, "The claims of the paper's text, and what we found", tones=tones)]


def contradiction_table(files: Mapping[str, str]) -> list[Block]:
    """Statements of the paper that its own tables contradict, from a file: no run is needed."""
    rows = pd.read_csv(io.StringIO(files[CONTRADICTIONS]))
    title = "What the paper's own tables contradict"
    return [Heading(2, title), Table("contradictions", rows, title)]

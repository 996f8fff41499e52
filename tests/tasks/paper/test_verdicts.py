"""Words about tables: from the paper's own values, from worse ones, and without some of them."""

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import Any
from unittest.mock import patch

import pandas as pd
import pytest

from flgc.methods.picking import PROTOCOLS
from flgc.noise import INDEPENDENT
from tasks.declared.described import Described
from tasks.paper.claims import CLAIMS, CLASSIC, GCN_VARIANTS
from tasks.paper.judging import FAILS, HOLDS, OURS, PARTLY, UNKNOWN, alone
from tasks.paper.verdicts import Verdict, answer, verdicts
from tasks.report.evidence import Evidence
from tasks.report.gaps import NOT_AVAILABLE, NOT_REACHABLE, Gap
from tasks.report.ranks import compare_methods
from tasks.report.rows import COLUMNS
from tests.tasks.report.made import (
    CLUSTERING,
    EMPTY,
    FLGC,
    PUBLIC,
    ROBUSTNESS,
    TINY,
    evidence,
    table,
    with_rivals,
)

OF_TABLES = {
    each.name: each
    for each in (
        *(PUBLIC, CLUSTERING, ROBUSTNESS, table("citation-random"), table("citation-full")),
        with_rivals(table("uci", FLGC), *CLASSIC, *GCN_VARIANTS),
    )
}


@cache
def as_printed(name: str) -> pd.DataFrame:
    """The paper's values as if they were ours in both protocols: two runs at their deviations."""
    of = OF_TABLES[name]
    names = ("dataset", "noise", "intensity", "noise_pattern", "method", "metric")
    rows = [
        {**EMPTY, "experiment": name, "protocol": protocol, "run": run}
        | {column: cell[column] for column in names}
        | {"value": cell["value"] + way}
        for cell in of.published
        for protocol in PROTOCOLS
        for run, way in enumerate((-(cell["std"] or 0), cell["std"] or 0))
    ]
    found = pd.DataFrame(rows).astype(COLUMNS)
    other = found.assign(noise_pattern=INDEPENDENT)
    return pd.concat([found, other], ignore_index=True) if of.noises else found


def verdict_on(known: Evidence, start: str) -> Verdict:
    """The verdict on the claim that starts so; no other is judged."""
    name = known.table.name
    asked = tuple(claim for claim in CLAIMS[name] if claim.text.startswith(start))
    with patch.dict(CLAIMS, {name: asked}):
        [found] = verdicts([known])
    return found


def judged(of: Described, rows: pd.DataFrame, start: str, **declared: Any) -> Verdict:
    """The verdict from rows of results; pairs are those of the rows."""
    pairs = compare_methods([rows], of, PROTOCOLS, "FLGC*") if "significantly" in start else None
    products = {} if pairs is None else {"wilcoxon": {"wilcoxon": pairs}}
    return verdict_on(evidence(of, [rows], products, **declared), start)


def on(name: str, rows: pd.DataFrame, start: str, *gaps: Gap) -> Verdict:
    return judged(OF_TABLES[name], rows, start, gaps=gaps)


def moved(
    rows: pd.DataFrame, by: float, methods: Sequence[str] = OURS, **where: str
) -> pd.DataFrame:
    """Rows with other values of some methods, or of a protocol of them."""
    named = rows["method"].isin(methods)
    for column, value in where.items():
        named &= rows[column] == value
    assert named.any()
    return rows.assign(value=rows["value"] + named * by)


# What is claimed, what the paper's own values say of it, and whose loss breaks it.
STARTS = [
    *((name, "FLGC and FLGC* reach", HOLDS, OURS) for name in OF_TABLES),
    ("citation-public", "FLGC and FLGC* are more", PARTLY, OURS),
    ("citation-random", "FLGC and FLGC* are more", HOLDS, OURS),
    ("citation-full", "FLGC and FLGC* are more", PARTLY, OURS),
    ("citation-public", "FLGC* is at least", HOLDS, ("FLGC*",)),
    ("uci", "FLGC and FLGC* have a higher mean", HOLDS, OURS),
    ("uci", "FLGC* is the most accurate", PARTLY, ("FLGC*",)),
    ("uci", "FLGC* is at least", HOLDS, ("FLGC*",)),
    ("uci", "FLGC* is significantly", HOLDS, ("FLGC*",)),
    ("uci", "FLGC is significantly", HOLDS, ("FLGC",)),
    ("uci", "Graph networks", PARTLY, GCN_VARIANTS),
    ("clustering", "FLGC* has the best", HOLDS, ("FLGC*",)),
    ("clustering", "FLGC, too", PARTLY, ("FLGC",)),
    ("clustering", "FLGC* is at least", HOLDS, ("FLGC*",)),
    ("robustness", "Under noise", HOLDS, ("FLGC*",)),
    ("robustness", "The same where", HOLDS, ("FLGC*",)),
    ("robustness", "FLGC and EGCSC", HOLDS, ("FLGC",)),
]


@pytest.mark.parametrize(("name", "start", "word", "losers"), STARTS)
def test_a_word_from_the_papers_own_values_and_from_worse_ones(
    name: str, start: str, word: str, losers: Sequence[str]
) -> None:
    rows = as_printed(name)
    assert on(name, rows, start).verdict == word
    worse = on(name, moved(rows, -0.5, losers), start)
    assert worse.verdict == FAILS, worse
    one = on(name, moved(rows, -0.5, losers, protocol="honest"), start)
    assert one.verdict == (alone("paper") if word == HOLDS else PARTLY), "protocols differ"
    assert one.paper != one.honest == worse.honest


@pytest.mark.parametrize(("name", "start", "word", "losers"), STARTS)
def test_what_is_missing_or_was_not_run_decides_nothing(
    name: str, start: str, word: str, losers: Sequence[str]
) -> None:
    rows, tested = as_printed(name), "significantly" in start
    nothing = on(name, rows.iloc[:0], start)
    text = "without the figure 'wilcoxon'" if tested else "missing"
    assert (nothing.verdict, nothing.paper, nothing.honest) == (UNKNOWN, text, text)
    last = rows["dataset"].iloc[-1]
    lacks = (rows["method"] == losers[-1]) & (rows["dataset"] == last)
    lacks &= rows["intensity"].isin([0.0, 0.2])
    part = on(name, rows[~lacks], start)
    if tested:
        assert part.verdict == HOLDS, "significant without the last dataset"
    else:
        assert part.verdict == (UNKNOWN if word == HOLDS else part.verdict), part
        assert part.paper.endswith(" missing")
    # Without a method or a dataset of the claim no judge is asked, and the verdict says why.
    of, loser = OF_TABLES[name], losers[-1]
    others = dataclasses.replace(of, rows=tuple(row for row in of.rows if row.name != loser))
    fewer = dataclasses.replace(of, datasets=of.datasets[:-1])
    for asked, lacking in ((others, loser), (fewer, of.datasets[-1])):
        found = judged(asked, rows, start)
        assert (found.verdict, found.paper, found.honest) == (UNKNOWN, *[f"without {lacking}"] * 2)


@pytest.mark.parametrize("kind", [NOT_AVAILABLE, NOT_REACHABLE])
def test_datasets_that_nobody_has_are_not_asked_for(kind: str) -> None:
    rows = as_printed("uci")
    part, gap = rows[rows["dataset"] != "air"], Gap(kind, "air", "nowhere")
    asked = kind == NOT_REACHABLE
    for start in ("FLGC and FLGC* reach", "FLGC and FLGC* have", "FLGC* is at least"):
        assert on("uci", part, start, gap).verdict == (UNKNOWN if asked else HOLDS)
    best = on("uci", part, "FLGC* is the most", gap)
    total = 24 if asked else 23
    assert best.paper.startswith(f"best on 14 of 23, alone on 10; claimed share: 16 of {total}")


def test_a_count_that_missing_datasets_could_fill_is_not_tested() -> None:
    """With 15 of 24 best, 16 can be had by one that is missing, unless it was one of the 15."""
    rows, start = as_printed("uci"), "FLGC* is the most"
    for lacking, word in (("wine", UNKNOWN), ("iris", PARTLY)):
        assert on("uci", rows[rows["dataset"] != lacking], start).verdict == word
    assert on("uci", moved(rows, 0.2, ("FLGC*",), dataset="wine"), start).verdict == HOLDS


def test_numbers_stand_beside_the_words() -> None:
    rows = as_printed("citation-public")
    ahead = on("citation-public", rows, "FLGC and FLGC* are more").paper
    assert "; 21 of 24 comparisons; not FLGC over GCN on PubMed (79.2 to 79.4), " in ahead
    short = moved(rows, -0.011, ("FLGC",), dataset="Cora")
    reached = on("citation-public", short, "FLGC and FLGC* reach")
    assert reached.verdict == PARTLY
    assert reached.honest.endswith("; 5 of 6 cells to 1 point; not FLGC on Cora (-1.1)")
    means = on("uci", as_printed("uci"), "FLGC and FLGC* have").honest
    assert means.startswith("FLGC* 85.27, FLGC 84.62, GCNII 83.88, GCN 83.21, APPNP 83.05, GCN-")
    assert means.endswith("; 18 of 18 pairs of means over 24 datasets")
    test = on("uci", as_printed("uci"), "FLGC* is significantly").paper
    assert test.endswith(" after Holm's correction; 10 of 10 rivals, p < .05")


def test_what_is_drawn_anew_is_not_held_against_printed_values() -> None:
    rows, start = moved(as_printed("uci"), -0.5, dataset="x8d5k"), "FLGC and FLGC* reach"
    assert on("uci", rows, start).verdict == PARTLY
    marked = rows.assign(marks=rows["dataset"].map(lambda name: "re-drawn" * (name == "x8d5k")))
    drawn = on("uci", marked, start)
    assert drawn.verdict == HOLDS
    assert "46 of 46 cells" in drawn.paper


def test_a_test_that_finds_nothing_tells_nothing_without_all_datasets() -> None:
    rows = as_printed("uci")
    few = rows[rows["dataset"].isin(["iris", "wine", "heart"])]
    found = on("uci", few, "FLGC* is significantly")
    assert (found.verdict, found.paper) == (UNKNOWN, "0 after Holm's correction; missing")


def test_who_varies_less() -> None:
    rows, start = as_printed("citation-random"), "FLGC and FLGC* vary less"
    assert on("citation-random", rows, start).verdict == PARTLY, "the paper has ± 0.0 for APPNP"
    own, apart = rows["method"].isin(OURS), (rows["run"] - 0.5) * 0.2
    for calm, word in ((~own, HOLDS), (own, FAILS)):
        wild = rows.assign(value=rows["value"] + calm * apart)
        assert on("citation-random", wild, start).verdict == word
    assert on("citation-random", rows[rows["run"] == 0], start).verdict == UNKNOWN


def test_noise_costs_the_others_less_than_edsc() -> None:
    rows, start = as_printed("robustness"), "EGCSC, FLGC and FLGC* lose less"
    printed = on("robustness", rows, start)
    assert printed.verdict == FAILS, "the paper's own table has it otherwise"
    lost = "1 of 6 comparisons; not EGCSC under gaussian (loses 22.0 to 17.3)"
    assert printed.paper.startswith(lost)
    falls = rows["intensity"].eq(0.2) & rows["method"].eq("EDSC")
    worse = rows.assign(value=rows["value"] - 0.5 * falls)
    assert on("robustness", worse, start).verdict == HOLDS
    part = on("robustness", worse[~(falls & rows["noise"].eq("gaussian"))], start)
    assert (part.verdict, part.paper) == (UNKNOWN, "3 of 3 comparisons; 3 missing")


def test_what_is_picked() -> None:
    rows = as_printed("citation-public")
    regularizations = rows["dataset"].map({"Cora": 8.0, "CiteSeer": 4.0, "PubMed": 0.5})
    picks = rows.assign(p_teleport=0.1, p_regularization=regularizations)
    others = picks.assign(p_teleport=0.0, p_regularization=1.0)
    for start in ("The best teleport", "Cora and CiteSeer want"):
        assert on("citation-public", picks, start).verdict == HOLDS
        assert on("citation-public", others, start).verdict == FAILS
        assert on("citation-public", picks[rows["dataset"] != "PubMed"], start).verdict == UNKNOWN
    strengths = on("citation-public", picks, "Cora and CiteSeer want")
    assert strengths.paper.startswith("Cora 8, CiteSeer 4, PubMed 0.5")


def test_each_claim_of_the_tables_that_are_here_has_a_verdict() -> None:
    found = verdicts([evidence(TINY), evidence(PUBLIC), evidence(CLUSTERING)])
    names = ("citation-public", "clustering")
    claims = [(name, claim.text) for name in names for claim in CLAIMS[name]]
    assert [(each.section, each.claim) for each in found] == claims


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_protocol_alone_is_judged_by_itself(protocol: str) -> None:
    rows = as_printed("citation-public")
    rows = rows[rows["protocol"] == protocol]
    first, *_ = verdicts([evidence(PUBLIC, [rows], protocols=(protocol,))])
    asked, other = (getattr(first, name) for name in (protocol, *set(PROTOCOLS) - {protocol}))
    assert (first.verdict, other) == (HOLDS, "\N{EN DASH}")
    assert asked.endswith("6 of 6 cells to 1 point")


def test_images_have_rivals_that_the_paper_prints_nothing_of() -> None:
    of = table("clustering-images")
    cells = [
        {**EMPTY, "experiment": of.name, "dataset": dataset, "method": row.name}
        | {"protocol": protocol, "metric": metric, "value": 0.9 if row.name in OURS else 0.5}
        for dataset in of.datasets
        for row in of.rows
        for protocol in PROTOCOLS
        for metric in of.metrics
        if not row.is_variant
    ]
    rows = pd.DataFrame(cells).astype(COLUMNS)
    for changed, word in (
        (rows, HOLDS),
        (moved(rows, 0.5, ("SSC",)), PARTLY),
        (moved(rows, -0.5), FAILS),
        (rows[rows["method"] != "SSC"], UNKNOWN),
    ):
        assert judged(of, changed, "FLGC and FLGC* cluster").verdict == word


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((HOLDS, HOLDS), "Yes.** Of its 2 claims 2 hold."),
        ((HOLDS, UNKNOWN), "Yes, where tested.** Of its 2 claims 1 holds, 1 is not tested."),
        ((HOLDS, HOLDS, FAILS), "Mostly.** Of its 3 claims 2 hold, 1 does not hold."),
        ((HOLDS, FAILS, FAILS), "In part.** Of its 3"),
        ((PARTLY, FAILS), "In part.** Of its 2"),
        ((alone("paper"), FAILS), "In part.** Of its 2"),
        ((FAILS,), "No.** Of its 1"),
        ((UNKNOWN, UNKNOWN), "Nobody can tell yet.** Of its 2 claims 2 are not tested."),
    ],
)
def test_the_answer_is_one_word_and_a_count(words: tuple[str, ...], said: str) -> None:
    claims = [Verdict("a claim", "Table I", word, "", "", "uci") for word in words]
    assert answer(claims).startswith(f"**Is it as the paper says? {said}")

"""What a reader wants to know first, in a sentence without a word of the trade."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from tasks.declared.described import Described
from tasks.document.claims import means_of
from tasks.document.judging import FAILS, HOLDS, PARTLY, UNKNOWN, alone
from tasks.document.tables import cell_text
from tasks.document.verdicts import Verdict

# What a sentence says of one claim with a verdict, and of several.
COUNTED = {
    HOLDS: ("holds", "hold"),
    alone("paper"): ("holds in `paper` alone", "hold in `paper` alone"),
    alone("honest"): ("holds in `honest` alone", "hold in `honest` alone"),
    PARTLY: ("holds partly", "hold partly"),
    FAILS: ("does not hold", "do not hold"),
    UNKNOWN: ("is not tested", "are not tested"),
}
STRICTEST = ("honest", "paper")


def answer(
    tables: Sequence[Described],
    protocols: Sequence[str],
    results: Mapping[str, pd.DataFrame],
    judged: Sequence[Verdict],
) -> str:
    """Do the paper's claims hold? Where none is asked: which method is the best?"""
    if judged:
        return _of_claims(judged)
    protocol = next((name for name in STRICTEST if name in protocols), "")
    ranked = [(table, _ranked(table, protocol, results[table.name])) for table in tables]
    ranked = [(table, means) for table, means in ranked if len(means) > 1]
    if len(ranked) == 1:
        [(table, means)] = ranked
        return _of_one(table, means, results[table.name], protocol)
    contests = [pair for pair in ranked if _is_contest(*pair)]
    return _of_many(contests) if contests else ""


def _of_claims(judged: Sequence[Verdict]) -> str:
    counted = Counter(each.verdict for each in judged)
    known, held = len(judged) - counted[UNKNOWN], counted[HOLDS]
    word = "Nobody can tell yet"
    if known:
        word = "Yes" if held == known else "Mostly" if 2 * held > known else "In part"
        word = word if held or counted[PARTLY] or known > counted[FAILS] else "No"
        word += ", where tested" if counted[UNKNOWN] else ""
    numbers = {each: counted[each] for each in COUNTED if counted[each]}
    words = ", ".join(f"{n} {COUNTED[each][n > 1]}" for each, n in numbers.items())
    claims = "claim" if len(judged) == 1 else "claims"
    return f"**Is it as the paper says? {word}.** Of its {len(judged)} {claims} {words}."


def _ranked(table: Described, protocol: str, results: pd.DataFrame) -> pd.Series:
    """Means of the methods over the cells that all of them have, in points, the best first."""
    ours = results[results["metric"] == table.metrics[0]] if len(results) else results
    found = pd.DataFrame(
        {
            method: pd.Series(cells, dtype=float)
            for (method, p), cells in means_of(table, ours).items()
            if p == protocol and not table.row(method).is_variant
        }
    )
    means = found.dropna().mean().round(table.decimals)
    return means.sort_values(ascending=False, kind="stable").dropna()


def _is_contest(table: Described, means: pd.Series) -> bool:
    """Whether both the paper's methods and others are there."""
    return len({table.row(str(name)).own for name in means.index}) > 1


def _of_one(table: Described, means: pd.Series, results: pd.DataFrame, protocol: str) -> str:
    """Who is right most often, who is next, and whether the runs can tell them apart.

    No name stands in what is bold: the star of FLGC* would end it.
    """
    first, second = means.index[:2]
    metric = table.metrics[0]
    rows = results[(results["metric"] == metric) & (results["protocol"] == protocol)]
    runs = rows.pivot_table(index=["dataset", "run"], columns="method", values="value")
    gaps = (runs[first] - runs[second]).dropna()
    texts = [cell_text(table, runs[name], float("nan"), metric, "") for name in (first, second)]
    if means[first] == means[second]:
        word = "right equally often" if metric == "accuracy" else "equally good"
        return f"{first} and {second} **are {word}**: {metric} {texts[0]}."
    if metric == "accuracy":
        said = f"{first} **is right most often**: in {texts[0]} of 100 tested rows"
    else:
        said = f"{first} **finds the classes best**: {metric} {texts[0]}"
    close = "" if gaps.mean() > gaps.std(ddof=0) else ", too close to tell them apart"
    return f"{said}. {second} comes next, with {texts[1]}{close}."


def _of_many(ranked: Sequence[tuple[Described, pd.Series]]) -> str:
    """On how many tables a method of the paper is the best, alone or level with others."""
    best = [(table, means.index[means == means.iloc[0]]) for table, means in ranked]
    own = sum(any(table.row(str(name)).own for name in names) for table, names in best)
    listed = "; ".join(f"{', '.join(names)} ({table.title})" for table, names in best)
    tables = "table" if len(best) == 1 else "tables"
    return (
        f"**FLGC is the best on {own} of {len(best)} {tables} with methods of others.** The best "
        f"of each: {listed}."
    )

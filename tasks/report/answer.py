"""What a reader wants to know first, in a sentence without a word of the trade."""

from collections.abc import Sequence

import pandas as pd

from tasks.declared.described import Described
from tasks.report.evidence import Evidence
from tasks.report.tables import cell_text
from tasks.report.values import Values

STRICTEST = ("honest", "paper")


def best_method(tables: Sequence[Evidence]) -> str:
    """Which method is the best, or on how many tables ours is."""
    protocols = tables[0].protocols if tables else ()
    protocol = next((name for name in STRICTEST if name in protocols), "")
    ranked = [(each.values, _ranked(each.values, protocol)) for each in tables]
    ranked = [(values, means) for values, means in ranked if len(means) > 1]
    if len(ranked) == 1:
        return _of_one(*ranked[0], protocol)
    contests = [(values.table, means) for values, means in ranked]
    contests = [(table, means) for table, means in contests if _is_contest(table, means)]
    return _of_many(contests) if contests else ""


def _ranked(values: Values, protocol: str) -> pd.Series:
    """Means of the methods over the cells that all of them have, in points, the best first."""
    table = values.table
    columns = {
        method: {case: value for case, value in cells.items() if case[-1] == table.metrics[0]}
        for (method, p), cells in values.ours.items()
        if p == protocol and not table.row(method).is_variant
    }
    means = pd.DataFrame(columns, dtype=float).dropna().mean().round(table.decimals)
    return means.sort_values(ascending=False, kind="stable").dropna()


def _is_contest(table: Described, means: pd.Series) -> bool:
    """Whether both our methods and others have results."""
    return len({table.row(str(name)).own for name in means.index}) > 1


def _of_one(values: Values, means: pd.Series, protocol: str) -> str:
    """Who is right most often, who is next, and whether the runs can tell them apart.

    No name is in bold: a star in it would end the bold text.
    """
    (first, second), table, results = means.index[:2], values.table, values.results
    metric = table.metrics[0]
    rows = results[(results["metric"] == metric) & (results["protocol"] == protocol)]
    runs = rows.pivot_table(index=["dataset", "run"], columns="method", values="value")
    gaps = (runs[first] - runs[second]).dropna()
    texts = [cell_text(runs[name].mean(), None, metric, table) for name in (first, second)]
    if means[first] == means[second]:
        word = "right equally often" if metric == "accuracy" else "equally good"
        return f"{first} and {second} **are {word}**: {metric} {texts[0]}."
    if metric == "accuracy":
        verdict = f"{first} **is right most often**: in {texts[0]} of 100 tested rows"
    else:
        verdict = f"{first} **finds the classes best**: {metric} {texts[0]}"
    close = "" if gaps.mean() > gaps.std(ddof=0) else ", too close to tell them apart"
    return f"{verdict}. {second} comes next, with {texts[1]}{close}."


def _of_many(ranked: Sequence[tuple[Described, pd.Series]]) -> str:
    """On how many tables a method of ours is the best, alone or level with others."""
    best = [(table, means.index[means == means.iloc[0]]) for table, means in ranked]
    own = sum(any(table.row(str(name)).own for name in names) for table, names in best)
    listed = "; ".join(f"{', '.join(names)} ({table.title})" for table, names in best)
    tables = "table" if len(best) == 1 else "tables"
    return (
        f"**A method of ours is the best on {own} of {len(best)} {tables} with baselines.** The "
        f"best of each: {listed}."
    )

"""What a reader wants to know first, in a sentence without a word of the trade."""

from collections.abc import Sequence

import pandas as pd

from tasks.declared.described import Described
from tasks.report.evidence import Evidence
from tasks.report.standings import means_of
from tasks.report.tables import cell_text

STRICTEST = ("honest", "paper")


def best_method(tables: Sequence[Evidence]) -> str:
    """Which method is the best, or on how many tables ours is."""
    protocols = tables[0].protocols if tables else ()
    protocol = next((name for name in STRICTEST if name in protocols), "")
    ranked = [(each, _ranked(each.table, protocol, each.results)) for each in tables]
    ranked = [(each, means) for each, means in ranked if len(means) > 1]
    if len(ranked) == 1:
        [(each, means)] = ranked
        return _of_one(each.table, means, each.results, protocol)
    contests = [(each.table, means) for each, means in ranked if _is_contest(each.table, means)]
    return _of_many(contests) if contests else ""


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
    """Whether both our methods and others are there."""
    return len({table.row(str(name)).own for name in means.index}) > 1


def _of_one(table: Described, means: pd.Series, results: pd.DataFrame, protocol: str) -> str:
    """Who is right most often, who is next, and whether the runs can tell them apart.

    No name stands in what is bold: a star in it would end that.
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
    """On how many tables a method of ours is the best, alone or level with others."""
    best = [(table, means.index[means == means.iloc[0]]) for table, means in ranked]
    own = sum(any(table.row(str(name)).own for name in names) for table, names in best)
    listed = "; ".join(f"{', '.join(names)} ({table.title})" for table, names in best)
    tables = "table" if len(best) == 1 else "tables"
    return (
        f"**A method of ours is the best on {own} of {len(best)} {tables} with baselines.** The "
        f"best of each: {listed}."
    )

"""Wilcoxon's test of all columns of a table with each other."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from flgc.statistics.many_methods import Comparison, comparison
from tasks.declared.described import Described
from tasks.report.printed import cells_of, in_points, redrawn
from tasks.report.rows import joined, wide

PUBLISHED = "published"
EMPTY = {"protocol": str, "control": str, "rival": str}


def compare_methods(
    results: Sequence[pd.DataFrame], table: Described, protocols: Sequence[str], control: str
) -> pd.DataFrame:
    """One row for each protocol, method (`control`) and rival; Holm's p over the control's rivals.

    `p_holm_all` is corrected over all pairs.
    """
    parts = []
    for protocol, found in compared(joined(results), table, protocols, control).items():
        of_all = found.pairs["p_holm"]
        for method in [name for name in found.methods if name in table.methods]:
            rivals = found.against(method).reset_index()
            rivals.insert(0, "control", method)
            rivals["p_holm_all"] = of_all.loc[method].loc[rivals["rival"]].to_numpy()
            parts.append(rivals.assign(protocol=protocol))
    if not parts:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in EMPTY.items()})
    return pd.concat(parts, ignore_index=True)


def compared(
    results: pd.DataFrame, table: Described, protocols: Sequence[str], control: str = ""
) -> dict[str, Comparison]:
    """By protocol: our methods and the published columns of those that were not run, as printed.

    Variants of a row are in no comparison: each would cost all others a part of Holm's level. A
    published value of data that were drawn anew is not there, as any other missing cell.
    """
    means = wide(results)
    printed = cells_of(table.published).pivot_table(
        index="dataset", columns="method", values="value", sort=False
    )
    theirs = printed.drop(index=redrawn(results), errors="ignore")
    found = {}
    for protocol in protocols:
        rows = [row for row in table.rows if (row.name, protocol) in means and not row.is_variant]
        columns = {row.name: means[(row.name, protocol)] for row in rows}
        known = {row.published for row in table.rows}
        columns |= {f"{m} ({PUBLISHED})": theirs[m] for m in theirs if m not in known}
        values = pd.DataFrame(columns).map(lambda value: in_points(value, table))
        values = values.reindex([name for name in table.datasets if name in means.index])
        if rows and _testable(values):
            own = [row.name for row in rows if row.own]
            last = own[-1] if own else None
            found[protocol] = comparison(values, control if control in own else last)
    return found


def _testable(values: pd.DataFrame) -> bool:
    """Whether each pair has two datasets at least: over one there is nothing to test."""
    here = values.notna().to_numpy(dtype=int)
    return values.shape[1] > 1 and bool((here.T @ here >= 2).all())


def retraced(table: Described, ranks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Whether published accuracies give the published rank sums and arrows, and where they do not.

    Means that were not rounded yet move a sum by a little.
    """
    if not ranks:
        return []
    printed = cells_of(table.published).pivot(index="dataset", columns="method", values="value")
    order = list(dict.fromkeys(row["row_method"] for row in ranks))
    found = comparison(printed[order].map(lambda value: in_points(value, table)))
    sums, verdicts = found.rank_sums, found.verdicts
    gaps, arrows = [], []
    for row in ranks:
        pair = (row["row_method"], row["column_method"])
        gaps.append(abs(sums.loc[pair] - row["rank_sum"]))
        if verdicts.loc[pair] != row["verdict"]:
            theirs = f"{row['verdict']} as published at {row['rank_sum']:.1f}"
            arrows.append(f"{pair[0]} against {pair[1]} ({verdicts.loc[pair]}, {theirs})")
    equal = sum(gap == 0 for gap in gaps)
    differ = f"differ at {', '.join(arrows)}" if arrows else "are all the same"
    return [
        f"\nThe published accuracies give {equal} of the {len(gaps)} published rank sums, and all "
        f"others to {max(gaps):.1f}; the verdicts {differ}."
    ]

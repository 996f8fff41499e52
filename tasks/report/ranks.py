"""Wilcoxon's test of all columns of a table with each other."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from flgc.statistics.many_methods import Comparison, comparison
from tasks.declared.described import Described
from tasks.report.rows import joined
from tasks.report.values import PUBLISHED, Values, in_points

EMPTY = {"protocol": str, "control": str, "rival": str}


def compare_methods(
    results: Sequence[pd.DataFrame], table: Described, protocols: Sequence[str], control: str
) -> pd.DataFrame:
    """One row for each protocol, method (`control`) and rival; Holm's p over the control's rivals.

    `p_holm_all` is corrected over all pairs.
    """
    parts = []
    for protocol, tests in compared(Values(table, joined(results)), protocols, control).items():
        of_all = tests.pairs["p_holm"]
        for method in [name for name in tests.methods if name in table.methods]:
            rivals = tests.against(method).reset_index()
            rivals.insert(0, "control", method)
            rivals["p_holm_all"] = of_all.loc[method].loc[rivals["rival"]].to_numpy()
            parts.append(rivals.assign(protocol=protocol))
    if not parts:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in EMPTY.items()})
    return pd.concat(parts, ignore_index=True)


def compared(values: Values, protocols: Sequence[str], control: str = "") -> dict[str, Comparison]:
    """By protocol: our methods and the published columns of those that were not run, as printed.

    Variants of a row are in no comparison: each would cost all others a part of Holm's level. A
    published value of data that were drawn anew is not there, as any other missing cell.
    """
    table, comparisons = values.table, {}
    if "accuracy" not in table.metrics:
        return {}
    ran_here = {row.published for row in table.rows}
    theirs = {
        f"{name} ({PUBLISHED})": {
            case[0]: value for case, value in values.theirs.get(name, {}).items()
        }
        for name in values.printed
        if name not in ran_here
    }
    datasets = set(values.results["dataset"])
    for protocol in protocols:
        means = values.wide(protocol)
        rows = [row for row in table.rows if row.name in means and not row.is_variant]
        ours = means[[row.name for row in rows]].map(values.in_points)
        frame = pd.concat([ours, pd.DataFrame(theirs)], axis=1)
        frame = frame.reindex([name for name in table.datasets if name in datasets])
        if rows and _testable(frame):
            own = [row.name for row in rows if row.own]
            last = own[-1] if own else None
            comparisons[protocol] = comparison(frame, control if control in own else last)
    return comparisons


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
    printed = pd.DataFrame(table.published).pivot(index="dataset", columns="method", values="value")
    order = list(dict.fromkeys(row["row_method"] for row in ranks))
    tests = comparison(printed[order].map(lambda value: in_points(value, table)))
    sums, verdicts = tests.rank_sums, tests.verdicts
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

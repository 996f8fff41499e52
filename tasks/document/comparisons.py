"""Wilcoxon's test of our columns against each other and against the published ones."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from flgc.statistics.many_methods import (
    compare_with_control,
    friedman,
    rank_sum_matrix,
    verdict_matrix,
)
from tasks.declared.described import Described
from tasks.document.printed import cells_of, in_points, redrawn
from tasks.document.results import joined

PUBLISHED = "published"
EMPTY = {"protocol": str, "control": str, "rival": str, "origin": str}


def compare_methods(
    results: Sequence[pd.DataFrame], table: Described, protocols: Sequence[str]
) -> pd.DataFrame:
    """Wilcoxon for every protocol: our methods with each other and with the published columns."""
    rows, points = joined(results), partial(in_points, table=table)
    printed = cells_of(table.published)
    theirs = printed.pivot_table(index="dataset", columns="method", values="value", sort=False)
    means = wide(rows)
    parts = []
    for protocol in protocols:
        if protocol not in means.columns.get_level_values("protocol"):
            continue
        ours = pd.DataFrame(means.xs(protocol, axis=1, level="protocol"))
        found = compared(ours.map(points), theirs.map(points), tuple(ours.columns), redrawn(rows))
        if not found.empty:
            parts.append(found.assign(protocol=protocol))
    if not parts:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in EMPTY.items()})
    return pd.concat(parts, ignore_index=True)


def wide(results: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy over the runs: datasets x (method, protocol)."""
    accuracy = results[results["metric"] == "accuracy"]
    return accuracy.pivot_table(
        index="dataset", columns=["method", "protocol"], values="value", sort=False
    )


def compared(
    ours: pd.DataFrame,
    theirs: pd.DataFrame,
    controls: tuple[str, ...],
    redrawn: Sequence[str] = (),
) -> pd.DataFrame:
    """Each control against every other column, exact p and Holm's; one row per pair.

    `ours` and `theirs` are tables of datasets x methods, rounded as they are printed. A published
    column joins where it has a value for all our datasets, and a rival that is ours takes no
    published one of its own name. Where there are published columns, datasets that were `redrawn`
    are in no pair: all pairs of a control go over the same datasets, and theirs were others.
    """
    ours = ours.dropna()
    if not theirs.empty:
        ours = ours.drop(index=list(redrawn), errors="ignore")
    columns = {method: ours[method] for method in ours}
    origin = dict.fromkeys(ours, "ours")
    for method in theirs:
        printed = theirs[method].reindex(ours.index)
        if method not in ours and printed.notna().all():
            columns[f"{method} ({PUBLISHED})"] = printed
            origin[f"{method} ({PUBLISHED})"] = PUBLISHED
    table = pd.DataFrame(columns)
    parts = []
    for control in controls:
        if control not in ours or table.shape[1] < 2 or len(table) < 1:
            continue
        found = compare_with_control(table, control).reset_index()
        found.insert(0, "control", control)
        found.insert(2, "origin", found["rival"].map(origin))
        found.insert(3, "datasets", len(table))
        parts.append(found)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Rank sums and verdicts of all pairs, tidy: the paper's Table VI for any table."""
    sums, verdicts = rank_sum_matrix(table), verdict_matrix(table)
    rows = [
        (row, column, sums.loc[row, column], verdicts.loc[row, column])
        for row in table.columns
        for column in table.columns
        if row != column
    ]
    found = pd.DataFrame(rows, columns=["row_method", "column_method", "rank_sum", "verdict"])
    return found.assign(friedman_p=friedman(table).p_value)

"""Wilcoxon's test of our columns against each other and against the published ones."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from flgc.statistics.many_methods import FEWEST_DATASETS, comparison
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
    if table.shape[1] < 2 or len(table) < FEWEST_DATASETS:
        return pd.DataFrame()
    pairs, parts = comparison(table), []
    for control in controls:
        if control not in ours:
            continue
        found = pairs.against(control).reset_index()
        found.insert(0, "control", control)
        found.insert(2, "origin", found["rival"].map(origin))
        parts.append(found)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

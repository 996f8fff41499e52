"""Wilcoxon's test of all columns with each other: the paper's Table VI for any table of ours."""

from collections.abc import Sequence

import pandas as pd

from flgc.statistics.diagram import as_svg
from flgc.statistics.many_methods import BETTER, Comparison, comparison
from flgc.statistics.rendering import (
    Sheet,
    control_sheet,
    groups_sentence,
    rank_sheet,
    rank_sum_sheet,
    reach_sentence,
    verdict_sentence,
)
from tasks.declared.described import Described
from tasks.document.blocks import Block, Heading, Table, Text, text
from tasks.document.printed import cells_of, in_points, redrawn
from tasks.document.results import joined

PUBLISHED = "published"
# The row of which the paper says that it is significantly better than all others.
CLAIMED = "FLGC*"
EMPTY = {"protocol": str, "control": str, "rival": str}


def compare_methods(
    results: Sequence[pd.DataFrame], table: Described, protocols: Sequence[str]
) -> pd.DataFrame:
    """One row for each protocol, method (`control`) and rival; Holm's p over the control's rivals.

    `p_holm_all` is corrected over all pairs.
    """
    parts = []
    for protocol, found in compared(joined(results), table, protocols).items():
        of_all = found.pairs["p_holm"]
        for control in [name for name in found.methods if name in table.methods]:
            rivals = found.against(control).reset_index()
            rivals.insert(0, "control", control)
            rivals["p_holm_all"] = of_all.loc[control].loc[rivals["rival"]].to_numpy()
            parts.append(rivals.assign(protocol=protocol))
    if not parts:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in EMPTY.items()})
    return pd.concat(parts, ignore_index=True)


def compared(
    results: pd.DataFrame, table: Described, protocols: Sequence[str]
) -> dict[str, Comparison]:
    """By protocol: our methods and the paper's columns of those that were not run, as printed.

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
            control = CLAIMED if CLAIMED in own else own[-1] if own else None
            found[protocol] = comparison(values, control)
    return found


def _testable(values: pd.DataFrame) -> bool:
    """Whether each pair has two datasets at least: over one there is nothing to test."""
    here = values.notna().to_numpy(dtype=int)
    return values.shape[1] > 1 and bool((here.T @ here >= 2).all())


def wide(results: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy over the runs: datasets x (method, protocol)."""
    accuracy = results[results["metric"] == "accuracy"]
    return accuracy.pivot_table(
        index="dataset", columns=["method", "protocol"], values="value", sort=False
    )


def told(found: dict[str, Comparison], table: Described) -> list[Block]:
    """What the report says of them."""
    parts: list[Block] = []
    for protocol, each in found.items():
        own = [row.name for row in table.rows if row.own and row.name in each.methods]
        sentences = [verdict_sentence(each, control) for control in own or [each.control]]
        sheets: list[Sheet] = [rank_sum_sheet(each), rank_sheet(each)]
        sheets[:0] = [control_sheet(each, control) for control in own or [each.control]]
        parts += [Heading(3, f"Wilcoxon signed-rank test, `{protocol}`")]
        listed = [*claimed(each, table), *(f"- {sentence}" for sentence in sentences)]
        parts += text([reach_sentence(each), "", *listed])
        for number, sheet in enumerate(sheets):
            title = f"{sheet.title}, `{protocol}`"
            rows = pd.DataFrame(sheet.rows, columns=list(sheet.header))
            name = f"{table.name}-wilcoxon-{protocol}-{number}"
            shown = [Table(name, rows, title)] if sheet.rows else []
            parts += [Heading(4, title), *shown, Text(sheet.note)]
        parts += [Text(groups_sentence(each))]
    return parts


def retraced(table: Described) -> list[str]:
    """Whether the paper's accuracies give the paper's rank sums and arrows, and where they do not.

    It compared means that were not rounded yet, which moves a sum by a little.
    """
    if not table.ranks:
        return []
    printed = cells_of(table.published).pivot(index="dataset", columns="method", values="value")
    order = list(dict.fromkeys(row["row_method"] for row in table.ranks))
    found = comparison(printed[order].map(lambda value: in_points(value, table)))
    sums, verdicts = found.rank_sums, found.verdicts
    gaps, arrows = [], []
    for row in table.ranks:
        pair = (row["row_method"], row["column_method"])
        gaps.append(abs(sums.loc[pair] - row["rank_sum"]))
        if verdicts.loc[pair] != row["verdict"]:
            told = f"{row['verdict']} in the paper at {row['rank_sum']:.1f}"
            arrows.append(f"{pair[0]} against {pair[1]} ({verdicts.loc[pair]}, {told})")
    equal = sum(gap == 0 for gap in gaps)
    differ = f"differ at {', '.join(arrows)}" if arrows else "are all the same"
    return [
        f"\nThe paper's own accuracies give {equal} of its {len(gaps)} rank sums, and all others "
        f"to {max(gaps):.1f}; the verdicts {differ}."
    ]


def claimed(found: Comparison, table: Described) -> list[str]:
    """Whether FLGC* is significantly better than every rival, which is what the paper says."""
    if CLAIMED not in found.methods or not table.row(CLAIMED).own or not table.published:
        return []
    rivals = found.against(CLAIMED)
    rivals = rivals[[name not in _own(table) for name in rivals.index]]
    if rivals.empty:
        return []
    plain, corrected = ((rivals[v] == BETTER).all() for v in ("verdict", "verdict_holm"))
    verdict = "holds" if corrected else "holds before Holm's correction" if plain else ""
    return [
        f"The paper's claim that {CLAIMED} is significantly better than all its rivals (at "
        f"{found.level:g}): {verdict or '**does not hold**'}.\n"
    ]


def _own(table: Described) -> list[str]:
    return [row.name for row in table.rows if row.own]


def diagrams(found: dict[str, Comparison], name: str) -> dict[str, str]:
    """File name to SVG: the critical-difference diagram of each protocol that has mean ranks."""
    return {
        f"{name}-ranks-{protocol}.svg": as_svg(each)
        for protocol, each in found.items()
        if each.ranking
    }

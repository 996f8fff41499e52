"""Whether what the paper says of its tables holds: accuracies, ranks, deviations and noise."""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from math import ceil
from typing import Any

import pandas as pd

from flgc.methods.base import AXIS
from flgc.statistics.many_methods import BETTER
from tasks.analyses.noise import columns_of, loss_under
from tasks.paper.judging import (
    FAILS,
    HOLDS,
    OURS,
    PARTLY,
    UNKNOWN,
    WITH,
    WITHOUT,
    Finding,
    Judge,
    PaperTable,
    Parts,
    count_parts,
    each_protocol,
    is_above,
)
from tasks.report.printed import Case, in_points, printed_columns, redrawn, runs_of_cases
from tasks.report.standings import TOLERANCE, gaps_to_published, name_of

# Of 24 datasets, as the text counts them; and where it finds the best teleports.
BEST_ON, OF = 16, 24
TELEPORTS = (0.01, 0.2)


def reached(ours: PaperTable, protocol: str) -> Finding:
    """Both rows of the paper against its own values, of the data that it had."""
    table, others = ours.table, redrawn(ours.results)
    columns, gaps = (
        printed_columns(table.published, table),
        gaps_to_published(table, ours.results),
    )
    parts: Parts = {}
    numbers, known = {}, []
    for method, case in product(OURS, ours.cases):
        if case[0] in others or case not in columns.get(method, {}):
            continue
        gap = gaps.get((method, protocol), {}).get(case)
        name = f"{method} on {name_of(case, table)}"
        parts[name], numbers[name] = None, ""
        if gap is not None:
            parts[name], numbers[name] = gap >= -TOLERANCE, f"{gap:+.{table.decimals}f}"
            known.append(gap)
    mean = f"on average {sum(known) / len(known):+.2f} points" if known else ""
    return count_parts(parts, f"cells to {TOLERANCE:g} point", numbers, mean)


def ahead(
    own: Iterable[str] = OURS,
    rivals: Iterable[str] = (),
    *,
    level: bool = False,
    only: Callable[[Case], bool] = lambda case: True,
) -> Judge:
    """Ours against each rival in each cell; without names, against all rivals."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        values, parts, numbers = ours.values(protocol), Parts(), {}
        kept = [name_of(case, ours.table) for case in ours.cases if only(case)]
        gaps = []
        for method, rival, at in product(own, tuple(rivals) or ours.rivals, kept):
            first, second = values.at[at, method], values.at[at, rival]
            name = f"{method} over {rival} on {at}"
            parts[name] = is_above(first, second, level=level)
            digits = ours.table.decimals
            numbers[name] = f"{first:.{digits}f} to {second:.{digits}f}"
            gaps.append(first - second)
        mean = pd.Series(gaps, dtype=float).mean()
        text = "" if pd.isna(mean) else f"on average {mean:+.2f} points"
        return count_parts(parts, "comparisons", numbers, text)

    return each_protocol(judge)


def averages(own: Iterable[str], rivals: Iterable[str] = ()) -> Judge:
    """Means over the same datasets, each of ours against each rival."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        means = ours.values(protocol).mean(skipna=False)
        others = list(rivals) or ours.rivals
        parts = {f"{m} over {r}": is_above(means[m], means[r]) for m, r in product(own, others)}
        shown = means[[*own, *others]].dropna().sort_values(ascending=False)
        text = ", ".join(f"{name} {mean:.2f}" for name, mean in shown.items())
        return count_parts(parts, f"pairs of means over {len(ours.datasets)} datasets", None, text)

    return each_protocol(judge)


def best_on_most(ours: PaperTable, protocol: str) -> Finding:
    """How often FLGC* has the highest value, alone or level, of all that the paper's table has."""
    values = ours.values(protocol)
    whole = values.dropna()
    first = whole.eq(whole.max(axis=1), axis=0)
    counts, lacking = first.sum(), len(values) - len(whole)
    need = ceil(BEST_ON * len(values) / OF)
    best = int(counts[WITH])
    rivals = counts[ours.rivals]
    if best >= need:
        word = HOLDS
    elif best + lacking >= need:
        word = UNKNOWN
    else:
        word = PARTLY if best > rivals.max() else FAILS
    if whole.empty:
        return Finding(word, "missing")
    alone = int((first[WITH] & (first.sum(axis=1) == 1)).sum())
    text = (
        f"best on {best} of {len(whole)}, alone on {alone}; claimed share: {need} of {len(values)}"
    )
    text += f"; of the rivals most often {rivals.idxmax()} ({rivals.max()})"
    return Finding(word, text + (f"; {lacking} missing" if lacking else ""))


def significant(own: str, level_with: Iterable[str] = ()) -> Judge:
    """Wilcoxon's test at .05 says `better` of it, against all but those that it is level with.

    Without a part of the datasets a test that finds nothing tells nothing.
    """

    def judge(ours: PaperTable, protocol: str) -> Finding:
        others = [name for name in (*ours.rivals, *OURS) if name not in (own, *level_with)]
        rows = ours.rows("wilcoxon")
        if own == WITHOUT:
            others.remove(WITH)
        if len(rows):
            rows = rows[(rows["protocol"] == protocol) & (rows["control"] == own)]
            rows = rows.set_index("rival")
        parts: Parts = dict.fromkeys(others)
        numbers, corrected = {}, 0
        for name in (name for name in others if name in rows.index):
            row: Any = rows.loc[name]
            better, whole = row["verdict"] == BETTER, row["datasets"] == len(ours.datasets)
            parts[name] = bool(better) if better or whole else None
            numbers[name] = f"{row['verdict']}, p {row['p_value']:.3f}"
            corrected += int(row["verdict_holm"] == BETTER)
        text = f"{corrected} after Holm's correction" if numbers else ""
        return count_parts(parts, "rivals, p < .05", numbers, text)

    return each_protocol(judge)


def steadier(ours: PaperTable, protocol: str) -> Finding:
    """Deviations over the runs, ours below each rival's on each dataset."""
    rows = ours.results[ours.results["protocol"] == protocol]
    spreads = {
        (method, case): in_points(runs.std(ddof=0), ours.table)
        for method in (*OURS, *ours.rivals)
        for case, runs in runs_of_cases(rows[rows["method"] == method]).items()
        if len(runs) > 1
    }
    parts, numbers, none = Parts(), {}, float("nan")
    for method, rival, case in product(OURS, ours.rivals, ours.cases):
        own, other = (spreads.get((name, case), none) for name in (method, rival))
        name = f"{method} over {rival} on {name_of(case, ours.table)}"
        parts[name] = is_above(other, own)
        numbers[name] = f"± {own:.1f} to {other:.1f}"
    return count_parts(parts, "comparisons of deviations", numbers)


def picked(axis: str, datasets: Iterable[str], protocol: str, ours: PaperTable) -> dict[str, Any]:
    """By dataset, the median over the runs of what was picked for FLGC*; nan where nothing was."""
    rows, column = ours.results, f"{AXIS}{axis}"
    rows = rows[(rows["method"] == WITH) & (rows["protocol"] == protocol)]
    of_data = {name: rows[rows["dataset"] == name] for name in datasets}
    return {
        name: own[column].median() if column in own and len(own) else float("nan")
        for name, own in of_data.items()
    }


def small_teleports(ours: PaperTable, protocol: str) -> Finding:
    """Whether what is picked lies where the paper finds the best."""
    medians, (low, high) = picked("teleport", ours.datasets, protocol, ours), TELEPORTS
    parts = {
        name: None if pd.isna(value) else bool(low <= value <= high)
        for name, value in medians.items()
    }
    return count_parts(parts, f"graphs within {low:g} to {high:g}", None, _values(medians))


def stronger_on(larger: Iterable[str], smaller: str) -> Judge:
    """Whether more regularization is picked on some graphs than on another."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        medians = picked("regularization", (*larger, smaller), protocol, ours)
        parts = {
            f"{name} over {smaller}": is_above(medians[name], medians[smaller]) for name in larger
        }
        return count_parts(parts, "graphs", None, _values(medians))

    return each_protocol(judge)


def _values(medians: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in medians.items() if pd.notna(value))


def less_sensitive(than: str, pattern: str) -> Judge:
    """Whether all others lose less from the least to the greatest intensity."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        table, rows = ours.table, ours.results
        rows = rows[
            (rows["protocol"] == protocol)
            & (rows["noise_pattern"] == pattern)
            & (rows["metric"] == table.metrics[0])
        ]
        columns, parts, numbers = columns_of(rows, table), Parts(), {}
        intensities: dict[str, set[float]] = {}
        for kind, intensity, of_pattern in table.noises:
            if of_pattern == pattern:
                intensities.setdefault(kind, set()).add(intensity)
        for method, kind in product((name for name in table.methods if name != than), intensities):
            lost, rival = (
                loss_under(columns[name], kind)
                if intensities[kind] <= {i for _, n, i in columns.get(name, {}) if n == kind}
                else None
                for name in (method, than)
            )
            name = f"{method} under {kind}"
            parts[name] = None if lost is None or rival is None else lost < rival
            numbers[name] = f"loses {lost or 0:.1f} to {rival or 0:.1f}"
        return count_parts(parts, "comparisons", numbers)

    return each_protocol(judge)


def alike(first: str, second: str, only: Callable[[Case], bool]) -> Judge:
    """Whether two methods are printed alike in each cell."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        values, parts, numbers = ours.values(protocol), Parts(), {}
        for at in [name_of(case, ours.table) for case in ours.cases if only(case)]:
            own, other = values.at[at, first], values.at[at, second]
            parts[at] = None if pd.isna(own - other) else bool(own == other)
            numbers[at] = f"{own:.1f} to {other:.1f}"
        return count_parts(parts, "cells", numbers)

    return each_protocol(judge)

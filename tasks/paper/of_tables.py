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
    NOT_KNOWN,
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
from tasks.report.standings import TOLERANCE
from tasks.report.values import Case, Place

# Of 24 datasets, as the text counts them; and where it finds the best teleports.
BEST_ON, OF = 16, 24
TELEPORTS = (0.01, 0.2)


def reached(ours: PaperTable, protocol: str) -> Finding:
    """Both rows of the paper against its own values, of the data that it had."""
    parts, gaps = Parts(), []
    for method, case in product(OURS, ours.cases):
        if case not in ours.values.theirs.get(method, {}):
            continue
        name = f"{method} on {ours.title(case)}"
        gap = ours.values.gaps.get((method, protocol), {}).get(case)
        parts[name] = NOT_KNOWN
        if gap is not None:
            parts[name] = gap >= -TOLERANCE, f"{gap:+.{ours.table.decimals}f}"
            gaps.append(gap)
    mean = f"on average {sum(gaps) / len(gaps):+.2f} points" if gaps else ""
    return count_parts(parts, f"cells to {TOLERANCE:g} point", mean)


def ahead(
    own: Iterable[str] = OURS,
    rivals: Iterable[str] = (),
    *,
    level: bool = False,
    only: Callable[[Case], bool] = lambda case: True,
) -> Judge:
    """Ours against each rival in each cell; without names, against all rivals."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        points, parts, gaps = ours.points(protocol), Parts(), []
        digits = ours.table.decimals
        titles = [ours.title(case) for case in ours.cases if only(case)]
        for method, rival, at in product(own, tuple(rivals) or ours.rivals, titles):
            first, second = points.at[at, method], points.at[at, rival]
            numbers = f"{first:.{digits}f} to {second:.{digits}f}"
            parts[f"{method} over {rival} on {at}"] = is_above(first, second, level=level), numbers
            gaps.append(first - second)
        mean = pd.Series(gaps, dtype=float).mean()
        text = "" if pd.isna(mean) else f"on average {mean:+.2f} points"
        return count_parts(parts, "comparisons", text)

    return each_protocol(judge)


def averages(own: Iterable[str], rivals: Iterable[str] = ()) -> Judge:
    """Means over the same datasets, each of ours against each rival."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        means = ours.points(protocol).mean(skipna=False)
        others = list(rivals) or ours.rivals
        pairs = product(own, others)
        parts: Parts = {f"{m} over {r}": (is_above(means[m], means[r]), "") for m, r in pairs}
        ranked = means[[*own, *others]].dropna().sort_values(ascending=False)
        text = ", ".join(f"{name} {mean:.2f}" for name, mean in ranked.items())
        return count_parts(parts, f"pairs of means over {len(ours.datasets)} datasets", text)

    return each_protocol(judge)


def best_on_most(ours: PaperTable, protocol: str) -> Finding:
    """How often FLGC* has the highest value, alone or level, of all that the paper's table has."""
    points = ours.points(protocol)
    whole = points.dropna()
    first = whole.eq(whole.max(axis=1), axis=0)
    counts, lacking = first.sum(), len(points) - len(whole)
    need = ceil(BEST_ON * len(points) / OF)
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
        f"best on {best} of {len(whole)}, alone on {alone}; claimed share: {need} of {len(points)}"
    )
    text += f"; of the rivals most often {rivals.idxmax()} ({rivals.max()})"
    return Finding(word, text + (f"; {lacking} missing" if lacking else ""))


def significant(own: str, level_with: Iterable[str] = ()) -> Judge:
    """Wilcoxon's test at .05 says `better` of it, against all but those that it is level with.

    Without a part of the datasets a test that finds nothing tells nothing.
    """

    def judge(ours: PaperTable, protocol: str) -> Finding:
        others = [name for name in (*ours.rivals, *OURS) if name not in (own, *level_with)]
        if own == WITHOUT:
            others.remove(WITH)
        rows = ours.rows("wilcoxon")
        if len(rows):
            rows = rows[(rows["protocol"] == protocol) & (rows["control"] == own)]
            rows = rows.set_index("rival")
        parts: Parts = dict.fromkeys(others, NOT_KNOWN)
        tests = {name: rows.loc[name] for name in others if name in rows.index}
        for name, row in tests.items():
            better, whole = row["verdict"] == BETTER, row["datasets"] == len(ours.datasets)
            numbers = f"{row['verdict']}, p {row['p_value']:.3f}"
            parts[name] = bool(better) if better or whole else None, numbers
        corrected = sum(row["verdict_holm"] == BETTER for row in tests.values())
        text = f"{corrected} after Holm's correction" if tests else ""
        return count_parts(parts, "rivals, p < .05", text)

    return each_protocol(judge)


def steadier(ours: PaperTable, protocol: str) -> Finding:
    """Deviations over the runs, ours below each rival's on each dataset."""

    def spread(method: str, case: Case) -> float:
        cell = ours.values.cells.get(Place(*case, method, protocol))
        return ours.values.in_points(cell.spread) if cell and cell.runs > 1 else float("nan")

    parts = Parts()
    for method, rival, case in product(OURS, ours.rivals, ours.cases):
        own, other = spread(method, case), spread(rival, case)
        name = f"{method} over {rival} on {ours.title(case)}"
        parts[name] = is_above(other, own), f"± {own:.1f} to {other:.1f}"
    return count_parts(parts, "comparisons of deviations")


def picked(axis: str, datasets: Iterable[str], protocol: str, ours: PaperTable) -> dict[str, Any]:
    """By dataset, the median over the runs of what was picked for FLGC*; nan where nothing was."""
    rows, column = ours.values.results, f"{AXIS}{axis}"
    rows = rows[(rows["method"] == WITH) & (rows["protocol"] == protocol)]
    of_data = {name: rows[rows["dataset"] == name] for name in datasets}
    return {
        name: own[column].median() if column in own and len(own) else float("nan")
        for name, own in of_data.items()
    }


def small_teleports(ours: PaperTable, protocol: str) -> Finding:
    """Whether what is picked lies where the paper finds the best."""
    medians, (low, high) = picked("teleport", ours.datasets, protocol, ours), TELEPORTS
    parts: Parts = {
        name: (None if pd.isna(value) else bool(low <= value <= high), "")
        for name, value in medians.items()
    }
    return count_parts(parts, f"graphs within {low:g} to {high:g}", _texts(medians))


def stronger_on(larger: Iterable[str], smaller: str) -> Judge:
    """Whether more regularization is picked on some graphs than on another."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        medians = picked("regularization", (*larger, smaller), protocol, ours)
        parts: Parts = {
            f"{name} over {smaller}": (is_above(medians[name], medians[smaller]), "")
            for name in larger
        }
        return count_parts(parts, "graphs", _texts(medians))

    return each_protocol(judge)


def _texts(medians: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in medians.items() if pd.notna(value))


def less_sensitive(than: str, pattern: str) -> Judge:
    """Whether all others lose less from the least to the greatest intensity."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        columns, parts = columns_of(ours.values, protocol, pattern), Parts()
        intensities: dict[str, set[float]] = {}
        for kind, intensity, of_pattern in ours.table.noises:
            if of_pattern == pattern:
                intensities.setdefault(kind, set()).add(intensity)

        def loss(method: str, kind: str) -> float | None:
            column = columns.get(method, {})
            whole = intensities[kind] <= {i for _, noise, i in column if noise == kind}
            return loss_under(column, kind) if whole else None

        others = [name for name in ours.table.methods if name != than]
        for method, kind in product(others, intensities):
            lost, rival = loss(method, kind), loss(than, kind)
            less = None if lost is None or rival is None else lost < rival
            numbers = f"loses {lost or 0:.1f} to {rival or 0:.1f}"
            parts[f"{method} under {kind}"] = less, numbers
        return count_parts(parts, "comparisons")

    return each_protocol(judge)


def alike(first: str, second: str, only: Callable[[Case], bool]) -> Judge:
    """Whether two methods are printed alike in each cell."""

    def judge(ours: PaperTable, protocol: str) -> Finding:
        points, parts = ours.points(protocol), Parts()
        for at in [ours.title(case) for case in ours.cases if only(case)]:
            own, other = points.at[at, first], points.at[at, second]
            same = None if pd.isna(own - other) else bool(own == other)
            parts[at] = same, f"{own:.1f} to {other:.1f}"
        return count_parts(parts, "cells")

    return each_protocol(judge)

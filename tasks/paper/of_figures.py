"""Whether what the paper says of its figures holds: timings, curves and affinity matrices.

Timings have the settings that `honest` picks, curves and matrices those of `paper`, so each of them
speaks for one protocol. Values are means over the runs, rounded as the table prints them.
"""

from collections.abc import Callable, Iterable
from itertools import product
from math import nan
from statistics import fmean
from typing import Any

import pandas as pd

from flgc.methods.base import AXIS
from tasks.analyses.curves import Line, Means, loss, means_of
from tasks.analyses.neighbours import by_neighbours
from tasks.analyses.timing import accuracy_by_hops, time_ratios
from tasks.declared.paper import CURVES_ON
from tasks.paper.judging import (
    NOT_KNOWN,
    OURS,
    WITH,
    WITHOUT,
    Finding,
    Judge,
    PaperTable,
    Parts,
    count_parts,
    is_above,
)

# By the paper's names: those that it finds weak with few labels, those that it finds steady in
# depth, and of the methods with hops the others.
WEAK = ("SS-ELM", "TSVM", "LapRLS")
STEADY = ("GCNII", "APPNP", "FLGC", "FLGC*")
UNSTEADY = ("GCN-Linear", "GCN", "DropEdge", "SGC")
# What of Figure 10 it says of which datasets.
STEADY_ON = "ExtendedYaleB"
FEATURES_ON = ("ORL", "ExtendedYaleB")
STRUCTURE_ON = "COIL20"
# Points by which accuracy may fall behind its best without over-smoothing; how much longer the most
# hops may take than one where time hardly grows; and the share of affinity within classes from
# which on a matrix is block-diagonal.
OVER_SMOOTHED = 1.0
HARDLY = 1.5
IN_BLOCKS = 0.5
# ACC that may be lost by what is almost unaffected; what is said to be lost without a teleport, and
# how far off that may be.
ALMOST = 0.02
DROP, ABOUT = 0.70, 0.10

Curve = dict[float, float]  # ACC by x
# Whether a claim holds for it, and the numbers that say so.
Test = Callable[[Any], tuple[bool, str]]
Groups = dict[tuple[str, str], pd.DataFrame]


def timed(judge: Callable[[PaperTable], Finding]) -> Judge:
    """Training times, and accuracies beside them, are those of the settings of `honest`."""
    return lambda ours: {"honest": judge(ours)}


def drawn(judge: Callable[[PaperTable], Finding]) -> Judge:
    """Curves and matrices are those of the settings of `paper`."""
    return lambda ours: {"paper": judge(ours)}


def _groups(rows: pd.DataFrame) -> Groups:
    """By dataset and method."""
    groups: Any = rows.groupby(["dataset", "method"], sort=False)
    return dict(iter(groups))


@timed
def faster(ours: PaperTable) -> Finding:
    """Ours against each rival at equal hops."""
    parts, by_rival = Parts(), dict[str, list[float]]()
    ratios = time_ratios(ours.table, ours.rows("time"))
    for method, rival, dataset in product(OURS, ours.rivals, ours.datasets):
        name = f"{method} over {rival} on {dataset}"
        own = ratios.get(method, pd.DataFrame())
        at: Any = own[rival].dropna() if rival in own else {}
        by_hops = {hops: ratio for (of, hops), ratio in at.items() if of == dataset}
        if not by_hops:
            parts[name] = NOT_KNOWN
        for hops, ratio in by_hops.items():
            parts[f"{name} at {hops} hops"] = ratio > 1, f"{ratio:.2f}x"
            by_rival.setdefault(rival, []).append(ratio)
    text = ", ".join(f"{name} {pd.Series(own).median():.0f}x" for name, own in by_rival.items())
    return count_parts(parts, "fits are faster", text and f"medians: {text}")


@timed
def hardly_longer(ours: PaperTable) -> Finding:
    """The seconds of the most hops divided by those of one."""

    def longer(rows: pd.DataFrame) -> tuple[bool, str]:
        seconds = rows.set_index("hops")["training_time"]
        ratio = seconds[seconds.index.max()] / seconds[seconds.index.min()]
        return bool(ratio <= HARDLY), f"{ratio:.1f}x"

    parts = _timed_parts(ours, OURS, longer)
    return _numbers_first(parts, f"at most {HARDLY:g}x")


def _timed_parts(ours: PaperTable, methods: Iterable[str], test: Test) -> Parts:
    """What a test says of the times of each method on each dataset."""
    groups, parts = _groups(ours.rows("time")), Parts()
    for method, dataset in product(methods, ours.datasets):
        rows = groups.get((dataset, method))
        parts[f"{method} on {dataset}"] = NOT_KNOWN if rows is None else test(rows)
    return parts


def _numbers_first(parts: Parts, unit: str) -> Finding:
    """All numbers, and then how many parts are as claimed."""
    text = ", ".join(f"{name} {numbers}" for name, (_, numbers) in parts.items() if numbers)
    return count_parts({name: (good, "") for name, (good, _) in parts.items()}, unit, text)


@timed
def not_smoothed(ours: PaperTable) -> Finding:
    """Accuracy at the most hops near the best; a row that picked no teleport shows nothing of it.

    Then the row with the teleport of the paper's caption speaks for the dataset, if it was run.
    """
    parts, groups = Parts(), _groups(ours.rows("time"))
    starred = [row.name for row in ours.table.rows if row.own and row.published == WITH]
    for dataset in ours.datasets:
        with_teleport = {
            name: groups[dataset, name]
            for name in starred
            if (dataset, name) in groups
            and groups[dataset, name].get(f"{AXIS}teleport", pd.Series()).max() > 0
        }
        parts |= {} if with_teleport else {dataset: NOT_KNOWN}
        for method, rows in with_teleport.items():
            lost, name = accuracy_by_hops(rows)[1], f"{method} on {dataset}"
            parts[name] = lost <= OVER_SMOOTHED, f"loses {lost:.1f}"
    return _numbers_first(parts, f"lose {OVER_SMOOTHED:g} point at most")


def smoothed(methods: Iterable[str]) -> Judge:
    """Whether these lose more than that from their best number of hops to the most."""

    def loses(rows: pd.DataFrame) -> tuple[bool, str]:
        _, lost = accuracy_by_hops(rows)
        return lost > OVER_SMOOTHED, f"loses {lost:.1f}"

    @timed
    def judge(ours: PaperTable) -> Finding:
        parts = _timed_parts(ours, methods, loses)
        return count_parts(parts, f"lose more than {OVER_SMOOTHED:g} point")

    return judge


@drawn
def few_labels(ours: PaperTable) -> Finding:
    """Ours against those that the paper finds weak, with the fewest labels."""
    means, parts = means_of(ours.table, ours.rows("labels")), Parts()
    fewest = min((x for own in means.values() for _, x in own), default=0)
    for method, rival, dataset in product(OURS, WEAK, CURVES_ON):
        own, other = (means.get(name, {}).get((dataset, fewest), nan) for name in (method, rival))
        name = f"{method} over {rival} on {dataset}"
        parts[name] = is_above(own, other), f"{own - other:+.2f}"
    return count_parts(parts, "comparisons", f"with {fewest} per class")


@drawn
def steady_in_depth(ours: PaperTable) -> Finding:
    """Those that the paper finds steady lose less than each of the others."""
    means = means_of(ours.table, ours.rows("depths"))
    last = max((x for own in means.values() for _, x in own), default=0)
    lost = {
        name: round(loss(own, last), 2)
        for name, own in sorted(means.items())
        if all((dataset, last) in own for dataset in CURVES_ON)
    }
    parts: Parts = {
        f"{name} than {other}": (is_above(lost.get(other, nan), lost.get(name, nan)), "")
        for name, other in product(STEADY, UNSTEADY)
    }
    ordered = sorted((name for name in lost if name in (*STEADY, *UNSTEADY)), key=lambda n: lost[n])
    text = ", ".join(f"{name} {lost[name]:.2f}" for name in ordered)
    return count_parts(parts, f"pairs lose less to {last} steps", text and f"lost: {text}")


def tends_over(own: str, rival: str) -> Judge:
    """Whether a method has more points of Figure 5 than another, and the higher mean."""

    @drawn
    def judge(ours: PaperTable) -> Finding:
        means: Means = means_of(ours.table, ours.rows("depths"))
        first, second = means.get(own, {}), means.get(rival, {})
        name = f"{own} over {rival}"
        if not {dataset for dataset, _ in first.keys() & second.keys()} >= set(CURVES_ON):
            return count_parts({name: NOT_KNOWN}, "")
        good, text = tends_to_beat(first, second)
        return count_parts({name: (good, "")}, "pairs", text)

    return judge


def tends_to_beat(own: Line, rival: Line) -> tuple[bool, str]:
    """Whether more points are won than lost and the mean is higher, with both."""
    gaps = [own[point] - rival[point] for point in own if point in rival]
    won, behind = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    score = f"{won}-{len(gaps) - won - behind}-{behind}"
    text = f"points won-level-lost {score}, mean {fmean(gaps):+.2f}"
    return won > behind and fmean(gaps) > 0, text


linear_over_relu = tends_over("GCN-Linear", "GCN")
residual_in_depth = tends_over(WITH, WITHOUT)


@drawn
def worse_without_edges(ours: PaperTable) -> Finding:
    """With no neighbours: a lower mean than with any number of them, and a wider spread."""
    of_data = {dataset: own for (dataset, _), own in _groups(ours.rows("neighbours")).items()}
    parts = Parts()
    for dataset in CURVES_ON:
        means, spreads = (
            by_neighbours(ours.table, of_data[dataset]) if dataset in of_data else ({}, {})
        )
        bare, spread = means.pop(0, nan), spreads.pop(0, nan)
        lowest, widest = min(means.values(), default=nan), max(spreads.values(), default=nan)
        numbers = f"{bare:.2f} to {lowest:.2f}"
        parts[f"worse on {dataset}"] = is_above(lowest, bare), numbers
        numbers = f"± {spread:.2f} to {widest:.2f}"
        parts[f"less stable on {dataset}"] = is_above(spread, widest), numbers
    return count_parts(parts, "comparisons")


def along(figure: str, method: str, tests: dict[str, Test]) -> Judge:
    """A sentence about a method's line in Figure 10, by dataset."""

    @drawn
    def judge(ours: PaperTable) -> Finding:
        line = means_of(ours.table, ours.rows(figure)).get(method, {})
        parts, texts = Parts(), []
        for dataset, test in tests.items():
            curve = {x: round(acc / 100, 6) for (name, x), acc in line.items() if name == dataset}
            good, text = test(curve) if curve else NOT_KNOWN
            parts[dataset] = good, ""
            texts += [f"{dataset}: {text}"] if text else []
        return count_parts(parts, "sets", "; ".join(texts))

    return judge


def unaffected(curve: Curve) -> tuple[bool, str]:
    """Whether hardly anything is lost from the best number of steps to the last."""
    lost = _lost(curve)
    return lost <= ALMOST, f"it loses {lost:.3f}"


def dropped(curve: Curve) -> tuple[bool, str]:
    """Whether about as much is lost as the paper says."""
    lost = _lost(curve)
    return round(abs(lost - DROP), 3) <= ABOUT, f"it loses {lost:.3f}"


def _lost(curve: Curve) -> float:
    return round(max(curve.values()) - curve[max(curve)], 3)


def grows(curve: Curve) -> tuple[bool, str]:
    """By the ranks of both; what is level everywhere does not grow."""
    by_x = pd.Series(curve).sort_index().rank()
    ranks = pd.Series(range(len(by_x)), by_x.index, dtype=float)
    correlation = by_x.corr(ranks) if by_x.nunique() > 1 else 0.0
    return correlation > 0, f"rank correlation {correlation:+.2f}"


def falls(curve: Curve) -> tuple[bool, str]:
    """Whether the features alone do worse than what neighbours make of them."""
    first, last = min(curve), max(curve)
    text = f"{curve[first]:.3f} at teleport {first:g}, {curve[last]:.3f} at {last:g}"
    return curve[first] > curve[last], text


def in_blocks(dataset: str) -> Judge:
    """Whether most affinity between different samples is within their classes."""

    @drawn
    def judge(ours: PaperTable) -> Finding:
        rows = ours.rows("affinity")
        rows = rows[(rows["dataset"] == dataset) & (rows["method"] == WITH)]
        if rows.empty:
            return count_parts({dataset: NOT_KNOWN}, "")
        share, even = rows["inside"].iloc[0], rows["by_chance"].iloc[0]
        text = f"{share:.1%} of the affinity is within classes, {even:.1%} if it were even"
        return count_parts({dataset: (bool(share > IN_BLOCKS), "")}, "matrices", text)

    return judge

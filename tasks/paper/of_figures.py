"""Whether what the paper says of its figures holds: timings, curves and affinity matrices.

Timings have the settings that `honest` picks, curves and matrices those of `paper`, so each of them
speaks for one protocol. Values are means over the runs, rounded as the table prints them.
"""

from collections.abc import Callable, Iterable
from itertools import product
from statistics import fmean
from typing import Any

import pandas as pd

from flgc.methods.base import AXIS
from tasks.analyses.curves import Line, Means, loss, means_of
from tasks.analyses.neighbours import by_neighbours
from tasks.analyses.timing import accuracy_by_hops, time_ratios
from tasks.declared.paper import CURVES_ON
from tasks.paper.judging import (
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

# ACC by x; and whether a claim holds for it, with what was found.
Curve = dict[float, float]
Test = Callable[[Curve], tuple[bool, str]]
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
    parts: Parts = {}
    medians: dict[str, list[float]] = {}
    numbers = {}
    ratios = time_ratios(ours.table, ours.rows("time"))
    for method, rival, dataset in product(OURS, ours.rivals, ours.datasets):
        own = ratios.get(method, pd.DataFrame())
        at: Any = own[rival].dropna() if rival in own else {}
        here = {hops: ratio for (name, hops), ratio in at.items() if name == dataset}
        if not here:
            parts[f"{method} over {rival} on {dataset}"] = None
        for hops, ratio in here.items():
            name = f"{method} over {rival} on {dataset} at {hops} hops"
            parts[name], numbers[name] = ratio > 1, f"{ratio:.2f}x"
            medians.setdefault(rival, []).append(ratio)
    text = ", ".join(f"{name} {pd.Series(own).median():.0f}x" for name, own in medians.items())
    return count_parts(parts, "fits are faster", numbers, text and f"medians: {text}")


@timed
def hardly_longer(ours: PaperTable) -> Finding:
    """The seconds of the most hops divided by those of one."""
    parts, numbers, groups = Parts(), {}, _groups(ours.rows("time"))
    for method, dataset in product(OURS, ours.datasets):
        name = f"{method} on {dataset}"
        parts[name] = None
        if (dataset, method) in groups:
            seconds = groups[dataset, method].set_index("hops")["training_time"]
            ratio = seconds[seconds.index.max()] / seconds[seconds.index.min()]
            parts[name], numbers[name] = bool(ratio <= HARDLY), f"{ratio:.1f}x"
    text = ", ".join(f"{name} {number}" for name, number in numbers.items())
    return count_parts(parts, f"at most {HARDLY:g}x", None, text)


@timed
def not_smoothed(ours: PaperTable) -> Finding:
    """Accuracy at the most hops near the best; a row that picked no teleport shows nothing of it.

    Then the row with the teleport of the paper's caption speaks for the dataset, if it is there.
    """
    parts, numbers, groups = Parts(), {}, _groups(ours.rows("time"))
    starred = [row.name for row in ours.table.rows if row.own and row.published == WITH]
    for dataset in ours.datasets:
        rows = {name: groups[dataset, name] for name in starred if (dataset, name) in groups}
        with_teleport = {
            name: own
            for name, own in rows.items()
            if own.get(f"{AXIS}teleport", pd.Series()).max() > 0
        }
        parts |= {} if with_teleport else {dataset: None}
        for method, own in with_teleport.items():
            lost, name = accuracy_by_hops(own)[1], f"{method} on {dataset}"
            parts[name], numbers[name] = lost <= OVER_SMOOTHED, f"loses {lost:.1f}"
    text = ", ".join(f"{name} {number}" for name, number in numbers.items())
    return count_parts(parts, f"lose {OVER_SMOOTHED:g} point at most", None, text)


def smoothed(methods: Iterable[str]) -> Judge:
    """Whether these lose more than that from their best number of hops to the most."""

    @timed
    def judge(ours: PaperTable) -> Finding:
        parts, numbers, groups = Parts(), {}, _groups(ours.rows("time"))
        for method, dataset in product(methods, ours.datasets):
            name = f"{method} on {dataset}"
            parts[name] = None
            if (dataset, method) in groups:
                lost = accuracy_by_hops(groups[dataset, method])[1]
                parts[name], numbers[name] = lost > OVER_SMOOTHED, f"loses {lost:.1f}"
        return count_parts(parts, f"lose more than {OVER_SMOOTHED:g} point", numbers)

    return judge


@drawn
def few_labels(ours: PaperTable) -> Finding:
    """Ours against those that the paper finds weak, with the fewest labels."""
    means, parts, numbers = means_of(ours.table, ours.rows("labels")), Parts(), {}
    fewest = min((x for own in means.values() for _, x in own), default=0)
    for method, rival, dataset in product(OURS, WEAK, CURVES_ON):
        name, at = f"{method} over {rival} on {dataset}", (dataset, fewest)
        here = at in means.get(method, {}) and at in means.get(rival, {})
        gap = means[method][at] - means[rival][at] if here else 0.0
        parts[name], numbers[name] = gap > 0 if here else None, f"{gap:+.2f}"
    return count_parts(parts, "comparisons", numbers, f"with {fewest} per class")


@drawn
def steady_in_depth(ours: PaperTable) -> Finding:
    """Those that the paper finds steady lose less than each of the others."""
    means = means_of(ours.table, ours.rows("depths"))
    last = max((x for own in means.values() for _, x in own), default=0)
    whole = {name for name, own in means.items() if all((d, last) in own for d in CURVES_ON)}
    lost = {name: round(loss(means[name], last), 2) for name in sorted(whole)}
    parts = {
        f"{name} than {other}": lost[name] < lost[other] if {name, other} <= whole else None
        for name, other in product(STEADY, UNSTEADY)
    }
    ordered = sorted((name for name in lost if name in (*STEADY, *UNSTEADY)), key=lambda n: lost[n])
    text = ", ".join(f"{name} {lost[name]:.2f}" for name in ordered)
    return count_parts(parts, f"pairs lose less to {last} steps", None, text and f"lost: {text}")


def tends_over(own: str, rival: str) -> Judge:
    """Whether a method has more points of Figure 5 than another, and the higher mean."""

    @drawn
    def judge(ours: PaperTable) -> Finding:
        means: Means = means_of(ours.table, ours.rows("depths"))
        first, second = means.get(own, {}), means.get(rival, {})
        name = f"{own} over {rival}"
        if not {dataset for dataset, _ in first.keys() & second.keys()} >= set(CURVES_ON):
            return count_parts({name: None}, "")
        good, text = tends_to_beat(first, second)
        return count_parts({name: good}, "pairs", None, text)

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
    parts, numbers = Parts(), {}
    for dataset in CURVES_ON:
        worse, wider = f"worse on {dataset}", f"less stable on {dataset}"
        parts |= {worse: None, wider: None}
        if dataset not in of_data:
            continue
        means, spreads = by_neighbours(ours.table, of_data[dataset])
        bare, spread = means.pop(0, float("nan")), spreads.pop(0, float("nan"))
        lowest = min(means.values(), default=float("nan"))
        widest = max(spreads.values(), default=float("nan"))
        parts |= {worse: is_above(lowest, bare), wider: is_above(spread, widest)}
        numbers[worse] = f"{bare:.2f} to {lowest:.2f}"
        numbers[wider] = f"± {spread:.2f} to {widest:.2f}"
    return count_parts(parts, "comparisons", numbers)


def along(figure: str, method: str, tests: dict[str, Test]) -> Judge:
    """What is said of a method's line in Figure 10, by dataset."""

    @drawn
    def judge(ours: PaperTable) -> Finding:
        line = means_of(ours.table, ours.rows(figure)).get(method, {})
        parts: Parts = dict.fromkeys(tests)
        texts = []
        for dataset, test in tests.items():
            curve = {x: round(acc / 100, 6) for (name, x), acc in line.items() if name == dataset}
            if curve:
                parts[dataset], text = test(curve)
                texts.append(f"{dataset}: {text}")
        return count_parts(parts, "sets", None, "; ".join(texts))

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
            return count_parts({dataset: None}, "")
        share, even = rows["inside"].iloc[0], rows["by_chance"].iloc[0]
        text = f"{share:.1%} of the affinity is within classes, {even:.1%} if it were even"
        return count_parts({dataset: bool(share > IN_BLOCKS)}, "matrices", None, text)

    return judge

"""Whether what the paper says of its figures holds: timings, curves and affinity matrices.

Timings have the settings that `honest` picks, curves and matrices those of `paper`, so each of them
speaks for one protocol.
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pandas as pd

from tasks.declared.paper import CURVES_ON
from tasks.document.claims import OVER_SMOOTHED, along_hops, time_ratios
from tasks.document.curve_claims import (
    LINEAR,
    RELU,
    STEADY,
    WEAK,
    Means,
    by_neighbours,
    lost_by,
    means_of,
    tends_to_beat,
    with_few,
)
from tasks.document.influence_claims import Test, lines_of
from tasks.document.judging import (
    OURS,
    WITH,
    WITHOUT,
    Evidence,
    Finding,
    Judge,
    Parts,
    compared,
    found,
)

# Figures 4 to 6 have three datasets, and of the methods with hops these are "the others".
# How much longer the most hops may take than one where time hardly grows, and the share of affinity
# within classes from which on a matrix is block-diagonal.
UNSTEADY = ("GCN-Linear", "GCN", "DropEdge", "SGC")
HARDLY = 1.5
IN_BLOCKS = 0.5
Groups = dict[tuple[str, str], pd.DataFrame]


def timed(judge: Callable[[Evidence], Finding]) -> Judge:
    """Training times, and accuracies beside them, are those of the settings of `honest`."""
    return lambda evidence: {"honest": judge(evidence)}


def drawn(judge: Callable[[Evidence], Finding]) -> Judge:
    """Curves and matrices are those of the settings of `paper`."""
    return lambda evidence: {"paper": judge(evidence)}


def _groups(rows: pd.DataFrame) -> Groups:
    """By dataset and method."""
    groups: Any = rows.groupby(["dataset", "method"], sort=False) if len(rows) else ()
    return dict(iter(groups))


@timed
def faster(evidence: Evidence) -> Finding:
    """Ours against each rival at equal hops."""
    parts: Parts = {}
    medians: dict[str, list[float]] = {}
    numbers = {}
    ratios = time_ratios(evidence.table, evidence.timings) if len(evidence.timings) else {}
    for method, rival, dataset in product(OURS, evidence.rivals, evidence.datasets):
        own = ratios.get(method, pd.DataFrame())
        at: Any = own[rival].dropna() if rival in own else {}
        here = {hops: ratio for (name, hops), ratio in at.items() if name == dataset}
        if not here:
            parts[f"{method} over {rival} on {dataset}"] = None
        for hops, ratio in here.items():
            name = f"{method} over {rival} on {dataset} at {hops} hops"
            parts[name], numbers[name] = ratio > 1, f"{ratio:.2f}x"
            medians.setdefault(rival, []).append(ratio)
    said = ", ".join(f"{name} {pd.Series(own).median():.0f}x" for name, own in medians.items())
    return found(parts, "fits are faster", numbers, said and f"medians: {said}")


@timed
def hardly_longer(evidence: Evidence) -> Finding:
    """The seconds of the most hops divided by those of one."""
    parts, numbers, groups = Parts(), {}, _groups(evidence.timings)
    for method, dataset in product(OURS, evidence.datasets):
        name = f"{method} on {dataset}"
        parts[name] = None
        if (dataset, method) in groups:
            seconds = groups[dataset, method].set_index("hops")["training_time"]
            ratio = seconds[seconds.index.max()] / seconds[seconds.index.min()]
            parts[name], numbers[name] = bool(ratio <= HARDLY), f"{ratio:.1f}x"
    shown = ", ".join(f"{name} {text}" for name, text in numbers.items())
    return found(parts, f"at most {HARDLY:g}x", None, shown)


@timed
def not_smoothed(evidence: Evidence) -> Finding:
    """Accuracy at the most hops near the best; a row that picked no teleport shows nothing of it.

    Then the row with the teleport of the paper's caption speaks for the dataset, if it is there.
    """
    parts, numbers, groups = Parts(), {}, _groups(evidence.timings)
    starred = [row.name for row in evidence.table.rows if row.own and row.published == WITH]
    for dataset in evidence.datasets:
        rows = {name: groups[dataset, name] for name in starred if (dataset, name) in groups}
        shown = {
            name: own for name, own in rows.items() if own.get("p_teleport", pd.Series()).max() > 0
        }
        parts |= {} if shown else {dataset: None}
        for method, own in shown.items():
            lost, name = along_hops(own)[1], f"{method} on {dataset}"
            parts[name], numbers[name] = lost <= OVER_SMOOTHED, f"loses {lost:.1f}"
    said = ", ".join(f"{name} {text}" for name, text in numbers.items())
    return found(parts, f"lose {OVER_SMOOTHED:g} point at most", None, said)


def smoothed(methods: Iterable[str]) -> Judge:
    """Whether these lose more than that from their best number of hops to the most."""

    @timed
    def judge(evidence: Evidence) -> Finding:
        parts, numbers, groups = Parts(), {}, _groups(evidence.timings)
        for method, dataset in product(methods, evidence.datasets):
            name = f"{method} on {dataset}"
            parts[name] = None
            if (dataset, method) in groups:
                lost = along_hops(groups[dataset, method])[1]
                parts[name], numbers[name] = lost > OVER_SMOOTHED, f"loses {lost:.1f}"
        return found(parts, f"lose more than {OVER_SMOOTHED:g} point", numbers)

    return judge


def _means(evidence: Evidence, figure: str) -> Means:
    """The curves of a figure, of the methods that it is drawn for."""
    rows = evidence.curves.get(figure, pd.DataFrame())
    return means_of(evidence.table, rows) if len(rows) else {}


@drawn
def few_labels(evidence: Evidence) -> Finding:
    """Ours against those that the paper finds weak, with the fewest labels."""
    means, parts, numbers = _means(evidence, "labels"), Parts(), {}
    fewest = min((x for own in means.values() for _, x in own), default=0)
    for method, rival in product(OURS, WEAK):
        here = {method, rival} <= means.keys()
        gaps = with_few(method, [rival], means, fewest) if here else {}
        for pair in (f"{rival} on {dataset}" for dataset in CURVES_ON):
            gap = gaps.get(pair)
            parts[f"{method} over {pair}"] = None if gap is None else gap > 0
            numbers[f"{method} over {pair}"] = f"{gap or 0:+.2f}"
    return found(parts, "comparisons", numbers, f"with {fewest} per class" if means else "")


@drawn
def steady_in_depth(evidence: Evidence) -> Finding:
    """Those that the paper finds steady lose less than each of the others."""
    means = _means(evidence, "depths")
    last = max((x for own in means.values() for _, x in own), default=0)
    whole = {name for name, own in means.items() if all((d, last) in own for d in CURVES_ON)}
    lost = {name: round(lost_by(means[name], last), 2) for name in sorted(whole)}
    parts = {
        f"{name} than {other}": lost[name] < lost[other] if {name, other} <= whole else None
        for name, other in product(STEADY, UNSTEADY)
    }
    shown = sorted((name for name in lost if name in (*STEADY, *UNSTEADY)), key=lambda n: lost[n])
    said = ", ".join(f"{name} {lost[name]:.2f}" for name in shown)
    return found(parts, f"pairs lose less to {last} steps", None, said and f"lost: {said}")


def tends_over(own: str, rival: str) -> Judge:
    """Whether a method has more points of Figure 5 than another, and the higher mean."""

    @drawn
    def judge(evidence: Evidence) -> Finding:
        means, name = _means(evidence, "depths"), f"{own} over {rival}"
        shared = means.get(own, {}).keys() & means.get(rival, {}).keys()
        if not {dataset for dataset, _ in shared} >= set(CURVES_ON):
            return found({name: None}, "")
        good, said = tends_to_beat(means[own], means[rival])
        return found({name: good}, "pairs", None, said)

    return judge


linear_over_relu = tends_over(LINEAR, RELU)
residual_in_depth = tends_over(WITH, WITHOUT)


@drawn
def worse_without_edges(evidence: Evidence) -> Finding:
    """With no neighbours: a lower mean than with any number of them, and a wider spread."""
    rows = evidence.curves.get("neighbours", pd.DataFrame())
    of_data = {dataset: own for (dataset, _), own in _groups(rows).items()}
    parts, numbers = Parts(), {}
    for dataset in CURVES_ON:
        parts |= {f"worse on {dataset}": None, f"less stable on {dataset}": None}
        if dataset not in of_data:
            continue
        own = of_data[dataset]
        means, spreads = by_neighbours(evidence.table, own)
        bare, spread = means.pop(0, float("nan")), spreads.pop(0, float("nan"))
        lowest = min(means.values(), default=float("nan"))
        widest = max(spreads.values(), default=float("nan"))
        parts[f"worse on {dataset}"] = compared(lowest, bare)
        parts[f"less stable on {dataset}"] = compared(spread, widest)
        numbers[f"worse on {dataset}"] = f"{bare:.2f} to {lowest:.2f}"
        numbers[f"less stable on {dataset}"] = f"± {spread:.2f} to {widest:.2f}"
    return found(parts, "comparisons", numbers)


def along(figure: str, method: str, tests: dict[str, Test]) -> Judge:
    """What is said of a method's line in Figure 10, by dataset."""

    @drawn
    def judge(evidence: Evidence) -> Finding:
        rows = evidence.curves.get(figure, pd.DataFrame())
        lines = lines_of(evidence.table, rows).get(method, {}) if len(rows) else {}
        parts: Parts = dict.fromkeys(tests)
        said = []
        for dataset, test in tests.items():
            if dataset in lines:
                parts[dataset], text = test(lines[dataset])
                said.append(f"{dataset}: {text}")
        return found(parts, "sets", None, "; ".join(said))

    return judge


def in_blocks(dataset: str) -> Judge:
    """Whether most affinity between different samples is within their classes."""

    @drawn
    def judge(evidence: Evidence) -> Finding:
        affinity = evidence.affinities.get(dataset, {}).get(WITH)
        if affinity is None:
            return found({dataset: None}, "")
        share, even = affinity.inside, affinity.by_chance
        said = f"{share:.1%} of the affinity is within classes, {even:.1%} if it were even"
        return found({dataset: share > IN_BLOCKS}, "matrices", None, said)

    return judge

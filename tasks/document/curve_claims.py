"""What the report says of curves: whether the paper's words about its Figures 4 to 6 hold here.

Those about Figure 10, of clusterings, stand in `influence_claims`.

Values are means over the runs, in points and rounded as the table prints them.
"""

from collections.abc import Callable, Iterable
from statistics import fmean
from typing import Any

import pandas as pd

from flgc.methods.base import AXIS, axes_of
from tasks.declared.described import Described
from tasks.document import influence_claims
from tasks.document.blocks import Block, Heading, text
from tasks.document.printed import FAILS, HOLDS, in_points

# What x is, by figure.
COLUMNS = {
    "labels": "labelled_per_class",
    "depths": "hops",
    "neighbours": "n_neighbors",
    "hops": "hops",
    "teleport": "teleport",
}
# By the paper's names: those that it finds weak with few labels, and those that it finds steady.
WEAK = ("SS-ELM", "TSVM", "LapRLS")
STEADY = ("GCNII", "APPNP", "FLGC", "FLGC*")
LINEAR, RELU = "GCN-Linear", "GCN"

# The value at each (dataset, x); and by method, in the order of the table.
Line = dict[tuple[str, int], float]
Means = dict[str, Line]


def told(figure: str, table: Described, rows: pd.DataFrame) -> list[Block]:
    """What stands below a figure; `rows` have dataset, method, x, run, marks and the metrics."""
    title, tell = _FIGURES[figure]
    runs = rows["run"].nunique()
    return [Heading(3, f"{title}, {_counted(runs, 'run')}"), *text(tell(table, rows))]


def labels(table: Described, rows: pd.DataFrame) -> list[str]:
    """Figure 4: where the paper's methods stand with the fewest labels, and how often they lead."""
    means, fewest = means_of(table, rows), int(rows["x"].min())
    own = [name for name in means if table.row(name).own]
    lines = []
    for name in own:
        ranks, led = [], 0
        for (dataset, x), value in means[name].items():
            level = [of_method.get((dataset, x)) for of_method in means.values()]
            better = sum(other is not None and other > value for other in level)
            led += not better
            if x == fewest:
                present = sum(other is not None for other in level)
                ranks.append(f"{better + 1} of {present} on {dataset}")
        lines.append(
            f"- {name}: with {fewest} per class rank {', '.join(ranks)}; best, alone or level, at "
            f"{led} of {_counted(len(means[name]), 'point')}"
        )
    weak = [name for name in means if table.row(name).published in WEAK]
    lines += [f"- {name} beats {_with_few(name, weak, means, fewest)}" for name in own]
    return [_at_paper(table), "", *lines]


def _with_few(own: str, weak: list[str], means: Means, fewest: int) -> str:
    """Whether it beats those on all datasets, as the paper says."""
    what = f"{_listed(WEAK)} with {_counted(fewest, 'labelled sample')} per class"
    if not weak:
        return f"{what}: not tested, none of them is here"
    gaps = with_few(own, weak, means, fewest)
    lost = [f"{pair} ({gap:+.2f})" for pair, gap in gaps.items() if gap <= 0]
    verdict = f"{FAILS}, not {', '.join(lost)}" if lost else HOLDS
    return f"{what}: {verdict}; {len(gaps) - len(lost)} of {len(gaps)} pairs with {_listed(weak)}"


def with_few(own: str, rivals: Iterable[str], means: Means, fewest: int) -> dict[str, float]:
    """By rival and dataset, what a method has more with the fewest labels."""
    return {
        f"{rival} on {dataset}": value - means[rival][dataset, x]
        for (dataset, x), value in means[own].items()
        for rival in rivals
        if x == fewest and (dataset, x) in means[rival]
    }


def depths(table: Described, rows: pd.DataFrame) -> list[str]:
    """Figure 5: what each method loses from its best depth to the last, and who loses least."""
    means, last = means_of(table, rows), int(rows["x"].max())
    lost = {name: lost_by(of_method, last) for name, of_method in means.items()}
    ordered = sorted(lost, key=lambda name: lost[name])
    over = _listed(dict.fromkeys(rows["dataset"]))
    lines = [
        f"- lost from the best depth to {last} steps, in points, mean over {over}: "
        + ", ".join(f"{name} {lost[name]:.2f}" for name in ordered)
    ]
    steady = [name for name in means if table.row(name).published in STEADY]
    others = [name for name in ordered if name not in steady]
    if steady and others:
        good = [name for name in steady if lost[name] < lost[others[0]]]
        bad = [name for name in steady if name not in good]
        verdicts = {HOLDS: good, FAILS: bad}
        said = "; ".join(f"{word} for {_listed(of)}" for word, of in verdicts.items() if of)
        lines.append(
            f"- {_listed(STEADY)} lose less than the others: {said} (of the others {others[0]} "
            f"loses least, {lost[others[0]]:.2f})"
        )
    if LINEAR in means and RELU in means:
        won, score = tends_to_beat(means[LINEAR], means[RELU])
        lines.append(f"- {LINEAR} tends to outperform {RELU}: {HOLDS if won else FAILS}; {score}")
    return [_at_paper(table), "", *lines]


def tends_to_beat(own: Line, rival: Line) -> tuple[bool, str]:
    """Whether more points are won than lost and the mean is higher, with both."""
    gaps = [own[point] - rival[point] for point in own if point in rival]
    won, behind = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    score = f"{won}-{len(gaps) - won - behind}-{behind}"
    said = f"points won-level-lost {score}, mean {fmean(gaps):+.2f}"
    return won > behind and fmean(gaps) > 0, said


def lost_by(of_method: Line, last: int) -> float:
    """The best depth minus the last one, a mean over the datasets."""
    best: dict[str, float] = {}
    for (dataset, _), value in of_method.items():
        best[dataset] = max(value, best.get(dataset, value))
    return fmean(value - of_method[dataset, last] for dataset, value in best.items())


def neighbours(table: Described, rows: pd.DataFrame) -> list[str]:
    """Figure 6: the best number of neighbours, the range, and whether no edges are worse."""
    lines = []
    groups: Any = rows.groupby(["dataset", "method"], sort=False)
    for (dataset, method), here in groups:
        means, spreads = by_neighbours(table, here)
        best = max(means, key=lambda x: means[x])
        line = (
            f"- {dataset}, {method}: best with {best} neighbours ({means[best]:.2f}), range "
            f"{min(means.values()):.2f} to {means[best]:.2f}"
        )
        without, spread = means.pop(0, None), spreads.pop(0, None)
        if without is not None and spread is not None and means:
            worse = HOLDS if without < min(means.values()) else FAILS
            wider = HOLDS if spread > max(spreads.values()) else FAILS
            line += (
                f"; without edges worse than with any number: {worse} ({without:.2f}); and less "
                f"stable: {wider} (± {spread:.2f} against {min(spreads.values()):.2f} to "
                f"{max(spreads.values()):.2f})"
            )
        lines.append(line)
    setting = [f"{axis.removeprefix(AXIS)} {rows[axis].iloc[0]}" for axis in axes_of(rows)]
    return [f"One setting throughout: {', '.join(setting)}.", "", *lines]


def by_neighbours(
    table: Described, here: pd.DataFrame
) -> tuple[dict[int, float], dict[int, float]]:
    """Of one dataset and method: means, and deviations over the runs, by number of neighbours."""
    of_x: Any = here.groupby("x")["accuracy"]
    means = {int(x): in_points(runs.mean(), table) for x, runs in of_x}
    return means, {int(x): in_points(runs.std(ddof=0), table) for x, runs in of_x}


def means_of(table: Described, rows: pd.DataFrame) -> Means:
    """Values as they are printed, in the order of the table."""
    groups: Any = rows.groupby(["method", "dataset", "x"], sort=False)["accuracy"]
    found: Means = {}
    for (method, dataset, x), runs in groups:
        found.setdefault(method, {})[dataset, int(x)] = in_points(runs.mean(), table)
    return {name: found[name] for name in table.methods if name in found}


def _at_paper(table: Described) -> str:
    """At which settings, and who has none."""
    said = "Every method has, at all points, the setting that `paper` picks for the table."
    absent = [row.name for row in table.rows if "paper" not in row.protocols]
    return f"{said} Not shown, as it picks none: {_listed(absent)}." if absent else said


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _listed(names: Iterable[str]) -> str:
    """`GCN, SGC and APPNP`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


_FIGURES: dict[str, tuple[str, Callable[[Described, pd.DataFrame], list[str]]]] = {
    "labels": ("Accuracy against labelled samples per class", labels),
    "depths": ("Accuracy against propagation steps", depths),
    "neighbours": ("Accuracy against the number of neighbours", neighbours),
    "hops": ("ACC against propagation steps", influence_claims.hops),
    "teleport": ("ACC against the teleport", influence_claims.teleport),
}

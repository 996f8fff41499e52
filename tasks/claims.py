"""Sentences of the report, made from the results: what of the paper's text holds here."""

from typing import Any

import pandas as pd

from tasks.experiments import METHODS, Experiment, published_name
from tasks.picking import Method
from tasks.published import published_cells

# Points by which a value may fall short of the published one and still count as reached, and
# those beyond which it is too good to be the same thing done again.
TOLERANCE = 1.0
FAR_ABOVE = 1.5
OVER_SMOOTHED = 1.0


def reached(experiment: Experiment, results: pd.DataFrame) -> list[str]:
    """Per method and protocol: in how many cells the published value is reached, and where not.

    Where runs differ, the lowest and the highest of a cell that is short stand beside the gap.
    """
    printed = published_cells(experiment)
    printed = printed[(printed["metric"] == experiment.metrics[0]) & (printed["noise"] == "")]
    theirs: dict[Any, float] = printed.set_index(["method", "dataset"])["value"].to_dict()
    ours = results[results["metric"] == experiment.metrics[0]]
    lines = []
    groups: Any = ours.groupby(["method", "protocol"], sort=False)
    for (method, protocol), rows in groups:
        gaps, spreads = {}, {}
        percent: Any = (100 * rows.set_index("dataset")["value"]).groupby(level=0, sort=False)
        for dataset, values in percent:
            if (published_name(method), dataset) not in theirs:
                continue
            gaps[dataset] = round(values.mean() - 100 * theirs[published_name(method), dataset], 6)
            differ = values.max() > values.min()
            spreads[dataset] = f"; runs {values.min():.1f}..{values.max():.1f}" if differ else ""
        if not gaps:
            continue
        short = [name for name, gap in gaps.items() if gap < -TOLERANCE]
        above = [name for name, gap in gaps.items() if gap > FAR_ABOVE]
        line = f"- {method}, `{protocol}`: {len(gaps) - len(short)} of {len(gaps)}"
        if short:
            listed = (f"{name} ({gaps[name]:+.1f}{spreads[name]})" for name in short)
            line += f"; short at {', '.join(listed)}"
        if above:
            listed = (f"{name} ({gaps[name]:+.1f})" for name in above)
            line += f"; more than {FAR_ABOVE:g} above at {', '.join(listed)}"
        lines.append(line)
    if not lines:
        return []
    head = f"Published values reached to {TOLERANCE:g} point or exceeded (differences in points):\n"
    return [head, *lines, *(f"\n{remark}" for remark in experiment.remarks)]


def over_smoothing(timings: pd.DataFrame, method: str = "FLGC*") -> list[str]:
    """Whether accuracy at the most hops stays near the best, dataset by dataset."""
    own = timings[timings["method"] == method]
    if own.empty:
        return []
    most = own["hops"].max()
    lines = []
    for dataset, here in own.groupby("dataset", sort=False):
        by_hops = 100 * here.set_index("hops")["accuracy"]
        lost = by_hops.max() - by_hops[most]
        verdict = "holds" if lost <= OVER_SMOOTHED else "**does not hold**"
        lines.append(
            f"- {dataset}: {verdict}; {by_hops[most]:.1f} at {most} hops, best {by_hops.max():.1f} "
            f"at {by_hops.idxmax()}"
        )
    head = (
        f"No over-smoothing ({method} at {most} hops within {OVER_SMOOTHED:g} point of its best):"
    )
    return [f"{head}\n", *lines]


def fastest(timings: pd.DataFrame) -> list[str]:
    """Whether each closed form is faster than every rival at equal hops, and where it is not."""
    seconds: Any = timings.pivot_table(
        index=["dataset", "hops"], columns="method", values="seconds", sort=False
    )
    closed = [name for name in seconds if isinstance(METHODS[name], Method)]
    rivals = [name for name in seconds if name not in closed]
    if not closed or not rivals:
        return []
    lines = []
    for method in closed:
        ratios = seconds[rivals].div(seconds[method], axis=0)
        middle = ", ".join(f"{rival} {ratio:.0f}x" for rival, ratio in ratios.median().items())
        slower = [
            f"{dataset} at {hops} hops ({rival})"
            for rival in rivals
            for (dataset, hops), ratio in ratios[rival].items()
            if ratio < 1
        ]
        line = f"- {method} (medians: {middle}): "
        if slower:
            line += f"**not everywhere**; slower on {', '.join(slower)}"
        else:
            line += f"faster at all {len(ratios)} pairs of dataset and hops"
        lines.append(line)
    return ["Training time at equal hops, rivals' seconds divided by ours:\n", *lines]

"""The critical-difference diagram: mean ranks on an axis, bars under methods that do not differ.

The best is at the left. A bar joins neighbours if no pair of them differs after Holm's correction
over all pairs of exact Wilcoxon tests. The same numbers give the same bytes of SVG.
"""

import io
from math import ceil, floor
from textwrap import fill
from typing import TYPE_CHECKING, Any

from flgc.statistics.many_methods import Comparison
from flgc.statistics.rendering import unjoined_sentence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXIS_WIDTH = 5.5  # inches; names at both sides widen the figure
ROW, BAR_STEP, LINE = 0.24, 0.13, 0.17  # heights in inches: a name, a bar, a line of the caption
COLOUR = "#0072b2"


def critical_difference(found: Comparison) -> "Figure":
    """Draw the diagram, with names of the better half at the left and the others at the right."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "figures need matplotlib: pip install 'flgc[plots]'", name=error.name
        ) from error

    ranks, ranking, groups = found.friedman.mean_ranks, found.ranking, found.groups
    if not ranking:
        raise ValueError("no dataset has values of all methods: no mean ranks, hence no diagram")
    low, high = floor(min(ranks.values())), ceil(max(ranks.values()))
    high = max(high, low + 1)
    caption = [fill(line, 100, break_on_hyphens=False) for line in _caption(found)]
    n_left = ceil(len(ranking) / 2)
    names_from = BAR_STEP * (len(groups) + 1.5)
    depth = names_from + ROW * n_left + LINE * "\n".join(caption).count("\n") + LINE * 1.3

    figure = Figure(figsize=(AXIS_WIDTH, depth + 0.6))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(low, high)
    axes.set_ylim(-depth, 0.6)
    axes.plot([low, high], [0, 0], color="black", lw=1, clip_on=False)
    step = max(1, ceil((high - low) / 12))
    for tick in range(low, high + 1, step):
        axes.plot([tick, tick], [0, 0.06], color="black", lw=1, clip_on=False)
        axes.text(tick, 0.09, str(tick), ha="center", va="bottom", fontsize=9)
    axes.text((low + high) / 2, 0.32, "mean rank, the best at the left", ha="center", fontsize=9)
    margin = 0.03 * (high - low)
    for i, method in enumerate(ranking):
        left = i < n_left
        row = i if left else len(ranking) - 1 - i
        x, y = ranks[method], -names_from - ROW * row
        edge, side = (low - margin, "right") if left else (high + margin, "left")
        axes.plot([x, x, edge], [0, y, y], color="#555555", lw=0.8, clip_on=False)
        place: dict[str, Any] = {"ha": side, "va": "center", "fontsize": 9, "parse_math": False}
        gap, text = (
            (-margin / 3, f"{method}  {x:.2f}") if left else (margin / 3, f"{x:.2f}  {method}")
        )
        axes.text(edge + gap, y, text, **place)
    for i, group in enumerate(groups):
        y, ends = -BAR_STEP * (i + 1), [ranks[group[0]], ranks[group[-1]]]
        reach = 0.006 * (high - low)
        axes.plot(
            [ends[0] - reach, ends[1] + reach],
            [y, y],
            color=COLOUR,
            lw=3.5,
            solid_capstyle="butt",
            clip_on=False,
            zorder=3,
        )
    axes.text(
        (low + high) / 2,
        -names_from - ROW * n_left,
        "\n".join(caption),
        ha="center",
        va="top",
        fontsize=8,
        color="#333333",
        parse_math=False,
    )
    return figure


def as_svg(found: Comparison) -> str:
    """The diagram as SVG text."""
    figure = critical_difference(found)
    import matplotlib

    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "flgc", "svg.fonttype": "none"}):
        figure.savefig(
            out, format="svg", metadata={"Date": None}, bbox_inches="tight", pad_inches=0.1
        )
    return out.getvalue()


def as_png(found: Comparison) -> bytes:
    """The diagram as a PNG file."""
    out = io.BytesIO()
    critical_difference(found).savefig(
        out, format="png", dpi=200, bbox_inches="tight", pad_inches=0.1
    )
    return out.getvalue()


def _caption(found: Comparison) -> list[str]:
    n, all_datasets = found.friedman.datasets, len(found.table)
    over = f"{n} datasets" if n == all_datasets else f"{n} of {all_datasets} datasets"
    bars = "; a bar: no significant difference" if found.groups else ""
    lines = [f"{over}; Wilcoxon, Holm over all pairs, level {found.level:g}{bars}."]
    return [*lines, *filter(None, [unjoined_sentence(found)])]

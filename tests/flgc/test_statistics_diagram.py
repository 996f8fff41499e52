from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from flgc.statistics import comparison, diagram
from tests.flgc.compared import AWKWARD, drawn, paper_accuracies
from tests.speeds import slow

LONG = [f"a method with quite a long name {i}" for i in range(20)]


def test_the_same_numbers_give_the_same_bytes():
    found = comparison(paper_accuracies())
    svg = diagram.as_svg(found)
    assert svg == diagram.as_svg(found)
    assert "<dc:date>" not in svg
    ElementTree.fromstring(svg)
    assert diagram.as_png(found).startswith(b"\x89PNG")


def test_it_says_what_it_shows():
    texts = diagram.as_svg(comparison(paper_accuracies()))
    assert "mean rank, the best at the left" in texts
    assert (
        "24 datasets; Wilcoxon, Holm over all pairs, level 0.05; a bar: no significant difference."
        in texts
    )
    assert "FLGC*  2.31" in texts
    assert "9.29  SS-ELM" in texts
    assert "FLGC* with GCNII, GCN, LapRLS, TSVM;" in texts
    gap = paper_accuracies()
    gap.iloc[0, 0] = np.nan
    assert "23 of 24 datasets; Wilcoxon" in diagram.as_svg(comparison(gap))


def test_bars_are_as_wide_as_the_groups():
    found = comparison(paper_accuracies())
    ranks = found.friedman.mean_ranks
    axes = diagram.critical_difference(found).axes[0]
    bars = [line for line in axes.lines if line.get_color() == diagram.COLOUR]
    assert len(bars) == len(found.groups) == 4
    heights = [float(bar.get_ydata()[0]) for bar in bars]
    assert len(set(heights)) == 4
    for bar, group in zip(bars, found.groups, strict=True):
        ends = [ranks[group[0]], ranks[group[-1]]]
        assert bar.get_xdata() == pytest.approx(ends, abs=0.1)


@pytest.mark.parametrize("names", [LONG[:2], list(AWKWARD), *(slow(LONG[:n]) for n in (3, 11, 20))])
@pytest.mark.parametrize("spread", [0.0, 2.0])
def test_no_text_lies_on_another(names, spread):
    """All texts as they are drawn, the caption included; and every method is named once."""
    figure = diagram.critical_difference(comparison(drawn(16, names, spread)))
    renderer = FigureCanvasAgg(figure).get_renderer()
    texts = figure.axes[0].texts
    boxes = [text.get_window_extent(renderer) for text in texts]
    for first, second in combinations(boxes, 2):
        assert not first.overlaps(second)
    shown = " ".join(text.get_text() for text in texts[:-1])
    assert all(shown.count(name) >= 1 for name in names)


def test_bars_lie_above_the_names():
    axes = diagram.critical_difference(comparison(drawn(40, LONG))).axes[0]
    bars = [line.get_ydata()[0] for line in axes.lines if line.get_color() == diagram.COLOUR]
    names = [text.get_position()[1] for text in axes.texts if "name" in text.get_text()]
    assert len(bars) > 3
    assert min(bars) > max(names[:20])


def test_without_mean_ranks_there_is_no_diagram():
    table = drawn(9, ["a", "b", "c"])
    for i in range(9):
        table.iloc[i, i % 3] = np.nan
    with pytest.raises(ValueError, match="no mean ranks, hence no diagram"):
        diagram.as_svg(comparison(table, "a"))

"""Affinity matrices, sorted by class: a panel for each dataset and method."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from flgc.methods.sorted_affinity import SortedAffinity
from tasks.document.figures.dots import figure_as_svg
from tasks.document.tables import titled_as

# Pixels on a side: a larger matrix is shown by the means of its blocks.
MOST_PIXELS = 512
# So many of the entries that are not 0 are not quite black: a few large ones do not hide the rest.
BLACK_AT = 0.98


def affinity_figure(
    affinities: Mapping[str, Mapping[str, SortedAffinity]], results: pd.DataFrame
) -> str:
    """The darker the larger, in proportion; a thin frame around the block of each class."""
    shown = [
        (f"{titled_as(dataset, results)}, {method}", affinity)
        for dataset, of_methods in affinities.items()
        for method, affinity in of_methods.items()
    ]
    with figure_as_svg((4.4 * len(shown), 4.9)) as (figure, out):
        [panels] = figure.subplots(1, len(shown), squeeze=False)
        for panel, (title, affinity) in zip(panels, shown, strict=True):
            side = len(affinity.labels)
            image = shrunk(affinity.matrix)
            panel.imshow(
                image,
                cmap="gray_r",
                vmin=0,
                vmax=_black(image),
                extent=(0, side, side, 0),
                interpolation="none",
            )
            for start, end in affinity.blocks:
                corners = [start, end, end, start, start], [start, start, end, end, start]
                panel.plot(*corners, color="#d55e00", linewidth=0.6)
            panel.set_xlim(0, side)
            panel.set_ylim(side, 0)
            panel.set_title(title)
            panel.set_xlabel(f"samples by class; {affinity.inside:.1%} within classes")
    return out.getvalue()


def _black(image: np.ndarray) -> float:
    """The entry from which on all is black, of those that are not 0."""
    entries = image[image > 0]
    return float(np.quantile(entries, BLACK_AT)) if len(entries) else 1.0


def shrunk(matrix: np.ndarray) -> np.ndarray:
    """The means of square blocks, the last ones smaller: at most so many pixels on a side."""
    step = -(-len(matrix) // MOST_PIXELS)
    starts = np.arange(0, len(matrix), step)
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    sizes = np.diff([*starts, len(matrix)])
    return sums / np.outer(sizes, sizes)

"""Affinity matrices, rows and columns in the order of the classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from flgc.methods.sorted_affinity import SortedAffinity
from tasks.analyses.base import Analysis, Product, TableSteps
from tasks.analyses.curves import title_of
from tasks.analyses.pictures import figure_as_svg
from tasks.report.blocks import Block, text
from tasks.report.tables import titled_as
from tasks.stages.products import affinity

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence

# Pixels on a side: a larger matrix is shown by the means of its blocks.
MOST_PIXELS = 512
# So many of the entries that are not 0 are not quite black: a few large ones do not hide the rest.
BLACK_AT = 0.98


@dataclass(frozen=True)
class Affinities(Analysis):
    """The affinity matrix of a method as in `paper`, sorted by class."""

    kind = "affinity"
    title = "Affinity matrices, sorted by class"
    datasets: tuple[str, ...]
    method: str

    def products(self, table: TableSteps) -> Iterator[Product]:
        """A matrix for each dataset."""
        for cell in table.of("paper", self.datasets):
            if cell.method == self.method:
                step = table.steps.add(
                    affinity,
                    title_of(cell, "affinity"),
                    data=cell.data,
                    method=cell.spec,
                    grid=cell.whole_grid,
                    seeds=cell.subject.seeds(table.experiment, 1),
                    without=cell.without,
                    device=table.device,
                    picks=cell.picks,
                    graphs=cell.graphs_by_title,
                )
                path = (cell.subject.title, cell.method)
                yield Product(self.name, path, step, cell.method)

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """The share of affinity within the classes, and that of a matrix without any structure."""
        return pd.DataFrame(
            [
                {
                    "dataset": dataset,
                    "method": method,
                    "inside": each.inside,
                    "by_chance": each.by_chance,
                }
                for dataset, of_methods in evidence.products.get(self.name, {}).items()
                for method, each in of_methods.items()
            ]
        )

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """The matrices, as a picture."""
        return {self.name: draw_affinities(evidence.products[self.name], evidence.results)}

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """How much of the affinity is within classes."""
        return text(
            f"- {titled_as(row['dataset'], evidence.results)}, {row['method']}: "
            f"{row['inside']:.1%} of the affinity between different samples is within classes; "
            f"{row['by_chance']:.1%} if it were even"
            for row in rows.to_dict("records")
        )


def draw_affinities(
    affinities: Mapping[str, Mapping[str, SortedAffinity]], results: pd.DataFrame
) -> str:
    """The darker the larger, in proportion; a thin frame around the block of each class."""
    by_title = [
        (f"{titled_as(dataset, results)}, {method}", affinity)
        for dataset, of_methods in affinities.items()
        for method, affinity in of_methods.items()
    ]
    with figure_as_svg((4.4 * len(by_title), 4.9)) as (figure, out):
        [panels] = figure.subplots(1, len(by_title), squeeze=False)
        for panel, (title, affinity) in zip(panels, by_title, strict=True):
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

"""Some of the images of datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from flgc.datasets.dataset import Dataset
from tasks.analyses.base import Analysis, Product, TableSteps
from tasks.analyses.pictures import figure_as_svg

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence

GAP = 2  # pixels between two images


@dataclass(frozen=True)
class Samples(Analysis):
    """Images of datasets: `columns` of each of so many `classes`, evenly over both."""

    kind = "samples"
    title = "Some of the images"
    datasets: tuple[str, ...]
    classes: int = 4
    columns: int = 8

    def products(self, table: TableSteps) -> Iterator[Product]:
        """The datasets themselves."""
        for name in self.datasets:
            if name in table.datasets:
                yield Product(self.name, (name,), table.datasets[name])

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """The datasets that are available."""
        return pd.DataFrame({"dataset": list(evidence.products.get(self.name, {}))})

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """A panel for each dataset, a row of images for each class."""
        datasets = list(evidence.products[self.name].values())
        return {self.name: draw_samples(datasets, self.classes, self.columns)}


def draw_samples(datasets: Sequence[Dataset], rows: int, columns: int) -> str:
    """Shades of grey, from black at 0 to white at 1."""
    sheets = {dataset.title: sheet(dataset, rows, columns) for dataset in datasets}
    wide = [image.shape[1] / image.shape[0] for image in sheets.values()]
    height = 0.5 * rows
    with figure_as_svg((height * sum(wide) + 0.3 * len(wide), height + 0.4)) as (figure, out):
        [panels] = figure.subplots(1, len(sheets), squeeze=False, width_ratios=wide)
        for panel, (title, image) in zip(panels, sheets.items(), strict=True):
            panel.imshow(image, cmap="gray", vmin=0, vmax=1, interpolation="none")
            panel.set_title(title, fontsize="medium")
            panel.set_axis_off()
    return out.getvalue()


def sheet(dataset: Dataset, rows: int, columns: int) -> np.ndarray:
    """Classes evenly over all of them, and images evenly over each class, on white."""
    if dataset.image_shape is None:
        raise ValueError(f"{dataset.title} has no images: name datasets that have an image_shape")
    height, width = dataset.image_shape
    classes = _evenly(np.unique(dataset.labels[dataset.labels >= 0]), rows)
    page = np.ones((len(classes) * (height + GAP) - GAP, columns * (width + GAP) - GAP))
    for i, code in enumerate(classes):
        for j, node in enumerate(_evenly(np.flatnonzero(dataset.labels == code), columns)):
            top, left = i * (height + GAP), j * (width + GAP)
            image = np.asarray(dataset.features[node]).reshape(height, width)
            page[top : top + height, left : left + width] = image
    return page


def _evenly(values: np.ndarray, count: int) -> np.ndarray:
    """The first, the last and others between them; all if there are no more."""
    at = np.linspace(0, len(values) - 1, min(count, len(values))).round().astype(int)
    return values[at]

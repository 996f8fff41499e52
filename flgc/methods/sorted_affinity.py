"""The affinity A of a clustering, rows and columns in the order of the classes (Figure 9).

    inside = sum of A_ij over i != j of one class / sum of A_ij over i != j

It is 1 where all affinity is within the classes, and the share of such pairs where A is even.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flgc.methods.base import Method, Setting
from flgc.methods.judging import posed


@dataclass(frozen=True, eq=False)
class SortedAffinity:
    """`labels` are the class of each row, ascending; -1 (unknown) comes first."""

    matrix: np.ndarray
    labels: np.ndarray

    @property
    def inside(self) -> float:
        """The share of affinity between different rows that is within a class."""
        total = _between(self.matrix)
        blocks = [slice(start, end) for start, end in self.blocks]
        within = sum(_between(self.matrix[block, block]) for block in blocks)
        return within / total if total else 0.0

    @property
    def by_chance(self) -> float:
        """The value of `inside` if all pairs of rows had the same affinity."""
        sizes = np.array([end - start for start, end in self.blocks])
        pairs = len(self.labels) * (len(self.labels) - 1)
        return float((sizes * (sizes - 1)).sum() / pairs) if pairs else 0.0

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """(start, end) of each known class."""
        codes = np.unique(self.labels[self.labels >= 0])
        starts, ends = (np.searchsorted(self.labels, codes, side) for side in ("left", "right"))
        return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _between(matrix: np.ndarray) -> float:
    """The sum without the diagonal."""
    return float(matrix.sum(dtype=np.float64) - np.trace(matrix, dtype=np.float64))


def sort_affinity(
    data: Any,
    graphs: Sequence[Any],
    method: Method,
    setting: Setting,
    seeds: Sequence[int],
    without: Sequence[str] = (),
    device: str = "cpu",
) -> SortedAffinity:
    """The affinity of a method at a setting on one graph, for the first seed."""
    [P] = graphs
    problem, _ = posed(data.without(without), P, None, seeds[:1], method, device)
    grid = {axis: (setting[axis],) for axis in method.axes}
    [(_, outputs)] = method.answers(problem, grid)
    if "affinity" not in outputs.extras:
        raise ValueError(f"{method.name} has no affinity: choose a method that clusters one")
    [affinity] = outputs.extras["affinity"]
    order = np.argsort(data.labels, kind="stable")
    return SortedAffinity(affinity[np.ix_(order, order)].astype(np.float32), data.labels[order])

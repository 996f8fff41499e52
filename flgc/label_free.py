"""How good clusters look where nobody knows the classes: criteria to compare settings by.

All of them see the features in spaces that are the same for every setting, scaling and method:

    S1 = standardised X,   S2 = rows of X at unit length,   S3 = rows of S1 at unit length,
    S4 = the leading principal components of S1, whitened

Larger is better. How they were chosen: docs/rules.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import scipy.linalg as la
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from flgc.graph import knn_graph
from flgc.metrics import modularity
from flgc.scaling import dense, standardised

# Of the graphs in which modularity is measured.
NEIGHBOURS = 3
# Share of the variance that is whitened, and nodes for each component at least.
WHITENED, NODES_EACH = 0.95, 4
# Squared distortion of the coding rate, of features whose mean square is 1 / rank.
DISTORTION = 0.1
# Rows that are looked at: evenly over all of them, if there are more.
MOST_ROWS = 2_500
# What R and the two rates together are made of.
RANKED = {"rate3": 1.0, "rate2": 1.0, "mod4": 2.0}
RATES = {"rate3": 1.0, "rate2": 1.0}
# What is picked by, and in words (docs/rules.md).
CHOSEN, IN_WORDS = "rates", "ranks of two coding rates"


@dataclass(frozen=True, eq=False)
class LabelFree:
    """The criteria of clusters of the rows of X, each of which is a single number."""

    X: Any

    def __call__(self, labels: np.ndarray) -> dict[str, float]:
        """The number of clusters that have a row, mod4, and the rates in S2 and S3."""
        codes = np.unique(np.asarray(labels), return_inverse=True)[1]
        seen = codes[self._rows]
        return {
            "n_clusters": float(codes.max() + 1),
            "mod4": float(np.mean([modularity(A, seen) for A in self._graphs])),
            "rate2": self._kernels[0].rate(seen),
            "rate3": self._kernels[1].rate(seen),
        }

    @cached_property
    def _rows(self) -> np.ndarray:
        n = self.X.shape[0]
        return np.unique(np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(int))

    @cached_property
    def _spaces(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        X = dense(self.X[self._rows]).astype(np.float64)
        S1 = standardised(X)
        return S1, normalize(X), normalize(S1), whitened(S1)

    @cached_property
    def _graphs(self) -> list[sp.csr_array]:
        n_neighbors = min(NEIGHBOURS, len(self._rows) - 1)
        return [knn_graph(S, n_neighbors) for S in self._spaces]

    @cached_property
    def _kernels(self) -> tuple[Kernel, Kernel]:
        return Kernel.of(self._spaces[1]), Kernel.of(self._spaces[2])


@dataclass(frozen=True, eq=False)
class Kernel:
    """K = SS' of a space S, scaled to the trace N, by its root F: K = FF', of full column rank."""

    F: np.ndarray

    @classmethod
    def of(cls, S: np.ndarray) -> Kernel:
        """From a space; in one of zeros alone there is nothing."""
        U, values, _ = la.svd(S, full_matrices=False)
        kept = values > max(S.shape) * np.finfo(float).eps * values.max(initial=0.0)
        root = U[:, kept] * values[kept]
        norm = la.norm(root)
        return cls(root * np.sqrt(len(S)) / norm if norm > 0 else root)

    def rate(self, codes: np.ndarray) -> float:
        """-sum_c n_c / 2N log det(I + d / (.1 n_c) K_cc), d the rank of K.

        K_cc is K among the n_c rows of cluster c. It is what the rows of a cluster would cost to
        be coded by its own Gaussian (the rate within classes of MCR2), with a minus.
        """
        n, d = self.F.shape
        total = 0.0
        for code in range(codes.max() + 1):
            rows = self.F[codes == code]
            size = len(rows)
            if not size or not d:
                continue
            inner = rows @ rows.T if size <= d else rows.T @ rows
            inner *= d / (DISTORTION * size)
            inner.flat[:: len(inner) + 1] += 1.0
            root = la.cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
            total += size / n * np.log(root.diagonal()).sum()
        return -float(total)


def whitened(S: np.ndarray) -> np.ndarray:
    """The leading principal components at variance 1, those with 95 % of it, at most N / 4."""
    U, values, _ = la.svd(S - S.mean(axis=0), full_matrices=False)
    shares = np.cumsum(values**2)
    count = int(np.searchsorted(shares, WHITENED * shares[-1])) + 1
    count = max(1, min(count, len(S) // NODES_EACH))
    return U[:, :count] * np.sqrt(len(S))


def full_first(table: pd.DataFrame, n_clusters: str = "n_clusters") -> pd.DataFrame:
    """The settings with as many clusters as any of them has: others have lost some."""
    return table[table[n_clusters] == table[n_clusters].max()]


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """The settings among which one is picked, with what it is picked by."""
    full = full_first(table)
    return full.assign(**{CHOSEN: by_ranks(full, RATES)})


def by_ranks(table: pd.DataFrame, weights: Mapping[str, float] = RANKED) -> pd.Series:
    """R = rank(rate3) + rank(rate2) + 2 rank(mod4) among these settings, equal ones in between.

    Or the sum of other criteria's ranks, each with its weight.
    """
    ranks = table[[*weights]].round(9).rank()
    return sum(weight * ranks[name] for name, weight in weights.items())  # type: ignore[return-value]


def medoids(clusterings: Sequence[np.ndarray]) -> np.ndarray:
    """Mean adjusted Rand index of each clustering with all others, (clusterings,)."""
    rand = agreements(clusterings)
    n = len(rand)
    return (rand.sum(axis=1) - rand.diagonal()) / max(n - 1, 1)


def agreements(clusterings: Sequence[np.ndarray]) -> np.ndarray:
    """Adjusted Rand index of all pairs: pairs of nodes that both join, less what chance gives."""
    codes = [np.unique(labels, return_inverse=True)[1] for labels in clusterings]
    starts = np.cumsum([0, *(int(each.max()) + 1 for each in codes)])
    n = len(codes[0])
    members = np.zeros((n, starts[-1]), dtype=np.float32)
    for start, each in zip(starts[:-1], codes, strict=True):
        members[np.arange(n), start + each] = 1
    sizes = members.sum(axis=0, dtype=np.float64)
    alone = np.add.reduceat(sizes * (sizes - 1), starts[:-1]) / 2  # pairs that each one joins
    found = np.empty((len(codes), len(codes)))
    for i, (start, end) in enumerate(pairwise(starts)):
        counts = (members[:, start:end].T @ members).astype(np.float64)
        both = np.add.reduceat((counts * (counts - 1)).sum(axis=0), starts[:-1]) / 2
        chance = alone[i] * alone / (n * (n - 1) / 2)
        most = (alone[i] + alone) / 2
        apart = most - chance
        found[i] = np.where(apart > 0, (both - chance) / np.where(apart > 0, apart, 1.0), 1.0)
    return found


def of_distinct(of_one: Any, clusterings: Sequence[Any]) -> dict[str, np.ndarray]:
    """What a function says of each clustering, asked once where several are the same."""
    found: dict[bytes, Mapping[str, float]] = {}
    keys = []
    for labels in clusterings:
        codes = np.unique(np.asarray(labels), return_inverse=True)[1]
        key = codes.astype(np.int32).tobytes()
        if key not in found:
            found[key] = of_one(codes)
        keys.append(key)
    names = found[keys[0]]
    return {name: np.array([found[key][name] for key in keys]) for name in names}

"""Criteria for picking a clustering without classes, side by side.

silhouette    of the clusters in standardised features, one space for all settings
embedding     silhouette in the setting's own spectral embedding
eigengap      of the normalised affinity, behind as many eigenvalues as there are clusters
modularity    of the setting's own affinity
common        modularity of the clusters on one graph for all settings: ten neighbours in
              standardised features
stability     agreement (adjusted Rand) with the clusters of four nodes in five
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from flgc.graph import knn_graph
from flgc.methods.base import Grid, Method, Problem, as_columns
from flgc.methods.judging import posed
from flgc.methods.picking import part_of
from flgc.metrics import modularity, silhouette
from flgc.scaling import scaled
from flgc.spectral import eigengap, spectral_embedding

CRITERIA = ("silhouette", "embedding", "eigengap", "modularity", "common", "stability")
KEPT, COMMON_NEIGHBOURS = 0.8, 10


def compare_criteria(
    data: Any,
    graphs: Sequence[Any],
    grids: Sequence[Grid],
    method: Method,
    parts: Mapping[str, Grid],
    seed: int,
) -> pd.DataFrame:
    """The pick of each criterion for each row of a method, and how good it is.

    Each graph has its grid; `parts` are the rows' parts of the grids, by name. One line for each
    row and criterion: ACC and NMI of the pick, and the rank correlation of the criterion with ACC
    over all settings.
    """
    tables = [
        criteria_of(data, graph, grid, method, seed)
        for graph, grid in zip(graphs, grids, strict=True)
    ]
    every, lines = pd.concat(tables, ignore_index=True), []
    for row, part in parts.items():
        own = part_of(every, part).reset_index(drop=True)
        for criterion in (*CRITERIA, "ACC"):
            best = own.iloc[own[criterion].to_numpy().argmax()]
            ranks = own[criterion].corr(own["ACC"], method="spearman")
            line = {"row": row, "criterion": criterion, "correlation": ranks}
            lines.append(line | {metric: float(best[metric]) for metric in ("ACC", "NMI")})
    return pd.DataFrame(lines)


def criteria_of(data: Any, graph: Any, grid: Grid, method: Method, seed: int) -> pd.DataFrame:
    """All criteria of every setting on a graph."""
    problem, judge = posed(data, graph, None, [seed], method)
    kept = np.random.default_rng(seed).permutation(problem.n_nodes)
    kept = np.sort(kept[: round(KEPT * problem.n_nodes)])
    again = {
        tuple(setting.values()): outputs.classes[0]
        for setting, outputs in method.answers(_part_of(problem, kept), grid)
    }
    common = knn_graph(scaled(data.features, "standardised"), COMMON_NEIGHBOURS)
    rows = []
    for setting, outputs in method.answers(problem, grid):
        [labels], [affinity] = outputs.classes, outputs.extras["affinity"]
        embedding = spectral_embedding(affinity, problem.n_classes)
        judged = {name: of_runs[0] for name, of_runs in judge([0], [labels]).items()}
        rows.append(
            as_columns(setting)
            | judged
            | {
                "embedding": silhouette(pairwise_distances(embedding), labels),
                "eigengap": eigengap(affinity, problem.n_classes),
                "modularity": modularity(affinity, labels),
                "common": modularity(common, labels),
                "stability": adjusted_rand_score(labels[kept], again[tuple(setting.values())]),
            }
        )
    return pd.DataFrame(rows)


def _part_of(problem: Problem, nodes: Sequence[int] | np.ndarray) -> Problem:
    """The problem with these nodes only, and the edges among them."""
    return dataclasses.replace(
        problem,
        X=problem.X[nodes],
        P=problem.P[nodes][:, nodes],
        labels=problem.labels[:, nodes],
        asked=tuple(np.arange(len(nodes)) for _ in problem.seeds),
    )

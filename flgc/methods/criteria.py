"""Criteria for picking a clustering without classes, side by side.

silhouette    of the clusters in standardised features, one space for all settings
embedding     silhouette in the setting's own spectral embedding
common        modularity of the clusters in one graph: ten neighbours in standardised features
mod4          mean modularity of the clusters in four graphs of three neighbours, the same for all
rate2, rate3  coding rate within the clusters, in rows of unit length, raw and standardised
rates         rank(rate3) + rank(rate2) among the row's own settings
ranks         rank(rate3) + rank(rate2) + 2 rank(mod4) among the row's own settings
medoid        mean adjusted Rand index with the clusters of all other settings of the row
medoid-mod4   the product of the two

The formulas are in `flgc/label_free.py`. Settings that have lost a cluster are out before any
criterion is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import pairwise_distances

from flgc.graph import knn_graph
from flgc.label_free import RATES, by_ranks, full_first, medoids
from flgc.methods.base import Grid, Method, as_columns
from flgc.methods.judging import posed
from flgc.methods.picking import part_of
from flgc.metrics import modularity, silhouette
from flgc.scaling import scaled
from flgc.spectral import spectral_embedding

CRITERIA = (
    *("silhouette", "embedding", "common", "mod4", "rate2", "rate3"),
    *("rates", "ranks", "medoid", "medoid-mod4"),
)
COMMON_NEIGHBOURS = 10
CLUSTERS = "clusters"  # the column of what was found


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
        own = part_of(every, part)
        best = own["ACC"].max()
        own = among(full_first(own).reset_index(drop=True))
        for criterion in CRITERIA:
            picked = own.iloc[own[criterion].to_numpy().argmax()]
            ranks = own[criterion].corr(own["ACC"], method="spearman")
            line = {"row": row, "criterion": criterion, "correlation": ranks}
            lines.append(line | {metric: float(picked[metric]) for metric in ("ACC", "NMI")})
        top = part_of(every, part)
        top = top[top["ACC"] == best].iloc[0]
        line = {"row": row, "criterion": "ACC", "correlation": 1.0}
        lines.append(line | {metric: float(top[metric]) for metric in ("ACC", "NMI")})
    return pd.DataFrame(lines)


def among(own: pd.DataFrame) -> pd.DataFrame:
    """With the criteria that compare a setting with the others."""
    medoid = medoids(own[CLUSTERS].tolist())
    return own.assign(
        rates=by_ranks(own, RATES),
        ranks=by_ranks(own),
        medoid=medoid,
        **{"medoid-mod4": medoid * own["mod4"].to_numpy()},
    )


def criteria_of(data: Any, graph: Any, grid: Grid, method: Method, seed: int) -> pd.DataFrame:
    """The criteria of every setting on a graph that need no other setting, and its clusters."""
    problem, judge = posed(data, graph, None, [seed], method)
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
                "common": modularity(common, labels),
                CLUSTERS: np.asarray(labels),
            }
        )
    return pd.DataFrame(rows)

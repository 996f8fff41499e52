"""Clustering: the scores of a whole grid, and the clusters of the picked setting."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.metrics import silhouette_score

from flgc.clustering import FLGCClustering
from flgc.device import resolve_device, to_device, to_numpy
from flgc.metrics import clustering_accuracy, normalized_mutual_information
from flgc.propagation import iterate_hops
from flgc.scaling import scaled
from tasks.picking import AXES
from tasks.running.progress import tracked


def clustering_scores(
    P: sp.csr_array,
    features: Any,
    labels: np.ndarray,
    n_classes: int,
    seeds: Sequence[int],
    scalings: Sequence[str],
    hops: Sequence[int],
    teleports: Sequence[float],
    regularizations: Sequence[float],
    blocks: dict[str, float],
    device: str = "cpu",
) -> pd.DataFrame:
    """One row per setting and run: ACC and NMI against the truth, and the silhouette without it."""
    where = resolve_device(device)
    rows = []

    def embeddings() -> Iterator[tuple[tuple[str, int, float], np.ndarray, np.ndarray]]:
        for scaling in scalings:
            X = dense(scaled(features, scaling))
            for teleport in teleports:
                every = iterate_hops(to_device(P, where), to_device(X, where), max(hops), teleport)
                for n_hops, H in enumerate(every):
                    if n_hops in hops:
                        yield (scaling, n_hops, teleport), X, to_numpy(H).copy()

    total = len(scalings) * len(teleports) * len(set(hops))
    for axes, X, H in tracked(embeddings(), total):
        for regularization in regularizations:
            for run, seed in enumerate(seeds):
                model = clustered(H, X, n_classes, regularization, seed, blocks)
                scores = agreement(labels, model.labels_)
                rows.append((run, *axes, regularization, *scores, silhouette(model)))
    return pd.DataFrame(rows, columns=["run", *AXES, "ACC", "NMI", "silhouette"])


def clustered(
    H: np.ndarray,
    X: np.ndarray,
    n_clusters: int,
    regularization: float,
    seed: int,
    blocks: dict[str, float],
) -> FLGCClustering:
    """The clusters of an embedding, always by the exact solver."""
    model = FLGCClustering(
        n_clusters,
        regularization=regularization,
        solver="exact",
        device="cpu",
        random_state=seed % 2**32,
        **blocks,  # type: ignore[arg-type]
    )
    return model.fit_embedding(H, X)


def agreement(truth: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """ACC and NMI."""
    return clustering_accuracy(truth, labels), normalized_mutual_information(truth, labels)


def silhouette(model: FLGCClustering) -> float:
    """How much closer nodes are to their own cluster than to the next, in 1 - affinity."""
    if len(np.unique(model.labels_)) < 2:
        return -1.0
    distance = 1.0 - model.affinity_matrix_
    np.fill_diagonal(distance, 0.0)
    return float(silhouette_score(distance, model.labels_, metric="precomputed"))


def dense(X: Any) -> np.ndarray:
    """Self-expression works on dense features."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)

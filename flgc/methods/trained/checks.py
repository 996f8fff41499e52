"""What a training refuses before it starts: each message names the value and what is possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp


def checked_checkpoints(checkpoints: Sequence[int], epochs: int) -> tuple[int, ...]:
    """The epochs to look at; the last one where none is named."""
    wanted = tuple(int(epoch) for epoch in checkpoints) or (epochs,)
    for epoch in wanted:
        if not 1 <= epoch <= epochs:
            raise ValueError(
                f"checkpoint {epoch} is not possible: choose among the epochs 1..{epochs}."
            )
    return wanted


def check_problem(
    P: Any, X: Any, labels: np.ndarray, labelled: np.ndarray, n_classes: int, seeds: Sequence[int]
) -> None:
    """Refuse what does not fit together, before any work is done."""
    n_nodes = X.shape[0]
    if not sp.issparse(P) or P.shape != (n_nodes, n_nodes):
        raise ValueError(
            f"P is a {type(P).__name__} of shape {P.shape}: give the sparse propagation matrix "
            f"of the {n_nodes} rows of X, see flgc.graph.propagation_matrix."
        )
    if labels.shape != (n_nodes,):
        raise ValueError(f"labels has shape {labels.shape}: give one per row of X, ({n_nodes},).")
    if len(seeds) == 0:
        raise ValueError("seeds is empty: give one seed per run.")
    if labelled.ndim not in (1, 2) or labelled.size == 0 or labelled.dtype.kind not in "iu":
        raise ValueError(
            f"labelled is of shape {labelled.shape} and type {labelled.dtype}: give node numbers, "
            f"(l,) for all runs or (R, l) for each."
        )
    if labelled.ndim == 2 and len(labelled) != len(seeds):
        raise ValueError(
            f"labelled has {len(labelled)} rows but there are {len(seeds)} seeds: give one row "
            f"per run, or one split of shape (l,) for all."
        )
    if labelled.min() < 0 or labelled.max() >= n_nodes:
        raise ValueError(
            f"labelled names node {labelled.min() if labelled.min() < 0 else labelled.max()}: "
            f"choose among the nodes 0..{n_nodes - 1}."
        )
    seen = labels[labelled]
    if seen.min() < 0 or seen.max() >= n_classes:
        raise ValueError(
            f"a labelled node has class {seen.min() if seen.min() < 0 else seen.max()}: with "
            f"n_classes={n_classes} the classes are 0..{n_classes - 1}."
        )

"""Checks before a training; each message names the value and what is possible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from flgc.methods.base import Problem


def checked_checkpoints(checkpoints: Sequence[int], epochs: int) -> tuple[int, ...]:
    """The epochs to look at; by default the last one."""
    wanted = tuple(int(epoch) for epoch in checkpoints) or (epochs,)
    for epoch in wanted:
        if not 1 <= epoch <= epochs:
            raise ValueError(
                f"checkpoint {epoch} is not possible: choose among the epochs 1..{epochs}."
            )
    return wanted


def check_problem(problem: Problem, needs_labels: bool) -> None:
    """Refuse inputs that do not fit together, before any work is done."""
    P, n_nodes, shape = problem.P, problem.n_nodes, problem.labels.shape
    if not sp.issparse(P) or P.shape != (n_nodes, n_nodes):
        raise ValueError(
            f"P is a {type(P).__name__} of shape {P.shape}: give the sparse propagation matrix "
            f"of the {n_nodes} rows of X, see flgc.graph.propagation_matrix."
        )
    if problem.n_runs == 0:
        raise ValueError("seeds is empty: give one seed per run.")
    if shape != (problem.n_runs, n_nodes):
        raise ValueError(
            f"labels has shape {shape}: give a row for each of the {problem.n_runs} seeds, with "
            f"one label per row of X, ({problem.n_runs}, {n_nodes})."
        )
    if problem.labels.max() >= problem.n_classes:
        raise ValueError(
            f"a labelled node has class {problem.labels.max()}: with n_classes="
            f"{problem.n_classes} the classes are 0..{problem.n_classes - 1}."
        )
    if len(problem.asked) != problem.n_runs:
        raise ValueError(
            f"asked names the nodes of {len(problem.asked)} runs, but there are {problem.n_runs} "
            f"seeds: give one array per run."
        )
    asked = np.concatenate(problem.asked)
    for node in asked[(asked < 0) | (asked >= n_nodes)]:
        raise ValueError(f"asked names node {node}: choose among the nodes 0..{n_nodes - 1}.")
    if needs_labels:
        for run in range(problem.n_runs):
            if len(problem.labelled(run)) == 0:
                raise ValueError(f"run {run} has no labelled node: it has nothing to fit.")

"""Checks of the outputs of a method; errors name the method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def check_runs(name: str, what: str, given: Any, n_runs: int) -> None:
    """One entry for each run."""
    if not hasattr(given, "__len__"):
        raise TypeError(f"{name}: {what} have type {type(given).__name__}; give one for each run")
    if len(given) != n_runs:
        raise ValueError(f"{name}: {what} are for {len(given)} runs; give one for each of {n_runs}")


def check_scores(name: str, given: Any, shape: tuple[int, int]) -> None:
    """One number for each node and class."""
    if np.shape(given) != shape:
        raise ValueError(
            f"{name}: scores of a run have shape {np.shape(given)}; give {shape}, nodes x classes"
        )


def check_seen(name: str, what: str, given: Any, n_runs: int) -> None:
    """One number for each run."""
    if np.shape(given) != (n_runs,) or np.asarray(given).dtype.kind not in "biuf":
        raise ValueError(f"{name}: {what} is {given!r:.80}; give a number for each run")


def checked_codes(name: str, given: Any, n_nodes: int, n_classes: int | None) -> np.ndarray:
    """A whole number for each node, -1 for none; below `n_classes` unless that is None."""
    if not isinstance(given, np.ndarray | Sequence) or isinstance(given, str):
        raise TypeError(
            f"{name}: classes of a run have type {type(given).__name__}; give an array of codes"
        )
    codes = np.asarray(given)
    if codes.shape != (n_nodes,):
        raise ValueError(
            f"{name}: classes of a run have shape {codes.shape}; give {(n_nodes,)}, one code for "
            "each asked node"
        )
    if codes.dtype.kind not in "biuf":
        among = ", ".join(map(repr, codes[:1].tolist()))
        raise TypeError(f"{name}: {among} is among the classes; give codes, whole numbers")
    strange = ~np.isfinite(codes) | (codes != np.floor(codes))
    if n_classes is not None:
        strange |= (codes < -1) | (codes >= n_classes)
    if strange.any():
        valid = "whole numbers" if n_classes is None else f"0 to {n_classes - 1}, or -1 for none"
        raise ValueError(f"{name}: {codes[strange][0]} is among the classes; give {valid}")
    return codes if codes.dtype.kind in "iu" else codes.astype(int)

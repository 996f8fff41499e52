"""What the parameters of the estimators may be: one family of checks, one way of saying no.

Each gives the value back as a plain int or float: numpy's narrow integers overflow in a product,
and its scalars change the precision of the arrays that they meet.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from sklearn.utils import check_random_state as as_random_state

# Propagation has converged long before: the paper goes to 20 hops, rings of hundreds of nodes need
# some thousands. What is larger is a slip of the keyboard that would run for hours.
MOST_HOPS = 10_000


def shown(value: Any) -> str:
    """A value as messages show it: short, with its type where it is no plain number or text."""
    text = " ".join(reprlib.repr(value).split())
    return text if isinstance(value, int | float | str | None) else f"{text} ({kind(value)})"


def kind(value: Any) -> str:
    """The type of a value, and its shape if it has one."""
    shape = getattr(value, "shape", None)
    name = type(value).__name__
    return f"{name} of shape {tuple(shape)}" if isinstance(shape, tuple) else name


def check_hops(hops: Any) -> int:
    """Steps of propagation."""
    return check_whole("hops", hops, 0, MOST_HOPS)


def check_teleport(teleport: Any) -> float:
    """Share of the own features."""
    return _number("teleport", teleport, "a number in [0, 1]", lambda share: 0 <= share <= 1)


def check_regularization(regularization: Any) -> float:
    """Weight of the ridge."""
    wanted = "a number >= 0 (0 is the minimum-norm fit)"
    return _number("regularization", regularization, wanted, lambda weight: weight >= 0)


def check_n_neighbors(n_neighbors: Any, n_samples: int) -> int:
    """Neighbours of a row, fewer than there are rows."""
    return check_whole("n_neighbors", n_neighbors, 0, n_samples - 1, f" with {n_samples} samples")


def check_n_clusters(n_clusters: Any, n_samples: int) -> int:
    """Clusters, not more than there are rows."""
    return check_whole("n_clusters", n_clusters, 1, n_samples, f" with n_samples={n_samples}")


def check_subspace_dim(subspace_dim: Any) -> int:
    """Dimensions of a cluster."""
    return check_whole("subspace_dim", subspace_dim, 1)


def check_threshold(threshold: Any) -> float:
    """Share of a column that is kept."""
    return _number("threshold", threshold, "a share in (0, 1]", lambda share: 0 < share <= 1)


def check_power(power: Any) -> float:
    """Exponent of the affinity."""
    return _number("power", power, "a number > 0", lambda exponent: exponent > 0)


def check_hidden(hidden: Any) -> int:
    """Width of a random layer."""
    return check_whole("hidden", hidden, 1)


def check_positive(name: str, value: Any) -> float:
    """A weight or a width that must not vanish."""
    return _number(name, value, "a number > 0", lambda number: number > 0)


def check_weight(name: str, value: Any) -> float:
    """A weight that may vanish."""
    return _number(name, value, "a number >= 0", lambda number: number >= 0)


def check_random_state(random_state: Any) -> None:
    """What scikit-learn takes as a seed."""
    try:
        if isinstance(random_state, bool | np.bool_):
            raise ValueError("a truth value is no seed")
        as_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            f"random_state={shown(random_state)} is not possible: give None, a whole number from 0 "
            f"to 2**32 - 1 or a numpy RandomState."
        ) from error


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={shown(value)} is not known: choose one of {choices}.")


def check_truth(name: str, value: Any) -> None:
    """A switch."""
    if not isinstance(value, bool | np.bool_):
        _refuse(name, value, "True or False")


def check_whole(name: str, value: Any, least: int, most: int | None = None, where: str = "") -> int:
    """A whole number between two ends."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        limits = f">= {least}" if most is None else f"from {least} to {most}"
        _refuse(name, value, f"a whole number {limits}", where)
    return int(value)


def _number(name: str, value: Any, wanted: str, fits: Callable[[float], bool]) -> float:
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number) and fits(number):
            return number
    _refuse(name, value, wanted)


def _refuse(name: str, value: Any, wanted: str, where: str = "") -> NoReturn:
    raise ValueError(f"{name}={shown(value)} is not possible{where}: give {wanted}.")

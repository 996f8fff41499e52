"""Checks of parameters, all with the same form of error.

Each returns the value as a plain int or float: numpy's narrow integers overflow in products, and
its scalars change the precision of arrays.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from sklearn.utils import check_random_state as as_random_state

# The paper goes to 20 hops, and rings of hundreds of nodes converge after a few thousand. More is a
# typing error that would run for hours.
MOST_HOPS = 10_000


def brief(value: Any) -> str:
    """A value for messages: short, with its type unless it is a plain number or text."""
    text = " ".join(reprlib.repr(value).split())
    return text if isinstance(value, int | float | str | None) else f"{text} ({kind(value)})"


def kind(value: Any) -> str:
    """The type of a value, and its shape if it has one."""
    shape = getattr(value, "shape", None)
    name = type(value).__name__
    return f"{name} of shape {tuple(shape)}" if isinstance(shape, tuple) else name


def check_hops(hops: Any) -> int:
    """Steps of propagation: a whole number from 0 to 10,000."""
    return check_whole("hops", hops, 0, MOST_HOPS)


def check_teleport(teleport: Any) -> float:
    """Share of the own features, in [0, 1]."""
    return _number("teleport", teleport, "a number in [0, 1]", lambda share: 0 <= share <= 1)


def check_regularization(regularization: Any) -> float:
    """Weight of the ridge, >= 0."""
    wanted = "a number >= 0 (0 is the minimum-norm fit)"
    return _number("regularization", regularization, wanted, lambda weight: weight >= 0)


def check_n_neighbors(n_neighbors: Any, n_samples: int) -> int:
    """Neighbours of a row: fewer than rows."""
    return check_whole("n_neighbors", n_neighbors, 0, n_samples - 1, f" with {n_samples} samples")


def check_n_clusters(n_clusters: Any, n_samples: int) -> int:
    """Clusters: at least 1, at most as many as rows."""
    return check_whole("n_clusters", n_clusters, 1, n_samples, f" with n_samples={n_samples}")


def check_threshold(threshold: Any) -> float:
    """Share of a column that is kept, in (0, 1]."""
    return _number("threshold", threshold, "a share in (0, 1]", lambda share: 0 < share <= 1)


def check_power(power: Any) -> float:
    """Exponent of the affinity, > 0."""
    return _number("power", power, "a number > 0", lambda exponent: exponent > 0)


def check_positive(name: str, value: Any) -> float:
    """A number > 0, such as a width."""
    return _number(name, value, "a number > 0", lambda number: number > 0)


def check_weight(name: str, value: Any) -> float:
    """A number >= 0, such as a weight."""
    return _number(name, value, "a number >= 0", lambda number: number >= 0)


def check_random_state(random_state: Any) -> None:
    """A seed that scikit-learn accepts."""
    try:
        if isinstance(random_state, bool | np.bool_):
            raise ValueError("a truth value is not a seed")
        as_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            f"random_state={brief(random_state)} is not possible: give None, a whole number from 0 "
            f"to 2**32 - 1 or a numpy RandomState."
        ) from error


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={brief(value)} is not known: choose one of {choices}.")


def check_truth(name: str, value: Any) -> None:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        _refuse(name, value, "True or False")


def check_whole(name: str, value: Any, least: int, most: int | None = None, where: str = "") -> int:
    """A whole number from `least` to `most`."""
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
    raise ValueError(f"{name}={brief(value)} is not possible{where}: give {wanted}.")

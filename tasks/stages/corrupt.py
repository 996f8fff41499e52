"""Noise as a named, seeded, counted step: the corrupted dataset is a dataset of its own."""

from collections.abc import Callable
from typing import Any

from flgc.noise import NOISES
from flgc.preparing import corrupt as corrupt_features
from flgc.scaling import SCALINGS
from tasks.running.stage import Stage


def noise(store: str, kind: str, scaling: str, **given: Any) -> list[Callable]:
    """The code of the noise, and of the scaling that it is added in."""
    return [NOISES[kind], SCALINGS[scaling]]


corrupt = Stage("corrupt", corrupt_features, code=noise)

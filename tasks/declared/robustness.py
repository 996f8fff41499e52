"""Any image or table dataset under noise, as the paper's tables have theirs.

Noise is of features in [0, 1]: pixels are so already, the columns of a table are scaled to it.
"""

import dataclasses
import re
from collections.abc import Sequence

from flgc.noise import NOISES
from tasks.declared.paper import FLGC_ROWS, INTENSITIES, NOISY, PAPER, SMALL_SETS
from tasks.declared.types import Experiment, Noise

TABLES = {experiment.name: experiment for experiment in PAPER}
# The table of the paper whose methods and grids another dataset gets, by its task.
LIKE = {"clustering": TABLES["robustness"], "classification": TABLES["uci"]}
METHODS = {"clustering": LIKE["clustering"].methods, "classification": FLGC_ROWS}
DEFAULT_NOISES = tuple((kind, intensity) for kind in NOISES for intensity in INTENSITIES)


def under_noise(
    dataset: str,
    kind: str,
    task: str,
    methods: Sequence[str],
    noises: Sequence[tuple[str, float]],
    patterns: Sequence[str],
    seeds: int,
    split: str = "",
) -> Experiment:
    """A table of one dataset: a row for each noise (its kind and intensity) and pattern.

    Neighbours are floor(N / 5C), as the paper has them.
    """
    like, pixels = LIKE[task], kind == "images"
    prepared = like.preparations[0] if pixels or split else SMALL_SETS[0]
    grid = {} if split else NOISY
    return Experiment(
        name=f"robustness-{named(dataset)}",
        flow="robustness",
        task=like.task,
        title=f"{dataset} under noise",
        datasets=(dataset,),
        methods=tuple(methods or METHODS[task]),
        grids=like.grids,
        preparations=(
            dataclasses.replace(prepared, n_neighbors=None, axes={**prepared.axes, **grid}),
        ),
        split=split,
        noises=tuple(
            Noise(noise, intensity, pattern, "raw" if pixels else "min-max", runs=seeds)
            for pattern in patterns
            for noise, intensity in noises
        ),
    )


def named(dataset: str) -> str:
    """A name in letters that files and Prefect's artifacts may have: `my-set` for `My_set`."""
    return re.sub(r"[^a-z0-9]+", "-", dataset.lower()).strip("-")

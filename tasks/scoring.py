"""Classification: every setting of a grid, scored in every run."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from flgc.datasets.splits import Split
from flgc.device import resolve_device, to_device
from flgc.grid import score_grid
from tasks.features import scaled
from tasks.picking import AXES
from tasks.progress import tracked

# Numbers that the rows of H at the nodes of several runs may take together.
MOST_NUMBERS = 20_000_000


def classification_scores(
    P: sp.csr_array,
    features: Any,
    labels: np.ndarray,
    n_classes: int,
    runs: Sequence[Split],
    scalings: Sequence[str],
    hops: Sequence[int],
    teleports: Sequence[float],
    regularizations: Sequence[float],
    device: str = "cpu",
) -> pd.DataFrame:
    """One row per setting and run: leave-one-out, validation and test scores.

    Where nobody validates, `validation` is missing.
    """
    step = _runs_at_once(runs, features.shape[1])
    chunks = [(scaling, first) for scaling in scalings for first in range(0, len(runs), step)]
    parts = [
        _scores_of_runs(
            P,
            scaled(features, scaling),
            labels,
            n_classes,
            runs[first : first + step],
            first,
            scaling,
            hops,
            teleports,
            regularizations,
            resolve_device(device),
        )
        for scaling, first in tracked(chunks, len(chunks))
    ]
    return pd.concat(parts, ignore_index=True)


def _runs_at_once(runs: Sequence[Split], n_features: int) -> int:
    """As many as fit into memory together with the rows of H that each of them needs."""
    n_rows = sum(len(getattr(runs[0], role)) for role in ("train", "val", "test"))
    return max(1, MOST_NUMBERS // (n_rows * n_features))


def _scores_of_runs(
    P: sp.csr_array,
    X: Any,
    labels: np.ndarray,
    n_classes: int,
    runs: Sequence[Split],
    first: int,
    scaling: str,
    hops: Sequence[int],
    teleports: Sequence[float],
    regularizations: Sequence[float],
    where: Any,
) -> pd.DataFrame:
    nodes = {role: np.stack([getattr(run, role) for run in runs]) for role in ("val", "test")}
    found = score_grid(
        to_device(P, where),
        to_device(X.toarray() if sp.issparse(X) and where is not None else X, where),
        to_device(labels, where),
        to_device(np.stack([run.train for run in runs]), where),
        n_classes=n_classes,
        hops=hops,
        teleports=teleports,
        regularizations=regularizations,
        evaluate={role: to_device(of, where) for role, of in nodes.items() if of.shape[1]},
    )
    numbers = range(first, first + len(runs))
    axes = pd.MultiIndex.from_product(
        [numbers, [scaling], hops, teleports, regularizations], names=["run", *AXES]
    )
    missing = np.full(len(axes), np.nan)
    scores = {
        "loo_squared_error": found.loo_squared_error,
        "loo_accuracy": found.loo_accuracy,
        "validation": found.accuracy.get("val", missing),
        "test": found.accuracy.get("test", missing),
    }
    columns = {name: np.ravel(values) for name, values in scores.items()}  # type: ignore[arg-type]
    return pd.DataFrame(columns, index=axes).reset_index()

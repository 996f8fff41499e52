"""Classification: every setting of a grid, scored in every run."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from flgc.datasets.splits import Split
from flgc.device import resolve_device, to_device
from flgc.grid import score_grid
from flgc.scaling import scaled
from tasks.picking import AXES
from tasks.running.progress import tracked


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
    where = resolve_device(device)
    parts = [
        _scores_in_scaling(
            to_device(P, where),
            scaled(features, scaling),
            labels,
            n_classes,
            runs,
            scaling,
            hops,
            teleports,
            regularizations,
            where,
        )
        for scaling in tracked(scalings, len(scalings))
    ]
    return pd.concat(parts, ignore_index=True)


def _scores_in_scaling(
    P: Any,
    X: Any,
    labels: np.ndarray,
    n_classes: int,
    runs: Sequence[Split],
    scaling: str,
    hops: Sequence[int],
    teleports: Sequence[float],
    regularizations: Sequence[float],
    where: Any,
) -> pd.DataFrame:
    nodes = {role: np.stack([getattr(run, role) for run in runs]) for role in ("val", "test")}
    found = score_grid(
        P,
        to_device(X.toarray() if sp.issparse(X) and where is not None else X, where),
        to_device(labels, where),
        to_device(np.stack([run.train for run in runs]), where),
        n_classes=n_classes,
        hops=hops,
        teleports=teleports,
        regularizations=regularizations,
        evaluate={role: to_device(of, where) for role, of in nodes.items() if of.shape[1]},
    )
    axes = pd.MultiIndex.from_product(
        [range(len(runs)), [scaling], hops, teleports, regularizations], names=["run", *AXES]
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

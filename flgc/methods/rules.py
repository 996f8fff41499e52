"""What a run of FLGC could be picked or averaged by without test labels, side by side.

Picks, from the scores of all settings alone:

error          smallest squared error of leave-one-out
accuracy       most hits in leave-one-out, then the error
validation     best on validation nodes, then the error
validation, s SE
               smallest squared error of leave-one-out among the settings that are within s standard
               errors of the best on validation nodes

Averages of all settings, each with a weight of exp(e hits) E^-p / size (`flgc.averaging`); hits are
those on nodes that the run may see and the setting did not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax

from flgc.averaging import log_weights, of_one_size, with_constant
from flgc.methods.base import axes_of
from flgc.methods.picking import ERROR, best_by
from flgc.propagation import embedding_grid
from flgc.ridge import RidgePath, one_hot
from flgc.scaling import scaled
from flgc.validation import near_best

PER_HITS = (0.0, 0.1, 0.25, 0.5, 1.0)
POWERS = (0.0, 2.0, 4.0, 8.0, 16.0)
STANDARD_ERRORS = (0.25, 0.5, 1.0)
AXES = ("hops", "teleport", "regularization")


def compare_rules(
    data: Any, graph: Any, splits: Sequence[Any], scores: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """The test accuracy of each rule in each run, from the scores of all settings.

    `scores` are tables of FLGC by the name of their features, such as "constant": a rule has a
    line for each, and one where it picks from all of them: rule, features, e, p, run, accuracy.
    """
    found: list[dict[str, Any]] = []
    for features, table in scores.items():
        for run, of_run in table.groupby("run", sort=False):
            for rule, picked in picks(of_run):
                about = {"rule": rule, "features": features, "run": run}
                found.append(about | {"accuracy": float(picked["test"])})
        found += [each | {"features": features} for each in averages(data, graph, splits, table)]
    return pd.DataFrame(found, columns=["rule", "features", "e", "p", "run", "accuracy"])


def picks(of_run: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    """Each rule that picks, and the row that it picks of the scores of a run."""
    seen = of_run.drop(columns="test")
    rules = {"error": (seen, ERROR), "accuracy": (seen, "hits")}
    if seen["validation"].notna().all():
        rules = {"validation": (seen, "validation")}
        for count in STANDARD_ERRORS:
            near = near_best(seen["validation"].to_numpy(), seen["validated"].iloc[0], count)
            rules[f"validation, {count:g} SE"] = (seen[near], ERROR)
    for rule, (among, column) in rules.items():
        picked = best_by(among, column).iloc[0]
        same = np.all([of_run[axis] == picked[axis] for axis in axes_of(seen)], axis=0)
        yield rule, of_run.iloc[int(np.argmax(same))]
    yield "the best on test nodes", of_run.iloc[int(of_run["test"].to_numpy().argmax())]


def averages(
    data: Any, graph: Any, splits: Sequence[Any], scores: pd.DataFrame
) -> list[dict[str, Any]]:
    """The test accuracy of all averages in each run: each model is solved once for all of them."""
    rules = [(e, p) for e in PER_HITS for p in POWERS]
    weights = pd.concat(
        [_weights(of_run, rules) for _, of_run in scores.groupby("run", sort=False)]
    )
    n_classes = data.n_classes
    sums = [np.zeros((len(rules), len(split.test), n_classes)) for split in splits]
    views: Any = weights.groupby(["p_scaling", "p_constant"], sort=False)
    for (scaling, constant), view in views:
        X = scaled(data.features, scaling)
        X = with_constant(X) if constant else X
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        hops, teleports, regularizations = (sorted(view[f"p_{axis}"].unique()) for axis in AXES)
        of_settings = view.set_index(["run", *(f"p_{axis}" for axis in AXES)])["weights"]
        everywhere = np.arange(len(X))
        for i, t, H in embedding_grid(graph, X, everywhere, hops, teleports):
            for run, split in enumerate(splits):
                of_setting = [of_settings[run, hops[i], teleports[t], r] for r in regularizations]
                Y = one_hot(data.labels[split.train], n_classes, np.float64)
                top = H[split.train]
                path = RidgePath.from_features(top, Y, min(regularizations))
                W = path.solutions(regularizations)
                W = W if path.H is not None else np.einsum("ld,lrc->drc", top, W)
                summed = np.einsum("rk,drc->dkc", np.stack(of_setting), W)
                of_rules = H[split.test] @ summed.reshape(len(summed), -1)
                of_rules = of_rules.reshape(len(split.test), len(rules), n_classes)
                sums[run] += of_rules.transpose(1, 0, 2)
    return [
        {
            "rule": "average",
            "e": e,
            "p": p,
            "run": run,
            "accuracy": float(np.mean(sums[run][k].argmax(axis=1) == data.labels[split.test])),
        }
        for run, split in enumerate(splits)
        for k, (e, p) in enumerate(rules)
    ]


def _weights(of_run: pd.DataFrame, rules: Sequence[tuple[float, float]]) -> pd.DataFrame:
    """With the weights of each setting of a run, an array of one for each rule."""
    hits = of_run["hits"].fillna(0.0)
    if of_run["validation"].notna().all():
        hits = hits + of_run["validation"] * of_run["validated"]
    errors, sizes = of_run[ERROR].to_numpy(), of_run["size"].to_numpy()
    columns = []
    for e, p in rules:
        shares = softmax(log_weights(hits.to_numpy(), errors, sizes, e, p))
        columns.append(of_one_size(shares, sizes))
    return of_run.assign(weights=list(np.stack(columns, axis=1)))

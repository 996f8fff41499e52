"""Picking settings from the scores of all of them. A pick is a weighting.

paper    one setting for all runs, the best on average on their test nodes, or against the true
         clusters, as the paper did
honest   for each run by itself, from a table without hidden columns: on its validation nodes, with
         the squared error of leave-one-out to decide among the best; without any, by labelled
         nodes that were left out: their squared error if a method computes it, else the number of
         right ones in folds; in clustering by coding rates, among the settings that have lost no
         cluster (`flgc.label_free`). If a class has a single label, a method may give ranks
         instead, and the pick is its usual setting, as in `FLGCClassifierCV`

A criterion averaged over runs is not honest: a node tested in one run is labelled in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.special import softmax

from flgc.averaging import log_weights, of_one_size
from flgc.label_free import CHOSEN, IN_WORDS, RATES, compared
from flgc.methods.base import axes_of, plain
from flgc.methods.judging import HIDDEN
from flgc.validation import near_best

Protocol = Literal["paper", "honest"]
PROTOCOLS: tuple[Protocol, ...] = ("paper", "honest")
Combine = Literal["best", "average"]
ERROR, FROM_USUAL, FIRST = "error", "from_usual", "declared first"
# The error, among settings that are as good as the best on validation nodes.
VALIDATED = "validation, then error"
# Shares of an average below this are left out. Weights are rounded to so many digits, as the last
# ones depend on the order in which cores add.
LEAST_SHARE, DIGITS = 1e-6, 6
# The number of clusterings in an average.
MOST_CLUSTERINGS = 10
BEST_CLUSTERINGS = f"the {MOST_CLUSTERINGS} best by {IN_WORDS}"


def pick_settings(
    scores: Sequence[pd.DataFrame],
    graphs: Sequence[str],
    protocol: str,
    part: Mapping[str, Sequence[Any]] = MappingProxyType({}),
    combine: str = "best",
) -> pd.DataFrame:
    """The weighting from the scores on one graph, or on several, which become one more axis."""
    named = [table.assign(p_graph=graph) for table, graph in zip(scores, graphs, strict=True)]
    return weighting(pd.concat(named, ignore_index=True), protocol, part, combine)


def weighting(
    scores: pd.DataFrame,
    protocol: str,
    part: Mapping[str, Sequence[Any]] = MappingProxyType({}),
    combine: str = "best",
) -> pd.DataFrame:
    """Rows (run, p_<axis>, weight), with the criterion, the number of tried settings, and metrics.

    `part` restricts some axes to these values: FLGC is FLGC* with teleport 0. A pick has the weight
    1, and its metrics from the scores. An average has a weight for every setting that counts, and
    its metrics are computed later, unless each run has a single setting.
    """
    scores = part_of(scores, part)
    if protocol == "paper":
        if combine == "average":
            raise ValueError("an average is weighted run by run: it has no protocol 'paper'")
        picks = _for_all_runs(scores)
    else:
        seen = scores.drop(columns=[name for name in HIDDEN if name in scores])
        rule = _average if combine == "average" else _best
        runs = [rule(of_run).assign(run=run) for run, of_run in _by_run(seen)]
        picks = pd.concat(runs, ignore_index=True)
    axes = axes_of(scores)
    tried = len(scores[axes].drop_duplicates())
    picks = picks[["run", *axes, "weight", "criterion"]].assign(tried=tried)
    if not is_pick(picks):
        return picks
    values = scores[["run", *axes, *(name for name in HIDDEN if name in scores)]]
    return picks.merge(values, on=["run", *axes], how="left", validate="1:1")


def _by_run(seen: pd.DataFrame) -> Iterator[tuple[Any, pd.DataFrame]]:
    """What each run may pick from; clusterings are compared among those of the run."""
    is_clustering = {*RATES} <= {*seen}
    for run, of_run in seen.groupby("run", sort=False):
        yield run, compared(of_run) if is_clustering else of_run


def part_of(scores: pd.DataFrame, part: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """The rows whose settings have one of the values on each axis of `part`."""
    rows = scores
    for axis, values in part.items():
        rows = rows[rows[f"p_{axis}"].isin(list(values))]
    if rows.empty:
        raise ValueError(f"no setting of the grid has one of {dict(part)}")
    return rows


def usual(weights: pd.DataFrame) -> dict[str, Any]:
    """The most frequent setting over the runs; of several the first."""
    axes = axes_of(weights)
    counted = weights.groupby(axes, sort=False, dropna=False).size()
    values = counted.index[[int(np.argmax(counted.to_numpy()))]].to_frame().iloc[0]
    return {axis.removeprefix("p_"): plain(values[axis]) for axis in axes}


def as_declared(setting: Mapping[str, Any], grid: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """A setting from a table with the values of its grid: NaN is None again, and 3.0 is 3."""
    return {
        axis: next((each for each in values if _same(each, setting[axis])), setting[axis])
        for axis, values in grid.items()
    }


def _same(value: Any, other: Any) -> bool:
    return value == other or (pd.isna(value) and pd.isna(other))


def is_pick(weights: pd.DataFrame) -> bool:
    """Whether each run has a single setting, whose metrics are in the scores."""
    return bool((weights["weight"] == 1).all() and weights["run"].is_unique)


def _for_all_runs(scores: pd.DataFrame) -> pd.DataFrame:
    column = "ACC" if "ACC" in scores else "test"
    runs = scores["run"].unique()
    best = pd.concat([best_by(scores, column)] * len(runs), ignore_index=True)
    return best.assign(run=runs, weight=1.0, criterion=column)


def _best(seen: pd.DataFrame) -> pd.DataFrame:
    """The setting of one run; where some nodes validate, by the error among the best on them."""
    column = _criterion(seen)
    if column == "validation" and _knows_error(seen):
        near = near_best(seen[column].to_numpy(), seen["validated"].iloc[0])
        return best_by(seen[near], ERROR).assign(weight=1.0, criterion=VALIDATED)
    return best_by(seen, column).assign(weight=1.0, criterion=column)


def _knows_error(seen: pd.DataFrame) -> bool:
    """Whether the leave-one-out error of every setting can judge it."""
    judged = ERROR in seen and np.isfinite(seen[ERROR]).all()
    return bool(judged and not (FROM_USUAL in seen and seen[FROM_USUAL].notna().any()))


def _criterion(seen: pd.DataFrame) -> str:
    """The column by which a run picks without its test labels."""
    present = [n for n in (CHOSEN, "validation", FROM_USUAL, ERROR, "hits") if n in seen]
    return next((name for name in present if seen[name].notna().all()), FIRST)


def best_by(scores: pd.DataFrame, column: str) -> pd.DataFrame:
    """The best setting on average over these runs, one row.

    Among level ones the error on left-out labelled nodes decides, or the number of right ones, then
    the order of the grid, which alone decides where left-out nodes say nothing.
    """
    axes = axes_of(scores)
    number = scores.groupby(axes, sort=False, dropna=False).ngroup()
    level = scores.groupby(number.to_numpy(), sort=False).mean(numeric_only=True).round(12)
    for name in (column,) if column == FROM_USUAL else (column, ERROR, "hits"):
        if name in level and level[name].notna().any():
            worth = -level[name] if name in (ERROR, FROM_USUAL) else level[name]
            level = level[worth == worth.max()]
    # A row of the table itself, as an index would turn None into a number.
    return scores.loc[(number == level.index[0]).to_numpy(), axes].head(1).reset_index(drop=True)


def _average(seen: pd.DataFrame) -> pd.DataFrame:
    """All settings of one run, weighted by their hits on nodes that they did not fit.

    For clusterings, which have no hits, the best of those that have lost no cluster, with equal
    weights. If a class has a single label, the pick alone.
    """
    if _criterion(seen) == FROM_USUAL:
        return _best(seen)
    if CHOSEN in seen:
        ordered = seen.sort_values(CHOSEN, ascending=False, kind="stable")
        best = ordered.head(MOST_CLUSTERINGS)
        return best.assign(weight=1.0 / len(best), criterion=BEST_CLUSTERINGS)
    ones = pd.Series(1.0, index=seen.index)
    hits = seen["hits"] if "hits" in seen else 0 * ones
    if "validation" in seen and seen["validation"].notna().all():
        hits = hits.fillna(0.0) + seen["validation"] * seen["validated"]
    errors, sizes = (seen.get(name, ones).to_numpy() for name in (ERROR, "size"))
    shares = softmax(log_weights(hits.to_numpy(), errors, sizes))
    shares = np.where(shares < LEAST_SHARE, 0.0, shares)
    weights = pd.Series(of_one_size(shares, sizes), index=seen.index)
    rows = seen.assign(weight=weights.map(lambda weight: float(f"{weight:.{DIGITS}g}")))
    return rows[rows["weight"] > 0].assign(criterion="all, weighted")

"""Sentences on a table under noise: who is ahead, who is near the paper, and who loses how much.

Rows are (dataset, noise, intensity); each pattern of noise is told of by itself, since a method may
stand one and not the other.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from flgc.noise import INDEPENDENT, SHARED
from tasks.declared.described import Described
from tasks.document.printed import (
    Case,
    counterparts,
    in_points,
    printed_columns,
    redrawn,
    runs_of_cases,
)

OURS = "FLGC*"
RIVALS = ("EDSC", "EGCSC")
# Points by which a mean may fall short of the published value, or one pattern of another.
TOLERANCE = 2.0

# Means of a method in points, by dataset, noise and intensity.
Column = dict[tuple[str, str, float], float]


def told(table: Described, results: pd.DataFrame) -> list[str]:
    """A line for each protocol and pattern, then what the claim of robustness rests on."""
    rows = results[(results["noise"] != "") & (results["metric"] == table.metrics[0])]
    lines, found = [], {}
    groups: Any = rows.groupby(["protocol", "noise_pattern"], sort=False)
    for (protocol, pattern), of_pattern in groups:
        columns = found[protocol, pattern] = columns_of(of_pattern, table)
        said = [
            *_ahead(columns, table),
            *_near(columns, of_pattern, table),
            *_lost(columns),
        ]
        if said:
            lines.append(f"- `{protocol}`, {pattern}: {'; '.join(said)}")
    head = (
        f"Under noise, by {table.metrics[0]} in points, means over the seeds; what is lost is from "
        "the least to the greatest intensity:\n"
    )
    return [*([head] if lines else []), *lines, *_rests_on(found)]


def columns_of(rows: pd.DataFrame, table: Described) -> dict[str, Column]:
    """By method, in the order of the table."""
    found = {}
    for method in table.methods:
        runs = runs_of_cases(rows[rows["method"] == method])
        if runs:
            found[method] = {
                _row(case): in_points(values.mean(), table) for case, values in runs.items()
            }
    return found


def _row(case: Case) -> tuple[str, str, float]:
    dataset, noise, intensity = case[:3]
    return dataset, noise, intensity


def _ahead(columns: Mapping[str, Column], table: Described) -> list[str]:
    """`FLGC* is above EDSC in 7 of 8 rows (not at gaussian 0.1)`."""
    ours = columns.get(OURS, {})
    said = []
    for rival in RIVALS:
        theirs = columns.get(rival, {})
        both = [row for row in ours if row in theirs]
        if both:
            counted = _counted(both, lambda row, of=theirs: ours[row] > of[row], table)
            said.append(f"{OURS} is above {rival} in {counted}")
    return said


def _near(columns: Mapping[str, Column], rows: pd.DataFrame, table: Described) -> list[str]:
    """In how many rows the published value is missed by little, or not at all."""
    ours = columns.get(OURS, {})
    if not ours:
        return []
    cases = runs_of_cases(rows[rows["method"] == OURS])
    column = printed_columns(table.published, table).get(table.row(OURS).published, {})
    printed = {_row(c): v for c, v in counterparts(cases, column, redrawn(rows)).items()}
    if not printed:
        return []
    least = {row: round(value - TOLERANCE, table.decimals) for row, value in printed.items()}
    counted = _counted(list(printed), lambda row: ours[row] >= least[row], table)
    return [f"{OURS} is at most {TOLERANCE:g} below the published value in {counted}"]


def _counted(
    rows: list[tuple[str, str, float]], holds: Callable[..., bool], table: Described
) -> str:
    """`7 of 8 rows (not at gaussian 0.1)`."""
    against = [row for row in rows if not holds(row)]
    told = f"{len(rows) - len(against)} of {len(rows)} rows"
    names = ", ".join(_named(row, table) for row in against)
    return f"{told} (not at {names})" if against else told


def _named(row: tuple[str, str, float], table: Described) -> str:
    dataset, noise, intensity = row
    return (
        f"{dataset} {noise} {intensity:g}" if len(table.datasets) > 1 else f"{noise} {intensity:g}"
    )


def _lost(columns: Mapping[str, Column]) -> list[str]:
    """`lost under gaussian: EDSC 7.1, FLGC* 6.5`; a gain has a minus."""
    said = []
    for noise in dict.fromkeys(noise for column in columns.values() for _, noise, _ in column):
        losses = {method: loss_under(column, noise) for method, column in columns.items()}
        texts = [f"{method} {loss:.1f}" for method, loss in losses.items() if loss is not None]
        if texts:
            said.append(f"lost under {noise}: {', '.join(texts)}")
    return said


def loss_under(column: Column, noise: str) -> float | None:
    """What a method loses under a noise, on average over the datasets; None at one intensity."""
    gaps = []
    for dataset in dict.fromkeys(dataset for dataset, _, _ in column):
        values = {i: value for (d, n, i), value in column.items() if (d, n) == (dataset, noise)}
        if len(values) > 1:
            gaps.append(values[min(values)] - values[max(values)])
    return _mean(gaps) if gaps else None


def _rests_on(found: Mapping[tuple[str, str], Mapping[str, Column]]) -> list[str]:
    """Whether what stands the greatest intensity of one pattern stands that of the other."""
    lines = []
    for protocol in dict.fromkeys(protocol for protocol, _ in found):
        shared, independent = (
            _at_the_greatest(found.get((protocol, pattern), {}).get(OURS, {}))
            for pattern in (SHARED, INDEPENDENT)
        )
        both = [row for row in shared if row in independent]
        if not both:
            continue
        means = [_mean(column[row] for row in both) for column in (shared, independent)]
        rests = means[0] - means[1] > TOLERANCE
        verdict = "**rests on the shared pattern**" if rests else "does not rest on the pattern"
        lines.append(
            f"\nIn `{protocol}` {OURS} has {means[0]:.1f} at the greatest intensities of a pattern "
            f"that all rows share and {means[1]:.1f} at the same of independent noise: the claim "
            f"of robustness {verdict}."
        )
    return lines


def _at_the_greatest(column: Column) -> Column:
    """Of each dataset and noise, the row with the greatest intensity."""
    greatest: dict[tuple[str, str], float] = {}
    for dataset, noise, intensity in column:
        greatest[dataset, noise] = max(intensity, greatest.get((dataset, noise), intensity))
    return {row: value for row, value in column.items() if greatest[row[:2]] == row[2]}


def _mean(values: Iterable[float]) -> float:
    return float(pd.Series(list(values), dtype=float).mean())

"""A table under noise: who loses how much, and whether it matters that rows share a pattern."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from flgc.noise import INDEPENDENT, SHARED
from tasks.analyses.base import Analysis
from tasks.report.blocks import Block, text
from tasks.report.values import Values

if TYPE_CHECKING:
    from tasks.declared.described import Described
    from tasks.declared.types import Experiment
    from tasks.report.evidence import Evidence

# Points by which one pattern may be below the other and still be level with it.
TOLERANCE = 2.0

# Means of a method in points, by dataset, noise and intensity.
Column = dict[tuple[str, str, float], float]


@dataclass(frozen=True)
class UnderNoise(Analysis):
    """What noise costs each method; every experiment with noise has it."""

    kind = "noise"

    @classmethod
    def is_implied(cls, experiment: Experiment) -> bool:
        """If the table has noise."""
        return bool(experiment.noises)

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """The rows of the first metric that have noise."""
        rows = evidence.results
        return rows[(rows["noise"] != "") & (rows["metric"] == evidence.table.metrics[0])]

    def opening(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """A line for each protocol and pattern, then how the patterns differ."""
        table, lines = evidence.table, []
        places = rows[["protocol", "noise_pattern"]].drop_duplicates()
        columns = {
            place: columns_of(evidence.values, *place)
            for place in places.itertuples(index=False, name=None)
        }
        for (protocol, pattern), of_methods in columns.items():
            losses = _losses(of_methods)
            if losses:
                lines.append(f"- `{protocol}`, {pattern}: {'; '.join(losses)}")
        head = (
            f"Under noise, {table.metrics[0]} in points, means over the seeds; what is lost is "
            "from the least to the greatest intensity:\n"
        )
        return text([*([head] if lines else []), *lines, *_between_patterns(columns, table)])


def columns_of(values: Values, protocol: str, pattern: str) -> dict[str, Column]:
    """By method, in the order of the table."""
    columns = {}
    for method in values.table.methods:
        column = {
            (dataset, noise, intensity): value
            for case, value in values.ours.get((method, protocol), {}).items()
            for dataset, noise, intensity, of_case, metric in [case]
            if noise and of_case == pattern and metric == values.table.metrics[0]
        }
        if column:
            columns[method] = column
    return columns


def _losses(columns: Mapping[str, Column]) -> list[str]:
    """`lost under gaussian: EDSC 7.1, FLGC* 6.5`; a gain has a minus."""
    lines = []
    for noise in dict.fromkeys(noise for column in columns.values() for _, noise, _ in column):
        losses = {method: loss_under(column, noise) for method, column in columns.items()}
        texts = [f"{method} {loss:.1f}" for method, loss in losses.items() if loss is not None]
        if texts:
            lines.append(f"lost under {noise}: {', '.join(texts)}")
    return lines


def loss_under(column: Column, noise: str) -> float | None:
    """What a method loses under a noise, on average over the datasets; None at one intensity."""
    gaps = []
    for dataset in dict.fromkeys(dataset for dataset, _, _ in column):
        values = {i: value for (d, n, i), value in column.items() if (d, n) == (dataset, noise)}
        if len(values) > 1:
            gaps.append(values[min(values)] - values[max(values)])
    return _mean(gaps) if gaps else None


def _between_patterns(
    found: Mapping[tuple[str, str], Mapping[str, Column]], table: Described
) -> list[str]:
    """Whether ours stand the greatest intensity of independent noise as that of a shared one."""
    lines = []
    for protocol in dict.fromkeys(protocol for protocol, _ in found):
        for row in (row for row in table.rows if row.own):
            shared, independent = (
                _at_the_greatest(found.get((protocol, pattern), {}).get(row.name, {}))
                for pattern in (SHARED, INDEPENDENT)
            )
            both = [at for at in shared if at in independent]
            if not both:
                continue
            means = [_mean(column[at] for at in both) for column in (shared, independent)]
            rests = means[0] - means[1] > TOLERANCE
            verdict = "**rests on the shared pattern**" if rests else "does not rest on the pattern"
            lines.append(
                f"\nIn `{protocol}` {row.name} has {means[0]:.1f} at the greatest intensities of a "
                f"pattern that all rows share and {means[1]:.1f} at the same of independent noise: "
                f"its robustness {verdict}."
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

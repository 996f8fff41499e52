"""Wilcoxon's test of all methods over the datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import pandas as pd

from flgc.statistics.diagram import COLOUR
from flgc.statistics.many_methods import Comparison
from flgc.statistics.rendering import (
    control_sheet,
    groups_sentence,
    rank_sheet,
    rank_sum_sheet,
    reach_sentence,
    verdict_sentence,
)
from tasks.analyses.base import Analysis, Product, TableSteps
from tasks.analyses.charts import finished, inline, tooltip
from tasks.declared.published import published_in
from tasks.report.blocks import Block, Heading, Table, Text, text
from tasks.report.ranks import compared, retraced
from tasks.report.tables import as_text
from tasks.stages.products import compare

if TYPE_CHECKING:
    from tasks.declared.types import Experiment
    from tasks.report.evidence import Evidence

# Pixels of a method; the distance of bars, in shares of the axis.
LINE, STEP = 22, 0.03


@dataclass(frozen=True)
class Compare(Analysis):
    """Wilcoxon's test over the datasets, all methods against the `control`.

    Without one it is the last of our rows. `published` names a table of rank sums.
    """

    kind = "wilcoxon"
    title = "Wilcoxon signed-rank tests"
    file = "All pairs as a file:"
    after = True
    published: str = ""
    control: str = ""

    def products(self, table: TableSteps) -> Iterator[Product]:
        """One step, of all cells; over a single dataset there is nothing to test."""
        experiment = table.experiment
        if len(experiment.datasets) > 1 and table.cells:
            step = table.steps.add(
                compare,
                experiment.name,
                results=[cell.result for cell in table.cells],
                table=table.described.without_words(),
                protocols=table.protocols,
                control=self.control,
            )
            yield Product(self.name, (self.name,), step)

    def printed(self, experiment: Experiment) -> pd.DataFrame:
        """The published rank sums."""
        return published_in(self.published, experiment)

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """One row for each protocol, method and rival."""
        tests: pd.DataFrame = evidence.products.get(self.name, {}).get(self.name, pd.DataFrame())
        return tests

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """Mean ranks, and groups without a significant difference, in each protocol."""
        return {
            f"ranks-{protocol}": rank_chart(each)
            for protocol, each in self._compared(evidence).items()
            if each.ranking
        }

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """Verdicts, rank sums and mean ranks of each protocol."""
        table = evidence.table
        printed = retraced(table, table.printed.get(self.name, ()))
        parts: list[Block] = text([*evidence.values.left_out(), *printed])
        for protocol, each in self._compared(evidence).items():
            own = [row.name for row in table.rows if row.own and row.name in each.methods]
            controls = own or [each.control]
            sentences = [f"- {verdict_sentence(each, control)}" for control in controls]
            sheets = [control_sheet(each, control) for control in controls]
            parts += text([f"**`{protocol}`**: {reach_sentence(each)}", "", *sentences])
            for number, sheet in enumerate([*sheets, rank_sum_sheet(each), rank_sheet(each)]):
                title = f"{sheet.title}, `{protocol}`"
                frame = pd.DataFrame(sheet.rows, columns=list(sheet.header))
                name = f"{table.name}-wilcoxon-{protocol}-{number}"
                shown = [Table(name, frame, title)] if sheet.rows else []
                parts += [Heading(4, title), *shown, Text(sheet.note)]
            parts += [Text(groups_sentence(each))]
        return parts

    def _compared(self, evidence: Evidence) -> dict[str, Comparison]:
        return evidence.once(
            ("compared", self.control),
            lambda: compared(evidence.values, evidence.protocols, self.control),
        )


def rank_rows(comparison: Comparison) -> pd.DataFrame:
    """One row for each method: its mean rank, and what the control's test against it says."""
    tests: Any = comparison.against().to_dict("index")
    rows = []
    for method in comparison.ranking:
        rank = comparison.friedman.mean_ranks[method]
        test = "" if method == comparison.control else _verdict(tests[method], comparison.control)
        rows.append(
            {
                "method": method,
                "rank": round(rank, 3),
                "printed": f"{rank:.2f}",
                "datasets": str(comparison.friedman.datasets),
                "test": test,
            }
        )
    return pd.DataFrame(rows)


def _verdict(test: Mapping[str, Any], control: str) -> str:
    """`FLGC* is better, p 0.012 after Holm's correction; 15 wins, 0 ties, 5 losses`."""
    counts = ", ".join(f"{test[name]:.0f} {name}" for name in ("wins", "ties", "losses"))
    p = as_text(float(test["p_holm"]))
    return f"{control} is {test['verdict_holm']}, p {p} after Holm's correction; {counts}"


def rank_chart(comparison: Comparison) -> dict[str, Any]:
    """The critical-difference diagram, a line for each method."""
    import altair as alt

    rows = rank_rows(comparison)
    low, high = floor(rows["rank"].min() - 0.1), max(ceil(rows["rank"].max()), 2)
    step = STEP * (high - low)
    bars = pd.DataFrame(
        [
            {"first": group[0], "last": group[-1], "at": high + step * (i + 1)}
            for i, group in enumerate(comparison.groups)
        ],
        columns=["first", "last", "at"],
    )
    domain = [low, high + step * (len(bars) + 1)]
    scale = {
        "x": alt.Scale(domain=domain, nice=False),
        "y": alt.Scale(domain=list(rows["method"]), padding=0.5),
    }
    words = ["mean rank, the best above", "bars: no significant difference"]
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=80, opacity=1, color=COLOUR)
        .encode(
            x=alt.X(
                "rank:Q",
                title=words[: 1 + len(bars)],
                scale=scale["x"],
                axis=alt.Axis(tickMinStep=1),
            ),
            y=alt.Y(
                "method:N", title=None, scale=scale["y"], axis=alt.Axis(grid=True, labelLimit=0)
            ),
            tooltip=tooltip(
                {
                    "method": "method",
                    "printed": "mean rank",
                    "datasets": "datasets",
                    "test": f"against {comparison.control}",
                }
            ),
        )
    )
    joined = (
        alt.Chart(inline(bars))
        .mark_rule(strokeWidth=4, color=COLOUR)
        .encode(
            x=alt.X("at:Q", scale=scale["x"]),
            y=alt.Y("first:N", scale=scale["y"]),
            y2=alt.Y2("last"),
            tooltip=tooltip({"first": "no significant difference from", "last": "to"}),
        )
    )
    chart = alt.layer(dots, joined) if len(bars) else dots
    datasets = comparison.friedman.datasets
    description = f"mean ranks of {len(rows)} methods over {datasets} datasets."
    return finished(chart, rows, LINE * len(rows), description)

"""Methods on the same splits of one dataset: how they differ there, and what that cannot show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from tasks.analyses.base import Analysis
from tasks.report.blocks import Block, text

if TYPE_CHECKING:
    from tasks.report.evidence import Evidence

NO_TEST = (
    "All runs are on the same rows, so they are not independent samples: the table describes "
    "these data, and no significance is claimed from it. For that, take several datasets "
    "(`flgc compare`)."
)


@dataclass(frozen=True)
class Paired(Analysis):
    """Differences split by split, to the first of the `controls` that is in the table."""

    kind = "paired"
    leads = True
    controls: tuple[str, ...] = ()

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """One row per method."""
        table = evidence.table
        return self.differences(evidence.results, table.methods, table.metrics[0])

    def opening(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """The differences as sentences, and what they are worth."""
        rivals = rows[rows["method"] != rows["control"]] if len(rows) > 1 else rows[:0]
        if rivals.empty:
            return []
        lines = [
            f"- {row['method']}: {row['difference']:+.1f} ± {row['spread']:.1f} points, better on "
            f"{row['better']} and worse on {row['worse']} of {row['runs']}"
            for row in rivals.to_dict("records")
        ]
        head = f"Against {rivals['control'].iloc[0]}, run by run:\n"
        return text([head, *lines, f"\n{NO_TEST}"])

    def differences(
        self, results: pd.DataFrame, methods: Sequence[str], metric: str
    ) -> pd.DataFrame:
        """One row per method, in points: its mean and deviation, and its differences to a control.

        `difference` is the mean over the splits, `spread` its deviation; `better` and `worse` count
        the splits on which a method is above and below the control.
        """
        rows = results[results["metric"] == metric]
        by_run = 100 * rows.pivot_table(index="run", columns="method", values="value")
        present = [name for name in methods if name in by_run]
        if not present:
            return pd.DataFrame(columns=["method"])
        control = next((name for name in self.controls if name in present), present[0])
        found = []
        for name in present:
            both = by_run[[name]].assign(control=by_run[control]).dropna()
            gaps = both[name] - both["control"]
            found.append(
                {
                    "method": name,
                    "mean": float(by_run[name].mean()),
                    "std": float(by_run[name].std(ddof=0)),
                    "runs": int(by_run[name].count()),
                    "control": control,
                    "difference": float(gaps.mean()),
                    "spread": float(gaps.std(ddof=0)),
                    "better": int((gaps > 0).sum()),
                    "worse": int((gaps < 0).sum()),
                }
            )
        return pd.DataFrame(found)

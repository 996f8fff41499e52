"""What is known of each cell: how it stands to the published value, and how it came about."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from math import hypot
from typing import Any

import pandas as pd

from flgc.methods.base import AXIS, axes_of
from tasks.declared.described import Described
from tasks.report.blocks import ABOVE, BELOW, WITHIN, Note
from tasks.report.printed import in_points, redrawn
from tasks.report.tables import JUDGED_ON, SUBJECT, Place, as_text

WHOSE = [*SUBJECT, "method", "protocol"]
# Seeds of a cell that are listed; where there are more, the first.
MOST_SEEDS = 3
Whose = tuple[Any, ...]


def notes(
    table: Described,
    results: pd.DataFrame,
    digests: Mapping[Whose, Sequence[str]],
    command: str,
) -> dict[Place, Note]:
    """Of every cell with a value; `digests` are by subject, method and protocol."""
    names = [*SUBJECT, "metric", "method"]
    published = {tuple(row[name] for name in names): row for row in table.published}
    others, settings, found = redrawn(results), _settings(results), {}
    groups: Any = results.groupby(list(Place._fields), sort=False)
    cells = groups["value"].agg(["mean", "min", "max"])
    cells["deviation"] = groups["value"].std(ddof=0)
    cells["runs"], cells["seeds"] = groups["run"].nunique(), groups["seed"].unique()
    for name in ("criterion", "tried"):
        cells[name] = groups[name].first()
    for key, cell in zip(cells.index, cells.to_dict("records"), strict=True):
        place = Place(*key)
        whose = (*place[:4], place.method, place.protocol)
        theirs = published.get((*place[:5], table.row(place.method).published))
        compared: dict[str, str] = {}
        if theirs is not None and place.dataset not in others:
            compared = standing(table, place.metric, cell, theirs)
        low, high = (_printed(table, place.metric, cell[end]) for end in ("min", "max"))
        seeds = list(cell["seeds"])
        more = f" and {len(seeds) - MOST_SEEDS} more" if len(seeds) > MOST_SEEDS else ""
        judged = JUDGED_ON.get(cell["criterion"], cell["criterion"])
        details = {
            "Protocol": place.protocol,
            "Metric": place.metric if len(table.metrics) > 1 else "",
            "Noise": f"{place.noise} {place.intensity:g} {place.noise_pattern}" * bool(place.noise),
            "Setting": settings.get(whose, "none picked"),
            "Settings tried": f"{cell['tried']}, judged on {judged}",
            "Runs": f"{cell['runs']}" + (f", from {low} to {high}" if low != high else ""),
            "Seeds": ", ".join(seeds[:MOST_SEEDS]) + more,
            "Digest": ", ".join(digests.get(whose, ())),
            "Recompute": recomputed(command, place),
        }
        told = tuple((title, text) for title, text in details.items() if text)
        found[place] = Note(**compared, details=told)
    return found


def digests_of(cells: Sequence[pd.DataFrame], digests: Sequence[str]) -> dict[Whose, list[str]]:
    """By subject, method and protocol: under noise a cell has an artifact for each seed."""
    found: dict[Whose, list[str]] = {}
    for rows, digest in zip(cells, digests, strict=True):
        for whose in rows[WHOSE].drop_duplicates().itertuples(index=False, name=None):
            found.setdefault(whose, []).append(digest)
    return found


def standing(
    table: Described, metric: str, cell: Mapping[str, Any], theirs: Mapping[str, Any]
) -> dict[str, str]:
    """The published value and the difference, as they are printed, and how it compares.

    It is within the spread if it is not larger than the deviation of a difference between two runs,
    one of ours and one of theirs: the root of both deviations' squares. One that is not printed
    counts as 0.
    """
    of_theirs = theirs["std"] or 0.0
    gap = round(in_points(cell["mean"], table) - in_points(theirs["value"], table), table.decimals)
    within = abs(gap) <= in_points(hypot(cell["deviation"], of_theirs), table)
    numbers = [theirs["value"], *([of_theirs] if of_theirs else [])]
    return {
        "published": " ± ".join(_printed(table, metric, number) for number in numbers),
        "difference": _printed(table, metric, gap / 100, "+"),
        "standing": WITHIN if within else ABOVE if gap > 0 else BELOW,
    }


def _printed(table: Described, metric: str, share: float, sign: str = "") -> str:
    """Accuracies in percent, all else as shares, as the table has them."""
    unit, more = (1, 0) if metric == "accuracy" else (100, 2)
    return f"{in_points(share, table) / unit:{sign}.{table.decimals + more}f}"


def _settings(results: pd.DataFrame) -> dict[Whose, str]:
    """`hops 2, teleport 0.1 (in 7 of 10 runs)`: the setting that most runs of each cell have."""
    found: dict[Whose, str] = {}
    for _, rows in results.groupby("method", sort=False):
        axes = [axis for axis in axes_of(rows) if rows[axis].notna().any()]
        if not axes:
            continue
        runs = rows.drop_duplicates([*WHOSE, "run"]).dropna(subset=axes, how="all")
        counted: dict[Whose, Counter[tuple[str, ...]]] = {}
        for line in runs[[*WHOSE, *axes]].itertuples(index=False, name=None):
            whose, values = line[: len(WHOSE)], tuple(map(as_text, line[len(WHOSE) :]))
            counted.setdefault(whose, Counter())[values] += 1
        for whose, counts in counted.items():
            [(values, most)] = counts.most_common(1)
            pairs = zip((axis.removeprefix(AXIS) for axis in axes), values, strict=True)
            text = ", ".join(f"{axis} {value}" for axis, value in pairs if value)
            part = f" (in {most} of {counts.total()} runs)" if len(counts) > 1 else ""
            found[whose] = text + part
    return found


def recomputed(command: str, place: Place) -> str:
    """The command line that computes the cell again: `command` names what of the cell it takes."""
    of_cell = place._asdict() | {"noise": f"{place.noise}:{place.intensity:g}"}
    return command.format(**{name: shlex.quote(str(value)) for name, value in of_cell.items()})

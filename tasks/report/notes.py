"""The note of each cell: how it compares with the published value, and how it was computed."""

import shlex
from collections.abc import Mapping, Sequence
from math import hypot
from typing import Any

import pandas as pd

from tasks.report.blocks import ABOVE, BELOW, WITHIN, Note
from tasks.report.tables import CELL, JUDGED_ON, picks, printed_in
from tasks.report.values import PUBLISHED, Cell, Place, Values

# Seeds of a cell that are listed; where there are more, the first.
MOST_SEEDS = 3
# Subject, method and protocol.
Whose = tuple[Any, ...]


def notes(
    values: Values, digests: Mapping[Whose, Sequence[str]], command: str
) -> dict[Place, Note]:
    """Of every cell with a value; `digests` are by subject, method and protocol."""
    table, settings = values.table, picks(values.results)
    groups: Any = values.results.groupby(list(Place._fields), sort=False)
    origins = groups[["criterion", "tried"]].first().assign(seeds=groups["seed"].unique())
    notes = {}
    for at, origin in zip(values.cells, origins.itertuples(), strict=True):
        cell, whose = values.cells[at], (*at.subject, at.method, at.protocol)
        low, high = (_printed(values, at, end) for end in (cell.low, cell.high))
        setting, part = settings.get(whose, ("none picked", ""))
        judge = JUDGED_ON.get(origin.criterion, origin.criterion)
        more = len(origin.seeds) - MOST_SEEDS
        details = {
            "Protocol": at.protocol,
            "Metric": at.metric if len(table.metrics) > 1 else "",
            "Noise": f"{at.noise} {at.intensity:g} {at.noise_pattern}" if at.noise else "",
            "Setting": f"{setting} (in {part} runs)" if part else setting,
            "Settings tried": f"{origin.tried}, judged on {judge}",
            "Runs": f"{cell.runs}" + (f", from {low} to {high}" if low != high else ""),
            "Seeds": ", ".join(origin.seeds[:MOST_SEEDS])
            + (f" and {more} more" if more > 0 else ""),
            "Digest": ", ".join(digests.get(whose, ())),
            "Recompute": recomputed(command, at),
        }
        pairs = tuple((title, text) for title, text in details.items() if text)
        notes[at] = Note(**_standing(values, at, cell), details=pairs)
    return notes


def digests_of(cells: Sequence[pd.DataFrame], digests: Sequence[str]) -> dict[Whose, list[str]]:
    """By subject, method and protocol: under noise a cell has an artifact for each seed."""
    by_cell: dict[Whose, list[str]] = {}
    for rows, digest in zip(cells, digests, strict=True):
        for whose in rows[CELL].drop_duplicates().itertuples(index=False, name=None):
            by_cell.setdefault(whose, []).append(digest)
    return by_cell


def _standing(values: Values, at: Place, cell: Cell) -> dict[str, str]:
    """The published value and the difference, as they are printed, and how it compares.

    It is within the spread if it is not larger than the deviation of a difference between two runs,
    one of ours and one of theirs: the root of both deviations' squares. One that is not printed
    counts as 0.
    """
    gap = values.gaps[at.method, at.protocol].get(at.case)
    if gap is None:
        return {}
    theirs = values.published[at._replace(protocol=PUBLISHED)]
    of_theirs = 0.0 if pd.isna(theirs.std) else theirs.std
    within = abs(gap) <= values.in_points(hypot(cell.std, of_theirs))
    numbers = [theirs.mean, *([of_theirs] if of_theirs else [])]
    return {
        "published": " ± ".join(_printed(values, at, number) for number in numbers),
        "difference": _printed(values, at, gap / 100, "+"),
        "standing": WITHIN if within else ABOVE if gap > 0 else BELOW,
    }


def _printed(values: Values, at: Place, share: float, sign: str = "") -> str:
    """Accuracies in percent, all else as shares, as the table has them."""
    unit, digits = printed_in(at.metric, values.table)
    return f"{values.in_points(share) * unit / 100:{sign}.{digits}f}"


def recomputed(command: str, place: Place) -> str:
    """The command line that computes the cell again: `command` names what of the cell it takes."""
    of_cell = place._asdict() | {"noise": f"{place.noise}:{place.intensity:g}"}
    return command.format(**{name: shlex.quote(str(value)) for name, value in of_cell.items()})

"""How the methods of a table stand to published values and to each other, in sentences."""

from typing import Any, NamedTuple

import pandas as pd

from tasks.declared.described import Described
from tasks.declared.published import LITERATURE
from tasks.report.blocks import BAD, GOOD, MIXED, Block, Heading, Table
from tasks.report.tables import NONE
from tasks.report.values import (
    PUBLISHED,
    Column,
    Place,
    Values,
    case_title,
    printed_columns,
)

# Points by which a value may fall short of the published one and still count as reached, and
# those beyond which it is too good to be the same thing done again, or so far off that a
# table's remarks should say why.
TOLERANCE = 1.0
FAR_ABOVE = 1.5
FAR_BELOW = 5.0
FAR_MEAN = 2.0
# Names of datasets in a sentence.
MOST_NAMES = 6
# The end of the name of a row that averages all settings; the name before it picks one of them.
AVERAGED = " averaged"


BEATS, LEVEL, LOSES = "beats", "neither beats nor loses to", "loses to"
TONES = {BEATS: GOOD, LEVEL: MIXED, LOSES: BAD}


class Contest(NamedTuple):
    """Who wins against a rival: `13-1-10 (+0.53)` are cells won, level and lost, and the mean."""

    verdict: str
    score: str

    @property
    def text(self) -> str:
        """The score as a cell shows it: readable without colour, too."""
        mark = {BEATS: "**", LEVEL: "", LOSES: "*"}[self.verdict]
        return f"{mark}{self.score}{mark}"


def reached(values: Values) -> list[str]:
    """Per method and protocol: in how many cells the published value is reached, and where not.

    Where runs differ, the lowest and the highest of a cell that is short stand beside the gap.
    """
    table, lines, unexplained = values.table, [], set()
    digits = table.decimals
    for (method, protocol), gaps in values.gaps.items():
        if not gaps:
            continue
        short, above = [], []
        for case, gap in gaps.items():
            text = f"{case_title(case, table)} ({gap:+.{digits}f}"
            cell = values.cells[Place(*case, method, protocol)]
            low, high = values.in_points(cell.low), values.in_points(cell.high)
            spread = f"; runs {low:.{digits}f}..{high:.{digits}f}" if high > low else ""
            if gap < -TOLERANCE:
                short.append(f"{text}{spread})")
            if gap > FAR_ABOVE:
                above.append(f"{text})")
            if gap < -FAR_BELOW and not any(case[0] in remark for remark in table.remarks):
                unexplained.add(case[0])
        line = f"- {method}, `{protocol}`: {len(gaps) - len(short)} of {len(gaps)}"
        line += f"; short at {', '.join(short)}" if short else ""
        line += f"; more than {FAR_ABOVE:g} above at {', '.join(above)}" if above else ""
        lines.append(line)
    if not lines:
        return [] if table.published else [f"\n{text}" for text in table.remarks]
    head = (
        f"Published values reached to {TOLERANCE:g} point or exceeded (differences in points, of "
        "values as they are printed):\n"
    )
    remarks = [*values.left_out(), *table.remarks]
    if unexplained:
        names = ", ".join(sorted(unexplained))
        remarks.append(f"More than {FAR_BELOW:g} points below, for no known reason: {names}.")
    return [head, *lines, *(f"\n{text}" for text in remarks)]


def count_reached(values: Values) -> dict[str, tuple[int, int]]:
    """Per protocol: how many published values of our own methods are reached, and of how many."""
    table = values.table
    by_protocol: dict[str, list[float]] = {}
    for (method, protocol), gaps in values.gaps.items():
        if table.row(method).own and not table.row(method).is_variant:
            first = [gap for case, gap in gaps.items() if case[-1] == table.metrics[0]]
            by_protocol.setdefault(protocol, []).extend(first)
    return {
        protocol: (sum(gap >= -TOLERANCE for gap in gaps), len(gaps))
        for protocol, gaps in by_protocol.items()
        if gaps
    }


def beaten(values: Values) -> list[Block]:
    """A row per rival, a column per method of the paper and protocol: who beats whom, and how.

    Rivals are the others that were run here, then the paper's columns of others. A rival is beaten
    in a table if more cells are won than lost and the mean is higher, too; a cell is level where
    both are printed alike.
    """
    table, contests = values.table, dict[str, dict[str, Contest]]()
    ran_here = {table.row(method).published for method, _ in values.ours}
    columns = {
        f"{name} ({PUBLISHED})": values.theirs.get(name, {})
        for name in values.printed
        if name not in ran_here
    }
    for name, column in printed_columns(table.literature, table).items():
        same = {case: value for case, value in column.items() if case[0] not in values.redrawn}
        columns[f"{name} ({LITERATURE})"] = same
    for (method, protocol), cells in values.ours.items():
        if not table.row(method).own:
            continue
        ours = values.ours.items()
        rivals = {m: own for (m, p), own in ours if p == protocol and not table.row(m).own}
        for metric in table.metrics:
            own = {case: value for case, value in cells.items() if case[-1] == metric}
            title = f"{method}, `{protocol}`" + (f", {metric}" if len(table.metrics) > 1 else "")
            for rival, theirs in {**rivals, **columns}.items():
                contest = _contest(own, theirs)
                if contest:
                    contests.setdefault(rival, {})[title] = contest
    return [Heading(3, "Against each rival"), _matrix(table, contests)] if contests else []


def _matrix(table: Described, contests: dict[str, dict[str, Contest]]) -> Table:
    """Contests by rival and by method of ours, all in one table."""
    columns = list(dict.fromkeys(name for of_rival in contests.values() for name in of_rival))
    lines = [
        {"rival": rival, **{name: contest.text for name, contest in of_rival.items()}}
        for rival, of_rival in contests.items()
    ]
    tones = {
        (i, name): TONES[contest.verdict]
        for i, of_rival in enumerate(contests.values())
        for name, contest in of_rival.items()
    }
    title = (
        "Cells won-level-lost against each rival, and the mean difference in points; level is what "
        "is printed alike. **Bold**: the rival is beaten, as both say so; *italic*: it beats ours. "
        "Those marked published or literature were not run here."
    )
    frame = pd.DataFrame(lines, columns=["rival", *columns]).fillna(NONE)
    return Table(f"{table.name}-rivals", frame, title, tones=tones)


def best_means(values: Values) -> dict[str, pd.Series]:
    """Per protocol two means of the first metric in points: the best of ours, and of the rivals."""
    best = {}
    for protocol, means in _complete(values).items():
        over = means.mean().round(values.table.decimals)
        own = over[[name for name in over.index if values.table.row(name).own]]
        rivals = over.drop(index=own.index)
        if not own.empty and not rivals.empty:
            best[protocol] = over[[own.idxmax(), rivals.idxmax()]]
    return best


def leaders(values: Values) -> list[str]:
    """Per protocol: whether the best row of ours or a rival has the highest mean, and where."""
    table, complete, lines = values.table, _complete(values), []
    for protocol, best in best_means(values).items():
        means, (ours, theirs) = complete[protocol], best.index
        gap = best[ours] - best[theirs]
        verdict = "level with" if gap == 0 else "above" if gap > 0 else "**below**"
        ahead = (means[theirs] - means[ours]).round(table.decimals)
        lines.append(
            f"- `{protocol}`, means over {len(means)} datasets: {ours} ({best[ours]:.2f}) is "
            f"{verdict} the best rival, {theirs} ({best[theirs]:.2f}), which is ahead on "
            f"{_largest(ahead, table) or 'none of them'}"
        )
    return ["Our best row and the best rival:\n", *lines] if lines else []


def below(values: Values) -> list[str]:
    """Rivals in `paper` whose mean is far from the published one over the same datasets."""
    table, means = values.table, _complete(values).get("paper", pd.DataFrame())
    printed, lines, compared = (100 * values.wide(PUBLISHED, "title")).round(table.decimals), [], 0
    for name in [name for name in means if not table.row(name).own]:
        theirs = printed.get(name, pd.Series(dtype=float)).dropna()
        if not set(means.index) <= set(theirs.index):
            continue
        compared += 1
        gaps = (means[name].round(table.decimals) - theirs[means.index]).round(table.decimals)
        if abs(gaps.mean()) <= FAR_MEAN:
            continue
        side = "below" if gaps.mean() < 0 else "above"
        far = _largest(-gaps if side == "below" else gaps, table)
        lines.append(f"- {name}: {abs(gaps.mean()):.2f} {side}, most on {far}")
    if not compared:
        return []
    head = (
        f"Rivals whose mean in `paper` is more than {FAR_MEAN:g} points from the published one "
        f"(of {compared} over {len(means)} datasets): "
    )
    return [head + ("" if lines else "none."), *([""] if lines else []), *lines]


def _complete(values: Values) -> dict[str, Any]:
    """By protocol: data x methods in points of the first metric, where all have their cells.

    A rival is listed once: rows that pick from a part of its settings are left out.
    """
    rows = [row for row in values.table.rows if row.own or not row.is_variant]
    complete, means = values.complete("title"), {}
    for protocol in values.results["protocol"].unique() if complete else ():
        wide = 100 * values.wide(protocol, "title").loc[complete]
        means[protocol] = wide[[row.name for row in rows if row.name in wide]]
    return means


def _largest(gaps: pd.Series, table: Described) -> str:
    """`CAR (9.99), zoo (5.52)`: where the gap is positive, the widest first."""
    wide_gaps = gaps[gaps > 0].sort_values(ascending=False)
    names = [f"{name} ({gap:.{table.decimals}f})" for name, gap in wide_gaps.items()]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def averaged(values: Values) -> list[str]:
    """Whether what averages all settings beats what picks one of them."""
    lines = []
    for (method, protocol), cells in values.ours.items():
        pick = method.removesuffix(AVERAGED)
        theirs = values.ours.get((pick, protocol), {})
        contest = _contest(cells, theirs) if pick != method else None
        if contest:
            score = f"{contest.verdict} {pick} {contest.score}"
            lines.append(f"{method}, which picks no setting, {score} in `{protocol}`.")
    return lines


def _contest(own: Column, rival: Column) -> Contest | None:
    """Ours and a rival's over the cells that both have; None where there are none."""
    gaps = pd.Series([own[case] - rival[case] for case in own if case in rival], dtype=float)
    if gaps.empty:
        return None
    won, lost = int((gaps > 0).sum()), int((gaps < 0).sum())
    mean = gaps.mean()
    verdict = LEVEL
    if (won - lost) * mean > 0:
        verdict = BEATS if mean > 0 else LOSES
    return Contest(verdict, f"{won}-{len(gaps) - won - lost}-{lost} ({mean:+.2f})")

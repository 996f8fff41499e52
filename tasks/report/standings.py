"""How the methods of a table stand to published values and to each other, in sentences."""

from typing import Any, NamedTuple

import pandas as pd

from tasks.declared.described import Described
from tasks.declared.published import LITERATURE
from tasks.report.blocks import BAD, GOOD, MIXED, Block, Heading, Table
from tasks.report.printed import (
    CASE,
    Case,
    counterparts,
    in_points,
    left_out,
    printed_columns,
    redrawn,
    runs_of_cases,
)
from tasks.report.ranks import PUBLISHED
from tasks.report.tables import NONE

# Points by which a value may fall short of the published one and still count as reached, and
# those beyond which it is too good to be the same thing done again, or so far off that a
# table's remarks should say why.
TOLERANCE = 1.0
FAR_ABOVE = 1.5
FAR_BELOW = 5.0
FAR_MEAN = 2.0
# Names of datasets in a sentence.
MOST_NAMES = 6
# How the name of what averages all settings ends; what stands before it picks one of them.
AVERAGED = " averaged"


BEATS, LEVEL, LOSES = "beats", "neither beats nor loses to", "loses to"
TONES = {BEATS: GOOD, LEVEL: MIXED, LOSES: BAD}


class Contest(NamedTuple):
    """Who wins against a rival: `13-1-10 (+0.53)` are cells won, level and lost, and the mean."""

    verdict: str
    score: str

    @property
    def text(self) -> str:
        """The score as a cell shows it: the verdict is told without colour, too."""
        mark = {BEATS: "**", LEVEL: "", LOSES: "*"}[self.verdict]
        return f"{mark}{self.score}{mark}"


def reached(table: Described, results: pd.DataFrame) -> list[str]:
    """Per method and protocol: in how many cells the published value is reached, and where not.

    Where runs differ, the lowest and the highest of a cell that is short stand beside the gap.
    """
    digits, lines, unexplained = table.decimals, [], set()
    for (method, protocol), of_cases in gaps_to_published(table, results).items():
        own = results[(results["method"] == method) & (results["protocol"] == protocol)]
        runs, gaps, spreads = runs_of_cases(own), {}, {}
        for case, gap in of_cases.items():
            name = name_of(case, table)
            low, high = (in_points(value, table) for value in (runs[case].min(), runs[case].max()))
            gaps[name] = gap
            spreads[name] = f"; runs {low:.{digits}f}..{high:.{digits}f}" if high > low else ""
            if gap < -FAR_BELOW and not any(case[0] in text for text in table.remarks):
                unexplained.add(case[0])
        if not gaps:
            continue
        short = [name for name, gap in gaps.items() if gap < -TOLERANCE]
        above = [name for name, gap in gaps.items() if gap > FAR_ABOVE]
        line = f"- {method}, `{protocol}`: {len(gaps) - len(short)} of {len(gaps)}"
        if short:
            listed = (f"{name} ({gaps[name]:+.{digits}f}{spreads[name]})" for name in short)
            line += f"; short at {', '.join(listed)}"
        if above:
            listed = (f"{name} ({gaps[name]:+.{digits}f})" for name in above)
            line += f"; more than {FAR_ABOVE:g} above at {', '.join(listed)}"
        lines.append(line)
    if not lines:
        return [] if table.published else [f"\n{text}" for text in table.remarks]
    head = (
        f"Published values reached to {TOLERANCE:g} point or exceeded (differences in points, of "
        "values as they are printed):\n"
    )
    said = [*left_out(results), *table.remarks]
    if unexplained:
        names = ", ".join(sorted(unexplained))
        said.append(f"More than {FAR_BELOW:g} points below, for no known reason: {names}.")
    return [head, *lines, *(f"\n{text}" for text in said)]


def gaps_to_published(
    table: Described, results: pd.DataFrame
) -> dict[tuple[str, str], dict[Case, float]]:
    """By method and protocol, then by case: ours minus the published value, both as printed."""
    columns, others = printed_columns(table.published, table), redrawn(results)
    found = {}
    for (method, protocol), cells in means_of(table, results).items():
        printed = counterparts(cells, columns.get(table.row(method).published, {}), others)
        found[method, protocol] = {
            case: round(cells[case] - theirs, table.decimals) for case, theirs in printed.items()
        }
    return found


def count_reached(table: Described, results: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Per protocol: how many published values of our own methods are reached, and of how many."""
    of_protocols: dict[str, list[float]] = {}
    for (method, protocol), gaps in gaps_to_published(table, results).items():
        if table.row(method).own and not table.row(method).is_variant:
            first = [gap for case, gap in gaps.items() if case[-1] == table.metrics[0]]
            of_protocols.setdefault(protocol, []).extend(first)
    return {
        protocol: (sum(gap >= -TOLERANCE for gap in gaps), len(gaps))
        for protocol, gaps in of_protocols.items()
        if gaps
    }


def beaten(table: Described, results: pd.DataFrame) -> list[Block]:
    """A row per rival, a column per method of the paper and protocol: who beats whom, and how.

    Rivals are the others that were run here, then the paper's columns of others. A rival is beaten
    in a table if more cells are won than lost and the mean is higher, too; a cell is level where
    both are printed alike.
    """
    ours = means_of(table, results)
    known = {table.row(method).published for method, _ in ours}
    columns = {
        f"{rival} ({origin})": column
        for origin, printed in ((PUBLISHED, table.published), (LITERATURE, table.literature))
        for rival, column in printed_columns(printed, table).items()
        if origin == LITERATURE or rival not in known
    }
    others = redrawn(results)
    contests: dict[str, dict[str, Contest]] = {}
    for (method, protocol), cells in ours.items():
        if not table.row(method).own:
            continue
        rivals = {m: ours[m, p] for m, p in ours if p == protocol and not table.row(m).own}
        for rival, column in columns.items():
            rivals[rival] = counterparts(cells, column, others)
        for metric in table.metrics:
            own = {case: value for case, value in cells.items() if case[-1] == metric}
            of_metric = f", {metric}" if len(table.metrics) > 1 else ""
            found = {rival: _contest(own, theirs) for rival, theirs in rivals.items()}
            for rival, contest in found.items():
                if contest:
                    at = f"{method}, `{protocol}`{of_metric}"
                    contests.setdefault(rival, {})[at] = contest
    return [Heading(3, "Against each rival"), _matrix(table, contests)] if contests else []


def _matrix(table: Described, contests: dict[str, dict[str, Contest]]) -> Table:
    """Contests by rival and by method of ours, all in one table."""
    names = list(dict.fromkeys(name for of_rival in contests.values() for name in of_rival))
    lines: list[dict[str, str]] = []
    tones: dict[tuple[int, str], str] = {}
    for i, (rival, of_rival) in enumerate(contests.items()):
        line = {"rival": rival}
        for name in names:
            contest = of_rival.get(name)
            line[name] = contest.text if contest else NONE
            tones |= {(i, name): TONES[contest.verdict]} if contest else {}
        lines.append(line)
    title = (
        "Cells won-level-lost against each rival, and the mean difference in points; level is what "
        "is printed alike. **Bold**: the rival is beaten, as both say so; *italic*: it beats ours. "
        "Those marked published or literature were not run here."
    )
    return Table(f"{table.name}-rivals", pd.DataFrame(lines), title, tones=tones)


def best_means(table: Described, results: pd.DataFrame) -> dict[str, pd.Series]:
    """Per protocol two means of the first metric in points: the best of ours, and of the rivals."""
    found = {}
    for protocol, means in _complete(table, results).items():
        over = means.mean().round(table.decimals)
        own = over[[name for name in over.index if table.row(name).own]]
        rivals = over.drop(index=own.index)
        if not own.empty and not rivals.empty:
            found[protocol] = over[[own.idxmax(), rivals.idxmax()]]
    return found


def leaders(table: Described, results: pd.DataFrame) -> list[str]:
    """Per protocol: whether the best row of ours or a rival has the highest mean, and where."""
    complete, lines = _complete(table, results), []
    for protocol, best in best_means(table, results).items():
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


def below(table: Described, results: pd.DataFrame) -> list[str]:
    """Rivals in `paper` whose mean is far from the published one over the same datasets."""
    means = _complete(table, results).get("paper", pd.DataFrame())
    columns, lines = printed_columns(table.published, table), []
    compared = 0
    for name in [name for name in means if not table.row(name).own]:
        printed = columns.get(table.row(name).published, {})
        theirs = pd.Series({case[0]: value for case, value in printed.items()}, dtype=float)
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


def _complete(table: Described, results: pd.DataFrame) -> dict[str, Any]:
    """By protocol: cases x methods in points of the first metric, where all have their cells.

    A rival stands there once: what picks from a part of its settings is left out.
    """
    first = results[results["metric"] == table.metrics[0]]
    columns = ["method", "protocol"]
    cells = first.pivot_table(index=CASE, columns=columns, values="value", sort=False)
    means: Any = 100 * cells.dropna()
    means.index = [name_of(case, table) for case in means.index]
    rows = [row for row in table.rows if row.own or not row.is_variant]
    found = {}
    for protocol in results["protocol"].unique():
        names = [row.name for row in rows if (row.name, protocol) in means]
        found[protocol] = means[[(name, protocol) for name in names]].set_axis(names, axis=1)
    return {} if means.empty else found


def _largest(gaps: pd.Series, table: Described) -> str:
    """`CAR (9.99), zoo (5.52)`: where the gap is positive, the widest first."""
    wide_gaps = gaps[gaps > 0].sort_values(ascending=False)
    names = [f"{name} ({gap:.{table.decimals}f})" for name, gap in wide_gaps.items()]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def averaged(table: Described, results: pd.DataFrame) -> list[str]:
    """Whether what averages all settings beats what picks one of them."""
    ours, lines = means_of(table, results), []
    for (method, protocol), cells in ours.items():
        pick = method.removesuffix(AVERAGED)
        contest = _contest(cells, ours.get((pick, protocol), {})) if pick != method else None
        if contest:
            said = f"{contest.verdict} {pick} {contest.score}"
            lines.append(f"{method}, which picks no setting, {said} in `{protocol}`.")
    return lines


def means_of(table: Described, results: pd.DataFrame) -> dict[tuple[str, str], dict[Case, float]]:
    """By method and protocol, then by case: means over the runs in points."""
    means: Any = results.groupby(["method", "protocol", *CASE], sort=False)["value"].mean()
    found: dict[tuple[str, str], dict[Case, float]] = {}
    for (method, protocol, *case), value in means.items():
        found.setdefault((method, protocol), {})[tuple(case)] = in_points(value, table)
    return found


def _contest(own: dict[Case, float], rival: dict[Case, float]) -> Contest | None:
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


def name_of(case: Case, table: Described) -> str:
    """`iris`, or with what tells a cell from the others: `digits gaussian 0.1 shared NMI`."""
    dataset, noise, intensity, pattern, metric = case
    name = f"{dataset} {noise} {intensity:g} {pattern}" if noise else dataset
    return f"{name} {metric}" if len(table.metrics) > 1 else name

"""Sentences of the report, made from the results: what of the paper's text holds here."""

from typing import Any, NamedTuple

import pandas as pd

from flgc.methods.timing import REPEATS, SECONDS
from tasks.declared.described import Described
from tasks.declared.published import LITERATURE
from tasks.document.blocks import BAD, GOOD, MIXED, Block, Heading, Table
from tasks.document.comparisons import PUBLISHED, wide
from tasks.document.printed import (
    CASE,
    Case,
    counterparts,
    in_points,
    left_out,
    printed_columns,
    redrawn,
    runs_of_cases,
)
from tasks.document.tables import NONE, averaged_over

# Points by which a value may fall short of the published one and still count as reached, and
# those beyond which it is too good to be the same thing done again, or so far off that a
# table's remarks should say why.
TOLERANCE = 1.0
FAR_ABOVE = 1.5
FAR_BELOW = 5.0
FAR_MEAN = 2.0
OVER_SMOOTHED = 1.0
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
            name = named(case, table)
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


def leaders(table: Described, results: pd.DataFrame) -> list[str]:
    """Per protocol: whether the paper's best row or a rival has the highest mean, and where."""
    lines = []
    for protocol, means in _complete(table, results).items():
        over = means.mean().round(table.decimals)
        own = over[[name for name in over.index if table.row(name).own]]
        rivals = over.drop(index=own.index)
        if own.empty or rivals.empty:
            continue
        ours, theirs = str(own.idxmax()), str(rivals.idxmax())
        gap = own[ours] - rivals[theirs]
        verdict = "level with" if gap == 0 else "above" if gap > 0 else "**below**"
        ahead = (means[theirs] - means[ours]).round(table.decimals)
        lines.append(
            f"- `{protocol}`, means over {len(means)} datasets: {ours} ({own[ours]:.2f}) is "
            f"{verdict} the best rival, {theirs} ({rivals[theirs]:.2f}), which is ahead on "
            f"{_largest(ahead, table) or 'none of them'}"
        )
    return ["The best row of the paper and the best rival:\n", *lines] if lines else []


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
    """By protocol: datasets x methods in points, where all methods have their cells."""
    averages = averaged_over(table, results)
    if not averages:
        return {}
    datasets, means = list(averages.values())[-1], 100 * wide(results)
    at: Any = means.loc[datasets]
    rows = [row for row in table.rows if not row.is_variant]
    found = {}
    for protocol in results["protocol"].unique():
        names = [row.name for row in rows if (row.name, protocol) in means]
        found[protocol] = at[[(name, protocol) for name in names]].set_axis(names, axis=1)
    return found


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


def named(case: Case, table: Described) -> str:
    """`iris`, or with what tells a cell from the others: `digits gaussian 0.1 shared NMI`."""
    dataset, noise, intensity, pattern, metric = case
    name = f"{dataset} {noise} {intensity:g} {pattern}" if noise else dataset
    return f"{name} {metric}" if len(table.metrics) > 1 else name


def over_smoothing(table: Described, timings: pd.DataFrame) -> list[str]:
    """Whether accuracy at the most hops stays near the best, for the paper's with a teleport.

    Without one, more hops do smooth: a method that picked teleport 0 shows nothing of it. One that
    nowhere has a teleport is not spoken of, unless none has: FLGC is made without.
    """
    lines, silent = [], []
    if "p_teleport" not in timings:
        return []
    rows = timings[timings["method"].isin(_own(table)) & timings["p_teleport"].notna()]
    with_teleport = set(rows[rows["p_teleport"] > 0]["method"])
    groups: Any = rows.groupby(["dataset", "method"], sort=False)
    for (dataset, name), here in groups:
        teleport, most = here["p_teleport"].iloc[0], here["hops"].max()
        if teleport == 0:
            if name in with_teleport or not with_teleport:
                silent.append(f"{name} on {dataset}")
            continue
        by_hops, lost = along_hops(here)
        verdict = "holds" if lost <= OVER_SMOOTHED else "**does not hold**"
        lines.append(
            f"- {dataset}, {name} (teleport {teleport:g}): {verdict}; {by_hops[most]:.1f} at "
            f"{most} hops, best {by_hops.max():.1f} at {by_hops.idxmax()}"
        )
    nothing = f"picked teleport 0, which says nothing of it: {', '.join(silent)}"
    if not lines:
        return [f"No over-smoothing: not tested. All {nothing}"] if silent else []
    head = f"No over-smoothing (at the most hops within {OVER_SMOOTHED:g} point of the best):\n"
    return [head, *lines, *([f"- {nothing}"] if silent else [])]


def along_hops(here: pd.DataFrame) -> tuple[pd.Series, float]:
    """Accuracies of a method on a dataset by hops, and what it loses from the best to the most."""
    by_hops = (100 * here.set_index("hops")["accuracy"]).round(1)
    return by_hops, round(by_hops.max() - by_hops[by_hops.index.max()], 1)


def _own(table: Described) -> list[str]:
    """The methods that the paper's claims are about."""
    return [row.name for row in table.rows if row.own]


def time_ratios(table: Described, timings: pd.DataFrame) -> dict[str, Any]:
    """By method of the paper: each rival's seconds divided by its own, for dataset and hops."""
    seconds: Any = timings.pivot_table(
        index=["dataset", "hops"], columns="method", values="training_time", sort=False
    )
    own = [name for name in seconds if name in _own(table)]
    rivals = [name for name in seconds if name not in own]
    return {name: seconds[rivals].div(seconds[name], axis=0) for name in own} if rivals else {}


def fastest(table: Described, timings: pd.DataFrame) -> list[str]:
    """Whether each of the paper's is faster than every rival at equal hops, and where it is not."""
    lines = []
    for method, ratios in time_ratios(table, timings).items():
        middle = ", ".join(f"{rival} {ratio:.0f}x" for rival, ratio in ratios.median().items())
        slower = [
            f"{dataset} at {hops} hops ({rival})"
            for rival in ratios
            for (dataset, hops), ratio in ratios[rival].items()
            if ratio < 1
        ]
        line = f"- {method} (medians: {middle}): "
        if slower:
            line += f"**not everywhere**; slower on {', '.join(slower)}"
        else:
            line += f"faster at all {len(ratios)} pairs of dataset and hops"
        lines.append(line)
    if not lines:
        return []
    head = (
        "Training time at equal hops, rivals' seconds divided by ours. One rule for all methods: "
        "one core, the setting that most runs picked in `honest`, the first fit is not timed, "
        f"then the median of {REPEATS} fits, or of as many as start within {SECONDS:g} s:\n"
    )
    return [head, *lines]

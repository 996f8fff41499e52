"""The report: what each table shows, what of the paper's text holds, and how it was found."""

from collections.abc import Mapping, Sequence

import pandas as pd

from flgc.datasets.splits import N_FOLDS
from flgc.methods.sorted_affinity import SortedAffinity
from tasks.declared.described import Described
from tasks.document import (
    affinity_claims,
    claims,
    comparisons,
    criteria_table,
    curve_claims,
    robustness_claims,
)
from tasks.document.by_protocol import grids, is_wide, overview, shown_tables
from tasks.document.datasets import dataset_table
from tasks.document.figures.bars import bar_file
from tasks.document.files import as_table, from_table, pictures
from tasks.document.gaps import FAILED, Gap, absent, listed, verdict
from tasks.document.printed import left_out
from tasks.document.results import joined, timed, varied
from tasks.document.tables import (
    NONE,
    cost,
    markdown,
    section_table,
    settings,
    tried,
)

HOME = "flgc"
# A table of settings with more lines than this is a file of its own.
MOST_LINES = 60
IN_ITS_PICTURE = (
    "What the paper has for these bars is in its picture only (Figure 8), not in its text, so no "
    "number of theirs stands beside ours."
)
PROTOCOLS_EXPLAINED = f"""\
Two protocols stand side by side. **paper**: one setting per dataset and method, the best on the
test nodes of all runs (for clusterings: against the true classes), as the paper's numbers were.
What was tuned for a dataset, such as its graph, is in `paper` alone; noise is the same in both.
**honest**: a setting for each run by itself, picked from what that run may see and nothing else: on
its validation nodes where there are some, else on labelled nodes that a fit leaves out, by the
squared error of leave-one-out if a method knows it, or by its hits in {N_FOLDS} folds; for
clusterings by the silhouette, which picks among the preparations (graph, scaling) too. Methods that
are trained are picked in the same way, all their settings in all runs. `FLGC* averaged` picks
nothing: all models of its grid are added up in each run, with more weight the more nodes that the
run may see and the model did not fit it gets right; so it is in `honest` alone, as are rows at one
given setting, and {NONE} stands where a method is not in a protocol. How many settings each method
tried is told below each table. *published* is what the paper prints. `FLGC*` may pick teleport 0,
which is `FLGC`: in `paper` it cannot be the worse of the two. Accuracies are in percent, ± is the
standard deviation over the runs."""


def write_report(
    name: str,
    tables: Sequence[Described],
    protocols: Sequence[str],
    sizes: Mapping[str, pd.DataFrame],
    results: Mapping[str, Sequence[pd.DataFrame]],
    pairs: Mapping[str, pd.DataFrame],
    timings: Mapping[str, Mapping[str, pd.DataFrame]],
    curves: Mapping[str, Mapping[str, Mapping[str, Mapping[str, pd.DataFrame]]]],
    affinities: Mapping[str, Mapping[str, Mapping[str, SortedAffinity]]],
    criteria: Mapping[str, Mapping[str, Mapping[str, pd.DataFrame]]],
    figures: Mapping[str, pd.DataFrame],
    gaps: Mapping[str, Sequence[Gap]],
    costs: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> pd.DataFrame:
    """All tables as files (name, content); what is there of each is found by its name.

    `timings` are by dataset besides, `curves` by figure, dataset and method, `affinities` and
    `criteria` by dataset and method, `costs` are seconds by method and stage.
    """
    there = sum(len(cells) for cells in results.values())
    lacking = [gap for of_table in gaps.values() for gap in of_table]
    text = f"# Reproduction: `{name}`\n\n{verdict(there, lacking)}.\n\n{PROTOCOLS_EXPLAINED}\n"
    files = {"report.md": text}
    for table in tables:
        section, more = _section(
            table,
            protocols,
            sizes.get(table.name),
            joined(results.get(table.name, ())),
            pairs.get(table.name),
            timings.get(table.name, {}),
            curves.get(table.name, {}),
            affinities.get(table.name, {}),
            criteria.get(table.name, {}),
            pictures(from_table(figures.get(table.name))),
            gaps.get(table.name, ()),
            costs.get(table.name, {}),
        )
        files |= more
        files["report.md"] += section
    return as_table(files)


def _section(
    table: Described,
    protocols: Sequence[str],
    sizes: pd.DataFrame | None,
    results: pd.DataFrame,
    pairs: pd.DataFrame | None,
    timings: Mapping[str, pd.DataFrame],
    curves: Mapping[str, Mapping[str, Mapping[str, pd.DataFrame]]],
    affinities: Mapping[str, Mapping[str, SortedAffinity]],
    criteria: Mapping[str, Mapping[str, pd.DataFrame]],
    figures: Mapping[str, str],
    gaps: Sequence[Gap],
    costs: Mapping[str, Mapping[str, float]],
) -> tuple[str, dict[str, str]]:
    """The text of one table, and its files."""
    lacking = absent(gaps, table.datasets)
    parts = [f"\n## {table.title}\n", *_headlines(table, protocols, results, costs)]
    if sizes is not None:
        parts += ["\n### Datasets\n", markdown(dataset_table(table, sizes, lacking))]
    for title, shown in shown_tables(table, protocols, results, lacking).items():
        parts += [f"\n### {title}\n" if title else "", markdown(shown)]
    parts += [*_from_elsewhere(table), ""]
    parts += claims.reached(table, results)
    parts += ["", *claims.beaten(table, results)]
    parts += ["", *claims.averaged(table, results)]
    parts += ["", *robustness_claims.told(table, results)]
    parts += [f"\n![{figure.removesuffix('.svg')}]({figure})" for figure in figures]
    if bar_file(table) in figures and not table.published:
        parts += [f"\n{IN_ITS_PICTURE}"]
    whole = section_table(table, protocols, results, lacking)
    files = {f"{table.name}.csv": whole.to_csv(index=False), **figures}
    if timings:
        times = timed(timings)
        files[f"{table.name}-time.csv"] = times.to_csv(index=False)
        parts += ["\n### Training time and over-smoothing\n"]
        parts += [*claims.fastest(table, times), "", *claims.over_smoothing(table, times)]
    for figure, of_figure in curves.items():
        rows, column = varied(of_figure), curve_claims.COLUMNS[figure]
        files[f"{table.name}-{figure}.csv"] = rows.rename(columns={"x": column}).to_csv(index=False)
        parts += curve_claims.told(figure, table, rows)
    if affinities:
        parts += affinity_claims.told(affinities, results)
    if criteria:
        parts += criteria_table.told(criteria, results)
    if pairs is not None and len(pairs):
        files[f"{table.name}-wilcoxon.csv"] = pairs.to_csv(index=False)
        parts += [f"\n{text}" for text in left_out(results)]
        parts += comparisons.retraced(table)
        parts += comparisons.told(comparisons.compared(results, table, protocols), table)
    failed = [gap for gap in gaps if gap.kind == FAILED]
    others = [gap for gap in gaps if gap.kind != FAILED]
    for title, alike in {"Not available": others, "Failed": failed}.items():
        if alike:
            parts += [f"\n### {title}\n", *(f"- {line}" for line in listed(alike))]
    parts += ["\n### Settings tried\n", markdown(tried(results))]
    parts += ["\nTheir grids:\n", markdown(grids(table))]
    picked = settings(results)
    parts += ["\n### Settings picked\n"]
    if len(picked) <= MOST_LINES:
        parts += [markdown(picked)]
    else:
        name = f"{table.name}-settings.csv"
        files[name] = picked.to_csv(index=False)
        parts += [f"Those of {len(picked)} cells are in [{name}]({name})."]
    if costs:
        parts += ["\n### Seconds by stage\n", markdown(cost(costs))]
    return "\n".join([*parts, ""]), files


def _headlines(
    table: Described,
    protocols: Sequence[str],
    results: pd.DataFrame,
    costs: Mapping[str, Mapping[str, float]],
) -> list[str]:
    """Of a table with many methods: their means, which of them lead, and which fall short."""
    means = overview(table, protocols, results, costs)
    if not is_wide(table) or means.empty:
        return []
    said = [*claims.leaders(table, results), "", *claims.below(table, results)]
    return [markdown(means), "", *said]


def _from_elsewhere(table: Described) -> list[str]:
    """Where methods come from that are not this library's; `module:object` says it by its name."""
    rows = [row for row in table.rows if row.origin != HOME]
    names = [row.name + (f" ({row.origin})" if row.origin != row.name else "") for row in rows]
    return [f"\nMethods from elsewhere: {', '.join(names)}."] if names else []

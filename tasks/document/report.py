"""The report: what each table shows, what of the paper's text holds, and how it was found."""

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import vl_convert

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
from tasks.document.answer import answer
from tasks.document.blocks import (
    ABOVE,
    BAD,
    BELOW,
    GOOD,
    MIXED,
    OPEN,
    WITHIN,
    Block,
    Document,
    Figure,
    File,
    Heading,
    Note,
    Table,
    Text,
    text,
)
from tasks.document.by_protocol import grids, is_wide, laid_tables, overview
from tasks.document.cells import digests_of, notes
from tasks.document.charts.history import history_chart
from tasks.document.contradictions import Contradiction
from tasks.document.datasets import dataset_table
from tasks.document.figures.bars import bar_file
from tasks.document.files import FAULTS, PICTURE, as_json, as_table, charts, from_table, pictures
from tasks.document.gaps import FAILED, Gap, absent, listed, verdict
from tasks.document.history import judged, recent, sentences
from tasks.document.history import verdict as said
from tasks.document.judging import FAILS, HOLDS, UNKNOWN
from tasks.document.parts import Parts
from tasks.document.printed import left_out
from tasks.document.provenance import provenance_blocks
from tasks.document.results import joined, timed, varied
from tasks.document.tables import NONE, Place, cost, section_table, settings, tried, unjudged
from tasks.document.verdicts import Verdict, verdicts
from tasks.document.writers import html, latex, markdown

HOME = "flgc"
# A table of settings with more lines than this is a file of its own.
MOST_LINES = 60
AS_CSV = "The same as a file:"
TONES = {HOLDS: GOOD, FAILS: BAD, UNKNOWN: OPEN}  # all others are mixed
# Pixels of a picture that is no figure of a table.
HISTORY_WIDTH = 760
SIZES = "Sizes of the datasets, and where the paper's table says something else"
BESIDE = "± is the deviation over the runs"
STANDINGS = (
    "Our values beside the published ones: how many differ by no more than the run-to-run spread, "
    "which is the deviation of the difference between a run of ours and one of theirs (0 where "
    "there is one run and nothing is printed), and how many by more"
)
IN_ITS_PICTURE = (
    "What the paper has for these bars is in its picture only (Figure 8), not in its text, so no "
    "number of theirs stands beside ours."
)
# What figures show, by how the name of the file ends; the first has the name of the table.
DRAWN = {
    "": "every cell",
    "bars": "every cell",
    "time": "training time and accuracy against the number of hops",
    "sensitivity": "accuracy of the settings of a grid",
    "ranks-paper": "mean ranks, and who cannot be told apart, `paper`",
    "ranks-honest": "mean ranks, and who cannot be told apart, `honest`",
    "labels": "accuracy against labelled samples per class",
    "depths": "accuracy against propagation steps",
    "neighbours": "accuracy against the number of neighbours",
    "influence": "ACC against propagation steps and teleport",
    "affinity": "affinity matrices, sorted by class",
    "samples": "some of the images",
}
PAPER = """\
**`paper`**: one setting per dataset and method, the best on the test nodes of all runs (for
clusterings: against the true classes), as the paper's numbers were. What was tuned for a dataset,
such as its graph, is in `paper` alone; noise is the same in both protocols. `FLGC*` may pick
teleport 0, which is `FLGC`: in `paper` it cannot be the worse of the two."""
HONEST = f"""\
**`honest`**: a setting for each run by itself, picked from what that run may see and nothing else:
on its validation nodes where there are some, else on labelled nodes that a fit leaves out, by the
squared error of leave-one-out if a method knows it, or by its hits in {N_FOLDS} folds; for
clusterings by the silhouette, which picks among the preparations (graph, scaling) too. Methods that
are trained are picked in the same way, all their settings in all runs. `FLGC* averaged` picks
nothing: all models of its grid are added up in each run, with more weight the more nodes that the
run may see and the model did not fit it gets right."""
EXPLAINED = {"paper": PAPER, "honest": HONEST}
PUBLISHED_EXPLAINED = "*published* is what the paper prints."
NUMBERS_EXPLAINED = f"""\
Accuracies are in percent, ± is the standard deviation over the runs, and {NONE} stands where a
method is not in a protocol. How many settings each method tried is told below each table."""


def write_report(
    title: str,
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
    digests: Mapping[str, Sequence[str]],
    command: str,
    page: Mapping[str, str],
    provenance: Mapping[str, Any],
    contradictions: Sequence[Contradiction],
    history: Sequence[Mapping[str, Any]],
    forgiving: bool = False,
) -> pd.DataFrame:
    """All tables as files (name, content); what is there of each is found by its name.

    `timings` are by dataset besides, `curves` by figure, dataset and method, `affinities` and
    `criteria` by dataset and method, `costs` are seconds by method and stage. The `digests` are
    those of the results, in their order, and `command` is what computes a cell again. `page` are
    the files of the HTML page by name, see `page_files`; for `provenance` see its blocks. The
    `contradictions` stand beside the claims of the paper's text, where it has tables of the paper;
    `history` are the rows of the scheduled runs so far. A report that is `forgiving` goes without
    the parts that cannot be made, and names them in a file of their own.
    """
    parts = Parts(forgiving)
    rows: dict[str, pd.DataFrame] = {}
    known: dict[str, Mapping[Place, Note]] = {}
    for table in tables:
        cells = results.get(table.name, ())
        rows[table.name] = joined(cells)
        of_cells = digests_of(cells, digests.get(table.name, ()))
        work = partial(notes, table, rows[table.name], of_cells, command)
        known[table.name] = parts.make(f"{table.name}: notes on cells", work, {})
    there = sum(len(cells) for cells in results.values())
    evidence = (results, pairs, timings, curves, affinities, gaps)
    none: list[Verdict] = []
    judged = parts.make("claims", lambda: verdicts(tables, protocols, *evidence), none)
    blocks = parts.blocks("answer", lambda: text([answer(tables, protocols, rows, judged)]))
    blocks += parts.blocks("picture", lambda: _picture(tables, figures))
    blocks += parts.blocks(
        "opening", lambda: opening(tables, protocols, there, gaps, known, judged)
    )
    if len(tables) == 1 and not tables[0].published:  # one's own data are what it is about
        blocks += text(f"{remark}\n" for remark in tables[0].remarks)
        tables = [dataclasses.replace(tables[0], remarks=())]
    how = Heading(3, "How to read the tables", folded=True)
    blocks += [how, *_explained(tables, protocols)]
    blocks += _contradicted(contradictions) if judged else []
    for table in tables:
        blocks += _section(
            table,
            protocols,
            sizes.get(table.name),
            rows[table.name],
            pairs.get(table.name),
            timings.get(table.name, {}),
            curves.get(table.name, {}),
            affinities.get(table.name, {}),
            criteria.get(table.name, {}),
            from_table(figures.get(table.name)),
            gaps.get(table.name, ()),
            costs.get(table.name, {}),
            known[table.name],
            parts,
        )
    blocks += parts.blocks("history", lambda: _history(history))
    blocks += _missing(gaps)
    blocks += parts.blocks("sources", lambda: _folded(provenance_blocks(rows, provenance)))
    return _as_stored(Document(title, blocks), _costs(costs), page, parts)


def opening(
    tables: Sequence[Described],
    protocols: Sequence[str],
    there: int,
    gaps: Mapping[str, Sequence[Gap]],
    known: Mapping[str, Mapping[Place, Note]],
    judged: Sequence[Verdict],
) -> list[Block]:
    """Below the answer: what of the paper's text holds, how much is there, and how many of its
    values are reached.
    """
    lacking = [gap for alike in gaps.values() for gap in alike]
    blocks: list[Block] = [*_claims(judged), Text(f"{verdict(there, lacking)}.")]
    counted = []
    for table in tables:
        for protocol in protocols:
            notes_of = [n for p, n in known[table.name].items() if p.protocol == protocol]
            found = Counter(note.standing for note in notes_of if note.standing)
            if found:
                line = {"table": table.name, "protocol": protocol, "compared": found.total()}
                counted.append(line | {word: found[word] for word in (WITHIN, ABOVE, BELOW)})
    if counted:
        shown = pd.DataFrame(counted)
        blocks += [Table("standings", shown, STANDINGS)]
    return blocks


def _picture(tables: Sequence[Described], figures: Mapping[str, pd.DataFrame]) -> list[Block]:
    """Every cell of the first table that has some, as README shows those of the paper's first."""
    for table in tables:
        svg = from_table(figures.get(table.name)).get(f"{table.name}{PICTURE}")
        if svg:
            return [Figure("result", svg, table.title)]
    return []


def _claims(judged: Sequence[Verdict]) -> list[Block]:
    """Claim by claim, each with its verdict in colour."""
    if not judged:
        return []
    shown = pd.DataFrame([dataclasses.asdict(each) for each in judged])
    shown = shown[["claim", "verdict", "paper", "honest", "where"]]
    shown = shown.rename(columns={"paper": "`paper`", "honest": "`honest`"})
    tones = {(i, "verdict"): TONES.get(word, MIXED) for i, word in enumerate(shown["verdict"])}
    title = "The claims of the paper's text, and what we found"
    return [Table("claims", shown, title, tones=tones)]


def _explained(tables: Sequence[Described], protocols: Sequence[str]) -> list[Block]:
    """What the columns are, of those that there are."""
    said = [EXPLAINED[protocol] for protocol in protocols]
    if any(table.published for table in tables):
        said.append(PUBLISHED_EXPLAINED)
    return [Text("\n\n".join([*said, NUMBERS_EXPLAINED]))]


def _contradicted(found: Sequence[Contradiction]) -> list[Block]:
    """What needs no run of ours."""
    shown = pd.DataFrame([dataclasses.asdict(each) for each in found])
    title = "What the paper's own tables contradict"
    return [Heading(2, title), Table("contradictions", shown, title)]


def _as_stored(
    document: Document, costs: Sequence[Block], page: Mapping[str, str], parts: Parts
) -> pd.DataFrame:
    """The document in every form, with its costs apart: a report computed again took others.

    The page, which has both, stands with the costs; it says what the Markdown says.
    """
    lasting = dataclasses.replace(document, blocks=list(map(_without_seconds, document.blocks)))
    whole = dataclasses.replace(document, blocks=[*document.blocks, *costs])
    files = {
        "report.md": parts.make("report.md", lambda: markdown.write(lasting), ""),
        **_files(lasting.blocks, parts),
    }
    apart = {"report.md": "\n" + markdown.written(costs)} if costs else {}
    apart["report.html"] = parts.make("report.html", lambda: html.write(whole, page), "")
    apart |= _files(costs, parts)
    return as_table(files | ({FAULTS: as_json(parts.faults)} if parts.faults else {}), apart)


def _without_seconds(block: Block) -> Block:
    if not isinstance(block, Table):
        return block
    return dataclasses.replace(block, frame=block.frame.drop(columns="seconds", errors="ignore"))


def _files(blocks: Sequence[Block], parts: Parts) -> dict[str, str]:
    """What blocks bring with them."""
    files: dict[str, str] = {}
    for block in blocks:
        if isinstance(block, File):
            files[block.name] = block.content
        elif isinstance(block, Figure):
            files[f"{block.name}.svg"] = block.svg
        elif isinstance(block, Table) and not block.frame.empty:
            name = f"latex/{block.name}.tex"
            files[name] = parts.make(name, partial(latex.write, block), "")
    return files


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
    known: Mapping[Place, Note],
    parts: Parts,
) -> list[Block]:
    """The text of one table, with its figures and files."""
    name, lacking = table.name, absent(gaps, table.datasets)
    shown: dict[str, Callable[[], list[Block]]] = {
        "means": lambda: _headlines(table, protocols, results, costs),
        "cells": lambda: _cells(table, protocols, results, lacking, known),
        "values reached": lambda: text(claims.reached(table, results)),
        "averages": lambda: text(claims.averaged(table, results)),
        "noise": lambda: text(robustness_claims.told(table, results)),
    }
    on_demand: dict[str, Callable[[], list[Block]]] = {
        "datasets": lambda: _datasets(table, sizes, lacking),
        "values beaten": lambda: claims.beaten(table, results),
        "pictures": lambda: _pictures(table, figures),
        "training times": lambda: _timings(table, timings),
        "curves": lambda: _curves(table, curves),
        "affinities": lambda: affinity_claims.told(affinities, results) if affinities else [],
        "criteria": lambda: criteria_table.told(name, criteria, results) if criteria else [],
        "signed-rank tests": lambda: _pairs(table, protocols, results, pairs),
        "missing cells": lambda: _lacking(gaps),
        "settings": lambda: _settings(table, results),
    }
    top, further = (
        [block for part, work in made.items() for block in parts.blocks(f"{name}: {part}", work)]
        for made in (shown, on_demand)
    )
    return [Heading(2, table.title), *top, *_folded(further)]


def _datasets(
    table: Described, sizes: pd.DataFrame | None, lacking: Mapping[str, str]
) -> list[Block]:
    if sizes is None:
        return []
    shown = dataset_table(table, sizes, lacking)
    return [Heading(3, "Datasets"), Table(f"{table.name}-datasets", shown, SIZES)]


def _cells(
    table: Described,
    protocols: Sequence[str],
    results: pd.DataFrame,
    lacking: Mapping[str, str],
    known: Mapping[Place, Note],
) -> list[Block]:
    """The table itself, or one for each protocol, and the same as a file."""
    name, blocks = table.name, list[Block]()
    every = laid_tables(table, protocols, results, lacking)
    for number, (title, laid) in enumerate(every.items()):
        of_cells = {at: known[place] for at, place in laid.places.items() if place in known}
        caption = f"{table.title}{f': {title}' if title else ''}. {BESIDE}"
        blocks += [Heading(3, title)] if title else []
        called = f"{name}-{number}" if title else name
        blocks += [Table(called, laid.frame, caption, of_cells, laid.groups, laid.closing)]
    whole = every[""].frame if "" in every else section_table(table, protocols, results, lacking)
    blocks += [File(f"{name}.csv", whole.to_csv(index=False), AS_CSV)]
    return [*blocks, *text(_from_elsewhere(table)), *text(unjudged(results))]


def _pictures(table: Described, figures: Mapping[str, str]) -> list[Block]:
    """Every picture, with the chart that answers to the pointer where there is one."""
    specs, blocks = charts(figures), list[Block]()
    blocks += [Heading(3, "Pictures")] if pictures(figures) else []
    for figure, svg in pictures(figures).items():
        called = figure.removesuffix(PICTURE)
        ending = called.removeprefix(table.name).removeprefix("-")
        spec = json.loads(specs[figure]) if figure in specs else None
        blocks += [Figure(called, svg, f"{table.title}: {DRAWN.get(ending, ending)}", spec)]
    if bar_file(table) in figures and not table.published:
        blocks += [Text(IN_ITS_PICTURE)]
    return blocks


def _timings(table: Described, timings: Mapping[str, pd.DataFrame]) -> list[Block]:
    if not timings:
        return []
    times = timed(timings)
    return [
        Heading(3, "Training time and over-smoothing"),
        *text([*claims.fastest(table, times), "", *claims.over_smoothing(table, times)]),
        File(f"{table.name}-time.csv", times.to_csv(index=False), AS_CSV),
    ]


def _curves(
    table: Described, curves: Mapping[str, Mapping[str, Mapping[str, pd.DataFrame]]]
) -> list[Block]:
    blocks: list[Block] = []
    for figure, of_figure in curves.items():
        rows, column = varied(of_figure), curve_claims.COLUMNS[figure]
        points = rows.rename(columns={"x": column}).to_csv(index=False)
        blocks += curve_claims.told(figure, table, rows)
        blocks += [File(f"{table.name}-{figure}.csv", points, "Its points as a file:")]
    return blocks


def _pairs(
    table: Described, protocols: Sequence[str], results: pd.DataFrame, pairs: pd.DataFrame | None
) -> list[Block]:
    """Wilcoxon's tests, where there is something to test."""
    if pairs is None or not len(pairs):
        return []
    return [
        *text([*left_out(results), *comparisons.retraced(table)]),
        *comparisons.told(comparisons.compared(results, table, protocols), table),
        File(f"{table.name}-wilcoxon.csv", pairs.to_csv(index=False), "All pairs as a file:"),
    ]


def _lacking(gaps: Sequence[Gap]) -> list[Block]:
    """The cells of a table that are missing, those that failed last."""
    failed = [gap for gap in gaps if gap.kind == FAILED]
    others = [gap for gap in gaps if gap.kind != FAILED]
    blocks: list[Block] = []
    for title, alike in {"Not available": others, "Failed": failed}.items():
        if alike:
            blocks += [Heading(3, title), *text(f"- {line}" for line in listed(alike))]
    return blocks


def _settings(table: Described, results: pd.DataFrame) -> list[Block]:
    """How many settings each method tried, from which values, and which were picked."""
    name, picked = table.name, settings(results)
    blocks: list[Block] = [
        Heading(3, "Settings tried", folded=True),
        Table(f"{name}-tried", tried(results), "Settings tried"),
        Text("Their grids:"),
        Table(f"{name}-grids", grids(table), "Grids of the settings"),
        Heading(3, "Settings picked", folded=True),
    ]
    if len(picked) <= MOST_LINES:
        return [*blocks, Table(f"{name}-picked", picked, "Settings picked by most runs")]
    said = f"Those of {len(picked)} cells are in"
    return [*blocks, File(f"{name}-settings.csv", picked.to_csv(index=False), said)]


def _history(rows: Sequence[Mapping[str, Any]]) -> list[Block]:
    """What scheduled runs measured again and again, and what has left its spread."""
    if not rows:
        return []
    found = judged(pd.DataFrame(rows))
    spec = history_chart(found)
    picture = vl_convert.vegalite_to_svg(as_json({**spec, "width": HISTORY_WIDTH}))
    return [
        Heading(2, "History of scheduled runs"),
        *text([f"{said(found)}.", "", *(f"- {line}" for line in sentences(found))]),
        Figure("history", picture, "What was measured, over time", spec),
        Table("history", recent(found), "The last scheduled runs"),
    ]


def _missing(gaps: Mapping[str, Sequence[Gap]]) -> list[Block]:
    """All that is not there, of whichever table."""
    lines = [f"- {line}" for line in listed(gap for alike in gaps.values() for gap in alike)]
    said = lines or ["Nothing: every cell that was asked for is there."]
    return [Heading(2, "What is missing, and why"), *text(said)]


def _costs(costs: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[Block]:
    """Where the time went, by table and stage."""
    by_table: dict[str, dict[str, float]] = {}
    for name, of_methods in costs.items():
        for of_stages in of_methods.values():
            for stage, seconds in of_stages.items():
                stages = by_table.setdefault(name, {})
                stages[stage] = stages.get(stage, 0.0) + seconds
    if not by_table:
        return []
    shown = pd.DataFrame(by_table).T.fillna(0.0).rename_axis("table")
    shown.insert(0, "total", shown.sum(axis=1))
    shown = shown.round(1).reset_index()
    said = (
        "Seconds that each stage took when it was computed, added up over the methods. What "
        "several methods share is counted for each of them, and stages run side by side, so the "
        "clock shows less."
    )
    blocks: list[Block] = [
        Heading(3, "Where the time went", folded=True),
        Text(said),
        Table("cost", shown, "Seconds by table"),
    ]
    for name in by_table:
        blocks.append(Heading(3, f"`{name}` by method", folded=True))
        blocks.append(Table(f"{name}-seconds", cost(costs[name]), "Seconds by method and stage"))
    return blocks


def _folded(blocks: Sequence[Block]) -> list[Block]:
    """What stands below headings of the third level, on demand: first come the tables."""
    return [
        dataclasses.replace(block, folded=True)
        if isinstance(block, Heading) and block.level == 3
        else block
        for block in blocks
    ]


def _headlines(
    table: Described,
    protocols: Sequence[str],
    results: pd.DataFrame,
    costs: Mapping[str, Mapping[str, float]],
) -> list[Block]:
    """Of a table with many methods: their means, which of them lead, and which fall short."""
    means = overview(table, protocols, results, costs)
    if not is_wide(table) or means.empty:
        return []
    shown = Table(f"{table.name}-means", means, f"{table.title}: means over the datasets")
    said = [*claims.leaders(table, results), "", *claims.below(table, results)]
    return [shown, *text(said)]


def _from_elsewhere(table: Described) -> list[str]:
    """Where methods come from that are not this library's; `module:object` says it by its name."""
    rows = [row for row in table.rows if row.origin != HOME]
    names = [row.name + (f" ({row.origin})" if row.origin != row.name else "") for row in rows]
    return [f"Methods from elsewhere: {', '.join(names)}."] if names else []

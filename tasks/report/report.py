"""The report: what each table shows, what of the paper's text holds, and how it was found.

It walks over the analyses of each table and knows none of them by name.
"""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from flgc.datasets.splits import N_FOLDS
from tasks.analyses.base import Analysis
from tasks.analyses.charts import svg_of
from tasks.analyses.history import (
    drift_sentences,
    drift_verdict,
    history_chart,
    judge_history,
    recent_runs,
)
from tasks.paper.verdicts import (
    Verdict,
    answer,
    claim_table,
    contradiction_table,
    verdicts,
)
from tasks.report.answer import best_method
from tasks.report.blocks import (
    ABOVE,
    BELOW,
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
from tasks.report.by_protocol import grids
from tasks.report.evidence import Declaration, Evidence, notes_of
from tasks.report.files import FAULTS, RESULT, as_json, as_table
from tasks.report.fragments import fragments
from tasks.report.gaps import FAILED, listed, verdict
from tasks.report.parts import Parts
from tasks.report.provenance import provenance_blocks
from tasks.report.tables import NONE, cost, settings, tried
from tasks.report.values import Place
from tasks.report.writers import html, latex, markdown

# A table of settings with more lines than this is a file of its own.
MOST_LINES = 60
STANDINGS = (
    "Our values beside the published ones: how many differ by no more than the run-to-run spread, "
    "which is the deviation of the difference between a run of ours and one of theirs (0 where "
    "there is one run and nothing is printed), and how many by more"
)
EXPLAINED = {
    "paper": """\
**`paper`**: one setting per dataset and method, the best on the test nodes of all runs (for
clusterings: against the true classes), as the paper's numbers were. What was tuned for a dataset,
such as its graph, is in `paper` alone; noise is the same in both protocols. A method whose settings
include another's cannot be the worse of the two there.""",
    "honest": f"""\
**`honest`**: settings are chosen for each run without its test labels: on its validation nodes if
there are any (of settings that are level there up to noise, the one with the smallest error of
leave-one-out), otherwise on labelled nodes that a fit leaves out, by the squared error of
leave-one-out if a method knows it, or by its hits in {N_FOLDS} folds; for clusterings by coding
rates, which pick among the preparations (graph, scaling) too. Trained methods are picked in
the same way, all their settings in all runs. A method that averages picks nothing: all models of
its grid are added up in each run, with more weight the more nodes that the run may see and the
model did not fit it gets right.""",
}
PUBLISHED_EXPLAINED = "*published* is what the paper prints."
NUMBERS_EXPLAINED = f"""\
Accuracies are in percent, ± is the standard deviation over the runs, and {NONE} stands where a
method is not in a protocol. The number of settings that each method tried is below each table."""


def write_report(
    title: str,
    tables: Sequence[Declaration],
    cells: Mapping[str, Sequence[pd.DataFrame]],
    products: Mapping[str, Mapping[str, Any]],
    files: Mapping[str, str],
    history: Sequence[Mapping[str, Any]],
    costs: Mapping[str, Mapping[str, Mapping[str, float]]],
    provenance: Mapping[str, Any],
) -> pd.DataFrame:
    """All tables as files (name, content); cells, products and costs are by the table's name.

    `cells` are in the order of the digests, `products` also by analysis, and `costs` are seconds
    by method and stage. `files` are those of the page and of the contradictions;
    `history` has the rows of the scheduled runs so far. A part that fails is left out of the
    report, and named in a file of its own.
    """
    parts, remarks = Parts(), list[str]()
    if len(tables) == 1 and not tables[0].table.published:  # one's own data are what it is about
        remarks = [f"{remark}\n" for remark in tables[0].table.remarks]
        bare = dataclasses.replace(tables[0].table, remarks=())
        tables = [dataclasses.replace(tables[0], table=bare)]
    every = [
        Evidence(each, cells.get(name, ()), products.get(name, {}), costs.get(name, {}))
        for each in tables
        for name in [each.table.name]
    ]
    for each in every:
        part = f"notes on cells of {each.table.name}"
        each.notes.update(parts.make(part, partial(notes_of, each), dict[Place, Note]()))
    judged = parts.make("claims", lambda: verdicts(every), list[Verdict]())
    first = (lambda: answer(judged)) if judged else (lambda: best_method(every))
    blocks = parts.blocks("answer", lambda: text([first()]))
    blocks += parts.blocks("picture", lambda: _picture(every))
    blocks += parts.blocks("opening", lambda: [*claim_table(judged), *_opening(every)])
    blocks += text(remarks)
    for each in every:
        blocks += _openings(each, parts, leading=True)
    blocks += [Heading(3, "How to read the tables", folded=True), *_explained(every)]
    if judged:
        blocks += parts.blocks("contradictions", partial(contradiction_table, files))
    for evidence in every:
        blocks += _section(evidence, parts)
    blocks += parts.blocks("history", lambda: _history(history))
    blocks += _missing(tables)
    beside = parts.make("fragments", lambda: fragments(every), dict[str, str]())
    rows = {each.table.name: each.results for each in every}
    blocks += parts.blocks("sources", lambda: _folded(provenance_blocks(rows, provenance)))
    return _as_stored(Document(title, blocks), _costs(costs), files, parts, beside)


class PartFailed(Exception):
    """A part of a report could not be made."""


def whole_report(**given: Any) -> pd.DataFrame:
    """The report, or PartFailed: an incomplete one is not stored."""
    written = write_report(**given)
    if FAULTS in set(written["name"]):
        raise PartFailed(written.set_index("name").at[FAULTS, "content"])
    return written


def _opening(every: Sequence[Evidence]) -> list[Block]:
    """How many cells are complete, and how many published values are reached."""
    there = sum(len(evidence.cells) for evidence in every)
    gaps = [gap for evidence in every for gap in evidence.declared.gaps]
    lines = []
    for evidence in every:
        for protocol in evidence.protocols:
            counts = Counter(
                note.standing
                for place, note in evidence.notes.items()
                if place.protocol == protocol and note.standing
            )
            if counts:
                line: dict[str, Any] = {"table": evidence.table.name, "protocol": protocol}
                line |= {"compared": counts.total()}
                lines.append(line | {word: counts[word] for word in (WITHIN, ABOVE, BELOW)})
    standings = [Table("standings", pd.DataFrame(lines), STANDINGS)] if lines else []
    return [Text(f"{verdict(there, gaps)}."), *standings]


def _picture(every: Sequence[Evidence]) -> list[Block]:
    """The first chart of the first table that has one, as README shows the paper's first."""
    for evidence in every:
        for analysis in evidence.declared.analyses.values():
            if not evidence.rows(analysis.name).empty:
                for figure in _figures(evidence, analysis):
                    return [Figure(RESULT, figure.svg, evidence.table.title)]
    return []


def _explained(every: Sequence[Evidence]) -> list[Block]:
    """What the columns of these tables are."""
    used = dict.fromkeys(protocol for evidence in every for protocol in evidence.protocols)
    paragraphs = [EXPLAINED[protocol] for protocol in used]
    if any(evidence.table.published for evidence in every):
        paragraphs.append(PUBLISHED_EXPLAINED)
    return [Text("\n\n".join([*paragraphs, NUMBERS_EXPLAINED]))]


def _section(evidence: Evidence, parts: Parts) -> list[Block]:
    """The text of one table: what its analyses open with, then all the rest on demand."""
    table, further = evidence.table, list[Block]()
    top = _openings(evidence, parts, leading=False)
    for name, analysis in evidence.declared.analyses.items():
        further += parts.blocks(f"{table.name}: {name}", partial(_blocks_of, evidence, analysis))
    further += _lacking(evidence)
    further += parts.blocks(f"{table.name}: settings", partial(_settings, evidence))
    return [Heading(2, table.title), *top, *_folded(further)]


def _openings(evidence: Evidence, parts: Parts, *, leading: bool) -> list[Block]:
    """What its analyses open with, those that lead the report or the others."""
    blocks: list[Block] = []
    for name, analysis in evidence.declared.analyses.items():
        if analysis.leads is leading:
            part = f"{evidence.table.name}: {name}"
            blocks += parts.blocks(part, partial(_opening_of, evidence, analysis))
    return blocks


def _opening_of(evidence: Evidence, analysis: Analysis) -> list[Block]:
    return analysis.opening(evidence, evidence.rows(analysis.name))


def _blocks_of(evidence: Evidence, analysis: Analysis) -> list[Block]:
    """Heading, figures, words and file of an analysis that made something."""
    rows = evidence.rows(analysis.name)
    if rows.empty:
        return []
    blocks = [*_figures(evidence, analysis), *analysis.says(evidence, rows)]
    if analysis.file:
        name = f"{evidence.table.name}-{analysis.name}.csv"
        blocks.append(File(name, rows.to_csv(index=False), analysis.file))
    return [Heading(3, analysis.heading(evidence)), *blocks] if blocks else []


def _figures(evidence: Evidence, analysis: Analysis) -> list[Figure]:
    """Print and page have the same specification; what is no chart is a picture alone."""

    def draw() -> list[Figure]:
        figures = []
        for ending, drawn in analysis.charts(evidence, evidence.rows(analysis.name)).items():
            name = "-".join(filter(None, (evidence.table.name, ending)))
            caption = f"{evidence.table.title}: {analysis.heading(evidence)}"
            svg, spec = (drawn, None) if isinstance(drawn, str) else (svg_of(drawn), drawn)
            figures.append(Figure(name, svg, caption, spec))
        return figures

    return evidence.once(("figures", analysis.name), draw)


def _as_stored(
    document: Document,
    costs: Sequence[Block],
    page: Mapping[str, str],
    parts: Parts,
    beside: Mapping[str, str],
) -> pd.DataFrame:
    """The document in every form, with its costs apart: a report computed again took others.

    Files that go `beside` it are as lasting as the document. The page, which has both, goes
    with the costs; it says what the Markdown says.
    """
    lasting = dataclasses.replace(document, blocks=list(map(_without_seconds, document.blocks)))
    whole = dataclasses.replace(document, blocks=[*document.blocks, *costs])
    files = {
        "report.md": parts.make("report.md", lambda: markdown.write(lasting), ""),
        **_files(lasting.blocks, parts),
        **beside,
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


def _lacking(evidence: Evidence) -> list[Block]:
    """The cells of a table that are missing, those that failed last."""
    gaps = evidence.declared.gaps
    failed = [gap for gap in gaps if gap.kind == FAILED]
    others = [gap for gap in gaps if gap.kind != FAILED]
    blocks: list[Block] = []
    for title, alike in {"Not available": others, "Failed": failed}.items():
        if alike:
            blocks += [Heading(3, title), *text(f"- {line}" for line in listed(alike))]
    return blocks


def _settings(evidence: Evidence) -> list[Block]:
    """How many settings each method tried, from which values, and which were picked."""
    table, results = evidence.table, evidence.results
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
    note = f"Those of {len(picked)} cells are in"
    return [*blocks, File(f"{name}-settings.csv", picked.to_csv(index=False), note)]


def _history(rows: Sequence[Mapping[str, Any]]) -> list[Block]:
    """What scheduled runs measured again and again, and what has left its spread."""
    if not rows:
        return []
    judged = judge_history(pd.DataFrame(rows))
    chart = history_chart(judged)
    lines = [f"{drift_verdict(judged)}.", "", *(f"- {line}" for line in drift_sentences(judged))]
    return [
        Heading(2, "History of scheduled runs"),
        *text(lines),
        Figure("history", svg_of(chart), "What was measured, over time", chart),
        Table("history", recent_runs(judged), "The last scheduled runs"),
    ]


def _missing(tables: Sequence[Declaration]) -> list[Block]:
    """All that is missing, of whichever table."""
    lines = [f"- {line}" for line in listed(gap for each in tables for gap in each.gaps)]
    whole = ["Nothing: every requested cell is complete."]
    return [Heading(2, "What is missing, and why"), *text(lines or whole)]


def _costs(costs: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[Block]:
    """Where the time went, by table and stage."""
    by_table: dict[str, dict[str, float]] = {}
    for name, of_methods in costs.items():
        for of_stages in of_methods.values():
            for stage, spent in of_stages.items():
                stages = by_table.setdefault(name, {})
                stages[stage] = stages.get(stage, 0.0) + spent
    if not by_table:
        return []
    seconds = pd.DataFrame(by_table).T.fillna(0.0).rename_axis("table")
    seconds.insert(0, "total", seconds.sum(axis=1))
    seconds = seconds.round(1).reset_index()
    note = (
        "Seconds that each stage took when it was computed, added up over the methods. What "
        "several methods share is counted for each of them, and stages run side by side, so the "
        "clock shows less."
    )
    blocks: list[Block] = [
        Heading(3, "Where the time went", folded=True),
        Text(note),
        Table("cost", seconds, "Seconds by table"),
    ]
    for name in by_table:
        blocks.append(Heading(3, f"`{name}` by method", folded=True))
        blocks.append(Table(f"{name}-seconds", cost(costs[name]), "Seconds by method and stage"))
    return blocks


def _folded(blocks: Sequence[Block]) -> list[Block]:
    """Text below headings of the third level, on demand: tables come first."""
    return [
        dataclasses.replace(block, folded=True)
        if isinstance(block, Heading) and block.level == 3
        else block
        for block in blocks
    ]

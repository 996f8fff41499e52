"""The cells of a table: the table itself, sentences about it, and a drawing of every cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import pandas as pd

from tasks.analyses.base import Analysis
from tasks.analyses.charts import (
    FAINT,
    PANEL,
    RING,
    SHAPES,
    clicked,
    coloured,
    fading,
    finished,
    grey_legend,
    in_panels,
    legend,
    open_scale,
    tooltip,
    width_of,
)
from tasks.analyses.curves import in_words
from tasks.declared.looks import Looks, looks_of
from tasks.report import standings
from tasks.report.blocks import Block, File, Heading, Table, text
from tasks.report.by_protocol import is_wide, laid_tables, overview
from tasks.report.tables import (
    cell_text,
    laid_out,
    methods_are_rows,
    picks,
    printed_in,
    unjudged,
)
from tasks.report.values import PUBLISHED, Values, data_title

if TYPE_CHECKING:
    from tasks.declared.described import Described
    from tasks.declared.types import Experiment
    from tasks.report.evidence import Evidence

HOME = "flgc"
# By protocol the marker, and its colour where colours are free: where two meet both can be seen.
MARKS = {PUBLISHED: SHAPES["|"], "paper": RING, "honest": SHAPES["o"]}
SIZES = {PUBLISHED: 180, "paper": 130, "honest": 40}
COLOURS = {PUBLISHED: "#808080", "paper": "#0072b2", "honest": "#d55e00"}
# Pixels: the height of a line of dots, of a row of a method and of a bar, the area of a dot.
LINE, ROW, BAR, DOT = 13, 24, 14, 50
# A long name takes several lines: dataset, noise and intensity, pattern.
BEFORE_WORDS = " (?=[A-Za-z])"
WORD_BY_WORD = f"split(datum.label, regexp('{BEFORE_WORDS}'))"
FORMS = "bars", "diamonds"  # the marks of the first protocol, and over them those of the second
AS_CSV = "The same as a file:"
BESIDE = "± is the deviation over the runs"


@dataclass(frozen=True)
class Cells(Analysis):
    """Every cell of the table, as a dot; every experiment has it."""

    kind = "cells"
    title = "Every cell, drawn"

    @classmethod
    def is_implied(cls, experiment: Experiment) -> bool:
        """Unless it is asked for in another form."""
        others = any(isinstance(each, Cells) for each in experiment.analyses)
        return cls is Cells and not others

    def rows(self, evidence: Evidence) -> pd.DataFrame:
        """The rows of results."""
        return evidence.results

    def opening(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """The table, which comes first, and how it compares with the published one."""
        return [
            *_headlines(evidence),
            *_tables(evidence),
            *text(standings.reached(evidence.values)),
            *text(standings.averaged(evidence.values)),
        ]

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """A dot for each cell; methods or datasets, whichever are more, are the rows."""
        draw = dots_by_method if methods_are_rows(evidence.table) else dots_by_dataset
        return {"": draw(evidence.values)}

    def says(self, evidence: Evidence, rows: pd.DataFrame) -> list[Block]:
        """Who beats whom."""
        return standings.beaten(evidence.values)


@dataclass(frozen=True)
class Bars(Cells):
    """The table as bars instead of dots: methods in their order, for each dataset."""

    def charts(self, evidence: Evidence, rows: pd.DataFrame) -> dict[str, dict[str, Any] | str]:
        """A bar for each cell of a protocol, and a mark for the other one if both were run."""
        return {"bars": bars_chart(evidence.values)}


def _headlines(evidence: Evidence) -> list[Block]:
    """Of a table with many methods: their means, which of them lead, and which fall short."""
    table, values = evidence.table, evidence.values
    means = overview(values, evidence.protocols, evidence.costs)
    if not is_wide(table) or means.empty:
        return []
    return [
        Table(f"{table.name}-means", means, f"{table.title}: means over the datasets"),
        *text([*standings.leaders(values), "", *standings.below(values)]),
    ]


def _tables(evidence: Evidence) -> list[Block]:
    """The table itself, or one for each protocol, and the same as a file."""
    table, notes, blocks = evidence.table, evidence.notes, list[Block]()
    given = (evidence.values, evidence.protocols, evidence.absent)
    tables = laid_tables(*given)
    for number, (title, laid) in enumerate(tables.items()):
        of_cells = {at: notes[place] for at, place in laid.places.items() if place in notes}
        caption = f"{table.title}{f': {title}' if title else ''}. {BESIDE}"
        blocks += [Heading(3, title)] if title else []
        name = f"{table.name}-{number}" if title else table.name
        blocks += [Table(name, laid.frame, caption, of_cells, laid.groups, laid.closing)]
    whole = tables[""] if "" in tables else laid_out(*given)
    blocks += [File(f"{table.name}.csv", whole.frame.to_csv(index=False), AS_CSV)]
    return [*blocks, *text(_from_elsewhere(table)), *text(unjudged(evidence.results))]


def _from_elsewhere(table: Described) -> list[str]:
    """Where methods come from that are not this library's; `module:object` says it by its name."""
    rows = [row for row in table.rows if row.origin != HOME]
    names = [row.name + (f" ({row.origin})" if row.origin != row.name else "") for row in rows]
    return [f"Methods from elsewhere: {', '.join(names)}."] if names else []


def cell_rows(values: Values) -> pd.DataFrame:
    """One row for each cell of the first metric: value, what the table prints, and setting.

    Ours, then the published ones of the same data.
    """
    table, settings, rows = values.table, picks(values.results), []
    unit, digits = printed_in(table.metrics[0], table)
    for at, cell in [*values.cells.items(), *values.published.items()]:
        is_published = at.protocol == PUBLISHED
        others = is_published and (at.dataset in values.redrawn or at.method not in table.methods)
        if others or at.metric != table.metrics[0]:
            continue
        reach = 0.0 if pd.isna(cell.spread) else cell.spread
        setting, runs = settings.get((*at.subject, at.method, at.protocol), ("", ""))
        shares = {"value": cell.mean, "low": cell.mean - reach, "high": cell.mean + reach}
        rows.append(
            {
                "dataset": data_title(*at.subject),
                "method": at.method,
                "protocol": at.protocol,
                **{name: round(unit * share, digits + 1) for name, share in shares.items()},
                "printed": cell_text(cell.mean, cell.spread, at.metric, table),
                "runs": "" if is_published else str(cell.runs),
                "setting": f"{setting} ({runs} runs)" if runs else setting,
            }
        )
    return pd.DataFrame(rows)


def _titles(table: Described) -> dict[str, str]:
    """What a tooltip says of a cell."""
    same = {name: name for name in ("method", "dataset", "protocol", "runs", "setting")}
    return {**same, "printed": in_words(table)}


def dots_by_method(values: Values) -> dict[str, Any]:
    """A panel for each dataset, a row for each method, a dot with its spread for each protocol."""
    import altair as alt

    table, rows = values.table, cell_rows(values)
    rows = rows[rows["dataset"].isin(rows[rows["protocol"] != PUBLISHED]["dataset"])]
    rows = rows.assign(**{PANEL: rows["dataset"]})
    protocols = [name for name in MARKS if name in set(rows["protocol"])]
    methods = [name for name in table.methods if name in set(rows["method"])]
    colours = alt.Scale(domain=protocols, range=[COLOURS[name] for name in protocols])
    shapes = alt.Scale(domain=protocols, range=[MARKS[name] for name in protocols])
    beside = width_of(methods)
    key = legend(protocols, beside=beside, symbolStrokeWidth=0)
    base = alt.Chart().encode(
        y=alt.Y("method:N", sort=methods, title=None, axis=alt.Axis(grid=True, labelLimit=0)),
        color=alt.Color("protocol:N", scale=colours, legend=key),
    )
    x = alt.X("low:Q", title=in_words(table), scale=open_scale())
    spread = base.mark_rule().transform_filter(f"datum.protocol != '{PUBLISHED}'")
    sizes = alt.Scale(domain=protocols, range=[SIZES[name] for name in protocols])
    dots = base.mark_point(filled=True, opacity=1).encode(
        x=alt.X("value:Q"),
        size=alt.Size("protocol:N", scale=sizes, legend=None),
        shape=alt.Shape("protocol:N", scale=shapes, legend=key),
        tooltip=tooltip(_titles(table)),
    )
    chart = alt.layer(spread.encode(x=x, x2=alt.X2("high")), dots)
    panels = list(dict.fromkeys(rows[PANEL]))
    description = f"{in_words(table)} of {_extent(rows)}; a dot for each protocol."
    return finished(in_panels(chart, panels, "dataset"), rows, ROW * len(methods), description)


def dots_by_dataset(values: Values) -> dict[str, Any]:
    """A row for each dataset, with a line of dots for each protocol; colours are methods."""
    import altair as alt

    table, rows, chosen = values.table, cell_rows(values), clicked("method")
    datasets = list(dict.fromkeys(rows[rows["protocol"] != PUBLISHED]["dataset"]))
    protocols = [name for name in MARKS if name in set(rows["protocol"])]
    texts = [re.split(BEFORE_WORDS, name) for name in datasets]
    beside, above = width_of(chain.from_iterable(texts)), 7 * (max(map(len, texts)) - 1)
    base = alt.Chart().encode(
        x=alt.X("value:Q", title=in_words(table), scale=open_scale()),
        y=alt.Y(
            "dataset:N",
            sort=datasets,
            title=None,
            scale=alt.Scale(paddingInner=0.2),
            axis=alt.Axis(
                grid=True,
                tickBand="extent",
                ticks=False,
                labelLimit=0,
                labelExpr=WORD_BY_WORD,
                labelOffset=-above,
            ),
        ),
        yOffset=alt.YOffset("protocol:N", sort=protocols),
        color=coloured("method", _looks(table, rows), beside=beside),
        shape=alt.Shape(
            "protocol:N",
            scale=alt.Scale(domain=protocols, range=[MARKS[name] for name in protocols]),
            legend=grey_legend(protocols, beside=beside, symbolStrokeWidth=0),
        ),
    )
    faint = base.mark_point(filled=True, size=DOT, opacity=FAINT, tooltip=None)
    front = base.mark_point(filled=True, size=DOT, opacity=1).encode(
        tooltip=tooltip(_titles(table))
    )
    chart = alt.layer(faint, front.transform_filter(chosen)).add_params(chosen)
    description = f"{in_words(table)} of {_extent(rows)}; a line of dots for each protocol."
    kept = rows[rows["dataset"].isin(datasets)]
    lines = max(len(protocols), max(map(len, texts))) + 0.5
    return finished(chart, kept, LINE * len(datasets) * lines, description)


def bars_chart(values: Values) -> dict[str, Any]:
    """Bars of a protocol for each dataset, in the order of the table; diamonds are a second one."""
    import altair as alt

    table, rows, chosen = values.table, cell_rows(values), clicked("method")
    rows = rows[rows["protocol"] != PUBLISHED]
    protocols = [name for name in MARKS if name in set(rows["protocol"])]
    forms = ", ".join(f"{form}: {name}" for form, name in zip(FORMS, protocols, strict=False))
    looks = _looks(table, rows)
    datasets = [name for name in table.datasets if name in set(rows["dataset"])]
    base = alt.Chart().encode(
        x=alt.X("value:Q", title=f"{in_words(table)}; {forms}"),
        y=alt.Y(
            "dataset:N",
            sort=datasets,
            title=None,
            scale=alt.Scale(paddingInner=0.15),
            axis=alt.Axis(ticks=False, labelLimit=0),
        ),
        yOffset=alt.YOffset("method:N", sort=list(looks)),
        opacity=fading(chosen),
        tooltip=tooltip(_titles(table)),
    )
    bars = base.transform_filter(f"datum.protocol == '{protocols[0]}'").mark_bar()
    others = base.transform_filter(f"datum.protocol != '{protocols[0]}'").mark_point(
        shape="diamond", size=DOT, filled=True, fill="white", stroke="black", strokeWidth=1
    )
    chart = alt.layer(
        bars.encode(color=coloured("method", looks, beside=width_of(datasets))), others
    ).add_params(chosen)
    description = f"{in_words(table)} of {_extent(rows)}, as bars."
    return finished(chart, rows, BAR * len(datasets) * (len(looks) + 1), description)


def _looks(table: Described, rows: pd.DataFrame) -> Looks:
    """Those of the methods with results, as in all figures of the table."""
    looks: Mapping[str, Any] = looks_of(table.methods)
    return {name: look for name, look in looks.items() if name in set(rows["method"])}


def _extent(rows: pd.DataFrame) -> str:
    return f"{rows['method'].nunique()} methods on {rows['dataset'].nunique()} datasets"

"""What the flows of single tables have in common: run, show, and list what is missing."""

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pandas as pd
from prefect import flow, get_run_logger, runtime
from prefect.artifacts import (
    create_markdown_artifact,
    create_table_artifact,
)
from prefect.states import Completed, Failed

from flows import reports
from flows.execute import run_experiment
from flows.parameters import Selection, uses_store
from flows.plan import Plan, plan_of
from flows.runners import task_runner
from flows.section import Section
from flows.signatures import takes
from flows.so_far import so_far
from tasks.report import by_protocol, gaps
from tasks.report.gaps import FAILED, NOT_REACHABLE, listed
from tasks.report.rows import joined
from tasks.report.tables import markdown, unjudged
from tasks.report.values import SUBJECT, Values
from tasks.report.writers.inert import inert
from tasks.running.stage import busy_seconds
from tasks.store import Artifact, Store
from tasks.store.layouts import load

LOWEST = ", lowest "  # between the best and the lowest method of a table


def table_flow(name: str, description: str | None) -> Any:
    """The flow of the experiments that are declared for `name`, alone or under a parent."""

    @flow(
        name=name,
        description=description,
        flow_run_name=f"{name} {{suite}}",
        task_runner=task_runner(),
    )
    @takes(Selection)
    @uses_store
    def run(chosen: Selection) -> Any:
        return run_tables(plan_of((name,), chosen), chosen.strict)

    return run


def run_tables(plan: Plan, strict: bool, name: str = "") -> Any:
    """The sections of a plan's experiments, in a state that lists what is missing.

    The report is called `name`; without one, after the plan and its flow.
    """
    started, sections = time.perf_counter(), []
    faults = list[gaps.Gap]()
    name = name or f"{plan.report}-{plan.experiments[0].flow}"
    with so_far(plan, name) as report:
        for experiment in plan.experiments:
            section = run_experiment(plan, experiment, report)
            report.add(section)
            show(plan, section)
            sections.append(section)
    alone = runtime.flow_run.parent_flow_run_id is None
    if alone:  # a parent writes one report over everything
        path, faults = reports.write(plan, name, sections)
        reports.show(path, name, plan.part)
    get_run_logger().info(cost(started))
    return outcome(sections, strict, faults, whole=alone)


def cost(started: float, runner: str = "threads") -> str:
    """How long a flow took, and how much of that was not the work of its stages.

    For a runner with other processes, their work is not known here.
    """
    seconds = time.perf_counter() - started
    if runner != "threads":
        return f"{seconds:.1f} s on {runner}"
    waiting = seconds - busy_seconds(started)
    share = 100 * waiting / seconds
    return f"{seconds:.1f} s, of which orchestration {waiting:.1f} s ({share:.0f} %)"


def outcome(
    sections: list[Section],
    strict: bool,
    faults: Sequence[gaps.Gap] = (),
    *,
    whole: bool = True,
) -> Any:
    """The sections, in a state that lists what is missing and why.

    It is Failed if something broke, a part of the report included (`faults`); with `strict`, if
    something was not reachable; and if a `whole` run has no cell. Where this is a part of a run,
    other parts may have some.
    """
    missing = [*(gap for section in sections for gap in section.gaps), *faults]
    kinds = {gap.kind for gap in missing}
    empty = whole and not any(section.cells for section in sections)
    if not kinds and not empty:
        return sections
    message = summary(sections, missing)
    good = FAILED not in kinds and not (strict and NOT_REACHABLE in kinds)
    if good and not empty:
        get_run_logger().warning(message)
        return Completed(message=message, data=sections)
    get_run_logger().error(message)
    return Failed(message=message, data=sections)


def summary(sections: list[Section], missing: Sequence[gaps.Gap]) -> str:
    """How many cells are complete, a line for each cause of missing ones, and what to do."""
    if not missing:
        protocols = " or ".join(f"`{name}`" for name in sections[0].protocols)
        return f"{verdict(sections)}: no row that was chosen has a cell in {protocols}."
    kinds = {gap.kind for gap in missing}
    lines = [f"{verdict(sections)}:", *(f"- {line}" for line in listed(missing))]
    if NOT_REACHABLE in kinds:
        lines.append(
            "What is not reachable needs a network, or FLGC_MIRROR set to a folder or address that "
            "has the files."
        )
    if kinds & {NOT_REACHABLE, FAILED}:
        lines.append("A rerun computes only what is missing.")
    return "\n".join(lines)


def show(plan: Plan, section: Section) -> None:
    """The table in Prefect's UI; a fault there costs nothing else."""
    try:
        _show(plan, section)
    except Exception:
        get_run_logger().warning("%s is not in the UI", section.experiment.name, exc_info=True)


def _show(plan: Plan, section: Section) -> None:
    """As markdown to read and as a table to sort; a part does not replace the whole."""
    key, title = f"{section.experiment.name}{plan.part}", inert(section.experiment.title)
    rows = results_of(plan.store, section)
    parts, shown = [f"# {title}", ""], shown_tables(section, rows)
    for subtitle, table in shown.items():
        parts += [f"## {subtitle}\n" if subtitle else "", markdown(table), ""]
    parts += [inert(line) for line in unjudged(rows)]
    parts += [f"- {inert(line)}" for line in listed(section.gaps)]
    create_markdown_artifact("\n".join(parts), key=f"{key}-summary", description=title)
    first: Any = next(iter(shown.values())).to_dict("records")
    create_table_artifact(first, key=f"{key}-table", description=title)


def shown_tables(section: Section, rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Ours beside the published values as people read them: the means of many methods first."""
    values = Values(section.table, rows)
    laid = by_protocol.laid_tables(values, section.protocols, section.absent)
    shown = {title: each.frame for title, each in laid.items()}
    means = by_protocol.overview(values, section.protocols, section.costs)
    return {"means": means, **shown} if by_protocol.is_wide(section.table) else shown


def headline(store: str, section: Section, width: int | None = None) -> str:
    """A table in a line: how many cells, and the best and the lowest method of a protocol.

    The lowest is left out where the line would be wider than `width`.
    """
    cells = verdict([section]).removesuffix(" complete")
    texts = [f"{section.experiment.name}: {cells}"]
    for protocol, means in list(_means(section, results_of(store, section)).items())[-1:]:
        texts.append(f"{protocol}: {_ends(means, section.table.decimals)}")
    text = ", ".join(texts)
    return text.partition(LOWEST)[0] if width and len(text) > width else text


def standings(section: Section, rows: pd.DataFrame) -> list[str]:
    """For each protocol the best and the lowest method, by their means over the same data."""
    digits, metric = section.table.decimals, section.table.metrics[0]
    return [
        f"{protocol}: {_ends(means, digits)} ({metric}, %)"
        for protocol, means in _means(section, rows).items()
    ]


def _means(section: Section, rows: pd.DataFrame) -> dict[str, pd.Series]:
    """By protocol the mean of each method in points, the best first."""
    of_protocols = {}
    for protocol in section.protocols:
        metric = section.table.metrics[0]
        ours = rows[(rows["protocol"] == protocol) & (rows["metric"] == metric)]
        wide = ours.pivot_table(index=SUBJECT, columns="method", values="value").dropna()
        if len(wide):
            means = (100 * wide.mean()).round(section.table.decimals)
            of_protocols[protocol] = means.sort_values(ascending=False, kind="stable")
    return of_protocols


def _ends(means: pd.Series, digits: int) -> str:
    """The best, and how many are level with it, and the lowest."""
    level = int((means == means.max()).sum())
    best, lowest = (f"{means.index[i]} {means.iloc[i]:.{digits}f}" for i in (0, -1))
    if level == len(means):
        every = "both" if level == 2 else f"all {level}"
        return best if level == 1 else f"{every} methods {means.max():.{digits}f}"
    others = f" and {level - 1} more" if level > 1 else ""
    return f"best {means.index[0]}{others} {means.max():.{digits}f}{LOWEST}{lowest}"


def results_of(store: str, section: Section) -> pd.DataFrame:
    """The rows of all cells."""
    return _rows(store, section.cells)


@lru_cache(maxsize=16)  # a table of a thousand cells is shown in the UI, then on the terminal
def _rows(store: str, results: tuple[Artifact, ...]) -> pd.DataFrame:
    opened = Store(store)
    return joined([load(opened, artifact) for artifact in results])


def verdict(sections: Sequence[Section]) -> str:
    """How many cells are complete, and how many are missing, by kind."""
    missing = [gap for section in sections for gap in section.gaps]
    return gaps.verdict(sum(len(section.cells) for section in sections), missing)

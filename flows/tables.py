"""What the flows of single tables have in common: run, show, and say which cells failed."""

import time
from typing import Any

from prefect import flow, get_run_logger, runtime
from prefect.artifacts import (
    create_image_artifact,
    create_markdown_artifact,
    create_table_artifact,
)
from prefect.states import Failed

from flows import reports
from flows.cells import run_experiment
from flows.in_use import uses_store
from flows.parameters import Plan, Protocol, Runs, Suite, planned
from flows.runners import task_runner
from tasks.figures import read_files
from tasks.report import Section, section_table
from tasks.stage import busy_seconds
from tasks.store import Store
from tasks.tables import markdown


def table_flow(name: str, description: str | None) -> Any:
    """The flow of the experiments that are declared for `name`, alone or under a parent."""

    @flow(
        name=name,
        description=description,
        flow_run_name=f"{name} {{suite}}",
        task_runner=task_runner(),
    )
    @uses_store
    def run(
        suite: Suite = "paper",
        datasets: list[str] | None = None,
        methods: list[str] | None = None,
        protocols: list[Protocol] | None = None,
        runs: Runs | None = None,
        device: str = "auto",
        store: str | None = None,
    ) -> Any:
        return run_tables(
            planned((name,), suite, datasets, methods, protocols, runs, device, store)
        )

    return run


def run_tables(plan: Plan) -> Any:
    """The sections of a plan's experiments; a `Failed` state with them if a cell failed."""
    started, sections = time.perf_counter(), []
    for experiment in plan.experiments:
        section = run_experiment(plan, experiment)
        show(plan.store, section)
        sections.append(section)
    if runtime.flow_run.parent_flow_run_id is None:  # a parent writes one report over everything
        name = f"{plan.suite}-{plan.experiments[0].flow}"
        reports.show(reports.write(plan.store, name, sections), name)
    get_run_logger().info(cost(started))
    return outcome(sections)


def cost(started: float) -> str:
    """How long a flow took, and what of it was not the work of its stages in this process."""
    seconds = time.perf_counter() - started
    waiting = seconds - busy_seconds(started)
    share = 100 * waiting / seconds
    return f"{seconds:.1f} s, of which orchestration {waiting:.1f} s ({share:.0f} %)"


def outcome(sections: list[Section]) -> Any:
    """The sections, or a failure that lists the cells that are not there and why."""
    failed = {
        f"{section.experiment.name}: {cell}": reason
        for section in sections
        for cell, reason in section.failed.items()
    }
    if not failed:
        return sections
    listed = "\n".join(f"- {cell}: {reason}" for cell, reason in failed.items())
    message = f"{len(failed)} cells failed; a rerun does only those:\n{listed}"
    get_run_logger().error(message)
    return Failed(message=message, data=sections)


def show(store: str, section: Section) -> None:
    """The table in Prefect's UI, as markdown to read and as a table to sort."""
    table = section_table(Store(store), section)
    key, title = section.experiment.name, section.experiment.title
    gaps = [f"- {name}: not available ({why})" for name, why in section.missing.items()]
    gaps += [f"- {cell}: failed ({why})" for cell, why in section.failed.items()]
    text = "\n".join([f"# {title}", "", markdown(table), "", *gaps])
    create_markdown_artifact(text, key=f"{key}-summary", description=title)
    rows: Any = table.to_dict("records")
    create_table_artifact(rows, key=f"{key}-table", description=title)
    for name, svg in read_files(Store(store), section.figures).items():
        figure = f"{name.removesuffix('.svg')}-figure"
        create_image_artifact(reports.as_url(svg), key=figure, description=title)

"""The whole paper: every table's flow, one after the other, and one report over everything."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from flows import reports
from flows.citation import citation
from flows.clustering import clustering
from flows.dag import cells_of
from flows.in_use import uses_store
from flows.plan import FLOWS, Protocol, Runs, Suite, planned
from flows.robustness import robustness
from flows.runners import shared_runner
from flows.section import Section
from flows.so_far import so_far
from flows.tables import cost, outcome, verdict
from flows.uci import uci
from tasks.declared.types import Experiment
from tasks.report.gaps import FAILED, Gap, listed, reason_of
from tasks.report.tables import markdown
from tasks.report.writers.inert import inert

TABLES = {"citation": citation, "uci": uci, "clustering": clustering, "robustness": robustness}


@flow(name="reproduce-paper", flow_run_name="reproduce-paper {suite}")
@uses_store
def reproduce_paper(
    suite: Suite = "paper",
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    protocols: list[Protocol] | None = None,
    runs: Runs | None = None,
    device: str = "auto",
    store: str | None = None,
    runner: Literal["threads", "dask", "ray"] = "threads",
    address: str | None = None,
    strict: bool = False,
    quick: bool = False,
) -> Any:
    """Every table of the suite; the report is refreshed as methods finish: there is one early."""
    started = time.perf_counter()
    plan = planned(FLOWS, suite, datasets, methods, protocols, runs, device, store, quick)
    sections: list[Section] = []
    with shared_runner(runner, address) as task_runner, so_far(plan, plan.report):
        for name, table in TABLES.items():
            part = plan.of(name)
            if not part.experiments:
                continue
            chosen = sorted({dataset for e in part.experiments for dataset in e.datasets})
            state: Any = table.with_options(task_runner=task_runner)(
                suite=suite,
                datasets=chosen,
                methods=methods,
                protocols=protocols,
                runs=runs,
                device=device,
                store=plan.store,
                strict=strict,
                quick=quick,
                return_state=True,
            )
            found = state.result(raise_on_failure=False)
            if isinstance(found, list):
                sections += found
            else:  # the flow itself broke: no sections, but the other tables can still be had
                sections += [
                    Section(e, plan.protocols, gaps=(whole_gap(e, plan.protocols, found),))
                    for e in part.experiments
                ]
    path, faults = reports.write(plan, plan.report, sections)
    reports.show(path, plan.report)
    show_summary(plan.report, sections, path)
    get_run_logger().info(cost(started))
    return outcome(sections, strict, faults)


def show_summary(suite: str, sections: Sequence[Section], path: Path) -> None:
    """What became of the run in Prefect's UI: the verdict first, then each table in a line."""
    missing = [gap for section in sections for gap in section.gaps]
    lines = [
        {
            "table": section.experiment.title,
            "cells": len(section.cells),
            "not there": sum(gap.cells for gap in section.gaps),
            "seconds": round(sum(sum(s.values()) for s in section.costs.values())),
        }
        for section in sections
    ]
    parts = [f"# {verdict(sections)}", "", markdown(pd.DataFrame(lines)), ""]
    parts += [*(f"- {inert(line)}" for line in listed(missing)), "", f"The report is at `{path}`."]
    said = verdict(sections)
    create_markdown_artifact("\n".join(parts), key=f"summary-{suite}", description=said)
    create_table_artifact(lines, key=f"summary-{suite}-tables", description=said)


def whole_gap(experiment: Experiment, protocols: Sequence[str], error: BaseException) -> Gap:
    """Every cell of an experiment, none of which is there."""
    cells = sum(cells_of(experiment, protocols).values())
    return Gap(FAILED, experiment.name, reason_of(error), cells)

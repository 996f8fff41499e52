"""The whole paper: every table's flow, one after the other, and one report over everything."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from flows import reports
from flows.citation import citation
from flows.clustering import clustering
from flows.dag import cells_of
from flows.parameters import Reproduction, Selection, uses_store
from flows.plan import FLOWS, plan_of
from flows.robustness import robustness
from flows.runners import shared_runner
from flows.section import Section
from flows.signatures import shared, takes
from flows.so_far import so_far
from flows.tables import cost, outcome, verdict
from flows.uci import uci
from tasks.declared.types import Experiment
from tasks.report.gaps import FAILED, Gap, listed, reason_of
from tasks.report.tables import markdown
from tasks.report.writers.inert import inert

TABLES = {"citation": citation, "uci": uci, "clustering": clustering, "robustness": robustness}


@flow(name="reproduce-paper", flow_run_name="reproduce-paper {suite}")
@takes(Reproduction)
@uses_store
def reproduce_paper(chosen: Reproduction) -> Any:
    """Every table of the suite; the report is refreshed as methods finish: there is one early."""
    started = time.perf_counter()
    plan = plan_of(FLOWS, chosen)
    sections: list[Section] = []
    given = shared(Selection, chosen)
    with shared_runner(chosen.runner, chosen.address) as runner, so_far(plan, plan.report):
        for name, table in TABLES.items():
            part = plan.of(name)
            if not part.experiments:
                continue
            given["datasets"] = sorted({name for e in part.experiments for name in e.datasets})
            given["store"] = plan.store
            state: Any = table.with_options(task_runner=runner)(**given, return_state=True)
            result = state.result(raise_on_failure=False)
            if isinstance(result, list):
                sections += result
            else:  # the flow itself broke: no sections, but the other tables can still be had
                sections += [
                    Section(e, plan.protocols, gaps=(whole_gap(e, plan.protocols, result),))
                    for e in part.experiments
                ]
    path, faults = reports.write(plan, plan.report, sections)
    reports.show(path, plan.report, plan.part)
    show_summary(plan.report, sections, path)
    get_run_logger().info(cost(started, chosen.runner))
    return outcome(sections, chosen.strict, faults)


def show_summary(suite: str, sections: Sequence[Section], path: Path) -> None:
    """What became of the run in Prefect's UI: the verdict first, then each table in a line."""
    missing = [gap for section in sections for gap in section.gaps]
    lines = [
        {
            "table": section.experiment.title,
            "cells": len(section.cells),
            "missing": sum(gap.cells for gap in section.gaps),
            "seconds": round(sum(sum(s.values()) for s in section.costs.values())),
        }
        for section in sections
    ]
    title = verdict(sections)
    parts = [f"# {title}", "", markdown(pd.DataFrame(lines)), ""]
    parts += [*(f"- {inert(line)}" for line in listed(missing)), "", f"The report is at `{path}`."]
    create_markdown_artifact("\n".join(parts), key=f"summary-{suite}", description=title)
    create_table_artifact(lines, key=f"summary-{suite}-tables", description=title)


def whole_gap(experiment: Experiment, protocols: Sequence[str], error: BaseException) -> Gap:
    """One gap for all cells of an experiment."""
    cells = sum(cells_of(experiment, protocols).values())
    return Gap(FAILED, experiment.name, reason_of(error), cells)

"""The whole paper: every table's flow, one after the other, and one report over everything."""

import os
from pathlib import Path
from typing import Any, Literal

from prefect import flow, get_run_logger
from prefect.artifacts import create_link_artifact, create_markdown_artifact

from flows.citation import citation
from flows.clustering import clustering
from flows.parameters import FLOWS, Protocol, Runs, Suite, planned
from flows.robustness import robustness
from flows.runners import task_runner
from flows.tables import outcome
from flows.uci import uci
from tasks.report import Section, export, report

TABLES = {"citation": citation, "uci": uci, "clustering": clustering, "robustness": robustness}
REPORTS = "FLGC_REPORTS"


@flow(name="reproduce-paper", flow_run_name="reproduce-paper {suite}")
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
) -> Any:
    """Every table of the suite; the report is refreshed after each, so that there is one early."""
    plan = planned(FLOWS, suite, datasets, methods, protocols, runs, device, store)
    sections: list[Section] = []
    path = report_folder(suite)
    for name, table in TABLES.items():
        part = plan.of(name)
        if not part.experiments:
            continue
        chosen = sorted({dataset for e in part.experiments for dataset in e.datasets})
        state: Any = table.with_options(task_runner=task_runner(runner, address))(
            suite=suite,
            datasets=chosen,
            methods=methods,
            protocols=protocols,
            runs=runs,
            device=device,
            store=plan.store,
            return_state=True,
        )
        found = state.result(raise_on_failure=False)
        if isinstance(found, list):
            sections += found
        else:  # the flow itself broke: no sections, but the other tables can still be had
            sections += [
                _broken(experiment, plan.protocols, state) for experiment in part.experiments
            ]
        path = write(plan.store, suite, sections)
    show_report(path, suite)
    return outcome(sections)


def write(store: str, suite: str, sections: list[Section]) -> Path:
    """The report in the store and as files."""
    artifact: Any = report.submit(store, suite, sections).result()
    path = export(store, artifact, report_folder(suite))
    get_run_logger().info("report: %s", path)
    return path


def show_report(path: Path, suite: str) -> None:
    """The report in Prefect's UI, and a link to the files."""
    text = path.read_text(encoding="utf-8")
    create_markdown_artifact(text, key=f"report-{suite}", description=f"Suite {suite}")
    create_link_artifact(path.as_uri(), key=f"report-{suite}-file", link_text=path.name)


def report_folder(suite: str) -> Path:
    """Where the report's files are written: below FLGC_REPORTS, or artifacts/report."""
    return (Path(os.environ.get(REPORTS) or "artifacts/report") / suite).absolute()


def _broken(experiment: Any, protocols: tuple[str, ...], state: Any) -> Section:
    return Section(
        experiment=experiment,
        methods=experiment.methods,
        protocols=protocols,
        results=(),
        comparison=None,
        missing={},
        failed={f"every cell of {experiment.name}": state.message or state.name},
    )

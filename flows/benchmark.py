"""Speed ratios and accuracies as history, one artifact per run, so that drift shows."""

from datetime import UTC, datetime
from typing import Any

import pandas as pd
from prefect import flow
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.logging import get_logger

from flgc.benchmark.history import COLUMNS
from flows.dag import run_experiment
from flows.in_use import uses_store
from flows.plan import Protocol, Runs, Suite, planned
from flows.runners import task_runner
from flows.tables import outcome
from tasks.document.tables import markdown
from tasks.stages.dataset import dataset
from tasks.stages.history import history
from tasks.store import DamagedArtifact, Store, StoreError
from tasks.store.upkeep import artifact_keys


@flow(name="benchmark", flow_run_name="benchmark {suite}", task_runner=task_runner())
@uses_store
def benchmark(
    suite: Suite = "paper",
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    protocols: list[Protocol] | None = None,
    runs: Runs | None = None,
    device: str = "auto",
    store: str | None = None,
    strict: bool = False,
) -> Any:
    """Accuracies of the citation graphs, from the store where they are, and fits timed anew."""
    plan = planned(("citation",), suite, datasets, methods, protocols, runs, device, store)
    suite = plan.suite  # of a file the name that stands in it
    experiment = plan.experiments[0]
    section = run_experiment(plan, experiment)
    graph = next((name for name in experiment.datasets if name not in section.absent), None)
    if graph is not None and section.results:
        when = datetime.now(UTC).isoformat(timespec="seconds")
        given = {"data": dataset.submit(plan.store, graph, dataset=graph), "suite": suite}
        measured = {"results": section.results, "when": when, **given}
        history.submit(plan.store, f"{suite} {when}", **measured).result()
        show_history(plan.store, suite)
    return outcome([section], strict)


def past(store: str) -> pd.DataFrame:
    """Every run's rows, oldest first; those that cannot be read are left out with a warning."""
    opened = Store(store)
    frames = []
    for key in artifact_keys(opened):
        if not key.startswith(f"{history.name}-"):
            continue
        try:
            frames.append(opened.read(key).to_pandas())
        except (DamagedArtifact, StoreError, KeyError) as error:
            get_logger(__name__).warning("left out of the history: %s", error)
    rows = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=COLUMNS)
    return rows.sort_values("when", kind="stable")


def show_history(store: str, suite: str) -> None:
    """The history in Prefect's UI: the last runs side by side, and all rows to sort."""
    rows = past(store)
    rows = rows[rows["suite"] == suite]
    names = ["dataset", "method", "protocol", "metric"]
    wide = rows.pivot_table(index=names, columns="when", values="value", sort=False)
    recent = wide[wide.columns[-5:]].reset_index()
    text = f"# Benchmark, suite {suite}\n\n{markdown(recent)}"
    create_markdown_artifact(text, key=f"benchmark-{suite}", description="The last five runs")
    table: Any = rows.to_dict("records")
    create_table_artifact(table, key=f"benchmark-{suite}-history", description="All runs")

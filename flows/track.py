"""Speed ratios, accuracies and cost as history, one artifact per run, so that drift shows."""

from datetime import UTC, datetime
from typing import Any

import pandas as pd
from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.states import Completed, State

from flows.execute import run_experiment
from flows.parameters import Selection, uses_store
from flows.plan import plan_of
from flows.runners import task_runner
from flows.signatures import takes
from flows.tables import outcome
from tasks.analyses.history import (
    drift_sentences,
    drift_verdict,
    drifted_rows,
    history_text,
    judge_history,
)
from tasks.stages.cells import dataset
from tasks.stages.history import history, past

# The name of the state in which a run ends whose values left the spread of their history: all was
# measured and kept, so it completed; automations match the event `prefect.flow-run.Drifted`.
DRIFTED = "Drifted"


@flow(name="track", flow_run_name="track {suite}", task_runner=task_runner())
@takes(Selection, without=("quick",))
@uses_store
def track(chosen: Selection) -> Any:
    """Accuracies of the citation graphs, from the store where they are, and fits timed anew."""
    plan = plan_of(("citation",), chosen)
    suite = plan.suite  # the name inside, for a file
    experiment = plan.experiments[0]
    section = run_experiment(plan, experiment)
    ended = outcome([section], chosen.strict)
    graph = next((name for name in experiment.datasets if name not in section.absent), None)
    if graph is None or not section.cells:
        return ended
    when = datetime.now(UTC).isoformat(timespec="seconds")
    history.submit(
        plan.store,
        f"{suite} {when}",
        data=dataset.submit(plan.store, graph, dataset=graph),
        suite=suite,
        results=section.cells,
        when=when,
        costs=section.costs,
    ).result()
    every = past(plan.store)
    rows = every[every["suite"] == suite]
    show_history(rows, suite)
    return with_drift(ended, rows)


def with_drift(ended: Any, rows: pd.DataFrame) -> Any:
    """How a run ended, or, if it did well and its values drifted, a state that says so."""
    found = judge_history(rows)
    if drifted_rows(found).empty:
        return ended
    drift = "\n".join(
        [f"{drift_verdict(found)}:", *(f"- {line}" for line in drift_sentences(found))]
    )
    get_run_logger().warning(drift)
    state = ended if isinstance(ended, State) else Completed(data=ended)
    message = "\n".join(filter(None, [drift, state.message]))
    name = state.name if state.is_failed() else DRIFTED
    return state.model_copy(update={"name": name, "message": message})


def show_history(rows: pd.DataFrame, suite: str) -> None:
    """The history in Prefect's UI: the verdict and the last runs, and all rows to sort."""
    found = judge_history(rows)
    text = f"# History, suite {suite}\n\n{history_text(rows)}"
    create_markdown_artifact(text, key=f"track-{suite}", description=drift_verdict(found))
    newest = found.drop(columns="suite").iloc[::-1]
    table: Any = newest.astype(object).where(newest.notna(), None).to_dict("records")
    create_table_artifact(table, key=f"track-{suite}-history", description="All runs")

"""Clustering under noise: the corruption is a task of its own."""

from typing import Any

from prefect import flow

from flows.parameters import Protocol, Runs, Suite, planned
from flows.runners import task_runner
from flows.tables import run_tables


@flow(name="robustness", flow_run_name="robustness {suite}", task_runner=task_runner())
def robustness(
    suite: Suite = "paper",
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    protocols: list[Protocol] | None = None,
    runs: Runs | None = None,
    device: str = "auto",
    store: str | None = None,
) -> Any:
    """Clustering under noise: the corruption is a task of its own."""
    return run_tables(
        planned(("robustness",), suite, datasets, methods, protocols, runs, device, store)
    )
